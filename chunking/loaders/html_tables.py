"""Tables of HTML: which rows are records, and how they are written out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from chunking.loaders.tables import table_text
from chunking.normalize import clean

_WIDEST = 100
"""Rows or columns that a cell may span; what states more is broken."""
_FREE_CELLS = 1_000
_CELLS_FOR_ONE = 10
"""A table may be written out with so many cells, and so many for each that it states: few bytes of spans would
otherwise make gigabytes of text."""
_FREE_CHARACTERS = 4_000
_CHARACTERS_FOR_ONE = 8
"""The same for the characters that cells over several rows repeat."""
_LAYOUT = "table, h1, h2, h3, p + p + p + p"
_BLOCKS = "table table, h1, h2, h3, h4, pre, p + p + p + p"
_LONGEST_CODE = 3
"""Lines of code that a cell of a record may hold: as one line, more of them could not be read."""
_LONGEST_TITLED = 300
"""Characters of a record that holds a heading of its own."""
_PARTED = "br, p, div, li, h4, h5, h6, pre, dt, dd"


def flat(node: Any) -> str:
    """The words of a node on one line."""
    return " ".join(clean(node.text(separator=" " if node.css_first(_PARTED) else "")).split())


def _rows(table: Any) -> Iterator[Any]:
    """The rows of a table, without those of tables inside."""
    for child in table.iter():
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from (row for row in child.iter() if row.tag == "tr")


def runs_of(table: Any) -> Iterator[tuple[bool, list[Any]]]:
    """The rows of a table in order: whether they are lines of a table, or frames around what must be read by blocks."""
    if table.css_first(_BLOCKS) is None:
        yield True, list(_rows(table))
        return
    for records, rows in groupby(_rows(table), _is_record):
        yield records, list(rows)


def _is_record(row: Any) -> bool:
    if row.css_first(_LAYOUT) is not None:
        return False
    codes, titles = row.css("pre"), row.css("h4")
    if (codes or titles) and len(_cells(row)) < 2:
        return False
    if len(titles) > 1 or (titles and len(row.text()) > _LONGEST_TITLED):
        return False
    return all(_lines(code) <= _LONGEST_CODE for code in codes)


def written(rows: Sequence[Any]) -> tuple[str, bool]:
    """The table, and whether its spans were written out.

    All rows are of one width: a cell over several rows is said in each of them, one over several columns in the first.
    Where that would be far larger than what the page states, each cell is said once and rows stay as short as they are.
    """
    lines = [[(flat(cell), cell) for cell in _cells(row)] for row in rows]
    header = bool(lines) and len(lines[0]) > 1 and all(cell.tag == "th" for _, cell in lines[0])
    stated = sum(map(len, lines))
    most = _FREE_CELLS + _CELLS_FOR_ONE * stated
    repeated = _FREE_CHARACTERS + _CHARACTERS_FOR_ONE * sum(len(words) for line in lines for words, _ in line)
    spread = _spread(lines, most, repeated)
    if spread is not None and len(spread) * max(map(len, spread), default=0) <= most:
        return table_text(spread, header=header), True
    single = (table_text([[words for words, _ in line]], header=False) for line in lines)
    return "\n".join(line for line in single if line), False


def _spread(lines: Sequence[Sequence[tuple[str, Any]]], cells: int, characters: int) -> list[list[str]] | None:
    """The rows with every span written out; None where that takes more cells, or repeats more characters."""
    rows: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}
    for stated in lines:
        line: list[str] = []
        for words, cell in stated:
            characters -= _take_hanging(hanging, line)
            below = _span(cell, "rowspan") - 1
            for column in range(_span(cell, "colspan")):
                said = "" if column else words
                if below:
                    hanging[len(line)] = (below, said)
                line.append(said)
            if len(line) > cells:
                return None
        characters -= _take_hanging(hanging, line)
        cells -= len(line)
        if cells < 0 or characters < 0:
            return None
        rows.append(line)
    return rows


def _take_hanging(hanging: dict[int, tuple[int, str]], line: list[str]) -> int:
    """Adds the cells of rows above that reach down to this place; returns how many characters they repeat."""
    repeated = 0
    while len(line) in hanging:
        left, words = hanging.pop(len(line))
        if left > 1:
            hanging[len(line)] = (left - 1, words)
        line.append(words)
        repeated += len(words)
    return repeated


def _span(cell: Any, name: str) -> int:
    value = (cell.attributes.get(name) or "")[:9]  # Python reads no number of thousands of digits
    return min(_WIDEST, max(1, int(value))) if value.isascii() and value.isdigit() else 1


def _cells(row: Any) -> list[Any]:
    return [cell for cell in row.iter() if cell.tag in ("td", "th")]


def _lines(code: Any) -> int:
    return clean(code.text()).strip().count("\n") + 1
