"""Two-axis charts as inline SVG: classes instead of colours, so that the page's light, dark and print themes apply."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup, escape

WIDTH, HEIGHT = 380, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 14, 12, 44


@dataclass(frozen=True, slots=True)
class Mark:
    """A point in data units. `low` and `high` draw a vertical whisker, `size` is a radius in pixels."""

    x: float
    y: float
    label: str = ""
    """Written beside the point."""
    title: str = ""
    """Shown on hover, read by screen readers."""
    size: float = 5
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """`colour` picks the run's colour (0 is the base); `line` joins the marks, `dots` draws them."""

    colour: int
    marks: Sequence[Mark]
    line: bool = False
    dots: bool = True


@dataclass(frozen=True, slots=True)
class Chart:
    """`ticks` are labels at positions; without them five round numbers are chosen."""

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    diagonal: bool = False
    x_ticks: Sequence[tuple[float, str]] = field(default_factory=tuple)

    def render(self) -> Markup:
        body = [*self._frame()]
        for series in self.series:
            body += self._draw(series)
        return Markup('<svg class="chart" viewBox="0 0 {w} {h}" role="img"><title>{title}</title>{body}</svg>').format(
            w=WIDTH, h=HEIGHT, title=self.title, body=Markup("").join(body)
        )

    def _frame(self) -> list[Markup]:
        right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM
        parts = []
        for value, text in self.x_ticks or _ticks(self.x_range):
            x = self._x(value)
            parts.append(_line("grid", x, _TOP, x, bottom))
            parts.append(_text("tick", x, bottom + 16, text, "middle"))
        for value, text in _ticks(self.y_range):
            y = self._y(value)
            parts.append(_line("grid", _LEFT, y, right, y))
            parts.append(_text("tick", _LEFT - 6, y + 4, text, "end"))
        if self.diagonal:
            parts.append(_line("diagonal", self._x(0), self._y(0), self._x(1), self._y(1)))
        parts.append(_text("axis", (_LEFT + right) / 2, HEIGHT - 8, self.x_label, "middle"))
        middle = (_TOP + bottom) / 2
        parts.append(
            Markup(
                '<text class="axis" text-anchor="middle" transform="translate(12 {y:.1f}) rotate(-90)">{t}</text>'
            ).format(y=middle, t=self.y_label)
        )
        return parts

    def _draw(self, series: Series) -> list[Markup]:
        parts = []
        if series.line and len(series.marks) > 1:
            points = " ".join(f"{self._x(mark.x):.1f},{self._y(mark.y):.1f}" for mark in series.marks)
            parts.append(Markup('<polyline class="line c{c}" points="{p}"/>').format(c=series.colour, p=points))
        for mark in series.marks:
            x, y = self._x(mark.x), self._y(mark.y)
            if mark.low is not None and mark.high is not None:
                parts.append(_line(f"whisker c{series.colour}", x, self._y(mark.low), x, self._y(mark.high)))
            if series.dots:
                parts.append(
                    Markup(
                        '<circle class="dot c{c}" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"><title>{t}</title></circle>'
                    ).format(c=series.colour, x=x, y=y, r=mark.size, t=mark.title or mark.label)
                )
            if mark.label:
                flip = x > WIDTH * 0.62
                parts.append(_text("mark", x + (-9 if flip else 9), y - 7, mark.label, "end" if flip else "start"))
        return parts

    def _x(self, value: float) -> float:
        return _LEFT + _share(value, self.x_range) * (WIDTH - _RIGHT - _LEFT)

    def _y(self, value: float) -> float:
        return HEIGHT - _BOTTOM - _share(value, self.y_range) * (HEIGHT - _BOTTOM - _TOP)


def span(values: Sequence[float], *, floor: float | None = None, ceiling: float | None = None) -> tuple[float, float]:
    """A range that holds the values with some air, kept inside `floor` and `ceiling`."""
    low, high = min(values), max(values)
    air = 0.15 * (high - low) or 0.1 * abs(high) or 0.1
    low, high = low - air, high + air
    return (low if floor is None else max(low, floor), high if ceiling is None else min(high, ceiling))


def _ticks(limits: tuple[float, float]) -> list[tuple[float, str]]:
    low, high = limits
    raw = (high - low) / 4
    power = 10.0 ** math.floor(math.log10(raw))
    step = power * next(factor for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    values = [number * step for number in range(first, math.floor(high / step + 1e-9) + 1)]
    digits = max(0, -math.floor(math.log10(step) + 1e-9), 2 if step * 4 % 1 == 0 and step < 1 else 0)
    return [(value, f"{value:,.{digits}f}") for value in values]


def _share(value: float, limits: tuple[float, float]) -> float:
    return (min(max(value, limits[0]), limits[1]) - limits[0]) / (limits[1] - limits[0])


def _line(name: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    return Markup('<line class="{n}" x1="{a:.1f}" y1="{b:.1f}" x2="{c:.1f}" y2="{d:.1f}"/>').format(
        n=name, a=x1, b=y1, c=x2, d=y2
    )


def _text(name: str, x: float, y: float, text: str, anchor: str) -> Markup:
    return Markup('<text class="{n}" x="{x:.1f}" y="{y:.1f}" text-anchor="{a}">{t}</text>').format(
        n=name, x=x, y=y, a=anchor, t=escape(text)
    )
