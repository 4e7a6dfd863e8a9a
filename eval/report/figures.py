"""The numbers behind the report's panels, as plain data: ladder, routes, calibration, risk, manifest difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eval.compare import Comparison
from eval.metrics.builtin import confidence, evidence_found
from eval.paired import COST, ECONOMY, LATENCY, TOKENS
from eval.runs import AnswerRecord, MetricInfo, Run

ROUTES = ("correct", "ambiguous", "incorrect")


@dataclass(frozen=True, slots=True)
class LadderCell:
    """Mean over questions, each run on its own; `count` questions have a value. `best` marks the column's best."""

    value: float | None
    count: int
    best: bool = False


@dataclass(frozen=True, slots=True)
class LadderRow:
    label: str
    run: Run
    cells: tuple[LadderCell, ...]


@dataclass(frozen=True, slots=True)
class Ladder:
    columns: tuple[MetricInfo, ...]
    rows: tuple[LadderRow, ...]


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of one band of confidence: how sure the pipeline was, and how often the evidence was there."""

    stated: float
    observed: float
    count: int


@dataclass(frozen=True, slots=True)
class CragPanel:
    """One run's decisions. `risk` holds (share answered, error of what is answered), surest answers first."""

    label: str
    answers: int
    routes: Mapping[str, int]
    abstained: int
    rewritten: int
    searched_web: int
    degraded: int
    calibration: tuple[Bin, ...]
    calibration_error: float | None
    risk: tuple[tuple[float, float], ...]


def labelled(comparison: Comparison) -> list[tuple[str, Run]]:
    """Base first, then the candidates."""
    return [(comparison.base_label, comparison.base), *((c.label, c.run) for c in comparison.candidates)]


def ladder(comparison: Comparison) -> Ladder:
    """Every run's mean of every metric, the primary first, then latency, tokens and money where there are any."""
    runs = labelled(comparison)
    names = dict.fromkeys([comparison.primary.name, *(name for _, run in runs for name in run.metrics)])
    infos = {name: info for _, run in reversed(runs) for name, info in run.metrics.items()}
    columns = [infos[name] for name in names if any(run.values(name) for _, run in runs)]
    scores = [[_mean(run.values(info.name)) for info in columns] for _, run in runs]
    for info, figure in ECONOMY:
        found = [_mean(_figures(run, figure)) for _, run in runs]
        if any(value for value, _ in found):
            columns.append(info)
            scores = [[*row, cell] for row, cell in zip(scores, found, strict=True)]
    marked = [list(row) for row in scores]
    rows = []
    for (label, run), row in zip(runs, marked, strict=True):
        cells = []
        for column, (value, count) in enumerate(row):
            others = [other[column][0] for other in marked if other[column][0] is not None]
            pick = max if columns[column].direction == "higher" else min
            best = value is not None and len(set(others)) > 1 and value == pick(v for v in others if v is not None)
            cells.append(LadderCell(value, count, best))
        rows.append(LadderRow(label, run, tuple(cells)))
    return Ladder(tuple(columns), tuple(rows))


def crag_panel(label: str, run: Run, metric: MetricInfo) -> CragPanel:
    """Routes, rewrites, web searches, calibration and risk of one run. `metric` gives the error that risk counts."""
    answered = [record for record in run.answers.values() if record.answer is not None]
    judged = [r for r in answered if r.gold or not r.question.answerable]
    stated = np.array([confidence(record) for record in judged])
    observed = np.array([evidence_found(record) for record in judged])
    bins = _bins(stated, observed)
    error = None
    if bins:
        error = sum(entry.count * abs(entry.stated - entry.observed) for entry in bins) / len(judged)
    return CragPanel(
        label=label,
        answers=len(answered),
        routes={route: sum(_answer(r)["route"] == route for r in answered) for route in ROUTES},
        abstained=sum(record.abstained for record in answered),
        rewritten=sum(_visited(record, "rewrite") for record in answered),
        searched_web=sum(_visited(record, "web") for record in answered),
        degraded=sum(bool(_answer(record).get("degraded")) for record in answered),
        calibration=bins,
        calibration_error=error,
        risk=_risk(run, answered, metric),
    )


def manifest_difference(base: Run, candidate: Run) -> list[tuple[str, str, str]]:
    """(field, base, candidate) for every field of the manifests that differs, start times left out."""
    ours, theirs = _flat(base.manifest), _flat(candidate.manifest)
    keys = dict.fromkeys([*ours, *theirs])
    return [
        (key, ours.get(key, "–"), theirs.get(key, "–"))
        for key in keys
        if ours.get(key) != theirs.get(key) and key != "started"
    ]


def _bins(stated: Any, observed: Any, size: float = 0.1) -> tuple[Bin, ...]:
    """Ten bands of equal width, empty ones left out (expected calibration error, Naeini et al. 2015)."""
    if not stated.size:
        return ()
    bands = np.minimum((stated / size).astype(int), round(1 / size) - 1)
    return tuple(
        Bin(float(stated[bands == band].mean()), float(observed[bands == band].mean()), int((bands == band).sum()))
        for band in sorted(set(bands.tolist()))
    )


def _risk(run: Run, answered: Sequence[AnswerRecord], metric: MetricInfo) -> tuple[tuple[float, float], ...]:
    """Risk-coverage curve (El-Yaniv & Wiener 2010) over the answers that were given."""
    low, high = metric.range
    values = {(s.question, s.repeat): s.value for s in run.scores.values() if s.metric == metric.name}
    given = [(confidence(r), values.get(r.key)) for r in answered if not r.abstained]
    scored = sorted(((c, v) for c, v in given if v is not None), key=lambda item: -item[0])
    if not scored or not np.isfinite(high - low):
        return ()
    errors = np.array([(high - v if metric.direction == "higher" else v - low) / (high - low) for _, v in scored])
    risks = np.cumsum(errors) / np.arange(1, len(errors) + 1)
    return tuple(((k + 1) / len(answered), float(risk)) for k, risk in enumerate(risks))


def _mean(values: Mapping[str, Sequence[float]]) -> tuple[float | None, int]:
    means = [float(np.mean(found)) for found in values.values() if found]
    return (float(np.mean(means)), len(means)) if means else (None, 0)


def _figures(run: Run, figure: Callable[[AnswerRecord], float | None]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for record in run.answers.values():
        value = figure(record) if record.status == "ok" else None
        if value is not None:
            found.setdefault(record.question.id, []).append(value)
    return found


def _answer(record: AnswerRecord) -> Mapping[str, Any]:
    return record.answer or {}


def _visited(record: AnswerRecord, node: str) -> bool:
    return any(event["node"] == node for event in record.trace)


def _flat(value: Any, prefix: str = "") -> dict[str, str]:
    if isinstance(value, Mapping) and value:
        return {
            k: v for key, entry in value.items() for k, v in _flat(entry, f"{prefix}.{key}" if prefix else key).items()
        }
    if prefix == "metrics" and isinstance(value, list):
        return {prefix: ", ".join(entry["name"] for entry in value)}
    return {prefix: "none" if value is None else str(value)}


__all__ = [
    "COST",
    "LATENCY",
    "TOKENS",
    "CragPanel",
    "Ladder",
    "crag_panel",
    "labelled",
    "ladder",
    "manifest_difference",
]
