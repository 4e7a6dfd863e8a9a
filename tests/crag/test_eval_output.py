"""What the evaluation's commands print for a person, from runs that a test dictates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from crag.cli.eval_compare import compare
from crag.cli.eval_run import print_runs
from crag.cli.eval_sweep import print_sweep
from eval.runner import RunResult
from eval.runs import Run
from eval.summary import summarize
from eval.sweep import sweep
from tests.fakes.runs import F1, FAITHFULNESS, Case, write_run


def test_a_sweep_is_printed_without_marks_for_colours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(overrides: Mapping[str, Any]) -> Run:
        top_k = overrides["retrieval.top_k"]
        cases = [Case(f"q{n}", {"f1": 0.1 * top_k}) for n in range(8)]
        return write_run(tmp_path / str(top_k), cases, metrics=(F1,))

    print_sweep(sweep({"retrieval.top_k": [1, 2]}, run))
    said = capsys.readouterr().out
    assert "\nf1 on the half that chose and on the other; what stands beside is of the other.\n" in said
    assert "[" not in said


def test_a_run_says_how_many_scores_the_judge_owes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = [Case("a", {"f1": 1.0, "faithfulness": 0.5}), Case("b", {"f1": 0.0, "faithfulness": "judge_error"})]
    run = write_run(tmp_path, cases, metrics=(F1, FAITHFULNESS))
    result = RunResult(replace(run, summary=summarize(run)), None, "the reply was cut off")
    print_runs([result], judged=True)
    said = " ".join(capsys.readouterr().out.split())
    assert "The judge gave no score 1 of 2 times (faithfulness 1): means are over the rest." in said
    assert "First reason: the reply was cut off. --resume --retry-errors asks the judge again." in said

    whole = write_run(tmp_path / "whole", cases[:1], metrics=(F1, FAITHFULNESS))
    print_runs([RunResult(replace(whole, summary=summarize(whole)), None)], judged=True)
    assert "The judge gave no score" not in capsys.readouterr().out


def test_a_run_whose_pipeline_failed_says_with_what(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    error = {"type": "ProviderError", "message": "The model gave no reply."}
    run = write_run(tmp_path, [Case("a", {"f1": 1.0}), Case("b", {"f1": "pipeline_error"}, error=error)], metrics=(F1,))
    print_runs([RunResult(replace(run, summary=summarize(run)), None)], judged=True)
    said = " ".join(capsys.readouterr().out.split())
    assert "2 questions, 1 failed, in" in said
    assert "failed first with ProviderError: The model gave no reply. --resume --retry-errors asks those" in said


def test_a_run_is_not_compared_with_itself(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "a", [Case("a", {"f1": 1.0})], metrics=(F1,)).path
    ran = CliRunner().invoke(compare, [str(folder), str(folder / ".." / "a")])
    assert ran.exit_code == 2
    assert "is given twice" in ran.output


def test_runs_told_apart_by_their_paths_leave_the_table_its_room(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = [tmp_path / "a-rather-long-folder" / side / "vector" for side in ("yesterday", "today")]
    for place, value in zip(places, (0.2, 0.9), strict=True):
        write_run(place, [Case(f"q{n}", {"f1": value}) for n in range(8)], name="vector", metrics=(F1,))
    with pytest.raises(SystemExit):
        compare.main([*map(str, places)], standalone_mode=False)
    header = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("metric"))
    assert header.split()[:2] == ["metric", "difference"]
