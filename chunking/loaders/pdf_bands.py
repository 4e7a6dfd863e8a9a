"""Tables whose rows are ruled or shaded and whose columns are not: the white between the words parts the cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from chunking.loaders.joining import join_lines
from chunking.loaders.pdf_characters import Box
from chunking.loaders.pdf_lines import Line, rejoin_rows, same_baseline
from chunking.loaders.pdf_rules import BESIDE, Grid

Rows = tuple[tuple[str, ...], ...]
_GAP = 4.0
"""Points of white between two columns."""
_SHORT_CELL = 3
"""Lines: in most rows of a table one cell is as short. Columns of running text between two rules are longer."""
_WIDEST_NAME = 12.0
"""Line heights: what names a record is narrower than a column of running text."""
_BESIDE_SHARE = 0.6
_Span = tuple[float, float]


def within(segments: Sequence[Line], box: Box) -> list[Line]:
    left, right, bottom, top = box
    return [
        segment
        for segment in segments
        if left <= (segment.left + segment.right) / 2 <= right
        and bottom <= (segment.bottom + segment.top) / 2 <= top
        and not (segment.turned or segment.rows)
    ]


def cell_text(segments: Sequence[Line]) -> str:
    lines = rejoin_rows(sorted(segments, key=lambda segment: (-round(segment.bottom), segment.left)))
    return join_lines([line.text for line in lines])[0]


def banded_tables(segments: Sequence[Line], grid: Grid) -> Iterator[tuple[list[Line], Rows]]:
    """The segments and the rows of each table between the rules of a grid."""
    left, right, _, _ = grid.box
    edges = grid.rows()
    bands = [within(segments, (left, right, low, high)) for high, low in pairwise(edges)]
    at = 0
    while at < len(bands):
        stop = at
        while stop < len(bands) and len(_columns(bands[stop])) > 1:
            stop += 1
        if stop > at and (table := _table(segments, bands[at:stop], (left, right, edges[stop], edges[at]))):
            yield table
        at = stop + 1


def _table(segments: Sequence[Line], bands: list[list[Line]], frame: Box) -> tuple[list[Line], Rows] | None:
    columns = _columns([segment for band in bands for segment in band])
    if len(columns) < 2:
        return None
    left, right, bottom, top = frame
    reach = BESIDE * bands[0][0].size
    header = _beside(within(segments, (left, right, top, top + reach)), columns, top)
    last = _beside(within(segments, (left, right, bottom - reach, bottom)), columns, bottom)
    bands = [band for band in (header, *bands, last) if band]
    columns = _columns([segment for band in bands for segment in band])
    cells = [row for band in bands for row in split_rows(_cells(band, columns), alone=len(bands) < 3)]
    short = sum(min(len(_heights(cell)) for cell in row.values()) <= _SHORT_CELL for row in cells)
    if len(columns) < 2 or len(cells) < 2 or short * 2 < len(cells):
        return None
    rows = tuple(tuple(cell_text(row.get(number, [])) for number in range(len(columns))) for row in cells)
    return [segment for band in bands for segment in band], rows


def _beside(near: Sequence[Line], columns: Sequence[_Span], rule: float) -> list[Line]:
    """A header above the first rule, or a record below the last: words close to it in two columns or more, and each
    over no more than one.
    """
    found: list[Line] = []
    far = rule
    for segment in sorted(near, key=lambda segment: abs(segment.bottom + segment.top - 2 * rule)):
        apart = max(segment.bottom - far, far - segment.top)
        if apart > segment.size or sum(_overlaps(segment, column) for column in columns) != 1:
            break
        found.append(segment)
        far = segment.top if segment.bottom >= rule else segment.bottom
    return found if len({_column(segment, columns) for segment in found}) > 1 else []


def split_rows(cells: dict[int, list[Line]], *, alone: bool) -> list[dict[int, list[Line]]]:
    """A band that holds all records of a table, `alone` below its header, parted at the lines of its first column.

    Beside most of them the other columns have a line too; where cells are wrapped, one of them has fewer.
    """
    first = cells.get(0, [])
    others = [cell for column, cell in cells.items() if column]
    starts = sorted({segment.bottom for segment in first if any(_has_line(cell, segment) for cell in others)})[::-1]
    beside = [sum(_has_line(cell, segment) for segment in first) for cell in others]
    wrapped = any(count < _BESIDE_SHARE * len(starts) for count in beside)
    widths = sorted((segment.right - segment.left) / segment.size for segment in first)
    if not alone or len(starts) < 2 or wrapped or widths[len(widths) // 2] > _WIDEST_NAME:
        return [cells]
    rows: list[dict[int, list[Line]]] = [{} for _ in starts]
    for column, cell in cells.items():
        for segment in cell:
            row = max(0, sum(start >= segment.bottom - 0.5 * segment.size for start in starts) - 1)
            rows[row].setdefault(column, []).append(segment)
    return [row for row in rows if row]  # two pieces of one line may begin a point apart


def _has_line(cell: Sequence[Line], beside: Line) -> bool:
    return any(same_baseline(segment, beside) for segment in cell)


def _heights(cell: Sequence[Line]) -> set[int]:
    return {round(segment.bottom) for segment in cell}


def _cells(band: Sequence[Line], columns: Sequence[_Span]) -> dict[int, list[Line]]:
    cells: dict[int, list[Line]] = {}
    for segment in band:
        cells.setdefault(_column(segment, columns), []).append(segment)
    return cells


def _overlaps(segment: Line, column: _Span) -> bool:
    return segment.left < column[1] and segment.right > column[0]


def _column(segment: Line, columns: Sequence[_Span]) -> int:
    return sum(low <= segment.left + 1 for low, _ in columns) - 1


def _columns(segments: Sequence[Line]) -> list[_Span]:
    """Stretches that words stand in, with white between them from the first to the last."""
    columns: list[_Span] = []
    for left, right in sorted((segment.left, segment.right) for segment in segments):
        if columns and left - columns[-1][1] < _GAP:
            columns[-1] = (columns[-1][0], max(right, columns[-1][1]))
        else:
            columns.append((left, right))
    return columns
