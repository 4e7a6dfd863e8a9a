"""One pipeline, ready to answer: `ask`, `stream` and `search`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from pydantic import ValidationError

from chunking.errors import ConfigError, CragError
from graph.budget import Budget
from graph.build import build_graph, drawing
from graph.config import GenerationConfig
from graph.deps import Deps
from graph.language import language_of
from graph.nodes.base import Run, degraded
from graph.state import Policy, State
from graph.tracing import Spans, tracer
from graph.types import Answer, AnswerReady, Event, NodeEvent, NodeStarted, TextDelta, Turn, Usage
from retrieval.types import Degraded, Filters, Hit

_STEPS = 100
"""LangGraph's own bound, above what five rewrites need: the routes end every loop before it."""


class Engine:
    """Safe to share between concurrent questions. `aclose` closes the clients of the running event loop."""

    def __init__(self, deps: Deps) -> None:
        self.deps = deps
        self._graph = build_graph()
        self._tracer = tracer()

    async def ask(
        self, question: str, history: Sequence[Turn] = (), filters: Filters | None = None, **generation: Any
    ) -> Answer:
        """The answer. `generation` overrides settings of that section for this question.

        Raises ConfigError for an empty question or a setting out of bounds, and the ProviderError or StoreError
        of a search that found no way to run. Every other fault is named in `Answer.degraded`.
        """
        async with aclosing(self.stream(question, history, filters, **generation)) as events:
            async for event in events:
                if isinstance(event, AnswerReady):
                    return event.answer
        raise AssertionError("the graph ended without an answer")

    async def stream(
        self, question: str, history: Sequence[Turn] = (), filters: Filters | None = None, **generation: Any
    ) -> AsyncGenerator[Event, None]:
        """Events as they happen, `AnswerReady` last. Closing the iterator cancels what is running."""
        started = time.perf_counter()
        config = self._generation(generation)
        state = self.start(question, history)
        spans = None if self._tracer is None else Spans(self._tracer, self.deps.pipeline)
        run = Run(
            deps=self.deps,
            generation=config,
            budget=Budget(self.deps.limits, config, self.deps.embedder.count_tokens),
            started=started,
            filters=filters,
            spans=spans,
        )
        answer: Answer | None = None
        try:
            async with aclosing(self._steps(state, run)) as events:
                async for event in events:
                    answer = event.answer if isinstance(event, AnswerReady) else answer
                    yield event
        finally:
            if spans is not None:
                spans.end(answer)

    async def _steps(self, state: State, run: Run) -> AsyncGenerator[Event, None]:
        # An async generator by construction; its declared type is the wider AsyncIterator.
        steps: AsyncGenerator[tuple[str, Any], None] = self._graph.astream(  # type: ignore[assignment]
            state, {"recursion_limit": _STEPS}, context=run, stream_mode=["custom", "updates"]
        )
        async with aclosing(steps) as parts:
            async for mode, part in parts:
                if mode == "custom":
                    yield part
                elif "answer" in part:
                    yield AnswerReady(part["answer"]["answer"])

    async def search(
        self, question: str, top_k: int | None = None, filters: Filters | None = None
    ) -> tuple[list[Hit], tuple[Degraded, ...]]:
        """Retrieve and rerank only: at most `top_k` hits (default: the pipeline's), and what went wrong."""
        _nonempty(question)
        deps = self.deps
        limit = top_k or deps.retrieval.top_k
        breadth = limit if deps.reranker is None else max(limit, deps.rerank.candidates)
        found = await asyncio.to_thread(deps.retriever.retrieve, question, top_k=breadth, filters=filters)
        hits, trouble = list(found.hits), tuple(found.degraded)
        if deps.reranker is not None and hits:
            try:
                async with asyncio.timeout(deps.rerank.timeout):
                    hits = list(await asyncio.to_thread(deps.reranker.rerank, question, hits))
            except (CragError, TimeoutError) as raised:
                error = raised if isinstance(raised, CragError) else CragError("The reranker took too long.")
                trouble += degraded("rerank", error, "The passages keep the order of the search.")
        return hits[:limit], trouble

    async def aclose(self) -> None:
        await self.deps.generator.aclose()
        if self.deps.model_grader is not None:
            await self.deps.model_grader.aclose()
        if self.deps.web_search is not None:
            await self.deps.web_search.aclose()

    def mermaid(self) -> str:
        """LangGraph's own drawing of the graph, in Mermaid's language."""
        return drawing()

    def start(self, question: str, history: Sequence[Turn] = ()) -> State:
        """What the graph begins with. Raises ConfigError for an empty question."""
        deps = self.deps
        return State(
            question=_nonempty(question),
            history=tuple(history),
            language=language_of(question),
            policy=Policy(
                grading=deps.grading.enabled,
                upper=deps.grading.upper,
                lower=deps.grading.lower,
                attempts=deps.rewrite.attempts,
                hops=deps.rewrite.hops if deps.grading.enabled else 0,
                hop_below=deps.rewrite.hop_below,
                web=deps.web_search is not None,
                model=deps.chat is not None,
            ),
            tried=(),
            degraded=(),
            usage=Usage(),
            trace=(),
        )

    def _generation(self, overrides: dict[str, Any]) -> GenerationConfig:
        if not overrides:
            return self.deps.generation
        try:
            return GenerationConfig.model_validate({**self.deps.generation.model_dump(), **overrides})
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise ConfigError(f"generation.{where} cannot be {overrides.get(where)!r}: {first['msg']}.") from error


def _nonempty(question: str) -> str:
    if not question.strip():
        raise ConfigError("The question is empty: ask something.")
    return question


__all__ = ["AnswerReady", "Engine", "Event", "NodeEvent", "NodeStarted", "TextDelta"]
