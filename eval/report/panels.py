"""Which charts the report draws, and from which numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from eval.compare import Comparison
from eval.metrics import retrieval
from eval.paired import COST, LATENCY
from eval.report.figures import CragPanel, ladder
from eval.report.svg import Chart, Mark, Series, span
from eval.runs import AnswerRecord, Context, MetricInfo
from eval.sweep import Sweep


def calibration(crag: Sequence[CragPanel]) -> Markup | None:
    """Stated confidence against how often the evidence was there."""
    series = [
        Series(
            number,
            [
                Mark(
                    bin.stated,
                    bin.observed,
                    title=f"{panel.label}: confidence {bin.stated:.2f}, found {bin.observed:.0%} of {bin.count}",
                    size=3 + min(7.0, bin.count**0.5),
                )
                for bin in panel.calibration
            ],
            line=True,
        )
        for number, panel in enumerate(crag)
        if panel.calibration
    ]
    if not series:
        return None
    return Chart(
        "Calibration: stated confidence against evidence found",
        "stated confidence",
        "evidence found",
        series,
        (0, 1),
        (0, 1),
        diagonal=True,
    ).render()


def risk(crag: Sequence[CragPanel], metric: MetricInfo) -> Markup | None:
    """Error of the answers given, from the surest on."""
    series = [
        Series(number, [Mark(share, error) for share, error in panel.risk], line=True, dots=len(panel.risk) == 1)
        for number, panel in enumerate(crag)
        if panel.risk
    ]
    if not series:
        return None
    top = max(error for panel in crag for _, error in panel.risk)
    return Chart(
        "Risk and coverage",
        "share of questions answered, surest first",
        f"error ({metric.name})",
        series,
        (0, 1),
        (0, max(0.1, min(1.0, 1.15 * top))),
    ).render()


def trade_off(comparison: Comparison) -> list[Markup]:
    """The primary metric against latency, and against money where there is any."""
    table = ladder(comparison)
    names = [column.name for column in table.columns]
    quality = names.index(comparison.primary.name)
    charts = []
    for info, label, scale in ((LATENCY, "mean latency, ms", 1.0), (COST, "cost of 1,000 answers", 1000.0)):
        if info.name not in names:
            continue
        column = names.index(info.name)
        marks = []
        for row in table.rows:
            score, spent = row.cells[quality].value, row.cells[column].value
            if score is not None and spent is not None:
                marks.append(
                    Mark(spent * scale, score, row.label, f"{row.label}: {score:.3f} at {spent * scale:,.3g}", 6)
                )
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
            "chosen" if point is sweep.chosen else "",
            f"{point.label}: {point.held_out:.3f} on the held-out half",
            low=point.interval.low if point.interval else None,
            high=point.interval.high if point.interval else None,
        )
        for number, point in enumerate(sweep.points)
    ]
    ends = [end for mark in held for end in (mark.low, mark.high) if end is not None]
    values = [*(mark.y for mark in (*tuning, *held)), *ends]
    last = len(sweep.points) - 1
    return Chart(
        f"{sweep.metric.name} by setting",
        "setting",
        sweep.metric.name,
        [Series(0, tuning, line=True), Series(1, held, line=True)],
        (-0.3, last + 0.3),
        span(values),
        x_ticks=[(number, _value(point.overrides)) for number, point in enumerate(sweep.points)],
    ).render()


def holds_gold(record: AnswerRecord, context: Context) -> bool:
    return retrieval.relevant(record.gold, context)


def _value(overrides: Mapping[str, object]) -> str:
    text = ", ".join(str(value) for value in overrides.values())
    return text if len(text) <= 12 else text[:11] + "…"
