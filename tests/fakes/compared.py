"""Two runs of scores that a test dictates, and what their comparison says."""

from __future__ import annotations

from pathlib import Path

from eval.compare import CandidateResult, compare_runs
from eval.runs import Run
from tests.fakes.runs import CORRECTNESS, Case, write_run


def scored(values: list[float | str], metric: str = "correctness", **fields: object) -> list[Case]:
    return [Case(f"q{n}", {metric: value}, **fields) for n, value in enumerate(values)]  # type: ignore[arg-type]


def two(tmp_path: Path, base: list[Case], candidate: list[Case], **manifest: object) -> tuple[Run, Run]:
    return (
        write_run(tmp_path / "a", base, name="base", metrics=(CORRECTNESS,)),
        write_run(tmp_path / "b", candidate, name="new", **{"metrics": (CORRECTNESS,), **manifest}),
    )


def compared(base: Run, new: Run) -> CandidateResult:
    return compare_runs(base, [new]).candidates[0]
