"""One verb: `Metric.score`. A metric that cannot measure says so with a status; it never raises for its data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from eval.runs import AnswerRecord, MetricInfo, ScoreStatus


@dataclass(frozen=True, slots=True)
class Outcome:
    """`value` is finite exactly when `status` is ``ok``."""

    value: float | None
    status: ScoreStatus = "ok"
    reason: str | None = None
    tokens: Mapping[str, float] | None = None


OUT_OF_BUDGET = "the budget was spent"
GIVEN_UP = "its rescoring did not end"
NO_REPLY = "no reply from the judge: "
"""Reasons of a `judge_error`, the last one's beginning, that a resumed run tries again without being told to."""


def not_applicable(reason: str) -> Outcome:
    return Outcome(None, "not_applicable", reason)


class Metric(Protocol):
    @property
    def info(self) -> MetricInfo: ...

    async def score(self, record: AnswerRecord) -> Outcome:
        """Score one answer whose status is ``ok``. Never raises for what a judge or an embedder does."""
        ...


Check = Callable[[AnswerRecord], str | None]
"""Why a metric does not apply to an answer, or None."""


@dataclass(frozen=True)
class Measured:
    """A metric that is a function of the answer, where every check lets it through."""

    info: MetricInfo
    measure: Callable[[AnswerRecord], float]
    checks: tuple[Check, ...] = ()

    async def score(self, record: AnswerRecord) -> Outcome:
        reason = first_reason(self.checks, record)
        return Outcome(self.measure(record)) if reason is None else not_applicable(reason)


def first_reason(checks: tuple[Check, ...], record: AnswerRecord) -> str | None:
    return next((reason for check in checks if (reason := check(record)) is not None), None)


def needs_answerable(record: AnswerRecord) -> str | None:
    return None if record.question.answerable else "the question has no answer in these documents"


def needs_gold(record: AnswerRecord) -> str | None:
    return None if record.gold else "the question has no gold span"


def needs_reference(record: AnswerRecord) -> str | None:
    return None if record.question.reference.strip() else "the question has no reference"


def needs_contexts(record: AnswerRecord) -> str | None:
    return None if record.contexts else "nothing was retrieved"


def needs_attempt(record: AnswerRecord) -> str | None:
    return "the pipeline declined to answer" if record.abstained else None
