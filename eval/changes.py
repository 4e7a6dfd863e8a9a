"""What changed between two runs on one question, and which stage is to blame.

A single run's diagnosis asks why an answer is bad; this asks why it is worse than another pipeline's, so it
looks at what differs: whether the needed passage was retrieved, at which rank, whether grading let it pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from eval.diagnosis import NEXT, retrieval_advice
from eval.intervals import TIE
from eval.metrics import retrieval
from eval.metrics.builtin import graded
from eval.metrics.catalog import CATALOG
from eval.runs import AnswerRecord, MetricInfo, Question, Run, Score

Stage = Literal["pipeline", "judge", "chunking", "retrieval", "ranking", "grading", "generation", "none"]

STAGE_WORDS: Mapping[str, str] = {
    "pipeline": "the pipeline failed",
    "judge": "the judge gave no score",
    "chunking": "the needed passage is cut differently",
    "retrieval": "the needed passage is not retrieved",
    "ranking": "the needed passage is ranked lower",
    "grading": "grading decided differently",
    "generation": "the same evidence, another answer",
}

ADVICE: Mapping[str, str] = {str(stage): advice for stage, advice in NEXT.items()} | {
    "chunking": "cut at headings, paragraphs and whole sentences, or let chunks overlap"
}


@dataclass(frozen=True, slots=True)
class Side:
    """One run's part in a change: the repeat that shows it best, and every score of that repeat."""

    score: float | None
    record: AnswerRecord | None
    scores: tuple[Score, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        record = self.record
        if record is None:
            return {"score": self.score, "status": "missing"}
        answer = record.answer or {}
        return {
            "score": self.score,
            "status": answer.get("status", record.status),
            "route": answer.get("route"),
            "confidence": answer.get("confidence"),
            "text": record.text,
            "error": dict(record.error) if record.error else None,
            "contexts": [{"rank": c.rank, "source": c.source, "text": c.text} for c in record.contexts[:5]],
            "reasons": {s.metric: s.reason for s in self.scores if s.reason},
        }


@dataclass(frozen=True, slots=True)
class Change:
    """`gain` is positive where the candidate is better, None where one run has no score."""

    question: Question
    base: Side
    candidate: Side
    gain: float | None
    regressed: bool
    stage: Stage
    why: str

    @property
    def advice(self) -> str:
        """What to try next; empty where nothing regressed."""
        if self.stage == "retrieval" and self.candidate.record is not None:
            return retrieval_advice(self.candidate.record.contexts)
        return ADVICE.get(self.stage, "")

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.question.id,
            "question": self.question.question,
            "type": self.question.type,
            "lang": self.question.lang,
            "gain": self.gain,
            "regressed": self.regressed,
            "stage": self.stage,
            "why": self.why,
            "advice": self.advice,
            "base": self.base.to_dict(),
            "candidate": self.candidate.to_dict(),
        }


def changes_between(base: Run, candidate: Run, metric: MetricInfo) -> tuple[Change, ...]:
    """Every question of the base by its change on `metric`: lost answers first, then the largest losses.

    Questions on which neither run has a score and neither failed are left out.
    """
    rechunked = _chunking(base) != _chunking(candidate)
    ours, theirs = _sides(base, metric, best=True), _sides(candidate, metric, best=False)
    changes = []
    for identity, question in base.questions.items():
        before, after = ours[identity], theirs.get(identity, Side(None, None))
        failed = after.record is not None and after.record.status == "pipeline_error"
        if before.score is None and after.score is None and not failed:
            continue
        gain = None
        if before.score is not None and after.score is not None:
            gain = after.score - before.score if metric.direction == "higher" else before.score - after.score
        lost = gain < -TIE if gain is not None else before.score is not None
        stage, why = blame(before, after, metric.name, rechunked=rechunked) if lost else ("none", "")
        changes.append(Change(question, before, after, gain, lost, stage, why))
    changes.sort(key=lambda change: (not change.regressed, -math.inf if change.gain is None else change.gain))
    return tuple(changes)


def blame(base: Side, candidate: Side, metric: str, *, rechunked: bool) -> tuple[Stage, str]:
    """The stage that a regression began in, and why, in one sentence. `rechunked`: the runs chunk differently."""
    failure = _failure(candidate, metric)
    if failure is not None:
        return failure
    before, after = base.record, candidate.record
    assert before is not None
    assert after is not None
    if not after.question.answerable:
        return _unanswerable(before, after)
    if not after.gold:
        return _without_gold(before, after)
    known = CATALOG.get(metric)
    return _with_gold(before, after, rechunked, of_answer=known is None or known.group != "retrieval")


def _failure(candidate: Side, metric: str) -> tuple[Stage, str] | None:
    record = candidate.record
    if record is None:
        return "pipeline", "The candidate was not asked this question."
    if record.status == "pipeline_error":
        error = record.error or {"type": "error", "message": "no message"}
        return "pipeline", f"The pipeline failed: {error['type']}: {error['message']}"
    score = next((score for score in candidate.scores if score.metric == metric), None)
    if score is not None and score.status == "judge_error":
        return "judge", f"The judge gave no score: {score.reason or 'no reason recorded'}."
    return None


def _with_gold(before: AnswerRecord, after: AnswerRecord, rechunked: bool, *, of_answer: bool) -> tuple[Stage, str]:
    was, now = _last_rank(before), _last_rank(after)
    if now is None:
        return _not_retrieved(was, after, rechunked)
    if of_answer and after.abstained and not before.abstained:
        return "grading", f"The needed passage was found at rank {now}, but {_decision(after)}."
    if rechunked and _in_one_piece(before) and not _in_one_piece(after):
        return "chunking", f"The needed passage was one chunk's and is now cut: it is whole only at rank {now}."
    if was is not None and now > was:
        return "ranking", f"The needed passage fell from rank {was} to rank {now}."
    place = f"at rank {now} in both runs" if was == now else f"at rank {now}, no worse than before"
    return "generation", f"The needed passage was {place}; what changed is the answer made from it."


def _not_retrieved(was: int | None, after: AnswerRecord, rechunked: bool) -> tuple[Stage, str]:
    held = retrieval.coverage(after.gold, after.contexts)
    count = len(after.contexts)
    if was is not None and rechunked and held >= 0.5:
        return (
            "chunking",
            f"Only {held:.0%} of the needed passage is in the {count} retrieved chunks: a cut runs through it.",
        )
    if was is not None:
        return "retrieval", f"The needed passage was at rank {was} and is no longer among the {count} retrieved."
    return "retrieval", "The needed passage was retrieved in neither run; the answers differ in what they made of that."


def _unanswerable(before: AnswerRecord, after: AnswerRecord) -> tuple[Stage, str]:
    if before.abstained and not after.abstained:
        return "grading", f"The documents do not answer this question, but {_decision(after)}."
    return "generation", "The documents do not answer this question in either run; what changed is the answer."


def _without_gold(before: AnswerRecord, after: AnswerRecord) -> tuple[Stage, str]:
    if after.abstained and not before.abstained:
        return "grading", f"The base answered, but {_decision(after)}."
    seen, seeing = ([(c.document, c.start, c.end) for c in r.contexts] for r in (before, after))
    if seen == seeing:
        return "generation", "Both runs had the same contexts; what changed is the answer made from them."
    if set(seen) == set(seeing):
        return "ranking", "Both runs had the same contexts in another order."
    gone = len(set(seen) - set(seeing))
    return (
        "retrieval",
        f"{gone} of the base's {len(seen)} contexts are gone; the question has no gold span to tell more.",
    )


def _decision(record: AnswerRecord) -> str:
    answer = record.answer or {}
    done = "declined to answer" if record.abstained else "answered"
    if not graded(record):
        return f"the pipeline does not grade and it {done}"
    sure = f"{answer.get('confidence', 0.0):.2f}"
    return f"grading took the route {answer.get('route')} with a confidence in the evidence of {sure} and it {done}"


def _last_rank(record: AnswerRecord) -> int | None:
    """The rank at which all needed passages have been seen."""
    ranks = [rank for rank in retrieval.found_ranks(record.gold, record.contexts) if rank is not None]
    return max(ranks) if ranks and len(ranks) == len(record.gold) else None


def _in_one_piece(record: AnswerRecord) -> bool:
    """Does each needed passage stand whole in some single context?"""
    return all(any(retrieval.found_ranks((group,), [c]) != [None] for c in record.contexts) for group in record.gold)


def _sides(run: Run, metric: MetricInfo, *, best: bool) -> dict[str, Side]:
    """Per question its mean score and one repeat to show: the base's best, the candidate's worst."""
    by_question: dict[str, list[AnswerRecord]] = {}
    for record in run.answers.values():
        by_question.setdefault(record.question.id, []).append(record)
    by_answer: dict[tuple[str, int], list[Score]] = {}
    for score in run.scores.values():
        by_answer.setdefault((score.question, score.repeat), []).append(score)
    return {q: _side(records, by_answer, metric, best=best) for q, records in by_question.items()}


def _side(
    records: Iterable[AnswerRecord],
    scores: Mapping[tuple[str, int], list[Score]],
    metric: MetricInfo,
    *,
    best: bool,
) -> Side:
    valued = [
        (record, next((s.value for s in scores.get(record.key, ()) if s.metric == metric.name), None))
        for record in records
    ]
    known = [value for _, value in valued if value is not None]
    sign = (1 if metric.direction == "higher" else -1) * (1 if best else -1)
    shown = max(valued, key=lambda item: -math.inf if item[1] is None else sign * item[1])[0]
    mean = sum(known) / len(known) if known else None
    return Side(mean, shown, tuple(scores.get(shown.key, ())))


def _chunking(run: Run) -> Any:
    return run.manifest["pipeline"]["resolved"].get("chunking")
