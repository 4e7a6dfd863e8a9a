"""The shape of a node, and the guard around each: its events, its deadline, and what is done when it fails."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from chunking.errors import CragError, ProviderError
from graph.budget import Budget
from graph.config import GenerationConfig
from graph.deps import Deps
from graph.llms.base import ChatModel, Message
from graph.state import State
from graph.tracing import Spans, tell
from graph.types import Event, NodeEvent, NodeStarted, Usage
from retrieval.types import Degraded, Filters

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

logger = logging.getLogger(__name__)

RESERVE = 0.03
"""Share of the answer's deadline that a node leaves for what is done when it fails."""
SIDE_SHARE = 0.5
"""Of the time left, what one question to the model may take before the answer is written: the answer comes last."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One answer in the making. `started` is in `time.perf_counter` seconds."""

    deps: Deps
    generation: GenerationConfig
    """The pipeline's section with what this question overrides."""
    budget: Budget
    started: float
    filters: Filters | None = None
    spans: Spans | None = None
    emit: Callable[[Event], None] = lambda event: None

    def remaining(self, reserves: int = 1) -> float:
        """Seconds that a node may still take, leaving `reserves` times the reserve."""
        deadline = self.deps.limits.deadline
        return self.started + deadline - time.perf_counter() - reserves * RESERVE * deadline

    async def ask(
        self,
        chat: ChatModel,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any],
        max_tokens: int,
        last: bool = False,
    ) -> tuple[dict[str, Any] | None, Usage]:
        """A question to the model within the answer's limits: an object of `schema`, or None. Raises ProviderError.

        `last` says that no answer is written after it, for which the others leave time and budget.
        """
        grant = self.budget.admit(messages, max_tokens, last=last)
        limit = max(0.0, min(self.generation.timeout, self.remaining() * (1 if last else SIDE_SHARE)))
        usage: Usage | None = None
        try:
            async with asyncio.timeout(limit):
                reply, usage = await chat.ask_json(messages, schema=schema, max_tokens=grant.max_tokens)
                return reply, usage
        except TimeoutError as late:
            raise ProviderError(
                f"{chat.name} did not answer within {limit:.3g} s.", provider=chat.name, code="timeout"
            ) from late
        finally:
            self.budget.settle(grant, usage)


Result = tuple[State, Mapping[str, Any]]
"""The keys of the state that change, and what the node's event tells of its decision."""


class LateError(ProviderError):
    """A node did not finish in its time."""


def unlimited(run: Run) -> float:
    """The deadline of the whole answer is the only limit."""
    return math.inf


@dataclass(frozen=True, kw_only=True)
class Node:
    """`fallback` gets the error and answers at once, naming the failure in `degraded`; without one it is raised."""

    name: str
    body: Callable[[State, Run], Awaitable[Result]]
    timeout: Callable[[Run], float] = unlimited
    fallback: Callable[[State, Run, CragError], Result] | None = None


class GraphNode(Protocol):
    def __call__(self, state: State, *, runtime: Runtime[Run]) -> Awaitable[State]: ...


def guarded(node: Node) -> GraphNode:
    """The node as LangGraph calls it."""

    async def call(state: State, *, runtime: Runtime[Run]) -> State:
        run = replace(runtime.context, emit=runtime.stream_writer)
        run.emit(NodeStarted(node.name))
        started = time.perf_counter()
        if run.spans is None:
            update, detail = await _attempt(node, state, run)
        else:
            with run.spans.node(node.name) as span:
                update, detail = await _attempt(node, state, run)
                tell(span, update, detail)
        event = NodeEvent(node.name, (time.perf_counter() - started) * 1000, detail)
        run.emit(event)
        return {**update, "trace": (event,)}

    return call


async def _attempt(node: Node, state: State, run: Run) -> Result:
    limit = max(0.0, min(node.timeout(run), run.remaining()))
    try:
        async with asyncio.timeout(limit):
            return await node.body(state, run)
    except TimeoutError:
        late = f"{node.name} took longer than {limit:.3g} s."
        if limit < node.timeout(run):
            late = f"{node.name} ran out of the answer's time ({run.deps.limits.deadline:g} s): raise limits.deadline."
        error: CragError = LateError(late, provider=node.name, code="timeout")
    except CragError as raised:
        error = raised
    except Exception as raised:
        if node.fallback is None:
            raise
        # A defect, not a fault of the far end: the answer goes on, the log keeps the traceback.
        logger.exception("%s failed", node.name)
        error = ProviderError(f"{node.name} failed ({type(raised).__name__}).", provider=node.name, code="failed")
    if node.fallback is None:
        raise error
    return node.fallback(state, run, error)


def degraded(stage: str, error: CragError, action: str) -> tuple[Degraded]:
    logger.warning("%s: %s %s", stage, error, action)
    return (Degraded(stage, str(error), action, error.code),)
