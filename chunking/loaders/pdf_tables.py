"""Tables of a page: lines one below the other whose cells stand in the same columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from chunking.loaders.pdf_lines import Cell, Line
from chunking.loaders.tables import is_header, table_text

_LEAST_CELLS = 6
"""Two columns need three rows, three columns two: less may as well be chance."""
_ALIGNED = 1.5  # line heights that the edges or the middles of a column's cells may be apart
_APART = 3.0  # line heights from row to row
_MARKER = re.compile(r"(?:[•·●○▪◦‣*–-]|[（(]?\w{1,3}[.)）、])\Z")


@dataclass(slots=True)
class _Column:
    left: float
    right: float
    cells: dict[int, Cell] = field(default_factory=dict)

    def overlaps(self, cell: Cell) -> bool:
        return cell.left < self.right and cell.right > self.left

    def take(self, row: int, cell: Cell) -> None:
        self.cells[row] = cell
        self.left, self.right = min(self.left, cell.left), max(self.right, cell.right)

    def aligned(self, tolerance: float) -> bool:
        """Below the header, cells share their left edge, their right edge or their middle."""
        body = [cell for row, cell in self.cells.items() if row] or list(self.cells.values())
        places = (
            [cell.left for cell in body],
            [cell.right for cell in body],
            [(cell.left + cell.right) / 2 for cell in body],
        )
        return any(max(values) - min(values) <= tolerance for values in places)


def find_tables(lines: Sequence[Line]) -> dict[int, tuple[int, str]]:
    """Where a table begins: the line after its last, and its text. `lines` are in reading order."""
    found: dict[int, tuple[int, str]] = {}
    at = 0
    while at < len(lines):
        stop, columns = _grow(lines, at)
        if stop - at > 1 and _is_table(columns, stop - at, lines[at].size):
            rows = [[_text(column, row) for column in columns] for row in range(stop - at)]
            found[at] = (stop, table_text(rows, header=all(rows[0]) and is_header(rows[0])))
            at = stop
        else:
            at += 1
    return found


def _text(column: _Column, row: int) -> str:
    return column.cells[row].text if row in column.cells else ""


def _grow(lines: Sequence[Line], first: int) -> tuple[int, list[_Column]]:
    columns: list[_Column] = []
    for number in range(first, len(lines)):
        line = lines[number]
        if len(line.cells) < 2:
            return number, columns
        if number > first:
            drop = lines[number - 1].bottom - line.bottom
            if not 0 < drop <= _APART * max(line.size, lines[number - 1].size):
                return number, columns
        places = [[column for column in columns if column.overlaps(cell)] for cell in line.cells]
        taken = [id(column) for each in places for column in each]
        # A cell over several columns, or two cells in one: another table, or none.
        if any(len(each) > 1 for each in places) or len(set(taken)) < len(taken) or (columns and not taken):
            return number, columns
        for cell, each in zip(line.cells, places, strict=True):
            column = each[0] if each else _Column(cell.left, cell.right)
            column.take(number - first, cell)
            if not each:
                columns.append(column)
        columns.sort(key=lambda column: column.left)
    return len(lines), columns


def _is_table(columns: list[_Column], rows: int, size: float) -> bool:
    filled = sum(len(column.cells) for column in columns)
    if len(columns) < 2 or filled < _LEAST_CELLS or rows < 2 or filled * 2 < rows * len(columns):
        return False
    # A wide gap after the mark of a list item makes no column.
    if all(_MARKER.match(cell.text) for cell in columns[0].cells.values()):
        return False
    return all(column.aligned(_ALIGNED * size) for column in columns)
