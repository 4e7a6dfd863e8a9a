"""The lines of a PDF page in reading order.

pdfium's stream order is right for almost every page. Where text was written row by row across columns, a
recursive cut along column gutters (Nagy & Seth 1984, "XY-cut") restores it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from chunking.loaders.pdf_characters import Box, Boxes
from chunking.loaders.pdf_rules import Grid
from chunking.loaders.pdf_scripts import find_scripts

# A hyphen that breaks a word is followed by the next line's first letter, without a line end.
_RUNS = re.compile("[\r\n]+|[^\\s\0\ufffe]+\ufffe?|\ufffe")
MIN_JUMPS = 6
"""Rows of a page that must hop over a gutter before the stream order is doubted."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A stretch of a line that a hole parts from the next."""

    text: str
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Line:
    """Points, origin at the bottom left. `size` is the font's, or the height of the line where it is not known.

    `row` groups the segments that the stream put on one baseline, `cells` are those that were rejoined, none where it
    is one. `bold` and `mono` (a font of one width) hold at both ends and in the middle. A `turned` line runs in another
    direction than its page's text: it belongs to no paragraph. One with `rows` is a whole table.
    """

    text: str
    left: float
    right: float
    bottom: float
    top: float
    size: float
    row: int
    bold: bool = False
    mono: bool = False
    cells: tuple[Cell, ...] = ()
    turned: bool = False
    rows: tuple[tuple[str, ...], ...] = ()


def reading_order(segments: list[Line], width: float) -> list[Line]:
    """Lines of their segments, which come in the order that they were written in; `width` is the page's."""
    upright = [segment for segment in segments if not segment.turned]
    gutters = _gutters(upright, width)
    ordered = _by_columns(upright, gutters) if gutters else rejoin_rows(upright)
    return [*ordered, *_turned_lines(segment for segment in segments if segment.turned)]


def _turned_lines(words: Iterable[Line]) -> list[Line]:
    lines: list[Line] = []
    for word in words:
        if lines and lines[-1].row == word.row:
            lines[-1] = replace(lines[-1], text=f"{lines[-1].text} {word.text}")
        else:
            lines.append(word)
    return lines


def line_segments(text: str, boxes: Boxes, grids: Sequence[Grid] = ()) -> list[Line]:
    """Runs of text on one baseline without a rule or a hole wider than an em and a half between them.

    Words that are turned are segments each for itself.
    """
    box_of, size_of, ruled = boxes.box, boxes.size, len(grids) > 0
    scripts = find_scripts(text, boxes)
    segments: list[Line] = []
    row, start, last = 0, -1, -1
    left = right = bottom = top = size = 0.0

    def flush() -> None:
        nonlocal start
        if start >= 0:
            words = scripts.text(text, start, last + 1).replace("\0", "").strip()
            if words:
                segments.append(
                    Line(words, left, right, bottom, top, size or top - bottom, row, *boxes.style(start, last))
                )
        start = -1

    def take(first: int, final: int, head: Box, far: float) -> None:
        nonlocal start, last, left, right, bottom, top, size
        begin, end, low, high = head
        if start >= 0:
            height = high - low
            jumps = (
                begin - right > 1.5 * (height if height > size else size)
                or end < left - height
                or (ruled and any(grid.parts_between(right, begin, low, high) for grid in grids))
            )
            if not jumps and (low != bottom or high != top):
                jumps = min(high, top) - max(low, bottom) < 0.2 * min(height, top - bottom)
                bottom, top = (bottom, top) if jumps else (min(bottom, low), max(top, high))
            if jumps:
                flush()
        if start < 0:
            start, left, right, bottom, top, size = first, begin, far, low, high, size_of(first)
        elif far > right:
            right = far
        last = final

    for run in _RUNS.finditer(text):
        first, after = run.span()
        if text[first] in "\r\n":
            if first not in scripts.joined:
                flush()
                row += text.count("\n", first, after)
            continue
        head = box_of(first)
        tail = head if after - first == 1 else box_of(after - 1)
        if head and tail:
            whole = first == after - 1 or _unbroken(head, tail, after - first)
            follows = segments and segments[-1].turned and segments[-1].row == row
            if (follows or not whole) and boxes.turned(first):
                flush()
                segments.append(_turned(text[first:after].replace("\0", ""), head, tail, row))
                continue
            if whole:
                take(first, after - 1, head, tail[1])
                continue
        for index in range(first, after):
            if box := box_of(index):
                take(index, index, box, box[1])
    flush()
    return segments


def _turned(text: str, head: Box, tail: Box, row: int) -> Line:
    low, high = min(head[2], tail[2]), max(head[3], tail[3])
    return Line(text, min(head[0], tail[0]), max(head[1], tail[1]), low, high, head[1] - head[0], row, turned=True)


def _unbroken(head: Box, tail: Box, count: int) -> bool:
    """Whether `count` characters without a space can stand between two boxes on one line."""
    left, right, bottom, top = head
    _, end, low, high = tail
    height = top - bottom
    if end < right - height or end - left > count * 1.3 * (height if height > 1.0 else 1.0):
        return False
    if low == bottom and high == top:
        return True
    return min(top, high) - max(bottom, low) >= 0.2 * min(height, high - low)


def _gutters(segments: list[Line], width: float) -> list[float]:
    """x positions that at least MIN_JUMPS same-baseline hops cross, between columns of running text."""
    gaps = [
        (a.right, b.left)
        for a, b in pairwise(segments)
        if b.left - a.left > width / 4 and b.left > a.right and same_baseline(a, b)
    ]
    found: list[float] = []
    while len(gaps) >= MIN_JUMPS:
        # The point inside most gaps.
        edges = sorted([(start, -1) for start, _ in gaps] + [(end, 1) for _, end in gaps])
        depth = best = 0
        low = high = 0.0
        for index, (x, side) in enumerate(edges):
            depth -= side
            if depth > best:
                best, low, high = depth, x, edges[index + 1][0]
        if best < MIN_JUMPS:
            break
        middle = (low + high) / 2
        found.append(middle)
        gaps = [(start, end) for start, end in gaps if not start <= middle <= end]
    return sorted(found) if found and _runs_of_text(segments, sorted(found)) else []


def _runs_of_text(segments: list[Line], gutters: list[float]) -> bool:
    """Columns are filled with text, or here and there with the cells of a table; those of a table alone are not."""
    left, right = min(s.left for s in segments), max(s.right for s in segments)
    edges = [left, *gutters, right]
    for low, high in pairwise(edges):
        rows: dict[int, tuple[float, float]] = {}
        for segment in segments:
            if segment.left >= low - 1 and segment.right <= high + 1:
                start, end = rows.get(round(segment.bottom), (segment.left, segment.right))
                rows[round(segment.bottom)] = min(start, segment.left), max(end, segment.right)
        widths = sorted(end - start for start, end in rows.values())
        if len(widths) < MIN_JUMPS or widths[len(widths) // 2] < 0.55 * (high - low):
            return False
    return True


def same_baseline(a: Line, b: Line) -> bool:
    return abs(a.bottom - b.bottom) < 0.5 * min(a.size, b.size)


def _by_columns(segments: list[Line], gutters: list[float]) -> list[Line]:
    """Bands between lines that span a gutter, top to bottom; inside a band column by column."""
    ordered: list[Line] = []
    columns: list[list[Line]] = [[] for _ in range(len(gutters) + 1)]

    def flush() -> None:
        for column in columns:
            ordered.extend(rejoin_rows(sorted(column, key=lambda s: (-round(s.bottom), s.left))))
            column.clear()

    for segment in sorted(segments, key=lambda s: (-s.bottom, s.left)):
        if any(segment.left < gutter < segment.right for gutter in gutters):
            flush()
            ordered.append(segment)
        else:
            columns[sum(segment.left > gutter for gutter in gutters)].append(segment)
    flush()
    return ordered


def rejoin_rows(segments: list[Line]) -> list[Line]:
    """Segments that stand side by side on one row of the stream become one line again."""
    lines: list[Line] = []
    for segment in segments:
        last = lines[-1] if lines else None
        if last and last.row == segment.row and same_baseline(last, segment) and segment.left >= last.right:
            lines[-1] = Line(
                f"{last.text} {segment.text}",
                last.left,
                segment.right,
                min(last.bottom, segment.bottom),
                max(last.top, segment.top),
                max(last.size, segment.size),
                last.row,
                last.bold and segment.bold,
                last.mono and segment.mono,
                (
                    *(last.cells or (Cell(last.text, last.left, last.right),)),
                    Cell(segment.text, segment.left, segment.right),
                ),
            )
        else:
            lines.append(segment)
    return lines
