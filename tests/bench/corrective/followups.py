"""Follow-ups: the last turn of a conversation against the same question in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eval.report.markdown import table
from eval.statistics import paired_test
from eval.verdicts import signed
from tests.bench.corrective.report import Bar, Section, share
from tests.bench.corrective.sets import POOLS, Asked, Line, recall_at, reported

FILE = "conversations.jsonl"
MARGIN = 0.05


@dataclass(frozen=True)
class FollowUp:
    line: Line
    searched: str
    """What the rule made of it."""
    recall: float
    in_full: float
    alone: float
    """The last turn without its conversation."""


def follow_ups(asked: Asked, lines: Sequence[Line]) -> list[FollowUp]:
    """Each conversation three times: its last turn, the question in full, the last turn without the ones before."""
    made = []
    for line in lines:
        gold = asked.gold(line.set, line.question)
        turn = asked.ask(line.question.question, history=line.history)
        condensed = next(event for event in turn.trace if event.node == "condense")
        made.append(
            FollowUp(
                line,
                str(condensed.detail["question"]),
                recall_at(turn, gold),
                recall_at(asked.ask(line.in_full), gold),
                recall_at(asked.ask(line.question.question), gold),
            )
        )
    return made


def section(made: Sequence[FollowUp]) -> Section:
    held = [each for each in made if reported(each.line.question.id)]
    test = paired_test([each.in_full for each in held], [each.recall for each in held], bounds=(0, 1))
    interval = f" (95% interval {signed(test.interval.low)} to {signed(test.interval.high)})" if test.interval else ""
    rows = []
    for half, own in (("reported half", held), ("tuned on", [each for each in made if each not in held])):
        for language in (*POOLS, ""):
            some = [each for each in own if language in ("", each.line.language)]
            figures = [share([getattr(each, name) for each in some]) for name in ("recall", "in_full", "alone")]
            rows.append([f"{half}, {language or 'both'}", str(len(some)), *figures])
    bar = Bar(
        9,
        "follow-ups",
        f"recall@5 of the last turn within {MARGIN:g} of the same question in full",
        f"{share([each.recall for each in held])} against {share([each.in_full for each in held])} "
        f"on {len(held)} conversations",
        test.difference >= -MARGIN,
    )
    lines = (
        f"{len(made)} conversations of two and three turns, two sets of documents (all English ones, all Chinese ones) "
        "in an index each. The last turn is condensed by rule from the turns before; *alone* is what it finds without "
        f"them. On the reported half the last turn is at {signed(test.difference)}{interval}.",
        "",
        *table(["conversations", "number", "last turn", "in full", "alone"], rows),
    )
    return Section((bar,), "Follow-ups", lines)
