"""The first half of a run: every system is asked every question once for each repeat, and each answer kept at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from chunking.errors import CragError
from eval.corpus import Located
from eval.pool import work_through
from eval.prices import Budget, BudgetSpentError, Prices, require_price
from eval.questions import SuiteQuestion
from eval.runs import AnswerRecord, Context, Question
from eval.system import System
from graph.types import Answer


@dataclass(frozen=True)
class Task:
    system: System
    question: SuiteQuestion
    located: Located
    repeat: int
    keep: Callable[[AnswerRecord], None]
    """Writes the line."""


async def ask_all(
    tasks: Iterable[Task],
    *,
    concurrency: int,
    timeout: float,
    prices: Prices,
    budget: Budget,
    progress: Callable[[], None],
) -> bool:
    """Work through the tasks; False when the budget ended it. Raises ConfigError for a limit on what has no price.

    An answer's cost is known afterwards only: the first of a system books all that is left, and so runs alone, each
    later one the dearest so far.
    """
    dearest: dict[str, float] = {}
    within = True

    async def work(task: Task) -> None:
        nonlocal within
        name = task.system.name
        if not within:
            return
        try:
            async with budget.booked(lambda: dearest.get(name, budget.rest)):
                record = await ask(task, timeout, prices)
                budget.spend(record.cost or 0.0)
                dearest[name] = max(dearest.get(name, 0.0), record.cost or 0.0)
        except BudgetSpentError:
            within = False
            return
        task.keep(record)
        progress()
        if record.cost is None and budget.limit is not None:
            require_price(prices, str(_model(record.answer)))

    await work_through(tasks, work, concurrency)
    return within


async def ask(task: Task, timeout: float, prices: Prices) -> AnswerRecord:
    """One answer, or the record of how the pipeline failed."""
    question = task.question
    history = tuple((turn.role, turn.content) for turn in question.history)
    started = time.perf_counter()
    answer: Answer | None = None
    error: dict[str, str] | None = None
    try:
        answer = await asyncio.wait_for(task.system.ask(question.question, history), timeout)
    except TimeoutError:
        error = {"type": "timeout", "message": f"no answer within {timeout:g} s"}
    except CragError as failure:
        error = {"type": failure.kind, "message": str(failure)}
    except Exception as failure:
        error = {"type": type(failure).__name__, "message": str(failure)}
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "model_calls": 0} if answer is None else answer.usage.to_dict()
    shape = None if answer is None else answer.to_dict()
    return AnswerRecord(
        question=Question(
            question.id, question.question, question.reference, question.answers, question.type, question.lang,
            question.answerable, history,
        ),
        repeat=task.repeat,
        status="ok" if answer is not None else "pipeline_error",
        answer=shape,
        contexts=() if answer is None else contexts_of(answer),
        gold=task.located.gold,
        evidence=task.located.evidence,
        unlocated=task.located.unlocated,
        trace=() if answer is None else tuple(event.to_dict() for event in answer.trace),
        latency_ms=(time.perf_counter() - started) * 1000,
        usage=usage,
        cost=prices.cost(_model(shape), usage["prompt_tokens"], usage["completion_tokens"]),
        error=error,
    )  # fmt: skip


def contexts_of(answer: Answer) -> tuple[Context, ...]:
    return tuple(
        Context(
            rank, hit.document.id, hit.document.source, hit.document.title, hit.chunk.start, hit.chunk.end,
            hit.chunk.text, hit.chunk.tokens, hit.chunk.page, hit.document.url, hit.score, dict(hit.scores),
            dict(hit.ranks), tuple((copy.document.id, copy.start, copy.end) for copy in hit.also_in),
        )
        for rank, hit in enumerate(answer.hits, 1)
    )  # fmt: skip


def _model(answer: Mapping[str, Any] | None) -> str | None:
    return None if answer is None else answer["models"].get("generation")
