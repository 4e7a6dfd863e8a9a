"""Tables of the report as plain data: the ladder of means, and what differs between two manifests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eval.compare import Comparison
from eval.paired import ECONOMY, LATENCY, timing_differs
from eval.runs import AnswerRecord, MetricInfo, Run


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
    timed_apart = any(timing_differs(comparison.base, run) for _, run in runs)
    rows = []
    for (label, run), row in zip(runs, marked, strict=True):
        cells = []
        for column, (value, count) in enumerate(row):
            others = [other[column][0] for other in marked if other[column][0] is not None]
            pick = max if columns[column].direction == "higher" else min
            best = (
                not (columns[column] is LATENCY and timed_apart)
                and value is not None
                and len(set(others)) > 1
                and value == pick(v for v in others if v is not None)
            )
            cells.append(LadderCell(value, count, best))
        rows.append(LadderRow(label, run, tuple(cells)))
    return Ladder(tuple(columns), tuple(rows))


def node_medians(comparison: Comparison) -> list[tuple[str, list[float | None]]]:
    """(step, median milliseconds in each run), in the order in which steps run, the total last."""
    times: list[dict[str, list[float]]] = []
    order: list[str] = []
    for _, run in labelled(comparison):
        found: dict[str, list[float]] = {}
        for record in run.answers.values():
            place = 0
            for node, milliseconds in (record.answer or {}).get("timings", {}).items():
                found.setdefault(node, []).append(milliseconds)
                if node not in order:
                    order.insert(place, node)
                place = order.index(node) + 1
        times.append(found)
    nodes = sorted(order, key=lambda node: node == "total")
    return [(node, [float(np.median(found[node])) if node in found else None for found in times]) for node in nodes]


def manifest_difference(base: Run, candidate: Run) -> list[tuple[str, str, str]]:
    """(field, base, candidate) for every field of the manifests that differs, start times left out."""
    ours, theirs = _flat(base.manifest), _flat(candidate.manifest)
    keys = dict.fromkeys([*ours, *theirs])
    return [
        (key, ours.get(key, "–"), theirs.get(key, "–"))
        for key in keys
        if ours.get(key) != theirs.get(key) and key != "started"
    ]


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


def _flat(value: Any, prefix: str = "") -> dict[str, str]:
    if isinstance(value, Mapping) and value:
        return {
            k: v for key, entry in value.items() for k, v in _flat(entry, f"{prefix}.{key}" if prefix else key).items()
        }
    if prefix == "metrics" and isinstance(value, list):
        return {prefix: ", ".join(entry["name"] for entry in value)}
    return {prefix: _written(value)}


def _written(value: Any) -> str:
    """As a pipeline file says it, figures to six digits."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    return f"{value:.6g}" if isinstance(value, float) else str(value)
