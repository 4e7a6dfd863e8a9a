"""The corrective loop in numbers: routes, rewrites, the web, and how far the confidence can be trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from eval.metrics.builtin import confidence, evidence_found, graded
from eval.runs import AnswerRecord

BINS = 10


def crag_panel(records: Sequence[AnswerRecord]) -> dict[str, Any]:
    """Shares are of the answers given. `graded` counts those whose route and confidence a grading decided; only they
    count in `routes`. `calibration` and `risk_coverage` are None where none of them has gold.
    """
    answered = [record for record in records if record.answer is not None]
    decided = [record for record in answered if graded(record)]
    judged = [r for r in decided if r.gold or not r.question.answerable]
    pairs = [(confidence(record), evidence_found(record)) for record in judged]
    return {
        "graded": len(decided),
        "routes": dict(Counter(str(record.answer["route"]) for record in decided if record.answer)),
        "statuses": dict(Counter(str(record.answer["status"]) for record in answered if record.answer)),
        "rewrite": _stage(answered, "rewrite"),
        "web": _stage(answered, "web"),
        "degraded": dict(
            Counter(entry["stage"] for record in answered if record.answer for entry in record.answer["degraded"])
        ),
        "calibration": calibration(pairs) if pairs else None,
        "risk_coverage": risk_coverage(pairs) if pairs else None,
    }


def refusals(records: Sequence[AnswerRecord]) -> dict[str, Any]:
    """Precision: refused questions that have no answer. Recall: questions without an answer that were refused.

    None where there is nothing to take a share of.
    """
    answered = [record for record in records if record.answer is not None]
    refused = sum(record.abstained for record in answered)
    unanswerable = sum(not record.question.answerable for record in answered)
    right = sum(record.abstained and not record.question.answerable for record in answered)
    return {
        "refused": refused,
        "unanswerable": unanswerable,
        "right": right,
        "precision": right / refused if refused else None,
        "recall": right / unanswerable if unanswerable else None,
    }


def calibration(pairs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Expected calibration error over ten equal bins (Guo et al. 2017): mean gap of confidence and outcome by size."""
    bins = []
    for number in range(BINS):
        inside = [pair for pair in pairs if min(int(pair[0] * BINS), BINS - 1) == number]
        if inside:
            said = sum(pair[0] for pair in inside) / len(inside)
            true = sum(pair[1] for pair in inside) / len(inside)
            bins.append({"from": number / BINS, "n": len(inside), "confidence": said, "outcome": true})
    error = sum(entry["n"] * abs(entry["confidence"] - entry["outcome"]) for entry in bins) / len(pairs)
    return {"ece": error, "n": len(pairs), "bins": bins}


def risk_coverage(pairs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Answering the surest questions only: the share answered, and the share of those whose evidence is missing.

    `area` is the mean risk over all coverages (Geifman & El-Yaniv 2017), lower is better. Questions of one confidence
    are accepted together.
    """
    ordered = sorted(pairs, key=lambda pair: -pair[0])
    points: list[dict[str, float]] = []
    wrong = area = 0.0
    for position, (said, outcome) in enumerate(ordered, 1):
        wrong += 1 - outcome
        if position == len(ordered) or ordered[position][0] != said:
            previous = points[-1]["coverage"] if points else 0.0
            points.append({"coverage": position / len(ordered), "risk": wrong / position, "confidence": said})
            area += points[-1]["risk"] * (points[-1]["coverage"] - previous)
    return {"area": area, "points": points}


def _stage(records: Sequence[AnswerRecord], node: str) -> dict[str, Any]:
    """How often a node ran, how often the confidence rose after it, and how often the evidence was there then."""
    used = [record for record in records if any(event["node"] == node for event in record.trace)]
    raised = sum(_raised(record.trace, node) for record in used)
    found = sum(evidence_found(record) for record in used)
    return {
        "used": len(used),
        "rate": len(used) / len(records) if records else 0.0,
        "raised_confidence": raised,
        "with_gold": sum(bool(record.gold) for record in used),
        "evidence_found": int(found),
    }


def _raised(trace: Sequence[Mapping[str, Any]], node: str) -> bool:
    first = next(place for place, event in enumerate(trace) if event["node"] == node)
    before = [e["detail"]["confidence"] for e in trace[:first] if "confidence" in e["detail"]]
    after = [e["detail"]["confidence"] for e in trace[first:] if "confidence" in e["detail"]]
    return bool(before and after) and max(after) > max(before)
