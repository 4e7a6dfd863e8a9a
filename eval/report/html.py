"""The comparison as one offline HTML page: inline style, script and SVG, every text escaped by the template engine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunking.errors import MissingExtraError
from eval import verdicts
from eval.compare import CandidateResult, Cell, Comparison
from eval.gate_report import GateReport
from eval.report.figures import labelled, ladder, manifest_difference, node_medians
from eval.report.printable import printable
from eval.standing import moved, standing
from eval.sweep import Sweep

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"
MOST_REGRESSIONS = 60
"""Shown with answers and contexts; further ones are named in the list of all questions."""


def render_html(comparison: Comparison, *, sweep: Sweep | None = None, gates: Sequence[GateReport] = ()) -> str:
    """The whole page; `gates` has a report for each candidate, or none.

    Raises MissingExtraError where the eval extra is not installed.
    """
    template = _environment().get_template("report.html.j2")
    from eval.report import panels

    runs = labelled(comparison)
    crag = panels.crag_panels(comparison)
    base = comparison.base_label
    return template.render(
        comparison=comparison,
        runs=runs,
        standings=[standing(c, base, report) for c, report in zip_longest(comparison.candidates, gates)],
        colours={label: number for number, (label, _) in enumerate(runs)},
        forests=[_forest(candidate) for candidate in comparison.candidates],
        heats=[_heat(comparison, candidate) for candidate in comparison.candidates],
        ladder=ladder(comparison),
        crag=crag,
        calibration=panels.calibration(crag),
        risk=panels.risk(crag),
        trade=panels.trade_off(comparison),
        nodes=node_medians(comparison),
        sweep=sweep,
        sweep_chart=panels.sweep_curve(sweep) if sweep else None,
        gates=list(zip((c.label for c in comparison.candidates), gates, strict=False)),
        manifests=[(c.label, manifest_difference(comparison.base, c.run)) for c in comparison.candidates],
        most=MOST_REGRESSIONS,
    )


@cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError as missing:
        raise MissingExtraError("The HTML report", "eval") from missing
    from eval.metrics.builtin import graded
    from eval.report import panels

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": verdicts.number,
        "signed": verdicts.signed,
        "p": verdicts.p_value,
        "percent": lambda share: f"{share:.0%}",
        "clip": _clip,
        "figures": verdicts.figures,
        "level": verdicts.level,
    }
    environment.globals |= {"plural": verdicts.plural, "moved": moved, "held": panels.holds_gold, "graded": graded}
    return environment


def _shown(value: Any) -> Any:
    """What a template prints; markup stays markup."""
    return type(value)(printable(value)) if isinstance(value, str) else value


def _clip(text: str, most: int = 420) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _forest(candidate: CandidateResult) -> dict[str, Any]:
    """Rows in per cent of a common axis; to the right is always better."""
    shown = [r for r in candidate.metrics if r.test.interval is not None and (not r.equal or r is candidate.primary)]
    equal = [r for r in candidate.secondary if r.equal]
    ends = [abs(end) for r in shown if r.test.interval for end in (r.test.interval.low, r.test.interval.high)]
    limit = _round_up(max(ends, default=0.1))

    def place(value: float) -> float:
        return 50 + 50 * max(-1.0, min(1.0, value / limit))

    rows = []
    for result in shown:
        interval, test = result.test.interval, result.test
        assert interval is not None
        low, high = sorted(place(end if test.higher_is_better else -end) for end in (interval.low, interval.high))
        rows.append({"result": result, "at": place(test.gain), "low": low, "width": max(high - low, 0.4)})
    return {"limit": limit, "rows": rows, "equal": equal}


def _heat(comparison: Comparison, candidate: CandidateResult) -> dict[str, Any]:
    """Metrics down, types and languages across; `shade` is -1 (worse) to 1 (better)."""
    groups = list(dict.fromkeys((cell.dimension, cell.group) for cell in candidate.cells))
    by_place: dict[tuple[str, str, str], Cell] = {(c.metric, c.dimension, c.group): c for c in candidate.cells}
    rows = []
    for result in candidate.metrics:
        cells = [by_place.get((result.info.name, *group)) for group in groups]
        rows.append(
            {
                "name": result.info.name,
                "primary": result.info.name == comparison.primary.name,
                "cells": [
                    None if cell is None else {"test": cell.test, "shade": max(-1.0, min(1.0, cell.test.gain / 0.3))}
                    for cell in cells
                ],
            }
        )
    return {"groups": groups, "rows": rows}


def _round_up(value: float, steps: Sequence[float] = (1, 2, 2.5, 5, 10)) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return power * next(step for step in steps if step * power >= value * 0.999)
