"""Runs of two metrics, checked by gates that a test writes as YAML."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from eval.gate_file import load_gates
from eval.gate_report import GateReport
from eval.gates import check_gates
from eval.runs import Run
from tests.fakes.runs import CORRECTNESS, F1, Case, write_run

METRICS = (CORRECTNESS, F1)


def cases(values: list[float | str], **fields: object) -> list[Case]:
    return [Case(f"q{n}", {"correctness": value, "f1": 0.5}, **fields) for n, value in enumerate(values)]  # type: ignore[arg-type]


def run(tmp_path: Path, values: list[float | str], name: str = "new", **fields: object) -> Run:
    return write_run(tmp_path / name, cases(values, **fields), name=name, metrics=METRICS)


def check(text: str, new: Run, base: Run | None = None, tmp: Path | None = None) -> GateReport:
    file = (tmp or new.path.parent) / "gates.yaml"
    file.write_text(dedent(text), encoding="utf-8")
    return check_gates(load_gates(file), new, base)
