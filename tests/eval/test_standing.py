"""Where a candidate stands: what decides must not hide what got worse beside it, and failed gates come first."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import click
import pytest

from chunking.errors import ConfigError
from crag.cli.eval_compare import compare as command
from eval.compare import Comparison, compare_runs
from eval.gate_file import Gates
from eval.gate_report import GateReport
from eval.gates import check_gates
from eval.report import render_html, render_markdown
from eval.standing import Standing, Tone, standing
from tests.fakes.runs import F1, MRR, RECALL, Case, write_run

METRICS = (F1, RECALL, MRR)
SAME, FELL, ROSE = (0.5, 0.5), (1.0, 0.2), (0.2, 1.0)
GATES = Gates.model_validate({"relative": [{"metric": "recall@5"}, {"metric": "f1"}]})


def compared(tmp_path: Path, **moves: tuple[float, float]) -> Comparison:
    """Ten questions; each metric has its first value in the base and its second in the candidate."""
    names = {"f1": "f1", "recall": "recall@5", "mrr": "mrr"}
    runs = []
    for side, name in enumerate(("vector", "tiny")):
        scores = {names[key]: values[side] for key, values in moves.items()}
        cases = [Case(f"q{n}", scores) for n in range(10)]
        runs.append(write_run(tmp_path / name, cases, name=name, metrics=METRICS))
    return compare_runs(runs[0], runs[1:], primary="f1")


def stand(comparison: Comparison, gates: GateReport | None = None) -> Standing:
    return standing(comparison.candidates[0], comparison.base_label, gates)


@pytest.mark.parametrize(
    ("moves", "word", "tone", "headline"),
    [
        ((SAME, SAME, SAME), "NO DIFFERENCE SHOWN", "even", "No difference shown between tiny and vector on f1"),
        (
            (SAME, FELL, FELL),
            "PARTLY WORSE",
            "worse",
            "tiny is worse than vector on recall@5 and mrr, while f1, which decides, shows no difference",
        ),
        (
            (SAME, FELL, ROSE),
            "PARTLY WORSE",
            "worse",
            "tiny is worse than vector on recall@5 and better on mrr, while f1, which decides, shows no difference",
        ),
        (
            (SAME, ROSE, SAME),
            "NO DIFFERENCE SHOWN",
            "even",
            "No difference shown between tiny and vector on f1, but recall@5 got better",
        ),
        (
            (ROSE, FELL, ROSE),
            "MIXED",
            "open",
            "tiny is better than vector on f1, but recall@5 got worse and mrr got better",
        ),
        ((ROSE, ROSE, SAME), "BETTER", "better", "tiny is better than vector on f1, and recall@5 got better too"),
        (
            (FELL, FELL, ROSE),
            "WORSE",
            "worse",
            "tiny is worse than vector on f1, and recall@5 got worse too, but mrr got better",
        ),
    ],
)
def test_the_other_metrics_are_in_the_headline(
    tmp_path: Path, moves: tuple[tuple[float, float], ...], word: str, tone: Tone, headline: str
) -> None:
    f1, recall, mrr = moves
    assert stand(compared(tmp_path, f1=f1, recall=recall, mrr=mrr)) == Standing(word, tone, headline)


def test_a_slower_candidate_changes_no_headline(tmp_path: Path) -> None:
    """docs/evaluation.md says so: latency, tokens and money are a family of their own."""
    cases = [Case(f"q{n}", {"f1": 0.5}, latency_ms=100.0 + n, tokens=90) for n in range(10)]
    slower = [replace(case, latency_ms=case.latency_ms + 900, tokens=900) for case in cases]
    base, run = (
        write_run(tmp_path / name, made, name=name, metrics=(F1,)) for name, made in (("a", cases), ("b", slower))
    )
    comparison = compare_runs(base, [run], primary="f1")
    assert {each.info.name for each in comparison.candidates[0].economy if each.verdict == "WORSE"} >= {"latency_ms"}
    assert stand(comparison).word == "NO DIFFERENCE SHOWN"


def test_failed_gates_come_before_every_verdict(tmp_path: Path) -> None:
    comparison = compared(tmp_path, f1=ROSE, recall=FELL)
    run = comparison.candidates[0].run
    found = stand(comparison, check_gates(GATES, run, comparison.base))
    assert (found.word, found.tone) == ("GATES FAILED", "worse")
    assert found.headline == "1 of 2 gates failed; tiny is better than vector on f1, but recall@5 got worse"
    better = compared(tmp_path / "b", f1=ROSE, recall=ROSE)
    found = stand(better, check_gates(GATES, better.candidates[0].run, better.base))
    assert (found.word, found.tone) == ("BETTER", "better")
    assert "gate" not in found.headline


def test_the_page_the_summary_and_the_terminal_begin_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    comparison = compared(tmp_path, f1=SAME, recall=FELL, mrr=FELL)
    gates = [check_gates(GATES, comparison.candidates[0].run, comparison.base)]
    told = (
        "1 of 2 gates failed; "
        "tiny is worse than vector on recall@5 and mrr, while f1, which decides, shows no difference"
    )
    page = render_html(comparison, gates=gates)
    assert f"<title>{told}</title>" in page
    assert '<section class="card verdict worse">' in page
    assert f"<h2>{told}</h2>" in page
    card = re.sub("<[^>]*>", "", page[page.index("<h2>") : page.index("</section>")])
    assert "Not passed: recall@5 not worse than vector (difference −0.800" in card, "which, before anything else"
    assert "f1 not worse" not in card
    markdown = render_markdown(comparison, gates=gates)
    assert markdown.startswith(f"## RAG comparison\n\n🔴 **GATES FAILED** {told}.\n")
    assert "- Got worse: recall@5 −0.800, mrr −0.800." in markdown
    (tmp_path / "gates.yaml").write_text("relative: [{metric: recall@5}, {metric: f1}]")
    paths = [str(tmp_path / name) for name in ("vector", "tiny")]
    with pytest.raises(SystemExit) as ended:
        command.main([*paths, "--primary", "f1", "--gates", str(tmp_path / "gates.yaml")], standalone_mode=False)
    assert ended.value.code == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.startswith(f"GATES FAILED: {told}.")
    assert "Got worse: recall@5 −0.800, mrr −0.800." in shown
    assert "f1 (decides)" in shown
    with pytest.raises(SystemExit):
        command.main(
            [*paths, "--primary", "f1", "--gates", str(tmp_path / "gates.yaml"), "--json"], standalone_mode=False
        )
    said = json.loads(capsys.readouterr().out)
    assert said["standings"] == [{"word": "GATES FAILED", "tone": "worse", "headline": told}]
    assert "| **f1** (decides) |" in markdown


def test_what_is_equal_is_one_line_and_the_verdict_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    comparison = compared(tmp_path, f1=SAME, recall=SAME, mrr=SAME)
    paths = [str(tmp_path / name) for name in ("vector", "tiny")]
    with pytest.raises(SystemExit):
        command.main([*paths, "--primary", "f1"], standalone_mode=False)
    shown = " ".join(capsys.readouterr().out.split())
    for text in (shown, render_markdown(comparison), render_html(comparison)):
        assert "equal on every question: recall@5, mrr" in text
    body = render_html(comparison).split("<body>")[1]
    for text in (shown, render_markdown(comparison), body):
        assert text.lower().count("no difference shown between") == 1
    assert "NO DIFFERENCE SHOWN:" not in shown
    assert "**NO DIFFERENCE SHOWN**" not in render_markdown(comparison)


@pytest.mark.parametrize("option", ["--html", "--markdown", "--junit"])
def test_a_report_that_cannot_be_written_is_wrong_usage_before_anything_is_compared(
    tmp_path: Path, option: str
) -> None:
    for place in (tmp_path / "none" / "out", tmp_path):
        with pytest.raises(ConfigError, match="cannot be written"):
            command.main(["no-run", "no-other", option, str(place)], standalone_mode=False)


def test_junit_without_gates_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("no-run", "no-other")]
    with pytest.raises(click.UsageError, match="--gates"):
        command.main(
            [*paths, "--junit", str(tmp_path / "j.xml"), "--html", str(tmp_path / "r.html")], standalone_mode=False
        )
    assert not list(tmp_path.iterdir())
