"""Runs compared: verdicts, what is missing, and what is refused."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chunking.errors import ConfigError
from eval.compare import compare_runs, default_primary, label_runs, mismatches
from eval.gate_file import Gates
from eval.gates import check_gates
from eval.lines import write_json
from eval.paired import metric_result
from eval.report import render_html, render_markdown
from eval.report.figures import ladder
from eval.runs import SCORES, SUMMARY, MetricInfo, read_run
from eval.summary import summarize
from tests.fakes.compared import compared, scored, two
from tests.fakes.runs import BRIER, CORRECTNESS, F1, FAITHFULNESS, MRR, RECALL, Case, realistic, write_run


def test_better_is_said_in_one_sentence(tmp_path: Path) -> None:
    base, new = two(tmp_path, scored([0.0] * 8 + [1.0] * 4), scored([1.0] * 12))
    result = compare_runs(base, [new]).candidates[0]
    assert result.verdict == "BETTER"
    assert result.sentence.startswith(
        "new is BETTER than base on correctness: 1.000 against 0.333, a difference of +0.667"
    )
    assert "12 questions" in result.sentence
    assert result.primary.p == pytest.approx(2 / 2**8)
    assert result.primary.pass_fail is not None
    assert (result.primary.pass_fail.only_candidate, result.primary.pass_fail.only_base) == (8, 0)
    assert result.regressions == ()


def test_worse_lists_regressions_worst_first(tmp_path: Path) -> None:
    base, new = two(tmp_path, scored([1.0] * 12), scored([0.5] * 4 + [0.0] * 5 + [1.0] * 3))
    result = compare_runs(base, [new]).candidates[0]
    assert result.verdict == "WORSE"
    assert [change.gain for change in result.regressions] == [-1.0] * 5 + [-0.5] * 4
    assert len(result.changes) == 12


def test_a_suite_that_sees_no_difference_on_the_scale_says_so(tmp_path: Path) -> None:
    """It could see differences of at least 1.112, of scores from 0 to 1."""
    base, new = two(tmp_path, scored([0.0, 1.0, 0.0, 1.0, 0.5, 0.0]), scored([1.0, 0.0, 0.6, 0.0, 0.9, 1.0]))
    assert (compared(base, new).primary.test.detectable or 0) > 1
    assert compared(base, new).sentence.endswith("this suite of 6 is too small to show any difference.")


def test_no_difference_says_what_the_suite_can_see(tmp_path: Path) -> None:
    values = [0.0, 1.0] * 10
    base, new = two(tmp_path, scored(values), scored([1.0, 0.0, 1.0, 0.0, *values[4:]]))
    result = compare_runs(base, [new]).candidates[0]
    assert result.verdict == "NO DIFFERENCE SHOWN"
    assert "this suite of 20 can only see differences of at least 0." in result.sentence
    assert any("Only 4 of 20 questions scored differently" in remark for remark in result.remarks)


def test_identical_runs_show_no_difference(tmp_path: Path) -> None:
    base, new = two(tmp_path, scored([1.0] * 20), scored([1.0] * 20))
    result = compare_runs(base, [new]).candidates[0]
    assert result.verdict == "NO DIFFERENCE SHOWN"
    assert "all 20 questions scored the same" in result.sentence


def test_too_few_questions_are_inconclusive(tmp_path: Path) -> None:
    base, new = two(tmp_path, scored([0.0] * 5), scored([1.0] * 5))
    result = compare_runs(base, [new]).candidates[0]
    assert result.verdict == "INCONCLUSIVE"
    assert "only 5 questions have a score in both runs" in result.sentence


def test_missing_scores_that_could_turn_the_verdict_are_inconclusive(tmp_path: Path) -> None:
    base, new = two(tmp_path, scored([0.5] * 12), scored([1.0] * 7 + ["judge_error"] * 5))
    result = compare_runs(base, [new]).candidates[0]
    assert result.verdict == "INCONCLUSIVE"
    assert "5 of 12 questions lack a score" in result.sentence
    assert result.primary.worst is not None
    assert result.primary.worst.difference == pytest.approx((7 * 0.5 - 5 * 0.5) / 12)


def test_a_missing_score_that_cannot_turn_it_is_only_remarked(tmp_path: Path) -> None:
    base, new = two(tmp_path, scored([0.0] * 20), scored([1.0] * 19 + ["judge_error"]))
    result = compare_runs(base, [new]).candidates[0]
    assert result.verdict == "BETTER"
    assert any("1 question lacks a score" in remark and "the verdict stays" in remark for remark in result.remarks)


def test_lost_repeats_are_said_and_leave_the_verdict_open(tmp_path: Path) -> None:
    def asked(*values: float | str) -> list[Case]:
        return [Case(f"q{n}", {"correctness": v}, repeat=r) for n in range(8) for r, v in enumerate(values)]

    base, new = two(tmp_path, asked(0.5, 0.5), asked(0.9, "pipeline_error"), repeat=2)
    base.manifest["repeat"] = 2  # type: ignore[index]
    found = compare_runs(base, [new]).candidates[0]
    assert found.verdict == "INCONCLUSIVE"
    assert "8 of 8 questions lack a score of at least one answer, and filling them in against or for" in found.sentence
    assert any("8 questions lost some of their repeats; the rest count." in remark for remark in found.remarks)


def test_not_applicable_in_both_runs_stands_aside_but_in_one_is_missing(tmp_path: Path) -> None:
    base, new = two(
        tmp_path,
        scored([1.0] * 6 + ["not_applicable", "not_applicable"]),
        scored([1.0] * 6 + ["not_applicable", 1.0]),
    )
    result = metric_result(base, new, CORRECTNESS, alpha=0.05)
    assert result.not_applicable == 1
    assert [identity for identity, _, _ in result.pairing.missing] == ["q7"]


def test_repeats_count_as_one_question(tmp_path: Path) -> None:
    base = [Case(f"q{n}", {"correctness": float(r == 0)}, repeat=r) for n in range(6) for r in range(2)]
    new = [Case(f"q{n}", {"correctness": 1.0}, repeat=r) for n in range(6) for r in range(2)]
    result = compared(*two(tmp_path, base, new))
    assert result.primary.test.n == 6
    assert result.primary.test.difference == pytest.approx(0.5)


def test_repeats_that_failed_are_missing_scores(tmp_path: Path) -> None:
    """Three of the candidate's four repeats crash, and the fourth is right; without a word that made it BETTER."""
    values: list[float | str] = [1.0, "pipeline_error", "pipeline_error", "pipeline_error"]
    base = [Case(f"q{n}", {"correctness": 0.8}, repeat=r) for n in range(20) for r in range(4)]
    new = [Case(f"q{n}", {"correctness": values[r]}, repeat=r) for n in range(20) for r in range(4)]
    result = compared(*two(tmp_path, base, new, repeat=4))
    assert result.verdict == "INCONCLUSIVE"
    assert result.primary.worst is not None
    assert result.primary.worst.difference == pytest.approx(0.25 - 0.8)
    assert len(result.primary.pairing.incomplete) == 20
    rests = [Case(c.id, {"correctness": "not_applicable" if c.repeat else 1.0}, repeat=c.repeat) for c in new]
    assert compared(*two(tmp_path / "rests", base, rests, repeat=4)).verdict == "BETTER"


def test_an_unscored_or_unasked_question_is_missing(tmp_path: Path) -> None:
    base, new = two(tmp_path, scored([1.0] * 8), [*scored([1.0] * 6), Case("q6", {})])
    result = compare_runs(base, [new]).candidates[0]
    assert [identity for identity, _, _ in result.primary.pairing.missing] == ["q6", "q7"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"suite": {"name": "samples", "hash": "ee" * 32, "questions": 8}}, "the suite differs"),
        ({"corpus": {"hash": "ee" * 32, "documents": 3}}, "the corpus differs"),
        ({"judge": {"model": "judge-2", "endpoint": "", "parameters": {}, "prompts": ""}}, "judge-1 and judge-2"),
        ({"judge": None}, "judge-1 and none"),
        ({"embedder": "another"}, "embedder"),
        (
            {"settings": {"sample": 4, "stratify": None, "round": 0, "context_tokens": 1500}},
            "settings differ \\(sample",
        ),
        ({"metrics": [replace(CORRECTNESS, description="other")]}, "metrics differ \\(correctness"),
    ],
)
def test_runs_that_cannot_be_compared_are_refused_or_stamped(
    tmp_path: Path, change: dict[str, object], words: str
) -> None:
    base, new = two(tmp_path, scored([0.0] * 8), scored([1.0] * 8), **change)
    with pytest.raises(ConfigError, match=words):
        compare_runs(base, [new])
    assert len(compare_runs(base, [new], allow_mismatch=True).mismatches) == 1


def test_samples_drawn_with_other_seeds_are_other_questions(tmp_path: Path) -> None:
    drawn = {"context_tokens": 1500, "sample": 8, "stratify": None, "round": 0}
    base, new = two(tmp_path, scored([0.0] * 8), scored([1.0] * 8), settings=drawn, seed=1)
    base.manifest["settings"].update(sample=8)
    assert mismatches(base, new) == ("the samples differ (seeds 0 and 1)",)
    assert mismatches(base, replace(new, manifest={**new.manifest, "seed": 0})) == ()
    whole = two(tmp_path / "whole", scored([0.0] * 8), scored([1.0] * 8), seed=1)
    assert mismatches(*whole) == ()


def test_another_round_of_judging_is_comparable(tmp_path: Path) -> None:
    settings = {"context_tokens": 1500, "sample": None, "stratify": None, "round": 1}
    assert mismatches(*two(tmp_path, scored([0.0] * 8), scored([1.0] * 8), settings=settings)) == ()


def test_the_primary_metric_is_declared_or_the_first_of_the_order(tmp_path: Path) -> None:
    both = (MRR, F1, RECALL)
    cases = [Case(f"q{n}", {"mrr": 1.0, "f1": 0.5, "recall@5": 1.0}) for n in range(8)]
    base = write_run(tmp_path / "a", cases, metrics=both)
    new = write_run(tmp_path / "b", cases, name="new", metrics=both)
    assert default_primary(base, [new]) == "f1"
    assert not compare_runs(base, [new]).primary_declared
    assert compare_runs(base, [new], primary="mrr").primary.name == "mrr"
    with pytest.raises(ConfigError, match=r"'faithfulness', which is not in .*; it has"):
        compare_runs(base, [new], primary="faithfulness")
    unjudged = replace(new, manifest={**new.manifest, "judge": None})
    with pytest.raises(ConfigError, match=r"'faithfulness', which needs a judge, and .* had none: run it with --judge"):
        compare_runs(unjudged, [unjudged], primary="faithfulness")


def test_a_judge_that_failed_leaves_the_verdict_open_and_to_no_other_metric(tmp_path: Path) -> None:
    dead = [Case(f"q{n}", {"correctness": "judge_error", "f1": 0.5}) for n in range(8)]
    good = [Case(f"q{n}", {"correctness": 1.0, "f1": 0.5}) for n in range(8)]
    metrics = (CORRECTNESS, F1)
    base = write_run(tmp_path / "a", dead, metrics=metrics)
    found = compare_runs(base, [write_run(tmp_path / "b", good, name="new", metrics=metrics)])
    assert (found.primary.name, found.candidates[0].verdict) == ("correctness", "INCONCLUSIVE")
    never = [replace(case, scores={"correctness": "not_applicable", "f1": 0.5}) for case in good]
    base = write_run(tmp_path / "c", never, metrics=metrics)
    assert default_primary(base, [base]) == "f1"


@pytest.mark.parametrize(("alpha", "level", "least"), [(0.05, "95%", 6), (0.01, "99%", 8), (0.1, "90%", 6)])
def test_alpha_is_in_every_interval_and_in_what_must_differ(
    tmp_path: Path, alpha: float, level: str, least: int
) -> None:
    assert least == 6 or 2 / 2**least < alpha <= 2 / 2 ** (least - 1)
    base, new = two(tmp_path, scored([1.0] * 20), scored([0.0] * 3 + [1.0] * 17))
    found = compare_runs(base, [new], alpha=alpha)
    assert f"({level} interval " in found.candidates[0].sentence
    assert any(f"at least {least} must" in remark for remark in found.candidates[0].remarks)
    for text in (render_html(found), render_markdown(found)):
        assert set(re.findall(r"\d+% interval", text)) == {f"{level} interval"}


QUOTED = MetricInfo("contains_reference", "answer", "the reference stands in the answer")


@pytest.mark.parametrize(
    ("evidence", "generation", "decides"),
    [
        ("It sees the thirty best candidates, no more.", "extractive", "contains_reference"),
        ("It sees thirty of them.", "extractive", "f1"),
        ("It sees the thirty best candidates, no more.", "a-model", "f1"),
    ],
)
def test_quoted_answers_are_not_rated_by_their_length(
    tmp_path: Path, evidence: str, generation: str, decides: str
) -> None:
    cases = [Case(f"q{n}", {"contains_reference": 1.0, "f1": 0.5}) for n in range(8)]
    runs = [write_run(tmp_path / name, cases, name=name, metrics=(F1, QUOTED)) for name in ("a", "b")]
    for run in runs:
        for key, record in run.answers.items():
            span = replace(record.evidence[0][0], text=evidence)
            answer = {**(record.answer or {}), "models": {"generation": generation}}
            run.answers[key] = replace(record, evidence=((span,),), answer=answer)  # type: ignore[index]
    assert default_primary(runs[0], runs[1:]) == decides
    assert f"Decided by {decides} (" in (said := compare_runs(runs[0], runs[1:]).decided)
    assert "the default for these runs; --primary declares another" in said
    assert "declared ahead" in compare_runs(runs[0], runs[1:], primary="f1").decided


def test_secondary_metrics_are_holm_adjusted_and_lower_is_better_is_turned(tmp_path: Path) -> None:
    metrics = (CORRECTNESS, FAITHFULNESS, BRIER)
    base = [Case(f"q{n}", {"correctness": 0.5, "faithfulness": 0.5, "brier": 0.5}) for n in range(8)]
    new = [Case(f"q{n}", {"correctness": 0.5, "faithfulness": 1.0, "brier": 0.1}) for n in range(8)]
    result = compare_runs(
        write_run(tmp_path / "a", base, metrics=metrics), [write_run(tmp_path / "b", new, name="new", metrics=metrics)]
    ).candidates[0]
    assert [(r.info.name, r.verdict, r.p) for r in result.secondary] == [
        ("faithfulness", "BETTER", pytest.approx(2 * 2 / 2**8)),
        ("brier", "BETTER", pytest.approx(2 * 2 / 2**8)),
    ]


def test_several_candidates_share_the_error(tmp_path: Path) -> None:
    base = write_run(tmp_path / "a", scored([0.0] * 6), metrics=(CORRECTNESS,))
    runs = [write_run(tmp_path / n, scored([1.0] * 6), name=n, metrics=(CORRECTNESS,)) for n in ("x", "y")]
    alone = compare_runs(base, runs[:1]).candidates[0]
    assert (alone.verdict, alone.primary.p) == ("BETTER", pytest.approx(2 / 2**6))
    shared = compare_runs(base, runs)
    assert [c.verdict for c in shared.candidates] == ["NO DIFFERENCE SHOWN"] * 2
    assert "p = 0.062 counts in that 2 candidates were tried (alone: p = 0.031)." in " ".join(
        shared.candidates[0].remarks
    )


def test_latency_tokens_and_money_are_paired_too(tmp_path: Path) -> None:
    slow = [replace(case, latency_ms=200.0 + i, cost=0.002, tokens=900) for i, case in enumerate(scored([1.0] * 10))]
    fast = [replace(case, latency_ms=100.0 + i, cost=0.001, tokens=900) for i, case in enumerate(scored([1.0] * 10))]
    figures = {r.info.name: r for r in compared(*two(tmp_path, slow, fast)).economy}
    assert figures["latency_ms"].verdict == "BETTER"
    assert figures["latency_ms"].test.difference == pytest.approx(-100)
    assert figures["cost_per_1000"].test.difference == pytest.approx(-1)
    assert figures["tokens"].verdict == "NO DIFFERENCE SHOWN"


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        ({"concurrency": 1}, "asked 4 and 1 at a time"),
        ({"repeat": 3}, "asked 1 and 3 times"),
        ({"packages": {"python": "3.13"}}, ""),
    ],
)
def test_latencies_that_were_measured_apart_carry_no_verdict(
    tmp_path: Path, manifest: dict[str, Any], why: str
) -> None:
    slow = [replace(case, latency_ms=200.0 + i, tokens=90 + i) for i, case in enumerate(scored([1.0] * 10))]
    fast = [replace(case, latency_ms=100.0 + i, tokens=80 + i) for i, case in enumerate(scored([1.0] * 10))]
    base, new = two(tmp_path, slow, fast, **manifest)
    found = compare_runs(base, [new])
    figures = {r.info.name: r for r in found.candidates[0].economy}
    assert figures["latency_ms"].verdict == ("INCONCLUSIVE" if why else "BETTER")
    assert (figures["latency_ms"].incomparable, figures["tokens"].verdict) == (why, "BETTER")
    # What is not tested takes no part in the correction of what is.
    assert figures["tokens"].p == pytest.approx((1 if why else 2) * 2 / 2**10)
    gates = Gates.model_validate({"limits": {"latency_ratio": 0.9}})
    assert check_gates(gates, new, base).results[0].status == ("inconclusive" if why else "passed")
    page, summary = render_html(found), render_markdown(found)
    for text in (page, summary, " ".join(found.candidates[0].remarks)):
        assert not why or why in text
    row = next(line for line in summary.splitlines() if line.startswith("| **latency_ms**"))
    assert row.endswith("| not comparable |" if why else "| better |")
    times, together = manifest.get("repeat", 1), manifest.get("concurrency", 4)
    told = f"new {times} time{'' if times == 1 else 's'} a question, {together} at a time"
    assert f"base 1 time a question, 4 at a time; {told}." in page
    latency = next(cells for cells in zip(ladder(found).columns, ladder(found).rows[1].cells, strict=True)
                   if cells[0].name == "latency_ms")[1]  # fmt: skip
    assert latency.best is not bool(why)


def test_labels_tell_runs_of_one_pipeline_apart(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / n, scored([1.0]), metrics=(CORRECTNESS,)) for n in ("before", "after")]
    assert label_runs(runs) == ["base (before)", "base (after)"]


def test_judge_noise_and_unfinished_runs_are_remarked(tmp_path: Path) -> None:
    base = write_run(tmp_path / "a", scored([0.5] * 8), metrics=(CORRECTNESS,), finished=False)
    new = write_run(tmp_path / "b", scored([0.55] * 8), name="new", metrics=(CORRECTNESS,))
    remarks = " ".join(compare_runs(base, [new], noise={"correctness": 0.06}).candidates[0].remarks)
    assert "within the judge's own noise" in remarks
    assert "The run of base is not whole (interrupted)" in remarks
    silent = compare_runs(base, [base, new], noise={"correctness": 0.0})
    assert "noise" not in " ".join(silent.candidates[0].remarks), "a judge that never wavers has no floor"
    assert "counts in that 2 candidates were tried" not in " ".join(silent.candidates[0].remarks), "p = 1.00 alone too"


def test_lines_that_a_finished_run_lost_make_it_unfinished(tmp_path: Path) -> None:
    """A file that is gone was a comparison of no questions, told as undecided."""
    base, new = (write_run(tmp_path / n, scored([0.5] * 8), name=n, metrics=(CORRECTNESS,)) for n in "ab")
    for run in (base, new):
        write_json(run.path / SUMMARY, summarize(run))
    assert read_run(new.path).lost == ""
    scores = (new.path / SCORES).read_text().splitlines(keepends=True)
    (new.path / SCORES).write_text("".join(scores[:-2]))
    remarks = " ".join(compare_runs(base, [read_run(new.path)]).candidates[0].remarks)
    assert "The run of b is not whole (scores.jsonl lost 2 of 8 lines)" in remarks
    (new.path / SCORES).unlink()
    with pytest.raises(ConfigError, match=r"is unfinished \(scores\.jsonl lost 8 of 8 lines\): go on with"):
        compare_runs(base, [read_run(new.path)])


def test_runs_that_share_no_question_are_not_compared(tmp_path: Path) -> None:
    base = write_run(tmp_path / "a", scored([0.5] * 8), metrics=(CORRECTNESS,))
    other = write_run(tmp_path / "b", [replace(case, id=f"x{case.id}") for case in scored([0.5] * 8)])
    with pytest.raises(ConfigError, match="have no question in common"):
        compare_runs(base, [other], allow_mismatch=True)


def test_json_is_complete_and_strict(tmp_path: Path) -> None:
    base, new = realistic(tmp_path / "a", "vector", skill=0.5), realistic(tmp_path / "b", "crag", skill=0.8)
    shape = json.loads(json.dumps(compare_runs(base, [new]).to_dict(), allow_nan=False))
    candidate = shape["candidates"][0]
    assert candidate["verdict"] == "BETTER"
    assert shape["primary"]["name"] == "correctness"
    assert len(candidate["questions"]) == 40
    assert {entry["dimension"] for entry in candidate["breakdown"]} == {"type", "lang"}
    assert {entry["metric"] for entry in candidate["economy"]} == {"latency_ms", "tokens", "cost_per_1000"}


def test_one_run_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at least one candidate"):
        compare_runs(write_run(tmp_path / "a", scored([1.0])), [])
