"""The checks of scores: absolute gates, relative ones, and questions that must pass."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from chunking.errors import ConfigError
from eval.gate_file import Absolute, MustPass, Relative, Scope
from eval.gate_report import GateResult, Status
from eval.intervals import Interval, mean_interval
from eval.paired import metric_result
from eval.runs import MetricInfo, Run
from eval.statistics import LEAST_NON_TIED, PairedTest, Pairing
from eval.verdicts import level, number, plural, signed


def members(run: Run, scope: Scope) -> list[str]:
    """The questions that a gate looks at. Raises ConfigError where none is of its type or language."""
    found = [
        question.id
        for question in run.questions.values()
        if scope.type in {None, question.type} and scope.lang in {None, question.lang}
    ]
    if not found:
        kinds = [
            sorted({getattr(question, field) for question in run.questions.values()}) for field in ("type", "lang")
        ]
        raise ConfigError(
            f"A gate looks at {scope.metric}{scope.where}, and {run.path} has none: its types are "
            f"{', '.join(kinds[0])}, its languages {', '.join(kinds[1])}."
        )
    return found


def absolute(gate: Absolute, run: Run, alpha: float) -> GateResult:
    """A missing score is tried at either end of its range; where that changes the outcome the gate is undecided."""
    metric, questions = run.metrics[gate.metric], members(run, gate)
    bar = gate.at_least if gate.at_least is not None else gate.at_most
    assert bar is not None
    name = f"{gate.metric}{gate.where} {'at least' if gate.at_least is not None else 'at most'} {number(bar)}"
    unjudged = _unjudged(run, metric, questions)
    if unjudged:
        return GateResult(name, "unjudged", unjudged, bar=bar)
    pairing = metric_result(run, run, metric, alpha=alpha, only=questions).pairing
    scores, bounds = list(pairing.base), _bounds(metric)
    interval = mean_interval(scores, confidence=1 - alpha, bounds=bounds)
    if interval is None:
        return GateResult(name, "inconclusive", f"only {plural(len(scores), 'question')} scored", bar=bar)
    mean = float(np.mean(scores))
    shown = (
        f"mean {number(mean)}, {level(alpha)} interval {number(interval.low)} to {number(interval.high)}, "
        f"n = {len(scores)}"
    )
    statuses = {_against_bar(gate, scores, interval)}
    if pairing.incomplete:
        # Nothing bounds a metric without a finite range.
        filled = [_filled(pairing, end) for end in bounds] if bounds else []
        statuses |= {_against_bar(gate, s, mean_interval(s, confidence=1 - alpha, bounds=bounds)) for s in filled} or {
            "inconclusive"
        }
        count = len(pairing.incomplete)
        shown += f"; {plural(count, 'question')} without a score{' could turn this' if len(statuses) > 1 else ''}"
    status: Status = statuses.pop() if len(statuses) == 1 else "inconclusive"
    if gate.by == "mean":
        return GateResult(name, status, shown, mean, bar)
    return GateResult(name, status, shown, interval.low if gate.at_least is not None else interval.high, bar)


def _bounds(metric: MetricInfo) -> tuple[float, float] | None:
    return metric.range if math.isfinite(metric.range[1] - metric.range[0]) else None


def _filled(pairing: Pairing, end: float) -> list[float]:
    """Every question's score, with what is missing of it at one end of the range."""
    lost = {identity: shares[0] for identity, shares in pairing.lost.items()}
    known = [
        score + lost.get(identity, 0.0) * (end - score)
        for identity, score in zip(pairing.ids, pairing.base, strict=True)
    ]
    return [*known, *(end for _ in pairing.missing)]


def _against_bar(gate: Absolute, scores: list[float], interval: Interval | None) -> Status:
    assert interval is not None
    mean = float(np.mean(scores))
    low, high = (mean, mean) if gate.by == "mean" else (interval.low, interval.high)
    if gate.at_least is not None:
        return "passed" if low >= gate.at_least else "failed" if high < gate.at_least else "inconclusive"
    assert gate.at_most is not None
    return "passed" if high <= gate.at_most else "failed" if low > gate.at_most else "inconclusive"


def relative(gate: Relative, run: Run, base: Run, alpha: float, noise: float) -> GateResult:
    """`noise` is the judge's own floor: a margin below it is widened to it."""
    metric, questions = run.metrics[gate.metric], members(run, gate)
    margin = max(gate.margin, noise)
    name = f"{gate.metric}{gate.where} not worse than {base.name}{f' by more than {number(margin)}' if margin else ''}"
    unjudged = _unjudged(run, metric, questions) or _unjudged(base, metric, questions)
    if unjudged:
        return GateResult(name, "unjudged", unjudged, bar=-margin)
    result = metric_result(base, run, metric, alpha=alpha, only=questions)
    test = result.test
    if test.interval is None:
        return GateResult(name, "inconclusive", f"only {plural(test.n, 'question')} scored in both runs", bar=-margin)
    tests = [found for found in (test, result.worst, result.best) if found]
    statuses = {_margin_status(found, margin, alpha, proof=gate.margin > 0) for found in tests}
    status: Status = statuses.pop() if len(statuses) == 1 else "inconclusive"
    shown = _difference(test, alpha)
    if status == "inconclusive" and not result.pairing.incomplete:
        shown += f"; with these answers a margin of {number(_up(-_ends(test)[0]))} would pass"
    elif status == "passed" and gate.margin == 0 and test.detectable is not None:
        shown += f"; no regression is shown, and this suite sees differences from {number(test.detectable)}"
    lacking = len(result.pairing.incomplete)
    if lacking:
        turned = "" if status != "inconclusive" else " could turn this"
        shown += f"; {plural(lacking, 'question')} without a score in a run{turned}"
    return GateResult(name, status, shown, test.gain, -margin)


def _difference(test: PairedTest, alpha: float) -> str:
    if test.non_tied == 0:
        return f"no difference on any question, n = {test.n}"
    assert test.interval is not None
    return (
        f"difference {signed(test.difference)}, {level(alpha)} interval {signed(test.interval.low)} to "
        f"{signed(test.interval.high)}, n = {test.n}"
    )


def _margin_status(test: PairedTest, margin: float, alpha: float, *, proof: bool) -> Status:
    """Failed where the whole interval and the sign-flip test say worse by more than the margin.

    Passed where the whole interval lies above it, or nothing differs at all. In between `proof` decides: a margin asks
    for proof that the loss is smaller, a gate without one only for the absence of a regression, since no change but an
    improvement ever keeps its whole interval above zero. Fewer questions than can show a difference prove nothing.
    """
    low, high = _ends(test)
    if high < -margin and test.p < alpha:
        return "failed"
    if test.non_tied == 0 or low >= -margin:
        return "passed"
    return "inconclusive" if proof or test.n < LEAST_NON_TIED else "passed"


def _ends(test: PairedTest) -> tuple[float, float]:
    """The interval, turned so that positive is better."""
    assert test.interval is not None
    low, high = sorted((1 if test.higher_is_better else -1) * end for end in (test.interval.low, test.interval.high))
    return low, high


def _up(value: float) -> float:
    """To three decimals, never down: what is printed would pass."""
    return math.ceil(value * 1000 - 1e-9) / 1000


def must_pass(gate: MustPass, run: Run) -> GateResult:
    """Every repeat counts. What the judge alone left without a score is unjudged, not failed."""
    metric = run.metrics[gate.metric]
    higher = metric.direction == "higher"
    bar = gate.at_least if higher else gate.at_most
    if bar is None:
        bar = metric.range[1] if higher else metric.range[0]
    failed: dict[str, str] = {}
    unjudged: dict[str, str] = {}
    for identity in gate.questions:
        scores = [s for s in run.scores.values() if s.question == identity and s.metric == gate.metric]
        values = [score.value for score in scores]
        if scores and all(value is not None and (value >= bar if higher else value <= bar) for value in values):
            continue
        shown = ", ".join("none" if value is None else number(value) for value in values) or "none"
        judged = all(
            score.status == "judge_error" for score, value in zip(scores, values, strict=True) if value is None
        )
        known = [value for value in values if value is not None]
        fell = any(value < bar if higher else value > bar for value in known)
        (unjudged if scores and judged and not fell else failed)[identity] = shown
    kept = "must reach" if higher else "must stay at or below"
    name = f"{plural(len(gate.questions), 'question')} {kept} {number(bar)} on {gate.metric}"
    if failed:
        return GateResult(name, "failed", f"missed by {_listed(failed)}", float(len(failed)), 0.0)
    if unjudged:
        return GateResult(name, "unjudged", f"the judge gave no score for {', '.join(unjudged)}", None, 0.0)
    return GateResult(name, "passed", "all do", 0.0, 0.0)


def _listed(failed: Mapping[str, str]) -> str:
    return ", ".join(f"{identity} ({shown})" for identity, shown in failed.items())


def _unjudged(run: Run, metric: MetricInfo, questions: list[str]) -> str | None:
    """Why a judged metric cannot gate: no score at all, or half of them missing through the judge."""
    if not metric.judged:
        return None
    asked = set(questions)
    scores = [s for s in run.scores.values() if s.metric == metric.name and s.question in asked]
    failed = [score for score in scores if score.status == "judge_error"]
    if failed and 2 * len(failed) >= sum(score.status in {"ok", "judge_error"} for score in scores):
        why = failed[0].reason or "no reason"
        return f"the judge gave no score for {len(failed)} of {len(scores)} answers of {run.name} ({why})"
    return None
