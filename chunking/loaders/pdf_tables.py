"""Tables of a page: cells that rules are drawn around, and lines whose cells stand in the same columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from chunking.loaders.joining import join_lines
from chunking.loaders.pdf_bands import Rows, banded_tables, cell_text, split_rows, within
from chunking.loaders.pdf_lines import Cell, Line
from chunking.loaders.pdf_rules import Grid

_LEAST_CELLS = 6
"""Two columns need three rows, three columns two: less may as well be chance."""
_ALIGNED = 1.5  # line heights that the edges or the middles of a column's cells may be apart
_APART = 3.0  # line heights from row to row
_WRAPPED = 1.6  # line heights from line to line inside a cell
_FEWEST_DRAWN = 0.1
"""Of the cells of a grid that hold words, those of empty rows and columns counted: drawings have fewer."""
_FEWEST_FILLED = 0.4
"""The same among the rows and columns that hold any."""
_MARKER = re.compile(r"(?:[•·●○▪◦‣*–-]|[（(]?\w{1,3}[.)）、]|\[\w{1,8}\])\Z")
_FIRST_WORD = re.compile(r"[\u3040-\u9fff]|[^\s\u3040-\u9fff]+")
"""What a line could have taken from the next one."""


@dataclass(slots=True)
class Column:
    left: float
    right: float
    cells: dict[int, Cell] = field(default_factory=dict)
    tail: Cell | None = None
    """The last line of its last cell."""

    def overlaps(self, cell: Cell) -> bool:
        return cell.left < self.right and cell.right > self.left

    def take(self, row: int, cell: Cell) -> None:
        if above := self.cells.get(row):
            text = join_lines([above.text, cell.text])[0]
            self.cells[row] = Cell(text, min(above.left, cell.left), max(above.right, cell.right))
        else:
            self.cells[row] = cell
        self.tail = cell
        self.left, self.right = min(self.left, cell.left), max(self.right, cell.right)

    def wraps(self, row: int, cell: Cell, tolerance: float) -> bool:
        """Whether a line goes on with the cell of a row: it stands below, and its first word had no room above."""
        above = self.tail
        if row not in self.cells or above is None:
            return False
        below = min(abs(cell.left - above.left), abs(cell.left + cell.right - above.left - above.right) / 2)
        word = _FIRST_WORD.match(cell.text)
        width = (cell.right - cell.left) * (word.end() if word else 0) / max(1, len(cell.text))
        return below <= tolerance and above.right + width > self.right - tolerance

    def aligned(self, tolerance: float) -> bool:
        """Below the header, cells share their left edge, their right edge or their middle."""
        body = [cell for row, cell in self.cells.items() if row] or list(self.cells.values())
        places = (
            [cell.left for cell in body],
            [cell.right for cell in body],
            [(cell.left + cell.right) / 2 for cell in body],
        )
        return any(max(values) - min(values) <= tolerance for values in places)


def find_tables(lines: Sequence[Line]) -> dict[int, tuple[int, Rows]]:
    """Where a table begins: the line after its last, and its rows. `lines` are in reading order."""
    found: dict[int, tuple[int, Rows]] = {}
    at = 0
    while at < len(lines):
        if lines[at].rows:
            found[at] = (at + 1, lines[at].rows)
            at += 1
            continue
        stop, columns, rows = _grow(lines, at)
        if is_table(columns, rows, lines[at].size):
            found[at] = (stop, cells_of(columns, rows))
            at = stop
        else:
            at += 1
    return found


def with_ruled_tables(segments: list[Line], grids: Sequence[Grid]) -> list[Line]:
    """The segments, those inside a grid replaced by one line that holds its rows, where the first of them stood."""
    number = 0
    for grid in grids:
        for inside, rows in _framed(segments, grid) if grid.down else banded_tables(segments, grid):
            number += 1
            gone = {id(segment) for segment in inside}
            first = next(index for index, segment in enumerate(segments) if id(segment) in gone)
            segments = [
                *(segment for segment in segments[:first] if id(segment) not in gone),
                table_line(inside, rows, -number),
                *(segment for segment in segments[first:] if id(segment) not in gone),
            ]
    return segments


def table_line(inside: Sequence[Line], rows: Rows, number: int) -> Line:
    return Line(
        " ".join(cell for row in rows for cell in row if cell),
        min(segment.left for segment in inside),
        max(segment.right for segment in inside),
        min(segment.bottom for segment in inside),
        max(segment.top for segment in inside),
        sorted(segment.size for segment in inside)[len(inside) // 2],
        number,
        rows=rows,
    )


def _framed(segments: Sequence[Line], grid: Grid) -> list[tuple[list[Line], Rows]]:
    inside = within(segments, grid.box)
    rows = _ruled_rows(inside, grid)
    return [(inside, rows)] if rows else []


def _ruled_rows(inside: Sequence[Line], grid: Grid) -> Rows:
    """Empty where the grid is no table: words in less than two columns, or in few of its cells."""
    across, down = grid.columns(), grid.rows()
    cells: dict[tuple[int, int], list[Line]] = {}
    for segment in inside:
        row = sum(edge > (segment.bottom + segment.top) / 2 for edge in down[1:-1])
        # Text over several columns belongs to the first.
        column = sum(edge < segment.left + 1 for edge in across[1:-1])
        cells.setdefault(_first_cell(row, column, across, down, grid), []).append(segment)
    rows = sorted({row for row, _ in cells})
    columns = sorted({column for _, column in cells})
    drawn = (len(down) - 1) * (len(across) - 1)
    if len(columns) < 2 or len(cells) < max(_FEWEST_FILLED * len(rows) * len(columns), _FEWEST_DRAWN * drawn):
        return ()
    if len(rows) < 3 and len(down) < 4:
        # Nothing is ruled between the records.
        parted = [{column: cells[row, column] for column in columns if (row, column) in cells} for row in rows]
        records = [record for band in parted for record in split_rows(band, alone=True)]
        if len(records) > len(rows):
            return tuple(tuple(cell_text(record.get(column, [])) for column in columns) for record in records)
    words = {cell: cell_text(found) for cell, found in cells.items()}
    return tuple(
        tuple(words.get(_first_cell(row, column, across, down, grid, rows_only=True), "") for column in columns)
        for row in rows
    )


def _first_cell(
    row: int, column: int, across: list[float], down: list[float], grid: Grid, *, rows_only: bool = False
) -> tuple[int, int]:
    """The upper left cell of those that no rule parts from this one."""
    while row and not grid.parts_rows(down[row], across[column], across[column + 1]):
        row -= 1
    middle = (down[row] + down[row + 1]) / 2
    while column and not rows_only and not grid.parts_columns(across[column], middle):
        column -= 1
    return row, column


def cells_of(columns: Sequence[Column], rows: int) -> Rows:
    """The words of each cell, row by row."""
    return tuple(
        tuple(column.cells[row].text if row in column.cells else "" for column in columns) for row in range(rows)
    )


def _grow(lines: Sequence[Line], first: int) -> tuple[int, list[Column], int]:
    """The line after the last, the columns, and how many rows they have."""
    columns: list[Column] = []
    rows = 0
    for number in range(first, len(lines)):
        line = lines[number]
        if number > first:
            size = max(line.size, lines[number - 1].size)
            drop = lines[number - 1].bottom - line.bottom
            if not 0 < drop <= _APART * size:
                return number, columns, rows
            if drop <= _WRAPPED * size and (wrapped := _wrapped(columns, line, rows - 1)):
                for column, cell in wrapped:
                    column.take(rows - 1, cell)
                continue
        if len(line.cells) < 2 or not take_row(columns, line.cells, rows):
            return number, columns, rows
        rows += 1
    return len(lines), columns, rows


def take_row(columns: list[Column], cells: Sequence[Cell], row: int) -> bool:
    """Adds a row to the columns; False, and nothing added, where its cells do not stand in them."""
    places = [[column for column in columns if column.overlaps(cell)] for cell in cells]
    taken = [id(column) for each in places for column in each]
    # A cell over several columns, or two cells in one: another table, or none.
    if any(len(each) > 1 for each in places) or len(set(taken)) < len(taken) or (columns and not taken):
        return False
    for cell, each in zip(cells, places, strict=True):
        column = each[0] if each else Column(cell.left, cell.right)
        column.take(row, cell)
        if not each:
            columns.append(column)
    columns.sort(key=lambda column: column.left)
    return True


def _wrapped(columns: Sequence[Column], line: Line, row: int) -> list[tuple[Column, Cell]]:
    """The cells of a row that a line goes on with, each in its column; none where the line is something else.

    The first column stays empty then, and another one too: a row that says all but its name has its own place.
    """
    cells = line.cells or (Cell(line.text, line.left, line.right),)
    if len(columns) < 2 or len(cells) > max(1, len(columns) - 2):
        return []
    found = []
    for cell in cells:
        places = [column for column in columns if column.overlaps(cell)]
        if len(places) != 1 or places[0] is columns[0] or not places[0].wraps(row, cell, line.size / 2):
            return []
        found.append((places[0], cell))
    return found


def is_table(columns: list[Column], rows: int, size: float) -> bool:
    filled = sum(len(column.cells) for column in columns)
    if len(columns) < 2 or filled < _LEAST_CELLS or rows < 2 or filled * 2 < rows * len(columns):
        return False
    # A wide gap after the mark of a list item makes no column.
    if all(_MARKER.match(cell.text) for cell in columns[0].cells.values()):
        return False
    return all(column.aligned(_ALIGNED * size) for column in columns)
