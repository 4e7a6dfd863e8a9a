"""gates.yaml: what passes, what fails, and the exit code a CI server sees."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from chunking.errors import ConfigError, NotFoundError
from eval.gate_file import Gates, load_gates
from eval.gate_report import GateReport, GateResult
from eval.gates import check_gates
from eval.metrics.catalog import CATALOG
from eval.report import render_junit
from eval.runs import MetricInfo, Run
from eval.summary import summarize
from tests.fakes.gated import METRICS, cases, check, run
from tests.fakes.runs import F1, Case, write_run


@pytest.mark.parametrize(
    ("values", "bar", "status", "code"),
    [
        ([1.0] * 20, 0.8, "passed", 0),
        ([1.0] * 16 + [0.0] * 4, 0.8, "inconclusive", 0),
        ([1.0] * 4 + [0.0] * 16, 0.8, "failed", 1),
        ([1.0], 0.8, "inconclusive", 0),
    ],
)
def test_absolute_gates_look_at_the_end_of_the_interval(
    tmp_path: Path, values: list[float | str], bar: float, status: str, code: int
) -> None:
    report = check(f"absolute: [{{metric: correctness, at_least: {bar}}}]", run(tmp_path, values))
    assert [result.status for result in report.results] == [status]
    assert report.exit_code == code


def test_the_mean_can_be_gated_instead(tmp_path: Path) -> None:
    gate = "absolute: [{metric: correctness, at_least: 0.8, by: mean}]"
    assert check(gate, run(tmp_path, [1.0] * 16 + [0.0] * 4)).exit_code == 0
    assert check(gate, run(tmp_path, [1.0] * 15 + [0.0] * 5, "low")).exit_code == 1


def test_at_most_reads_the_upper_end(tmp_path: Path) -> None:
    report = check("absolute: [{metric: correctness, at_most: 0.5}]", run(tmp_path, [0.0] * 20))
    assert report.results[0].status == "passed"
    assert report.results[0].value == pytest.approx(0.168, abs=0.001)


def test_undecided_exits_5_only_where_that_is_set_to_fail(tmp_path: Path) -> None:
    gate = "absolute: [{metric: correctness, at_least: 0.8}]\n"
    new = run(tmp_path, [1.0] * 16 + [0.0] * 4)
    assert check(gate, new).exit_code == 0
    assert check(gate + "inconclusive: fail", new).exit_code == 5


@pytest.mark.parametrize(
    ("base", "new", "margin", "status"),
    [
        ([1.0] * 20, [0.0] * 8 + [1.0] * 12, 0.0, "failed"),
        ([1.0] * 20, [0.0] * 3 + [1.0] * 17, 0.0, "passed"),
        ([1.0] * 20, [0.0] * 3 + [1.0] * 17, 0.1, "inconclusive"),
        ([1.0] * 4, [0.0] + [1.0] * 3, 0.0, "inconclusive"),
        ([1.0] * 4, [1.0] * 4, 0.0, "passed"),
        ([0.5] * 20, [1.0] * 20, 0.0, "passed"),
        ([1.0] * 20, [1.0] * 20, 0.2, "passed"),
        ([1.0] * 20, [1.0] * 20, 0.001, "passed"),
        ([1.0] * 20, [0.0] * 5 + [1.0] * 15, 0.5, "passed"),
    ],
)
def test_relative_gates_allow_a_margin(
    tmp_path: Path, base: list[float | str], new: list[float | str], margin: float, status: str
) -> None:
    report = check(
        f"relative: [{{metric: correctness, margin: {margin}}}]", run(tmp_path, new), run(tmp_path, base, "base")
    )
    assert [result.status for result in report.results] == [status]


def test_the_margin_that_would_pass_is_said_and_does(tmp_path: Path) -> None:
    base, new = run(tmp_path, [1.0] * 20, "base"), run(tmp_path, [0.0] * 3 + [1.0] * 17)
    said = check("relative: [{metric: correctness, margin: 0.1}]", new, base).results[0].message
    margin = re.search(r"with these answers a margin of (\S+) would pass", said)
    assert margin is not None, said
    assert check(f"relative: [{{metric: correctness, margin: {margin[1]}}}]", new, base).results[0].status == "passed"
    less = float(margin[1]) - 0.002
    assert check(f"relative: [{{metric: correctness, margin: {less}}}]", new, base).results[0].status == "inconclusive"
    said = check("relative: [{metric: correctness}]", new, base).results[0].message
    assert "no regression is shown, and this suite sees differences from 0." in said


def test_an_unchanged_candidate_passes_every_relative_gate_of_the_page(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "ci-gate.md").read_text(encoding="utf-8")
    gates = load_gates(_written(tmp_path, page.split("```yaml\n")[1].split("```")[0]))
    named = {gate.metric for gate in (*gates.absolute, *gates.relative, *gates.must_pass)}
    assert not any(CATALOG[name].judged for name in named), "the workflow below has no judge"
    relative = gates.relative
    metrics = [replace(F1, name=name) for name in dict.fromkeys(gate.metric for gate in relative)]
    for score in (1.0, 0.37):
        cases = [Case(f"q{n}", {m.name: score for m in metrics}, type="multi-hop" if n < 3 else "f") for n in range(9)]
        base, new = (write_run(tmp_path / f"{score}{name}", cases, name=name, metrics=metrics) for name in ("a", "b"))
        report = check_gates(Gates(relative=relative, inconclusive="fail"), new, base)
        assert {result.status for result in report.results} == {"passed"}
        assert report.sentence == f"b passes all {len(relative)} gates."


def _written(folder: Path, text: str) -> Path:
    (folder / "page.yaml").write_text(text, encoding="utf-8")
    return folder / "page.yaml"


@pytest.mark.parametrize(
    ("statuses", "inconclusive", "sentence"),
    [
        (["passed"], "fail", "crag passes its gate."),
        (["passed", "passed"], "fail", "crag passes all 2 gates."),
        (
            ["inconclusive"],
            "pass",
            "No gate failed for crag: 1 inconclusive of 1; what is undecided may pass (inconclusive: pass).",
        ),
        (["inconclusive"], "fail", "crag does not pass its gate: 1 inconclusive."),
        (["passed", "failed", "invalid"], "pass", "crag does not pass its 3 gates: 1 passed, 1 failed, 1 invalid."),
    ],
)
def test_the_sentence_never_contradicts_itself(statuses: list[Any], inconclusive: Any, sentence: str) -> None:
    results = tuple(GateResult("g", status, "") for status in statuses)
    assert GateReport(results, inconclusive, "crag", None).sentence == sentence


def test_missing_scores_make_a_relative_gate_undecided(tmp_path: Path) -> None:
    base, new = run(tmp_path, [0.5] * 20, "base"), run(tmp_path, [0.5] * 11 + ["judge_error"] * 9)
    result = check("relative: [{metric: correctness}]", new, base).results[0]
    assert result.status == "inconclusive"
    assert "9 questions without a score in a run could turn this" in result.message


def test_a_gate_can_look_at_one_type(tmp_path: Path) -> None:
    hard = [replace(case, type="multi-hop") for case in cases([0.0] * 10)]
    easy = [replace(case, id=f"e{n}") for n, case in enumerate(cases([1.0] * 10))]
    new = write_run(tmp_path / "n", [*hard, *easy], metrics=METRICS)
    report = check("absolute: [{metric: correctness, at_least: 0.5, type: multi-hop}]", new)
    assert report.results[0].name == "correctness on multi-hop questions at least 0.500"
    assert report.exit_code == 1


def test_must_pass_questions_are_named_when_they_do_not(tmp_path: Path) -> None:
    text = "must_pass: [{metric: correctness, questions: [q0, q3]}]"
    report = check(text, run(tmp_path, [1.0, 0.0, 0.0, 0.5]))
    assert report.exit_code == 1
    assert report.results[0].message == "missed by q3 (0.500)"
    assert check(text, run(tmp_path, [1.0, 0.0, 0.0, 1.0], "other")).exit_code == 0


def test_limits_on_errors_latency_and_cost(tmp_path: Path) -> None:
    new = cases([1.0] * 10, latency_ms=200.0, cost=0.002)
    new[0] = replace(new[0], error={"type": "ProviderError", "message": "timed out"}, scores={})
    slow = write_run(tmp_path / "slow", new, name="slow", metrics=METRICS)
    base = run(tmp_path, [1.0] * 10, "base", latency_ms=100.0, cost=0.001)
    text = """
        limits: {error_rate: 0.05, latency_p50_ms: 250, latency_p95_ms: 150, latency_ratio: 1.5, cost_ratio: 2.5,
                 cost_per_question: 0.001, judge_error_rate: 0.1}
    """
    results = {r.name.split(" ")[0]: (r.status, r.value) for r in check(text, slow, base).results}
    assert results == {
        "error_rate": ("failed", pytest.approx(0.1)),
        "judge_error_rate": ("passed", 0.0),
        "latency_p50_ms": ("passed", 200.0),
        "latency_p95_ms": ("failed", 200.0),
        "latency_ratio": ("failed", pytest.approx(2.0)),
        "cost_per_question": ("failed", pytest.approx(0.002)),
        "cost_ratio": ("passed", pytest.approx(2.0)),
    }


@pytest.mark.parametrize("by", ["interval", "mean"])
@pytest.mark.parametrize(("bar", "lost", "status"), [(0.5, 14, "inconclusive"), (0.5, 0, "passed"), (0.3, 3, "passed")])
def test_missing_scores_are_tried_at_both_ends_of_an_absolute_gate(
    tmp_path: Path, by: str, bar: float, lost: int, status: str
) -> None:
    values: list[float | str] = [*["pipeline_error"] * lost, *[1.0] * (20 - lost)]
    gate = f"absolute: [{{metric: correctness, at_least: {bar}, by: {by}}}]"
    result = check(gate, run(tmp_path, values)).results[0]
    assert result.status == status
    assert ("could turn this" in result.message) is (status == "inconclusive")
    lower = [{"metric": "correctness", "at_most": 1.0 - bar, "by": by}]
    flipped = run(tmp_path, [v if isinstance(v, str) else 0.0 for v in values], "flipped")
    assert check_gates(Gates.model_validate({"absolute": lower}), flipped).results[0].status == status


def test_lost_repeats_are_missing_to_an_absolute_gate(tmp_path: Path) -> None:
    asked = [
        Case(f"q{n}", {"correctness": 1.0 if r == 0 else "pipeline_error", "f1": 0.5}, repeat=r)
        for n in range(8)
        for r in range(4)
    ]
    new = write_run(tmp_path / "new", asked, name="new", metrics=METRICS, repeat=4)
    result = check("absolute: [{metric: correctness, at_least: 0.5, by: mean}]", new).results[0]
    assert result.status == "inconclusive"
    assert "8 questions without a score could turn this" in result.message


def priced(tmp_path: Path, name: str, costs: list[float | None]) -> Run:
    asked = [replace(case, cost=cost) for case, cost in zip(cases([1.0] * len(costs)), costs, strict=True)]
    return write_run(tmp_path / name, asked, name=name, metrics=METRICS)


@pytest.mark.parametrize(
    ("base", "new", "ratio", "each"),
    [
        ([0.0] * 8, [1.0] * 8, "failed", "failed"),
        ([0.0] * 8, [0.0] * 8, "passed", "passed"),
        ([0.01] * 8, [0.01] * 8, "passed", "passed"),
        ([0.01] * 8, [None] * 7 + [0.01], "inconclusive", "inconclusive"),
        ([0.01] * 8, [None] + [1.0] * 7, "inconclusive", "failed"),
        ([None] * 8, [0.01] * 8, "inconclusive", "passed"),
    ],
)
def test_money_that_is_not_known_passes_no_gate(
    tmp_path: Path, base: list[float | None], new: list[float | None], ratio: str, each: str
) -> None:
    gates = Gates.model_validate({"limits": {"cost_ratio": 1.2, "cost_per_question": 0.02}})
    report = check_gates(gates, priced(tmp_path, "new", new), priced(tmp_path, "base", base))
    found = {result.name.split()[0]: result for result in report.results}
    assert (found["cost_ratio"].status, found["cost_per_question"].status) == (ratio, each)
    json.dumps(report.to_dict(), allow_nan=False)
    if None in new:
        assert "have no price" in found["cost_per_question"].message


def test_percentiles_are_those_of_the_summary(tmp_path: Path) -> None:
    asked = [replace(case, latency_ms=10_000.0 if n == 19 else 100.0) for n, case in enumerate(cases([1.0] * 20))]
    new = write_run(tmp_path / "new", asked, name="new", metrics=METRICS)
    summary = summarize(new)["latency_ms"]["total"]
    report = check("limits: {latency_p95_ms: 200, latency_p50_ms: 200}", new)
    assert [result.value for result in report.results] == [summary["p50"], summary["p95"]]
    assert report.exit_code == 0


HALLUCINATION = MetricInfo("hallucination", "answer", "statements without support", "lower", judged=True)


def test_must_pass_turns_round_where_lower_is_better(tmp_path: Path) -> None:
    asked = [Case(f"q{n}", {"hallucination": float(n == 3)}) for n in range(8)]
    new = write_run(tmp_path / "new", asked, name="new", metrics=(HALLUCINATION,))
    found = check("must_pass: [{metric: hallucination, questions: [q0, q3]}]", new).results[0]
    assert (found.status, found.message) == ("failed", "missed by q3 (1.000)")
    assert found.name == "2 questions must stay at or below 0.000 on hallucination"
    assert check("must_pass: [{metric: hallucination, questions: [q0, q3], at_most: 1.0}]", new).exit_code == 0
    with pytest.raises(ConfigError, match=r"at_least for hallucination, which is better when lower: give at_most"):
        check("must_pass: [{metric: hallucination, questions: [q0], at_least: 0.5}]", new)


def test_a_scope_that_holds_no_question_is_a_usage_error(tmp_path: Path) -> None:
    new = run(tmp_path, [1.0] * 8, type="multi-hop")
    with pytest.raises(ConfigError, match=r"correctness on multihop questions, .* its types are multi-hop"):
        check("absolute: [{metric: correctness, at_least: 0.5, type: multihop}]", new)


def test_the_interval_is_called_what_it_is(tmp_path: Path) -> None:
    new = run(tmp_path, [1.0] * 16 + [0.0] * 4)
    assert (
        "90% interval"
        in check("{alpha: 0.1, absolute: [{metric: correctness, at_least: 0.8}]}", new).results[0].message
    )


def test_the_judges_noise_widens_the_margin(tmp_path: Path) -> None:
    base, new = run(tmp_path, [0.5] * 20, "base"), run(tmp_path, [0.4, 0.5] * 10)
    gates = Gates.model_validate({"relative": [{"metric": "correctness"}]})
    assert check_gates(gates, new, base).results[0].status == "failed"
    assert check_gates(gates, new, base, noise={"correctness": 0.06}).results[0].status == "passed"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("relativ: []", "relativ: unknown key 'relativ': did you mean 'relative'?"),
        ("relative: [{metrik: f1}]", "relative.0.metrik: unknown key 'metrik': did you mean 'metric'?"),
        ("limits: {zzz: 1}", "limits.zzz: unknown key 'zzz': known are error_rate, judge_error_rate"),
        ("absolute: [{metric: f1}]", "absolute.0: give either at_least or at_most"),
        ("absolute: [{metric: f1, at_least: .nan}]", "absolute.0.at_least: input should be a finite number"),
        ("relative: [{metric: f1, margin: .inf}]", "relative.0.margin: input should be a finite number"),
        ("absolute: []\nlimits: {}\nabsolute: []", "the key 'absolute' is there twice"),
        ("limits: {error_rate: 2}", "limits.error_rate: input should be less than or equal to 1"),
        ("relative: [{metric: f1, margin: -1}]", "relative.0.margin"),
        ("inconclusive: pass", "sets no gate"),
        ("- a", "must hold keys"),
        ("a: [", "cannot be read"),
    ],
)
def test_a_wrong_gate_file_names_the_key(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "gates.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_gates(file)
    assert words in str(caught.value)
    assert str(file) in str(caught.value)


def test_gates_that_cannot_be_checked_are_usage_errors(tmp_path: Path) -> None:
    new = run(tmp_path, [1.0] * 8)
    with pytest.raises(ConfigError, match="base's run folder"):
        check("relative: [{metric: f1}]", new)
    with pytest.raises(ConfigError, match="'bleu'"):
        check("absolute: [{metric: bleu, at_least: 0.1}]", new)
    with pytest.raises(ConfigError, match="'q99'"):
        check("must_pass: [{metric: f1, questions: [q99]}]", new)
    with pytest.raises(NotFoundError, match="does not exist"):
        load_gates(tmp_path / "none.yaml")


def test_junit_lists_every_gate(tmp_path: Path) -> None:
    text = """
        absolute: [{metric: correctness, at_least: 0.99}, {metric: f1, at_least: 0.3},
                   {metric: f1, at_least: 0.4}]
        must_pass: [{metric: correctness, questions: [q0]}]
    """
    report = check(text, run(tmp_path, [0.0] + [1.0] * 15 + [0.0] * 4, "a<b&c"))
    suite = ElementTree.fromstring(render_junit(report).encode())[0]
    assert suite.attrib["name"] == "crag gates: a<b&c"
    assert {key: suite.attrib[key] for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4",
        "failures": "2",
        "errors": "0",
        "skipped": "1",
    }
    assert [[child.tag for child in case] for case in suite] == [["failure"], ["system-out"], ["skipped"], ["failure"]]
    assert report.to_dict()["exit_code"] == 1
    assert report.sentence == "a<b&c does not pass its 4 gates: 1 passed, 2 failed, 1 inconclusive."
