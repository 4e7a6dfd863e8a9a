"""A finished run in one object: summary.json, and the ladder of several runs as a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from eval.diagnosis import diagnose, diagnose_run
from eval.panel import crag_panel, refusals
from eval.runs import FORMAT, SCORE_STATUSES, AnswerRecord, Run, Score

LADDER = (
    "recall@1", "recall@5", "mrr", "ndcg@10", "coverage@1500", "contains_reference", "f1", "refusal_accuracy",
    "semantic_similarity", "chrf", "faithfulness", "answer_relevancy", "context_precision", "context_recall",
    "correctness",
)  # fmt: skip
"""Columns of the table, those that a run has."""


def summarize(run: Run, *, stopped: str | None = None) -> dict[str, Any]:
    """Means are over questions, a question's repeats averaged first. `stopped` says why a run is not whole."""
    records = list(run.answers.values())
    metrics = {name: _metric(run, name, records) for name in run.metrics}
    by_answer: dict[tuple[str, int], dict[str, Score]] = {}
    for score in run.scores.values():
        by_answer.setdefault((score.question, score.repeat), {})[score.metric] = score
    findings = [f for record in records if (f := diagnose(record, by_answer.get(record.key, {}))) is not None]
    return {
        "format": FORMAT,
        "suite": run.manifest["suite"]["name"],
        "pipeline": {name: run.manifest["pipeline"][name] for name in ("name", "version")},
        "questions": len(run.questions),
        "answers": len(records),
        "pipeline_errors": sum(record.status == "pipeline_error" for record in records),
        "stopped": stopped,
        "metrics": metrics,
        "by": {
            "type": _split(run, records, lambda record: record.question.type),
            "lang": _split(run, records, lambda record: record.question.lang),
        },
        "refusals": refusals(records),
        "crag": crag_panel(records),
        "tokens": _sums(records),
        "cost": _cost(records, run.judge_usage["cost"]),
        "latency_ms": _latency(records),
        "judge": {name: value for name, value in run.judge_usage.items() if name != "cost"},
        "unlocated": sorted({record.question.id for record in records if record.unlocated}),
        "diagnosis": diagnose_run(findings, {name: entry["mean"] for name, entry in metrics.items()}, len(records)),
    }


def ladder(runs: Sequence[Run], metrics: Sequence[str] | None = None) -> tuple[list[str], list[list[str]]]:
    """Header and rows: pipeline, the metrics' means, median seconds and dollars. A dash where there is no value."""
    names = [name for name in metrics or LADDER if any(name in run.metrics for run in runs)]
    rows = []
    for run in runs:
        summary = run.summary or summarize(run)
        means = [summary["metrics"].get(name, {}).get("mean") for name in names]
        total = summary["latency_ms"].get("total", {}).get("p50")
        cost = summary["cost"]["total"]
        economy = [_show(None if total is None else total / 1000, ".2f"), _show(cost, ".4f")]
        rows.append([run.name, *(_show(mean, ".3f") for mean in means), *economy])
    return ["pipeline", *names, "p50 s", "cost $"], rows


def judge_errors(summary: Mapping[str, Any]) -> str:
    """How many scores the judge owes a run, by metric, in a sentence; empty where it owes none."""
    owed = {name: entry["judge_error"] for name, entry in summary["metrics"].items() if entry["judge_error"]}
    asked = sum(summary["metrics"][name]["ok"] for name in owed) + sum(owed.values())
    listed = ", ".join(f"{name} {count}" for name, count in owed.items())
    return (
        f"The judge gave no score {sum(owed.values())} of {asked} times ({listed}): means are over the rest."
        if owed
        else ""
    )


def question_means(run: Run, metric: str) -> dict[str, float]:
    """Mean over the repeats, by question."""
    return {question: fmean(values) for question, values in run.values(metric).items()}


def _metric(run: Run, name: str, records: Sequence[AnswerRecord]) -> dict[str, Any]:
    scores = [score for score in run.scores.values() if score.metric == name]
    counts: dict[str, int] = {status: sum(score.status == status for score in scores) for status in SCORE_STATUSES}
    means = question_means(run, name)
    return {"mean": _mean(means.values()), "n": len(means), **counts, "missing": len(records) - len(scores)}


def _split(
    run: Run, records: Sequence[AnswerRecord], key: Callable[[AnswerRecord], str]
) -> dict[str, dict[str, dict[str, Any]]]:
    members: dict[str, set[str]] = {}
    for record in records:
        members.setdefault(key(record), set()).add(record.question.id)
    means = {name: question_means(run, name) for name in run.metrics}
    return {
        group: {
            name: {"mean": _mean(inside), "n": len(inside)}
            for name, values in means.items()
            if (inside := [value for question, value in values.items() if question in questions])
        }
        for group, questions in sorted(members.items())
    }


def _sums(records: Sequence[AnswerRecord]) -> dict[str, int]:
    names = ("prompt_tokens", "completion_tokens", "model_calls")
    return {name: sum(record.usage[name] for record in records) for name in names}


def _cost(records: Sequence[AnswerRecord], judge: float | None) -> dict[str, float | None]:
    said = {"answers": _total(record.cost for record in records), "judge": judge}
    return {**said, "total": _total(said.values())}


def _total(costs: Iterable[float | None]) -> float | None:
    known = list(costs)
    return None if None in known else sum(cost for cost in known if cost is not None)


def _latency(records: Sequence[AnswerRecord]) -> dict[str, dict[str, float]]:
    """Milliseconds by node, over the answers in which it ran; `total` is measured from outside."""
    times: dict[str, list[float]] = {"total": [record.latency_ms for record in records if record.status == "ok"]}
    for record in records:
        for node, milliseconds in (record.answer["timings"] if record.answer else {}).items():
            if node != "total":
                times.setdefault(node, []).append(milliseconds)
    return {
        node: {"n": len(values), "mean": fmean(values), "p50": median(values), "p95": _quantile(values, 0.95)}
        for node, values in times.items()
        if values
    }


def _quantile(values: Sequence[float], share: float) -> float:
    """Nearest rank."""
    ordered = sorted(values)
    return ordered[math.ceil(share * len(ordered)) - 1]


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return fmean(known) if known else None


def _show(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
