"""Badly asked questions, without the rewrite loop and with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from crag.pipeline import load_pipeline
from eval.report.markdown import table
from eval.runs import Gold
from eval.statistics import paired_test
from eval.verdicts import signed
from graph.types import Answer
from tests.bench.corrective.report import Bar, Section, share
from tests.bench.corrective.sets import POOLS, Asked, Line, recall_at, reported, says

FILE = "badly_asked.jsonl"
GAIN = 0.1


@dataclass(frozen=True)
class Outcome:
    recall: float
    confidence: float
    answered: bool
    right: bool
    """A reference stands in the answer, word for word."""


@dataclass(frozen=True)
class Rewritten:
    line: Line
    before: Outcome
    after: Outcome
    queries: tuple[str, ...]
    """What was searched for after the question itself."""

    @property
    def worse(self) -> bool:
        return self.before.right and not self.after.right


def rewritten(asked: Asked, lines: Sequence[Line]) -> list[Rewritten]:
    crag = load_pipeline("crag")
    never = crag.model_copy(update={"rewrite": crag.rewrite.model_copy(update={"attempts": 0})})
    made = []
    for line in lines:
        gold = asked.gold(line.set, line.question)
        before, after = (asked.ask(line.question.question, pipeline) for pipeline in (never, crag))

        def outcome(answer: Answer, gold: Gold = gold, line: Line = line) -> Outcome:
            answered = answer.status != "abstained"
            return Outcome(recall_at(answer, gold), answer.confidence, answered, says(answer, line.question))

        queries = tuple(str(e.detail["query"]) for e in after.trace if e.node == "rewrite" and "query" in e.detail)
        made.append(Rewritten(line, outcome(before), outcome(after), queries))
    return made


def section(made: Sequence[Rewritten]) -> Section:
    held = [each for each in made if reported(each.line.question.id)]
    test = paired_test([each.before.recall for each in held], [each.after.recall for each in held], bounds=(0, 1))
    worse = sum(each.worse for each in held)
    interval = f" (95% interval {signed(test.interval.low)} to {signed(test.interval.high)})" if test.interval else ""
    bars = (
        Bar(
            4,
            "rewriting",
            f"recall@5 of badly asked questions at least {GAIN:g} above what it is without rewriting",
            f"{signed(test.difference)}: {test.mean_candidate:.3f} against {test.mean_base:.3f}, {len(held)} questions",
            test.difference >= GAIN,
        ),
        Bar(4, "rewriting, answers", "none made worse", f"{worse} of {len(held)} made worse", not worse),
    )
    kinds = sorted({each.line.kind for each in made})
    chosen: list[tuple[str, Callable[[Rewritten], bool]]] = [
        ("reported half", lambda each: each in held),
        *(
            (
                f"reported half, {language}",
                lambda each, language=language: each in held and each.line.language == language,
            )
            for language in POOLS
        ),
        ("tuned on", lambda each: each not in held),
        *((f"both halves, {kind}", lambda each, kind=kind: each.line.kind == kind) for kind in kinds),
    ]
    rows = [_row(name, [each for each in made if belongs(each)]) for name, belongs in chosen]
    lines = (
        f"{len(made)} questions: misspelt, in the wrong words, with a story around them, in two languages at once, or "
        "key words alone. *Without* is the same pipeline with `rewrite.attempts: 0`. A question counts as right where "
        "the reference stands word for word in the answer. On the reported half recall@5 changes by "
        f"{signed(test.difference)}{interval}; no rewriting could raise it by more than {1 - test.mean_base:.3f}.",
        "",
        *table(
            [
                "questions",
                "number",
                "recall@5 without",
                "with",
                "answered without",
                "with",
                "right without",
                "with",
                "worse",
            ],
            rows,
        ),
    )
    return Section(bars, "Rewriting", lines)


def _row(name: str, some: Sequence[Rewritten]) -> list[str]:
    figures = [
        share([getattr(getattr(each, when), figure) for each in some])
        for figure in ("recall", "answered", "right")
        for when in ("before", "after")
    ]
    return [name, str(len(some)), *figures, str(sum(each.worse for each in some))]
