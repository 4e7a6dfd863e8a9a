"""Which charts the report draws, and from which numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from eval.compare import Comparison
from eval.metrics import retrieval
from eval.paired import COST, LATENCY
from eval.panel import crag_panel, refusals
from eval.report.figures import labelled, ladder
from eval.report.svg import Chart, Mark, Series, span
from eval.runs import AnswerRecord, Context
from eval.sweep import Sweep

_TICK_LETTERS = 48
"""What fits under a chart side by side."""

ROUTES = ("correct", "ambiguous", "incorrect")


def crag_panels(comparison: Comparison) -> list[dict[str, Any]]:
    """`eval.panel.crag_panel` of every run, with its label and the number of its answers."""
    panels = []
    for label, run in labelled(comparison):
        records = list(run.answers.values())
        panel = crag_panel(records)
        routes = {route: panel["routes"].get(route, 0) for route in ROUTES}
        answers = sum(panel["statuses"].values())
        panels.append({**panel, "label": label, "routes": routes, "answers": answers, **refusals(records)})
    return panels


def calibration(panels: Sequence[Mapping[str, Any]]) -> Markup | None:
    """Stated confidence against how often the evidence was there."""
    series = [
        Series(
            number,
            [
                Mark(
                    entry["confidence"],
                    entry["outcome"],
                    title=f"{panel['label']}: {entry['confidence']:.2f} stated, {entry['outcome']:.2f} of {entry['n']}",
                    size=3 + min(7.0, entry["n"] ** 0.5),
                )
                for entry in panel["calibration"]["bins"]
            ],
            line=True,
        )
        for number, panel in enumerate(panels)
        if panel["calibration"]
    ]
    if not series:
        return None
    title = "Calibration: stated confidence against evidence found"
    return Chart(title, "stated confidence", "evidence found", series, (0, 1), (0, 1), diagonal=True).render()


def risk(panels: Sequence[Mapping[str, Any]]) -> Markup | None:
    """How often the evidence is missing among the questions answered, from the surest on."""
    curves = [
        (number, [Mark(point["coverage"], point["risk"]) for point in panel["risk_coverage"]["points"]])
        for number, panel in enumerate(panels)
        if panel["risk_coverage"]
    ]
    if not curves:
        return None
    top = max(mark.y for _, marks in curves for mark in marks)
    return Chart(
        "Risk and coverage",
        "share of questions answered, surest first",
        "evidence missing",
        [Series(number, marks, line=True, dots=len(marks) == 1) for number, marks in curves],
        (0, 1),
        (0, max(0.1, min(1.0, 1.15 * top))),
    ).render()


def trade_off(comparison: Comparison) -> list[Markup]:
    """The primary metric against latency, and against money where there is any."""
    table = ladder(comparison)
    names = [column.name for column in table.columns]
    quality = names.index(comparison.primary.name)
    charts = []
    for info, label in ((LATENCY, "mean latency, ms"), (COST, "cost of 1,000 answers")):
        if info.name not in names:
            continue
        column = names.index(info.name)
        marks = []
        for row in table.rows:
            score, spent = row.cells[quality].value, row.cells[column].value
            if score is not None and spent is not None:
                marks.append(Mark(spent, score, _brief(row.label, 28), f"{row.label}: {score:.3f} at {spent:,.3g}", 6))
        if marks:
            charts.append(
                Chart(
                    f"{comparison.primary.name} against {label}",
                    label,
                    comparison.primary.name,
                    [Series(number, [mark]) for number, mark in enumerate(marks)],
                    span([mark.x for mark in marks], floor=0),
                    span([mark.y for mark in marks]),
                ).render()
            )
    return charts


def sweep_curve(sweep: Sweep) -> Markup:
    """Every setting on the half that chose (base colour) and on the held-out half, with its interval."""
    tuning = [
        Mark(number, point.tuning, title=f"{point.label}: {point.tuning:.3f} on the tuning half")
        for number, point in enumerate(sweep.points)
    ]
    held = [
        Mark(
            number,
            point.held_out,
            "chosen" if sweep.decided and point is sweep.chosen else "",
            f"{point.label}: {point.held_out:.3f} on the held-out half",
            low=point.interval.low if point.interval else None,
            high=point.interval.high if point.interval else None,
        )
        for number, point in enumerate(sweep.points)
    ]
    ends = [end for mark in held for end in (mark.low, mark.high) if end is not None]
    values = [*(mark.y for mark in (*tuning, *held)), *ends]
    last = len(sweep.points) - 1
    fields = list(sweep.points[0].overrides)
    settings = [_value(point.overrides) for point in sweep.points]
    fits = sum(map(len, settings)) <= _TICK_LETTERS
    named = fields[0] if len(fields) == 1 else "setting"
    return Chart(
        f"{sweep.metric.name} by setting",
        named if fits else f"{named}, by its number in the table",
        sweep.metric.name,
        [Series(0, tuning, line=True), Series(1, held, line=True)],
        (-0.3, last + 0.3),
        span(values),
        x_ticks=[(number, text if fits else str(number + 1)) for number, text in enumerate(settings)],
    ).render()


def holds_gold(record: AnswerRecord, context: Context) -> bool:
    return retrieval.relevant(record.gold, context)


def _value(overrides: Mapping[str, object]) -> str:
    return _brief(", ".join(str(value) for value in overrides.values()), 12)


def _brief(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
