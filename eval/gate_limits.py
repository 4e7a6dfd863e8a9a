"""The limits of a run: errors, latency, money."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from eval.gate_file import Limits
from eval.gate_report import GateResult
from eval.paired import per_question, timing_differs
from eval.runs import Run


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` None: not known, for the reason in `why`. `least` is then what it is at least, where that is known."""

    value: float | None
    why: str = "nothing was measured"
    least: float = -math.inf


def check_limits(limits: Limits, run: Run, base: Run | None) -> Iterator[GateResult]:
    figures: dict[str, Callable[[], Figure]] = {
        "error_rate": lambda: Figure(_mean([float(record.status != "ok") for record in run.answers.values()])),
        "judge_error_rate": lambda: Figure(_judge_errors(run)),
        "latency_p50_ms": lambda: Figure(_percentile(run, 50)),
        "latency_p95_ms": lambda: Figure(_percentile(run, 95)),
        "latency_ratio": lambda: _latency_ratio(run, base),
        "cost_per_question": lambda: _cost(run),
        "cost_ratio": lambda: _cost_ratio(run, base),
    }
    for name, limit in limits.model_dump(exclude_none=True).items():
        figure, said = figures[name](), f"{name} at most {limit:g}"
        if figure.value is not None:
            met = figure.value <= limit
            yield GateResult(said, "passed" if met else "failed", f"{figure.value:.4g}", figure.value, limit)
        elif figure.least > limit:
            finite = math.isfinite(figure.least)
            told = f"at least {figure.least:.4g}; {figure.why}" if finite else figure.why
            yield GateResult(said, "failed", told, figure.least if finite else None, limit)
        else:
            yield GateResult(said, "inconclusive", figure.why, bar=limit)


def _judge_errors(run: Run) -> float | None:
    judged = {name for name, info in run.metrics.items() if info.judged}
    scores = [s for s in run.scores.values() if s.metric in judged and s.status in {"ok", "judge_error"}]
    return _mean([float(score.status == "judge_error") for score in scores])


def _latencies(run: Run) -> list[float]:
    found = per_question(run, lambda record: record.latency_ms)
    return [value for values in found.values() for value in values if value is not None]


def _percentile(run: Run, share: int) -> float | None:
    """As in summary.json: the median as usual, any other by nearest rank."""
    values = _latencies(run)
    return float(np.percentile(values, share, method="linear" if share == 50 else "inverted_cdf")) if values else None


def _latency_ratio(run: Run, base: Run | None) -> Figure:
    assert base is not None
    apart = timing_differs(base, run)
    ours, theirs = _mean(_latencies(run)), _mean(_latencies(base))
    if apart or ours is None or not theirs:
        return Figure(None, f"not comparable: {apart}" if apart else "nothing was measured")
    return Figure(ours / theirs)


def _cost(run: Run) -> Figure:
    """Money of an answer. Answers without a price cost nothing at least."""
    given = [record.cost for record in run.answers.values() if record.status == "ok"]
    priced = [cost for cost in given if cost is not None]
    if not given or len(priced) == len(given):
        return Figure(_mean(priced))
    why = f"{len(given) - len(priced)} of {len(given)} answers of {run.name} have no price; name one with --prices"
    return Figure(None, why, sum(priced) / len(given))


def _cost_ratio(run: Run, base: Run | None) -> Figure:
    """Against a base that costs nothing, anything is infinitely more, and nothing is as much."""
    assert base is not None
    ours, theirs = _cost(run), _cost(base)
    if ours.value is None or theirs.value is None:
        return Figure(None, ours.why if ours.value is None else theirs.why)
    if theirs.value == 0:
        free = ours.value == 0
        return Figure(1.0 if free else None, f"{base.name} costs nothing, and {run.name} does", math.inf)
    return Figure(ours.value / theirs.value)


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None
