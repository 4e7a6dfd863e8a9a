"""Ruled tables of a PDF page: where lines are drawn around cells, they say what one row is, however its text wraps.

Thin rectangles, long lines and the edges of boxes are rules; rules that touch are a grid.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from chunking.loaders.pdf_characters import Box, upright

_THIN = 3.0
"""Points that a rule is at most thick, and that two ends may lie apart and still touch."""
_SHORTEST = 6.0
_HOLE = 0.35
"""Of the height of a line: more than the space between two words."""
BESIDE = 4.5
"""Line heights above the first rule or below the last that a record may reach."""
_RECTANGLE = 5
"""Points of a path that is a rectangle at most."""
_MOST_POINTS = 20_000
"""Of all paths of a page: one with more is a drawing, not a table."""


@dataclass(slots=True)
class Rule:
    """A line at a `place` of one axis, from `low` to `high` on the other."""

    place: float
    low: float
    high: float


@dataclass
class Grid:
    """Rules that touch each other, or that lie one above the other; the latter has none that go down."""

    across: list[Rule] = field(default_factory=list)
    down: list[Rule] = field(default_factory=list)

    @cached_property
    def box(self) -> Box:
        """Around all rules."""
        across, down = self.across, self.down
        return (
            min([rule.low for rule in across] + [rule.place for rule in down]),
            max([rule.high for rule in across] + [rule.place for rule in down]),
            min([rule.low for rule in down] + [rule.place for rule in across]),
            max([rule.high for rule in down] + [rule.place for rule in across]),
        )

    def parts_between(self, left: float, right: float, bottom: float, top: float) -> bool:
        """Whether a rule stands between two pieces of a line of text or, where there are none, a hole.

        The columns of a table without rules stand closer than those of running text.
        """
        height = (bottom + top) / 2
        if self.down:
            return any(left - 1 <= rule.place <= right + 1 and rule.low <= height <= rule.high for rule in self.down)
        size = top - bottom
        if right - left <= _HOLE * size:
            return False
        edge, end, low, high = self.box
        return edge <= left and right <= end and low - BESIDE * size <= height <= high + BESIDE * size

    def columns(self) -> list[float]:
        """Edges from left to right, the open sides of a table without a frame included."""
        left, right, _, _ = self.box
        return _places([left, right, *(rule.place for rule in self.down)])

    def rows(self) -> list[float]:
        """Edges from top to bottom."""
        _, _, bottom, top = self.box
        return _places([bottom, top, *(rule.place for rule in self.across)])[::-1]

    def parts_rows(self, height: float, left: float, right: float) -> bool:
        """Whether a rule is drawn at a height between two edges of columns."""
        return _covers(self.across, height, (left + right) / 2)

    def parts_columns(self, place: float, height: float) -> bool:
        return _covers(self.down, place, height)


def page_grids(page: Any, direction: int) -> list[Grid]:
    """Grids of a page, in the points of its upright text."""
    across, down = _rules(page, direction)
    waiting = [(rule, True) for rule in _joined(across)] + [(rule, False) for rule in _joined(down)]
    grids: list[Grid] = []
    while waiting:
        grid, found = Grid(), [waiting.pop()]
        while found:
            rule, flat = found.pop()
            (grid.across if flat else grid.down).append(rule)
            touching = [other for other in waiting if other[1] != flat and _touch(rule, other[0])]
            waiting = [other for other in waiting if other not in touching]
            found += touching
        grids.append(grid)
    framed = [grid for grid in grids if len(grid.columns()) > 2 and len(grid.rows()) > 2]
    for stack in _stacks([grid for grid in grids if grid not in framed]):
        if len(stack) == 1 and len(stack[0].columns()) > 2:
            framed.append(stack[0])
        elif len((whole := Grid([rule for grid in stack for rule in grid.across])).rows()) > 2:
            framed.append(whole)
    return framed


def _stacks(grids: list[Grid]) -> list[list[Grid]]:
    """Rules and shaded rows one above the other between the same two edges."""
    stacks: list[list[Grid]] = []
    for grid in grids:
        if not grid.across:
            continue
        left, right, _, _ = grid.box
        for stack in stacks:
            if abs(stack[0].box[0] - left) <= _THIN and abs(stack[0].box[1] - right) <= _THIN:
                stack.append(grid)
                break
        else:
            stacks.append([grid])
    return stacks


def _covers(rules: list[Rule], place: float, at: float) -> bool:
    return any(abs(rule.place - place) <= _THIN and rule.low <= at <= rule.high for rule in rules)


def _places(values: list[float]) -> list[float]:
    """Distinct values from low to high; those of two thin rules side by side are one."""
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > _THIN:
            places.append(value)
    return places


def _touch(one: Rule, other: Rule) -> bool:
    """Two rules of different axes."""
    return other.low - _THIN <= one.place <= other.high + _THIN and one.low - _THIN <= other.place <= one.high + _THIN


def _joined(rules: list[Rule]) -> list[Rule]:
    """Rules of one axis: those that go on where another ends, as cells are often framed one by one, are one."""
    joined: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.place / _THIN), rule.low)):
        last = joined[-1] if joined else None
        if last and abs(rule.place - last.place) <= _THIN and rule.low <= last.high + _THIN:
            last.high = max(last.high, rule.high)
        else:
            joined.append(rule)
    return joined


def _rules(page: Any, direction: int) -> tuple[list[Rule], list[Rule]]:
    """Rules across and down."""
    import pypdfium2.raw as pdfium

    across: list[Rule] = []
    down: list[Rule] = []
    points = 0
    for index in range(pdfium.FPDFPage_CountObjects(page)):
        drawn = pdfium.FPDFPage_GetObject(page, index)
        if pdfium.FPDFPageObj_GetType(drawn) != pdfium.FPDF_PAGEOBJ_PATH:
            continue
        count = pdfium.FPDFPath_CountSegments(drawn)
        points += count
        if points > _MOST_POINTS:
            return [], []
        for box in _boxes(pdfium, drawn, count):
            left, right, bottom, top = upright(box, direction)
            flat, tall = top - bottom <= _THIN, right - left <= _THIN
            if not tall and right - left >= _SHORTEST:
                places = [(bottom + top) / 2] if flat else [bottom, top]
                across += [Rule(place, left, right) for place in places]
            if not flat and top - bottom >= _SHORTEST:
                places = [(left + right) / 2] if tall else [left, right]
                down += [Rule(place, bottom, top) for place in places]
    return across, down


def _boxes(pdfium: Any, drawn: Any, count: int) -> list[Box]:
    """Of a path: its own where it is a line or a rectangle, else those of its straight lines."""
    if count <= _RECTANGLE:
        sides = [ctypes.c_float() for _ in range(4)]
        left, bottom, right, top = sides
        if not pdfium.FPDFPageObj_GetBounds(drawn, left, bottom, right, top):
            return []
        return [(left.value, right.value, bottom.value, top.value)]
    return _lines(pdfium, drawn, count)


def _lines(pdfium: Any, drawn: Any, count: int) -> list[Box]:
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(drawn, matrix)
    x, y = ctypes.c_float(), ctypes.c_float()
    boxes: list[Box] = []
    last: tuple[float, float] | None = None
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(drawn, index)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        straight = pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_LINETO
        if last and straight and min(abs(point[0] - last[0]), abs(point[1] - last[1])) < 1:
            xs, ys = sorted([last[0], point[0]]), sorted([last[1], point[1]])
            boxes.append((xs[0], xs[1], ys[0], ys[1]))
        last = point
    return boxes
