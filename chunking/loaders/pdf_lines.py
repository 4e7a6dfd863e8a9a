"""The lines of a PDF page in reading order.

pdfium's stream order is right for almost every page. Where text was written row by row across columns, a
recursive cut along column gutters (Nagy & Seth 1984, "XY-cut") restores it.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

HYPHEN = "\ufffe"
"""Stands for a hyphen that breaks a word at a line end; pdfium calls it character 2."""
MIN_JUMPS = 6
"""Rows of a page that must hop over a gutter before the stream order is doubted."""


@dataclass(frozen=True, slots=True)
class Line:
    """Points, origin at the bottom left. `size` is the height of the font's line box. `row` groups the segments that
    the stream put on one baseline.
    """

    text: str
    left: float
    right: float
    bottom: float
    top: float
    size: float
    row: int


def page_lines(text_page: Any, width: float) -> list[Line]:
    segments = _segments(text_page)
    gutters = _gutters(segments, width)
    if gutters:
        return _by_columns(segments, gutters)
    return _rejoin_rows(segments)


def _segments(text_page: Any) -> list[Line]:
    """Runs of text on one baseline without a hole wider than an em and a half."""
    import pypdfium2.raw as pdfium

    box = pdfium.FS_RECTF()
    box_reference = ctypes.byref(box)
    segments: list[Line] = []
    chars: list[str] = []
    left = right = bottom = top = 0.0
    row = 0

    def flush() -> None:
        text = "".join(chars).strip()
        if text:
            segments.append(Line(text, left, right, bottom, top, top - bottom, row))
        chars.clear()

    for index in range(text_page.count_chars()):
        code = pdfium.FPDFText_GetUnicode(text_page, index)
        if code in (10, 13):
            flush()
            row += 1
            continue
        if code == 0 or 0xD800 <= code < 0xE000:
            continue
        if code == 2:
            code = ord(HYPHEN)
        if code == 32 or not pdfium.FPDFText_GetLooseCharBox(text_page, index, box_reference):
            if chars:
                chars.append(chr(code))
            continue
        height = box.top - box.bottom
        if chars and (
            box.left - right > 1.5 * max(height, 1.0)
            or box.right < left - height
            or min(box.top, top) - max(box.bottom, bottom) < 0.2 * min(height, top - bottom)
        ):
            flush()
        if not chars:
            left, right, bottom, top = box.left, box.right, box.bottom, box.top
        else:
            right = max(right, box.right)
            bottom, top = min(bottom, box.bottom), max(top, box.top)
        chars.append(chr(code))
    flush()
    return segments


def _gutters(segments: list[Line], width: float) -> list[float]:
    """x positions that at least MIN_JUMPS same-baseline hops cross, between columns of running text."""
    gaps = [
        (a.right, b.left)
        for a, b in pairwise(segments)
        if b.left - a.left > width / 4 and b.left > a.right and _same_baseline(a, b)
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
    """Columns are filled with text; the cells of a table are not."""
    left, right = min(s.left for s in segments), max(s.right for s in segments)
    edges = [left, *gutters, right]
    for low, high in pairwise(edges):
        widths = sorted(s.right - s.left for s in segments if s.left >= low - 1 and s.right <= high + 1)
        if len(widths) < MIN_JUMPS or widths[len(widths) // 2] < 0.55 * (high - low):
            return False
    return True


def _same_baseline(a: Line, b: Line) -> bool:
    return abs(a.bottom - b.bottom) < 0.5 * min(a.size, b.size)


def _by_columns(segments: list[Line], gutters: list[float]) -> list[Line]:
    """Bands between lines that span a gutter, top to bottom; inside a band column by column."""
    ordered: list[Line] = []
    columns: list[list[Line]] = [[] for _ in range(len(gutters) + 1)]

    def flush() -> None:
        for column in columns:
            ordered.extend(_rejoin_rows(sorted(column, key=lambda s: (-round(s.bottom), s.left))))
            column.clear()

    for segment in sorted(segments, key=lambda s: (-s.bottom, s.left)):
        if any(segment.left < gutter < segment.right for gutter in gutters):
            flush()
            ordered.append(segment)
        else:
            columns[sum(segment.left > gutter for gutter in gutters)].append(segment)
    flush()
    return ordered


def _rejoin_rows(segments: list[Line]) -> list[Line]:
    """Segments that stand side by side on one row of the stream become one line again."""
    lines: list[Line] = []
    for segment in segments:
        last = lines[-1] if lines else None
        if last and last.row == segment.row and _same_baseline(last, segment) and segment.left >= last.right:
            lines[-1] = Line(
                f"{last.text} {segment.text}",
                last.left,
                segment.right,
                min(last.bottom, segment.bottom),
                max(last.top, segment.top),
                max(last.size, segment.size),
                last.row,
            )
        else:
            lines.append(segment)
    return lines
