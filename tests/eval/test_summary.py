"""Summary, corrective-loop panel and diagnosis, worked out by hand on small runs."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eval.diagnosis import diagnose
from eval.lines import LineWriter, write_json
from eval.metrics.base import Outcome
from eval.metrics.builtin import answer_metrics
from eval.panel import calibration, crag_panel, refusals, risk_coverage
from eval.runs import (
    ANSWERS,
    MANIFEST,
    SCORES,
    AnswerRecord,
    Context,
    Question,
    Run,
    Score,
    Span,
    answer_to_dict,
    read_run,
)
from eval.summary import ladder, summarize

GOLD = ((Span("d", 0, 10, "abcdefghij"),),)


def context(rank: int, start: int, end: int, tokens: int = 100) -> Context:
    return Context(rank, "d", "d.md", "D", start, end, "x" * (end - start), tokens, None, None, 1.0, {}, {})


def record(
    name: str = "q",
    *,
    text: str = "an answer",
    status: str = "grounded",
    route: str = "correct",
    confidence: float = 0.9,
    contexts: tuple[Context, ...] = (context(1, 0, 50),),
    gold: Any = GOLD,
    answerable: bool = True,
    kind: str = "fact",
    lang: str = "en",
    repeat: int = 0,
    trace: tuple[Any, ...] = (),
    failed: str | None = None,
    milliseconds: float = 100.0,
    cost: float | None = 0.0,
) -> AnswerRecord:
    shape = {
        "text": text, "status": status, "route": route, "confidence": confidence, "citations": [], "degraded": [],
        "timings": {"retrieve": milliseconds / 2, "total": milliseconds}, "models": {},
    }  # fmt: skip
    return AnswerRecord(
        Question(name, "?", "reference", (), kind, lang, answerable), repeat,
        "pipeline_error" if failed else "ok", None if failed else shape, () if failed else contexts,
        gold if answerable else (), gold if answerable else (), (), trace, milliseconds,
        {"prompt_tokens": 10, "completion_tokens": 5, "model_calls": 1}, cost,
        {"type": "provider_error", "message": failed} if failed else None,
    )  # fmt: skip


def event(node: str, **detail: Any) -> dict[str, Any]:
    return {"node": node, "milliseconds": 1.0, "detail": detail}


def scored(**values: float | None) -> dict[str, Score]:
    return {
        name: Score(
            "q", 0, name, value, "judge_error" if value is None else "ok", "no reply" if value is None else None
        )
        for name, value in values.items()
    }


# Panel


def test_expected_calibration_error_by_hand() -> None:
    pairs = [(0.95, 1.0), (0.91, 0.0), (0.15, 0.0), (1.0, 1.0)]
    found = calibration(pairs)
    # Bin 0.9: three, mean confidence 0.9533, outcome 2/3. Bin 0.1: one, 0.15 against 0.
    assert found["ece"] == pytest.approx((3 * abs((0.95 + 0.91 + 1.0) / 3 - 2 / 3) + 1 * 0.15) / 4)
    assert [(entry["from"], entry["n"]) for entry in found["bins"]] == [(0.1, 1), (0.9, 3)]


def test_risk_coverage_by_hand() -> None:
    found = risk_coverage([(0.9, 1.0), (0.8, 0.0), (0.8, 1.0), (0.1, 0.0)])
    # Ties are accepted together: 1 of 4 at risk 0, 3 of 4 at 1/3, 4 of 4 at 1/2.
    assert [(p["coverage"], p["risk"]) for p in found["points"]] == [
        (0.25, 0.0), (0.75, pytest.approx(1 / 3)), (1.0, 0.5)
    ]  # fmt: skip
    assert found["area"] == pytest.approx(0.25 * 0 + 0.5 / 3 + 0.25 * 0.5)


def test_the_panel_counts_routes_rewrites_and_what_they_brought() -> None:
    helped = (event("grade", confidence=0.2), event("rewrite"), event("grade", confidence=0.8), event("generate"))
    missed = (event("grade", confidence=0.2), event("rewrite"), event("grade", confidence=0.1), event("web"))
    panel = crag_panel(
        [
            record("a", trace=(event("grade", confidence=0.9),)),
            record("b", trace=helped),
            record("c", route="incorrect", status="abstained", confidence=0.1, contexts=(), trace=missed),
            record("d", failed="it broke"),
        ]
    )
    assert panel["routes"] == {"correct": 2, "incorrect": 1}
    assert panel["rewrite"] == {
        "used": 2,
        "rate": pytest.approx(2 / 3),
        "raised_confidence": 1,
        "with_gold": 2,
        "evidence_found": 1,
    }
    assert panel["web"] == {
        "used": 1,
        "rate": pytest.approx(1 / 3),
        "raised_confidence": 0,
        "with_gold": 1,
        "evidence_found": 0,
    }
    assert panel["calibration"]["n"] == 3


def test_a_pipeline_that_does_not_grade_has_no_route_and_no_confidence() -> None:
    answer = record()
    off = replace(answer, answer={**(answer.answer or {}), "models": {"grading": "off"}})
    panel = crag_panel([off])
    assert (panel["graded"], panel["routes"], panel["calibration"], panel["risk_coverage"]) == (0, {}, None, None)
    assert panel["statuses"] == {"grounded": 1}
    (brier,) = [metric for metric in answer_metrics() if metric.info.name == "brier"]
    assert asyncio.run(brier.score(off)) == Outcome(None, "not_applicable", "the pipeline does not grade")
    assert asyncio.run(brier.score(answer)).value == pytest.approx(0.01)
    void = replace(off, question=replace(off.question, answerable=False))
    found = diagnose(void, {})
    assert found is not None
    assert found.advice.startswith("switch grading on")
    both = crag_panel([off, answer])
    assert (both["graded"], both["routes"], both["calibration"]["n"]) == (1, {"correct": 1}, 1)


@pytest.mark.parametrize(
    ("passages", "tokens", "advice"),
    [
        (1, 20, "raise retrieval.top_k (only 1 retrieved), cut larger chunks (these have 20 tokens), or compare with"),
        (3, 200, "raise retrieval.top_k (only 3 retrieved), or compare with hybrid retrieval"),
        (10, 200, "compare with hybrid retrieval, or raise retrieval.top_k and retrieval.candidates"),
        (10, 800, "retrieval.candidates, or cut smaller chunks with their headings"),
        (0, 0, "raise retrieval.top_k (only 0 retrieved)"),
    ],
)
def test_what_to_try_depends_on_what_was_retrieved(passages: int, tokens: int, advice: str) -> None:
    contexts = tuple(context(rank + 1, 100, 150, tokens) for rank in range(passages))
    missed = record(contexts=contexts, status="abstained", gold=((Span("other", 0, 5, "abcde"),),))
    found = diagnose(missed, {})
    assert found is not None
    assert found.stage == "retrieval"
    assert advice in found.advice


def test_a_panel_without_gold_has_no_calibration() -> None:
    panel = crag_panel([record(gold=())])
    assert (panel["calibration"], panel["risk_coverage"]) == (None, None)
    assert crag_panel([])["rewrite"]["rate"] == 0.0


def test_refusals_by_hand() -> None:
    records = [
        record("a", answerable=False, status="abstained"),
        record("b", answerable=False, status="abstained"),
        record("c", answerable=False),
        record("d", status="abstained"),
        record("e"),
    ]
    assert refusals(records) == {
        "refused": 3, "unanswerable": 3, "right": 2, "precision": pytest.approx(2 / 3), "recall": pytest.approx(2 / 3)
    }  # fmt: skip
    assert refusals(records[4:])["precision"] is None


# Diagnosis

FAR = tuple(context(rank, 100 * rank, 100 * rank + 50, tokens=400) for rank in range(1, 6))


@pytest.mark.parametrize(
    ("answered", "scores", "stage", "words"),
    [
        (record(failed="no route to host"), {}, "pipeline", "no route to host"),
        (record(contexts=FAR), scored(contains_reference=0.0), "retrieval", "missed the needed passage among its 5"),
        (
            record(contexts=(*FAR, context(6, 0, 50))),
            scored(contains_reference=0.0, citation_recall=0.0),
            "ranking",
            "at rank 6, and only the first 3 fit",
        ),
        (record(status="abstained"), {}, "grading", "grading refused it"),
        (record(status="abstained", contexts=()), {}, "retrieval", "among its 0 passages"),
        (record(answerable=False), {}, "grading", "hold no answer, and one was given"),
        (record(), scored(correctness=0.0, contains_reference=1.0), "generation", "correctness 0.00"),
        (record(), scored(contains_reference=0.0, citation_recall=0.0), "generation", "ignored it"),
        (record(), scored(faithfulness=0.25, correctness=1.0), "generation", "faithfulness 0.25"),
        (record(), scored(faithfulness=None), "judge", "failed on faithfulness: no reply"),
    ],
)
def test_a_failure_is_laid_at_the_first_stage_that_lost_it(
    answered: AnswerRecord, scores: dict[str, Score], stage: str, words: str
) -> None:
    finding = diagnose(answered, scores)
    assert finding is not None
    assert finding.stage == stage
    assert words in finding.sentence
    assert finding.advice


@pytest.mark.parametrize(
    ("answered", "scores"),
    [
        (record(), scored(correctness=1.0)),
        (record(), scored(correctness=0.5, contains_reference=0.0, citation_recall=0.0)),
        (record(), scored(contains_reference=0.0, citation_recall=1.0)),
        (record(contexts=FAR), scored(contains_reference=1.0)),
        (record(answerable=False, status="abstained"), {}),
        (record(), {}),
    ],
)
def test_what_is_right_or_unknown_is_no_finding(answered: AnswerRecord, scores: dict[str, Score]) -> None:
    assert diagnose(answered, scores) is None


# Summary


def run_of(folder: Path, name: str, records: list[AnswerRecord], scores: list[Score]) -> Run:
    folder.mkdir()
    metrics = [
        {"name": metric, "group": "answer", "direction": "higher", "range": [0, 1], "judged": False, "description": ""}
        for metric in ("f1", "faithfulness")
    ]
    manifest = {
        "format": 1, "suite": {"name": "s", "hash": "5a"}, "corpus": {"hash": "c0"}, "metrics": metrics,
        "pipeline": {"name": name, "version": "v", "resolved": {}}, "judge": None, "embedder": None, "settings": {},
        "packages": {}, "started": "2026-11-30T01:00:00Z", "seed": 0, "repeat": 1, "concurrency": 1,
    }  # fmt: skip
    write_json(folder / MANIFEST, manifest)
    for file, lines in ((ANSWERS, [answer_to_dict(r) for r in records]), (SCORES, [s.to_dict() for s in scores])):
        writer = LineWriter(folder / file)
        for line in lines:
            writer.write(line)
        writer.close()
    return read_run(folder)


def test_a_summary_by_hand(tmp_path: Path) -> None:
    records = [
        record("a", milliseconds=100),
        record("a", repeat=1, milliseconds=300),
        record("b", kind="summary", lang="zh", milliseconds=200, cost=0.5),
        record("c", failed="broken", milliseconds=9000),
    ]
    tokens = {"prompt_tokens": 7, "completion_tokens": 3, "model_calls": 2, "cached_calls": 1, "cost": 0.25}
    scores = [
        Score("a", 0, "f1", 0.0, "ok"),
        Score("a", 1, "f1", 1.0, "ok"),
        Score("b", 0, "f1", 1.0, "ok"),
        Score("c", 0, "f1", None, "pipeline_error", "broken"),
        Score("a", 0, "faithfulness", 0.5, "ok", None, tokens),
        Score("b", 0, "faithfulness", None, "judge_error", "no reply", tokens),
    ]
    summary = summarize(run_of(tmp_path / "r", "p", records, scores), stopped="max_cost")
    assert summary["metrics"]["f1"] == {
        "mean": 0.75, "n": 2, "ok": 3, "not_applicable": 0, "judge_error": 0, "pipeline_error": 1, "missing": 0
    }  # fmt: skip
    assert summary["metrics"]["faithfulness"]["missing"] == 2
    assert summary["by"]["type"]["summary"]["f1"] == {"mean": 1.0, "n": 1}
    assert "faithfulness" not in summary["by"]["lang"]["zh"]
    assert summary["latency_ms"]["total"] == {"n": 3, "mean": 200.0, "p50": 200.0, "p95": 300.0}
    assert summary["latency_ms"]["retrieve"]["mean"] == 100.0
    assert summary["cost"] == {"answers": 0.5, "judge": 0.5, "total": 1.0}
    assert summary["judge"] == {"model_calls": 4, "cached_calls": 2, "prompt_tokens": 14, "completion_tokens": 6}
    assert summary["tokens"]["prompt_tokens"] == 40
    assert (summary["questions"], summary["answers"], summary["pipeline_errors"]) == (3, 4, 1)
    assert summary["stopped"] == "max_cost"
    assert summary["diagnosis"]["stages"] == {"pipeline": 1, "judge": 1}
    assert "Faithfulness is low (0.50)" in summary["diagnosis"]["text"]


def test_an_unknown_price_makes_the_total_unknown(tmp_path: Path) -> None:
    summary = summarize(run_of(tmp_path / "r", "p", [record("a"), record("b", cost=None)], []))
    assert summary["cost"] == {"answers": None, "judge": 0, "total": None}
    assert summary["metrics"]["f1"]["mean"] is None


def test_the_ladder_has_a_row_for_each_run_and_dashes_for_what_is_missing(tmp_path: Path) -> None:
    first = run_of(tmp_path / "a", "vector", [record("a", cost=None)], [Score("a", 0, "f1", 0.5, "ok")])
    second = run_of(
        tmp_path / "b", "crag", [record("a", milliseconds=1500)], [Score("a", 0, "faithfulness", 1.0, "ok")]
    )
    assert ladder([first, second]) == (
        ["pipeline", "f1", "faithfulness", "p50 s", "cost $"],
        [["vector", "0.500", "-", "0.10", "-"], ["crag", "-", "1.000", "1.50", "0.0000"]],
    )
    assert ladder([first], ["faithfulness"])[0] == ["pipeline", "faithfulness", "p50 s", "cost $"]
