"""Runs that no gate can be checked on: interrupted, incomparable, damaged, without a judge. Exit codes 3 and 4."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from chunking.errors import ConfigError, StoreError
from crag.cli.eval_compare import compare as command
from eval.compare import compare_runs
from eval.gate_file import Gates
from eval.gate_report import GateReport, GateResult, exit_code
from eval.gates import check_gates, read_for_gates
from eval.lines import write_json
from eval.runs import read_run
from eval.summary import summarize
from tests.fakes.gated import METRICS, cases, check, run
from tests.fakes.runs import CORRECTNESS, Case, write_run


def test_a_question_that_must_pass_and_was_not_judged_exits_4(tmp_path: Path) -> None:
    new = run(tmp_path, [1.0, "judge_error", 0.0, *[1.0] * 5], reason="timed out")
    assert check("must_pass: [{metric: correctness, questions: [q0, q1]}]", new).exit_code == 4
    assert check("must_pass: [{metric: correctness, questions: [q1, q2]}]", new).exit_code == 1
    assert check("must_pass: [{metric: correctness, questions: [q0, q3]}]", new).exit_code == 0


@pytest.mark.parametrize("dead", ["base", "new"])
def test_a_judge_that_failed_on_either_run_exits_4(tmp_path: Path, dead: str) -> None:
    values: dict[str, list[float | str]] = {"base": [1.0] * 8, "new": [1.0] * 8} | {dead: ["judge_error"] * 8}
    base, new = (run(tmp_path, values[name], name, reason="connection refused") for name in ("base", "new"))
    assert check("relative: [{metric: correctness}]", new, base).exit_code == 4
    only = [
        write_run(tmp_path / f"o{name}", [Case(f"q{n}", {"correctness": v}, reason="refused") for n, v in
                  enumerate(values[name])], name=name, metrics=(CORRECTNESS,))
        for name in ("base", "new")
    ]  # fmt: skip
    report = check_gates(Gates.model_validate({"relative": [{"metric": "correctness"}]}), only[1], only[0])
    assert (report.exit_code, report.comparable) == (4, False)
    assert "--resume --retry-errors" in report.sentence


def test_an_unreachable_judge_exits_4(tmp_path: Path) -> None:
    new = run(tmp_path, ["judge_error"] * 15 + [1.0] * 5, reason="connection refused")
    report = check("absolute: [{metric: correctness, at_least: 0.5}]", new)
    assert report.exit_code == 4
    assert "15 of 20 answers of new (connection refused)" in report.results[0].message


def test_a_spent_budget_exits_4(tmp_path: Path) -> None:
    new = run(tmp_path, [1.0] * 8)
    spent = replace(new, summary={"stopped": "max_cost"})
    report = check_gates(Gates.model_validate({"limits": {"error_rate": 0}}), spent)
    assert report.exit_code == 4
    assert "max cost" in report.results[0].message


def test_an_interrupted_or_incomparable_run_exits_3(tmp_path: Path) -> None:
    gates = Gates.model_validate({"relative": [{"metric": "correctness"}]})
    base = run(tmp_path, [1.0] * 8, "base")
    torn = write_run(tmp_path / "torn", cases([1.0] * 8), metrics=METRICS, finished=False)
    other = write_run(tmp_path / "o", cases([1.0] * 8), metrics=METRICS, corpus={"hash": "ee" * 32, "documents": 1})
    assert check_gates(gates, torn, base).exit_code == 3
    assert check_gates(gates, other, base).exit_code == 3
    assert check_gates(gates, other, base, allow_mismatch=True).exit_code == 0


@pytest.mark.parametrize("kind", ["interrupted", "unscored", "mismatched"])
def test_what_cannot_be_compared_is_said_first_and_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    base = run(tmp_path, [1.0] * 8, "base")
    odd: dict[str, Any] = {"corpus": {"hash": "ee" * 32, "documents": 1}} if kind == "mismatched" else {}
    # An interrupted run has answered some questions, and scored none where it was still asking.
    begun = [replace(case, scores={} if kind == "unscored" else case.scores) for case in cases([1.0] * 8)[:3]]
    asked = cases([1.0] * 8) if kind == "mismatched" else begun
    write_run(tmp_path / "new", asked, name="new", metrics=METRICS, finished=kind == "mismatched", **odd)
    gates = tmp_path / "gates.yaml"
    gates.write_text("{relative: [{metric: f1}], must_pass: [{metric: f1, questions: [q7]}]}", encoding="utf-8")
    junit, summary = tmp_path / "gates.xml", tmp_path / "summary.md"
    with pytest.raises(SystemExit) as ended:
        command.main(
            [str(base.path), str(tmp_path / "new"), f"--gates={gates}", f"--junit={junit}", f"--markdown={summary}"],
            standalone_mode=False,
        )
    assert ended.value.code == 3
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.startswith("Invalid: ")
    assert "won/tied/lost" not in shown
    wanted = "the corpus differs" if kind == "mismatched" else "--resume"
    assert wanted in shown
    assert "must_pass" not in shown
    assert wanted in summary.read_text(encoding="utf-8")
    suite = ElementTree.parse(junit).getroot()[0]
    assert (suite.attrib["errors"], suite.attrib["tests"]) == ("1", "1")
    assert wanted in suite[0][0].attrib["message"]


def test_an_unscored_run_is_told_to_go_on_without_gates_too(tmp_path: Path) -> None:
    base = run(tmp_path, [1.0] * 8, "base")
    begun = [replace(case, scores={}) for case in cases([1.0] * 3)]
    torn = write_run(tmp_path / "new", begun, name="new", metrics=METRICS, finished=False)
    with pytest.raises(ConfigError, match=r"new is unfinished \(interrupted\): go on with 'crag eval run .*--resume'"):
        compare_runs(base, [torn])


def test_a_finished_run_that_lost_lines_is_invalid(tmp_path: Path) -> None:
    new = run(tmp_path, [1.0] * 8)
    write_json(new.path / "summary.json", summarize(new))
    (new.path / "answers.jsonl").write_text("", encoding="utf-8")
    report = check("absolute: [{metric: correctness, at_least: 0.1}]", read_run(new.path))
    assert (report.exit_code, report.comparable) == (3, False)
    assert "answers.jsonl lost 8 of 8 lines" in report.sentence


def test_a_damaged_run_exits_3_and_the_most_serious_of_several_wins(tmp_path: Path) -> None:
    good = run(tmp_path, [1.0] * 8)
    (good.path / "scores.jsonl").write_text("{broken\n", encoding="utf-8")
    with pytest.raises(StoreError, match=r"scores\.jsonl:1") as caught:
        read_for_gates(good.path)
    assert caught.value.exit_code == 3
    reports = {
        status: GateReport((GateResult("g", status, ""),), "fail", "new", None)
        for status in ("passed", "failed", "inconclusive", "unjudged", "invalid")
    }
    assert [exit_code([reports[name] for name in names]) for names in (
        (), ("passed",), ("inconclusive", "passed"), ("failed", "inconclusive"), ("unjudged", "failed"),
        ("failed", "unjudged", "invalid"),
    )] == [0, 0, 5, 1, 4, 3]  # fmt: skip
