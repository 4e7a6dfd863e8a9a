"""Does a run pass its gates? The exit code says so.

    check_gates(gates, run, base=None, *, allow_mismatch=False, noise=None) -> GateReport
    GateReport.exit_code, .to_dict(), .sentence                   JUnit: eval.report.render_junit(report)
    read_for_gates(path) -> Run, exit_code(reports) -> int        what a command that gates uses

Exit codes: 0 every gate passed, 1 a gate failed, 2 wrong usage (raised as ConfigError or NotFoundError), 3 the runs
are invalid (unfinished or not comparable), 4 the judge was unreachable or its budget spent, 5 undecided and
``inconclusive: fail`` is set. The most serious wins: 3, 4, 1, 5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from chunking.errors import ConfigError, StoreError
from eval.compare import mismatches, unfinished_sentence
from eval.gate_file import Absolute, Gates, Limits, MustPass, Relative, Scope
from eval.intervals import mean_interval
from eval.paired import metric_result, per_question, timing_differs
from eval.runs import MetricInfo, Run, read_run
from eval.statistics import LEAST_NON_TIED, PairedTest
from eval.verdicts import number, plural, signed

Status = Literal["passed", "failed", "inconclusive", "invalid", "unjudged"]

EXIT_CODES: Mapping[Status, int] = {"passed": 0, "failed": 1, "invalid": 3, "unjudged": 4, "inconclusive": 5}
SERIOUS: tuple[Status, ...] = ("invalid", "unjudged", "failed", "inconclusive")
"""The most serious first."""


@dataclass(frozen=True, slots=True)
class GateResult:
    """One gate's outcome; `message` gives the figure, the bar and the question ids where they matter."""

    name: str
    status: Status
    message: str
    value: float | None = None
    bar: float | None = None


@dataclass(frozen=True, slots=True)
class GateReport:
    results: tuple[GateResult, ...]
    inconclusive: Literal["pass", "fail"]
    run: str
    base: str | None
    comparable: bool = True
    """False where no gate was looked at: `results` say why the runs cannot be used."""

    @property
    def exit_code(self) -> int:
        statuses = {result.status for result in self.results}
        for status in SERIOUS:
            if status in statuses and (status != "inconclusive" or self.inconclusive == "fail"):
                return EXIT_CODES[status]
        return 0

    @property
    def sentence(self) -> str:
        if not self.comparable:
            return f"Invalid: {' '.join(result.message for result in self.results)}"
        counts = {status: sum(r.status == status for r in self.results) for status in EXIT_CODES}
        total = len(self.results)
        if counts["passed"] == total:
            return f"{self.run} passes {'its gate' if total == 1 else f'all {total} gates'}."
        parts = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        if not self.exit_code:
            return (
                f"No gate failed for {self.run}: {parts} of {total}; what is undecided may pass (inconclusive: pass)."
            )
        return f"{self.run} does not pass its {'gate' if total == 1 else f'{total} gates'}: {parts}."

    def to_dict(self) -> dict[str, Any]:
        return {
            "exit_code": self.exit_code,
            "sentence": self.sentence,
            "run": self.run,
            "base": self.base,
            "gates": [asdict(result) for result in self.results],
        }


class InvalidRunsError(StoreError):
    """A run folder that is damaged: the gate is neither passed nor failed."""

    kind = "invalid_runs"
    exit_code = EXIT_CODES["invalid"]


def read_for_gates(path: str | Path) -> Run:
    """`read_run`, but a damaged folder exits 3: 1 would say that a gate failed."""
    try:
        return read_run(path)
    except StoreError as damaged:
        raise InvalidRunsError(str(damaged)) from damaged


def exit_code(reports: Iterable[GateReport]) -> int:
    """The most serious outcome of several candidates: 3, then 4, 1 and 5."""
    codes = {report.exit_code for report in reports}
    return next((EXIT_CODES[status] for status in SERIOUS if EXIT_CODES[status] in codes), 0)


def check_gates(
    gates: Gates,
    run: Run,
    base: Run | None = None,
    *,
    allow_mismatch: bool = False,
    noise: Mapping[str, float] | None = None,
) -> GateReport:
    """Check one run. `noise` widens a relative gate's margin to the judge's own floor.

    Raises ConfigError where a gate compares and no base is given, or names a metric or question the run has not.
    """
    if gates.needs_base and base is None:
        raise ConfigError("These gates compare with a base run: give the base's run folder too.")
    results = [*_validity(run, base, allow_mismatch)]
    comparable = not results
    if comparable:
        _known(gates, run)
        results += [_absolute(gate, run, gates.alpha) for gate in gates.absolute]
        if base is not None:
            results += [
                _relative(gate, run, base, gates.alpha, (noise or {}).get(gate.metric, 0.0)) for gate in gates.relative
            ]
        results += [_must_pass(gate, run) for gate in gates.must_pass]
        results += _limits(gates.limits, run, base)
    return GateReport(tuple(results), gates.inconclusive, run.name, base.name if base else None, comparable)


def _known(gates: Gates, run: Run) -> None:
    named = [gate.metric for gate in gates.absolute]
    named += [gate.metric for gate in gates.relative]
    named += [gate.metric for gate in gates.must_pass]
    unknown = next((name for name in named if name not in run.metrics), None)
    if unknown is not None:
        raise ConfigError(f"A gate names the metric {unknown!r}; {run.path} has {', '.join(run.metrics) or 'none'}.")
    questions = run.questions
    for gate in gates.must_pass:
        for identity in gate.questions:
            if identity not in questions:
                raise ConfigError(f"must_pass names the question {identity!r}, which {run.path} does not hold.")


def _validity(run: Run, base: Run | None, allow_mismatch: bool) -> Iterator[GateResult]:
    begun = [(found, said) for found in (run, base) if found is not None and (said := unfinished_sentence(found))]
    for found, said in begun:
        yield GateResult("run finished", "unjudged" if found.summary else "invalid", said)
    if base is not None and not begun and not allow_mismatch and (reasons := mismatches(base, run)):
        told = f"{run.path} cannot be compared with {base.path}: {'; '.join(reasons)}. "
        yield GateResult("runs comparable", "invalid", told + "Run both on the same suite with the same judge.")


def _members(run: Run, scope: Scope) -> list[str]:
    return [
        question.id
        for question in run.questions.values()
        if scope.type in {None, question.type} and scope.lang in {None, question.lang}
    ]


def _unjudged(run: Run, metric: MetricInfo, members: list[str]) -> str | None:
    """Why a judged metric cannot gate: no score at all, or half of them missing through the judge."""
    if not metric.judged:
        return None
    scores = [s for s in run.scores.values() if s.metric == metric.name and s.question in set(members)]
    failed = [score for score in scores if score.status == "judge_error"]
    if failed and 2 * len(failed) >= sum(score.status in {"ok", "judge_error"} for score in scores):
        return f"the judge gave no score for {len(failed)} of {len(scores)} answers ({failed[0].reason or 'no reason'})"
    return None


def _absolute(gate: Absolute, run: Run, alpha: float) -> GateResult:
    metric, members = run.metrics[gate.metric], _members(run, gate)
    bar = gate.at_least if gate.at_least is not None else gate.at_most
    assert bar is not None
    name = f"{gate.metric}{gate.where} {'at least' if gate.at_least is not None else 'at most'} {number(bar)}"
    unjudged = _unjudged(run, metric, members)
    if unjudged:
        return GateResult(name, "unjudged", unjudged, bar=bar)
    values = run.values(gate.metric)
    scores = [float(np.mean(values[question])) for question in members if question in values]
    bounds = metric.range if math.isfinite(metric.range[1]) else None
    interval = mean_interval(scores, confidence=1 - alpha, bounds=bounds)
    if interval is None:
        return GateResult(name, "inconclusive", f"only {plural(len(scores), 'question')} scored", bar=bar)
    mean = float(np.mean(scores))
    shown = f"mean {number(mean)}, 95% interval {number(interval.low)} to {number(interval.high)}, n = {len(scores)}"
    if gate.by == "mean":
        met = mean >= bar if gate.at_least is not None else mean <= bar
        return GateResult(name, "passed" if met else "failed", shown, mean, bar)
    safe, hopeless = (
        (interval.low >= bar, interval.high < bar)
        if gate.at_least is not None
        else (interval.high <= bar, interval.low > bar)
    )
    status: Status = "passed" if safe else "failed" if hopeless else "inconclusive"
    return GateResult(name, status, shown, interval.low if gate.at_least is not None else interval.high, bar)


def _relative(gate: Relative, run: Run, base: Run, alpha: float, noise: float) -> GateResult:
    metric, members = run.metrics[gate.metric], _members(run, gate)
    margin = max(gate.margin, noise)
    name = f"{gate.metric}{gate.where} not worse than {base.name}{f' by more than {number(margin)}' if margin else ''}"
    unjudged = _unjudged(run, metric, members)
    if unjudged:
        return GateResult(name, "unjudged", unjudged, bar=-margin)
    result = metric_result(base, run, metric, alpha=alpha, only=members)
    test = result.test
    if test.interval is None:
        return GateResult(name, "inconclusive", f"only {plural(test.n, 'question')} scored in both runs", bar=-margin)
    tests = [found for found in (test, result.worst, result.best) if found]
    statuses = {_margin_status(found, margin, alpha, proof=gate.margin > 0) for found in tests}
    status: Status = statuses.pop() if len(statuses) == 1 else "inconclusive"
    shown = _difference(test)
    if status == "inconclusive" and not result.pairing.missing:
        shown += f"; with these answers a margin of {number(_up(-_ends(test)[0]))} would pass"
    elif status == "passed" and gate.margin == 0 and test.detectable is not None:
        shown += f"; no regression is shown, and this suite sees differences from {number(test.detectable)}"
    lacking = len(result.pairing.missing)
    if lacking:
        turned = "" if status != "inconclusive" else " could turn this"
        shown += f"; {plural(lacking, 'question')} without a score in a run{turned}"
    return GateResult(name, status, shown, test.gain, -margin)


def _difference(test: PairedTest) -> str:
    if test.non_tied == 0:
        return f"no difference on any question, n = {test.n}"
    assert test.interval is not None
    return (
        f"difference {signed(test.difference)}, 95% interval {signed(test.interval.low)} to "
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


def _must_pass(gate: MustPass, run: Run) -> GateResult:
    sign = 1 if run.metrics[gate.metric].direction == "higher" else -1
    failed = []
    for identity in gate.questions:
        scores = [s for s in run.scores.values() if s.question == identity and s.metric == gate.metric]
        if not scores or any(s.value is None or sign * s.value < sign * gate.at_least for s in scores):
            shown = ", ".join("none" if s.value is None else number(s.value) for s in scores) or "none"
            failed.append(f"{identity} ({shown})")
    name = f"{plural(len(gate.questions), 'question')} must reach {number(gate.at_least)} on {gate.metric}"
    message = f"missed by {', '.join(failed)}" if failed else "all reach it"
    return GateResult(name, "failed" if failed else "passed", message, float(len(failed)), 0.0)


def _limits(limits: Limits, run: Run, base: Run | None) -> Iterator[GateResult]:
    figures: dict[str, Callable[[], float | None]] = {
        "error_rate": lambda: float(np.mean([record.status != "ok" for record in run.answers.values()])),
        "judge_error_rate": lambda: _judge_errors(run),
        "latency_p50_ms": lambda: float(np.percentile(_latencies(run), 50)),
        "latency_p95_ms": lambda: float(np.percentile(_latencies(run), 95)),
        "latency_ratio": lambda: _ratio(_latencies(run), _latencies(base)) if base else None,
        "cost_per_question": lambda: _mean(_costs(run)),
        "cost_ratio": lambda: _ratio(_costs(run), _costs(base)) if base else None,
    }
    for name, limit in limits.model_dump(exclude_none=True).items():
        value = figures[name]()
        if name == "latency_ratio" and base is not None and (why := timing_differs(base, run)):
            yield GateResult(f"{name} at most {limit:g}", "inconclusive", f"not comparable: {why}", bar=limit)
        elif value is None or math.isnan(value):
            yield GateResult(f"{name} at most {limit:g}", "inconclusive", "nothing was measured", bar=limit)
        else:
            status: Status = "passed" if value <= limit else "failed"
            yield GateResult(f"{name} at most {limit:g}", status, f"{value:.4g}", value, limit)


def _judge_errors(run: Run) -> float | None:
    judged = {name for name, info in run.metrics.items() if info.judged}
    scores = [s for s in run.scores.values() if s.metric in judged and s.status in {"ok", "judge_error"}]
    return _mean([float(score.status == "judge_error") for score in scores])


def _latencies(run: Run) -> list[float]:
    found = per_question(run, lambda record: record.latency_ms)
    return [value for values in found.values() for value in values if value is not None] or [math.nan]


def _costs(run: Run) -> list[float]:
    found = per_question(run, lambda record: record.cost)
    return [value for values in found.values() for value in values if value is not None]


def _ratio(values: list[float], base: list[float]) -> float | None:
    ours, theirs = _mean(values), _mean(base)
    return None if ours is None or not theirs else ours / theirs


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None
