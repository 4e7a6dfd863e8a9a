"""Questions without an answer that share all words but one, or but what they ask for, with what the documents say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eval.report.markdown import table
from tests.bench.corrective.report import Section, share
from tests.bench.corrective.sets import POOLS, Asked, Line, reported

FILE = "near_misses.jsonl"


@dataclass(frozen=True)
class NearMiss:
    line: Line
    refused: bool
    named: bool
    """Whether the trace says what the evidence lacks, or of what it speaks instead."""


def near_misses(asked: Asked, lines: Sequence[Line]) -> list[NearMiss]:
    made = []
    for line in lines:
        answer = asked.ask(line.question.question)
        named = any({"lacks", "speaks_of"} & set(event.detail) for event in answer.trace if event.node == "grade")
        made.append(NearMiss(line, answer.status == "abstained", named))
    return made


def section(made: Sequence[NearMiss]) -> Section:
    kinds = sorted({each.line.kind for each in made})
    chosen = [
        ("reported half", [each for each in made if reported(each.line.question.id)]),
        ("tuned on", [each for each in made if not reported(each.line.question.id)]),
        *((language, [each for each in made if each.line.language == language]) for language in POOLS),
        *((f"both halves, {kind}", [each for each in made if each.line.kind == kind]) for kind in kinds),
    ]
    rows = [
        [name, str(len(some)), share([each.refused for each in some]), share([each.named for each in some])]
        for name, some in chosen
    ]
    lines = (
        f"{len(made)} questions without an answer over all documents of a language: one of the sets' questions with "
        "another year, number or name, or about what they do not tell. *Named*: the trace says what no passage found "
        "mentions, or what they speak of instead.",
        "",
        *table(["questions", "number", "refused", "named"], rows),
    )
    return Section((), "Near misses", lines)
