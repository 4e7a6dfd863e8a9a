"""Does a run pass its gates? The exit code says so.

    check_gates(gates, run, base=None, *, allow_mismatch=False, noise=None) -> GateReport
    read_for_gates(path) -> Run                                   what a command that gates reads with

`eval.gate_report` holds what comes of it, `eval.gate_checks` and `eval.gate_limits` the checks.

Exit codes: 0 every gate passed, 1 a gate failed, 2 wrong usage (raised as ConfigError or NotFoundError), 3 the runs
are invalid (unfinished or not comparable), 4 the judge was unreachable or its budget spent, 5 undecided and
``inconclusive: fail`` is set. The most serious wins: 3, 4, 1, 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from chunking.errors import ConfigError, StoreError
from eval.compare import mismatches, not_measured, unfinished_sentence
from eval.gate_checks import absolute, members, must_pass, relative
from eval.gate_file import Gates, Scope
from eval.gate_limits import check_limits
from eval.gate_report import EXIT_CODES, GateReport, GateResult
from eval.runs import Run, read_run


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
        results += [absolute(gate, run, gates.alpha) for gate in gates.absolute]
        if base is not None:
            results += [
                relative(gate, run, base, gates.alpha, (noise or {}).get(gate.metric, 0.0)) for gate in gates.relative
            ]
        results += [must_pass(gate, run) for gate in gates.must_pass]
        results += check_limits(gates.limits, run, base)
    return GateReport(tuple(results), gates.inconclusive, run.name, base.name if base else None, comparable)


def _known(gates: Gates, run: Run) -> None:
    scoped: list[Scope] = [*gates.absolute, *gates.relative]
    named = [*(gate.metric for gate in scoped), *(gate.metric for gate in gates.must_pass)]
    unknown = next((name for name in named if name not in run.metrics), None)
    if unknown is not None:
        raise ConfigError(f"A gate names the metric {unknown!r}{not_measured(unknown, run)}.")
    for scope in scoped:
        members(run, scope)
    questions = run.questions
    for gate in gates.must_pass:
        higher = run.metrics[gate.metric].direction == "higher"
        if (gate.at_most if higher else gate.at_least) is not None:
            wrong, right, kind = ("at_most", "at_least", "higher") if higher else ("at_least", "at_most", "lower")
            raise ConfigError(f"must_pass gives {wrong} for {gate.metric}, which is better when {kind}: give {right}.")
        for identity in gate.questions:
            if identity not in questions:
                raise ConfigError(f"must_pass names the question {identity!r}, which {run.path} does not hold.")


def _validity(run: Run, base: Run | None, allow_mismatch: bool) -> Iterator[GateResult]:
    begun = [(found, said) for found in (run, base) if found is not None and (said := unfinished_sentence(found))]
    for found, said in begun:
        yield GateResult("run finished", "unjudged" if found.summary.get("stopped") else "invalid", said)
    for whole in (run, base):
        if whole is not None and not begun and (why := _unscored(whole)):
            yield GateResult("run judged", "unjudged", why)
    if base is not None and not begun and not allow_mismatch and (reasons := mismatches(base, run)):
        told = f"{run.path} cannot be compared with {base.path}: {'; '.join(reasons)}. "
        yield GateResult("runs comparable", "invalid", told + "Run both on the same suite with the same judge.")


def _unscored(run: Run) -> str | None:
    """Why a run has no score at all, where that is the judge's doing."""
    failed = [score for score in run.scores.values() if score.status == "judge_error"]
    if not failed or any(score.value is not None for score in run.scores.values()):
        return None
    return (
        f"The judge gave no score for any answer of {run.path} ({failed[0].reason or 'no reason'}): go on with "
        f"'crag eval run ... --out {run.path} --resume --retry-errors'."
    )
