"""What changed between two runs: the type that was hit, and the stage that each regression is blamed on."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eval.compare import compare_runs
from eval.report import render_html
from tests.fakes.compared import compared, scored, two
from tests.fakes.runs import Case


def test_breakdown_names_the_type_that_was_hit(tmp_path: Path) -> None:
    base = [replace(c, type="multi-hop" if n % 2 else "factual") for n, c in enumerate(scored([1.0] * 12))]
    new = [replace(c, type=b.type) for b, c in zip(base, scored([1.0, 0.0] * 6), strict=True)]
    result = compared(*two(tmp_path, base, new))
    assert [(cell.group, cell.test.difference) for cell in result.types_hit][:1] == [("multi-hop", -1.0)]
    assert {cell.group for cell in result.cells} == {"factual", "multi-hop", "en"}


def test_a_type_of_one_or_two_questions_is_not_said_to_be_hit(tmp_path: Path) -> None:
    base = [replace(case, type="multi-hop" if n < 2 else "factual") for n, case in enumerate(scored([1.0] * 12))]
    new = [replace(case, scores={"correctness": 0.0 if n < 2 else 0.9}) for n, case in enumerate(base)]
    before, after = two(tmp_path, base, new)
    found = compare_runs(before, [after])
    assert [(cell.group, cell.test.n) for cell in found.candidates[0].types_hit] == [("factual", 10)]
    assert "Hit hardest: factual (−0.100, 10 questions)" in render_html(found)


@pytest.mark.parametrize(
    ("change", "stage", "words"),
    [
        ({"gold_rank": None}, "retrieval", "no longer among the 6"),
        ({"gold_rank": 4}, "ranking", "fell from rank 1 to rank 4"),
        (
            {"status": "abstained", "route": "incorrect", "confidence": 0.2},
            "grading",
            "route incorrect with a confidence in the evidence of 0.20",
        ),
        ({}, "generation", "at rank 1 in both runs"),
        ({"error": {"type": "ProviderError", "message": "timed out"}}, "pipeline", "ProviderError: timed out"),
        ({"scores": {"correctness": "judge_error"}, "reason": "bad JSON"}, "judge", "bad JSON"),
        ({"answerable": False}, "generation", "do not answer"),
        ({"gold": False, "gold_rank": 3}, "retrieval", "no gold span"),
    ],
)
def test_the_stage_to_blame(tmp_path: Path, change: dict[str, object], stage: str, words: str) -> None:
    before = scored([1.0] * 6)
    after = scored([1.0] * 6)
    after[2] = replace(after[2], **{"scores": {"correctness": 0.0}, **change})  # type: ignore[arg-type]
    if "error" in change:
        after[2] = replace(after[2], scores={"correctness": "pipeline_error"})
    if "answerable" in change:
        before[2] = replace(before[2], answerable=False)
    result = compared(*two(tmp_path, before, after))
    assert [(r.question.id, r.stage) for r in result.regressions] == [("q2", stage)]
    assert words in result.regressions[0].why
    assert result.stages == {stage: 1}


def test_an_answer_to_what_has_none_is_blamed_on_grading(tmp_path: Path) -> None:
    before = scored([1.0] * 6, answerable=False, status="abstained")
    after = [
        *scored([1.0] * 5, answerable=False, status="abstained"),
        Case("q5", {"correctness": 0.0}, answerable=False),
    ]
    result = compared(*two(tmp_path, before, after))
    assert [r.stage for r in result.regressions] == ["grading"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"held": 0.8}, r"Only 8\d% of the needed passage is in the 6 retrieved chunks: a cut runs through it"),
        ({"held": 0.8, "split": True}, "was one chunk's and is now cut: it is whole only at rank 6"),
    ],
)
def test_a_cut_through_the_needed_passage_is_blamed_on_chunking(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    before, after = scored([1.0] * 6), scored([1.0] * 5)
    after.append(Case("q5", {"correctness": 0.0}, gold_rank=None, **change))
    pipeline = {"name": "new", "version": "2", "resolved": {"chunking": {"strategy": "fixed"}}}
    result = compared(*two(tmp_path, before, after, pipeline=pipeline))
    assert [r.stage for r in result.regressions] == ["chunking"]
    assert re.search(words, result.regressions[0].why)
    assert "whole sentences" in result.regressions[0].advice
