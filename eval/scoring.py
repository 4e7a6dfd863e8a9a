"""The second half of a run: frozen answers in, scores out. Nothing is asked of a pipeline here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from eval.metrics.base import OUT_OF_BUDGET, Metric
from eval.pool import work_through
from eval.runs import AnswerRecord, Score


@dataclass(frozen=True)
class Task:
    record: AnswerRecord
    metric: str
    keep: Callable[[Score], None]
    """Writes the line."""


async def score_all(
    tasks: Iterable[Task], metrics: Mapping[str, Metric], *, concurrency: int, progress: Callable[[], None]
) -> bool:
    """Work through the tasks; False when the budget kept some judged ones from being scored.

    A score that the budget cut short is kept as a `judge_error`, for what it had paid.
    """
    within = True

    async def work(task: Task) -> None:
        nonlocal within
        metric = metrics[task.metric]
        if metric.info.judged and not within:
            return
        scored = await score(task.record, metric)
        if scored.reason == OUT_OF_BUDGET:
            within = False
            if not (scored.tokens and scored.tokens["model_calls"]):
                return  # nothing was paid, so nothing is to be told
        task.keep(scored)
        progress()

    await work_through(tasks, work, concurrency)
    return within


async def score(record: AnswerRecord, metric: Metric) -> Score:
    question, repeat, name = record.question.id, record.repeat, metric.info.name
    if record.status == "pipeline_error":
        message = record.error["message"] if record.error else "the pipeline failed"
        return Score(question, repeat, name, None, "pipeline_error", message)
    outcome = await metric.score(record)
    return Score(question, repeat, name, outcome.value, outcome.status, outcome.reason, outcome.tokens)
