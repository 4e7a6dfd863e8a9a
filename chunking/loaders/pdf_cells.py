"""Tables without rules that were written cell by cell: where a cell has several lines, the next one begins above its
end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunking.loaders.joining import join_lines
from chunking.loaders.pdf_bands import Rows
from chunking.loaders.pdf_lines import Cell, Line
from chunking.loaders.pdf_tables import Column, cells_of, is_table, table_line, take_row

_WRAPPED = 2.2  # line heights from line to line inside a cell
_FEWEST_ROWS = 3
"""One or two are columns of text as well."""


@dataclass(slots=True)
class _Stack:
    """Segments first to last (not included), one below the other."""

    first: int
    last: int
    left: float
    right: float
    bottom: float
    top: float

    def level(self, other: _Stack, near: float) -> bool:
        """Whether both begin at one height, or have their middles there."""
        middles = self.top + self.bottom - other.top - other.bottom
        return abs(self.top - other.top) <= near or abs(middles) / 2 <= near


def with_written_tables(segments: list[Line]) -> list[Line]:
    """The segments, those of a table replaced by one line that holds its rows."""
    kept: list[Line] = []
    at = 0
    for first, last, rows in _tables(segments):
        inside = segments[first:last]
        kept += [*segments[at:first], table_line(inside, rows, -1 - first)]
        at = last
    return [*kept, *segments[at:]]


def _tables(segments: Sequence[Line]) -> Iterator[tuple[int, int, Rows]]:
    """First segment, the one after the last, and the rows of each."""
    rows = _rows(segments)
    at = 0
    while at < len(rows):
        stop, columns = at, list[Column]()
        while stop < len(rows) and len(rows[stop]) > 1 and _takes(segments, columns, rows[stop], stop - at):
            stop += 1
        found = rows[at:stop]
        wrapped = any(cell.last - cell.first > 1 for row in found for cell in row)
        if wrapped and stop - at >= _FEWEST_ROWS and is_table(columns, stop - at, segments[found[0][0].first].size):
            yield found[0][0].first, found[-1][-1].last, cells_of(columns, stop - at)
            at = stop
        else:
            at += 1


def _rows(segments: Sequence[Line]) -> list[list[_Stack]]:
    """Stacks side by side, one after the other in the order that they were written in, at one height."""
    rows: list[list[_Stack]] = []
    for stack in _stacks(segments):
        near = segments[stack.first].size / 2
        if rows and stack.left > rows[-1][-1].right and all(stack.level(other, near) for other in rows[-1]):
            rows[-1].append(stack)
        else:
            rows.append([stack])
    return rows


def _stacks(segments: Sequence[Line]) -> Iterator[_Stack]:
    stack: _Stack | None = None
    for index, line in enumerate(segments):
        if stack is not None:
            above = segments[index - 1]
            drop = above.bottom - line.bottom
            whole = not (line.rows or above.rows or line.turned or above.turned)
            beside = line.left < stack.right and line.right > stack.left
            if whole and beside and 0.5 * line.size < drop <= _WRAPPED * max(line.size, above.size):
                stack.last = index + 1
                stack.left, stack.right = min(stack.left, line.left), max(stack.right, line.right)
                stack.bottom = line.bottom
                continue
            yield stack
        stack = _Stack(index, index + 1, line.left, line.right, line.bottom, line.top)
    if stack is not None:
        yield stack


def _takes(segments: Sequence[Line], columns: list[Column], row: Sequence[_Stack], number: int) -> bool:
    """Adds a row to the columns; False, and nothing added, where its cells do not stand in them or it is no row."""
    if any(segments[stack.first].rows or segments[stack.first].turned for stack in row):
        return False
    cells = [
        Cell(join_lines([line.text for line in segments[each.first : each.last]])[0], each.left, each.right)
        for each in row
    ]
    return take_row(columns, cells, number)
