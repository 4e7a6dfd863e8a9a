"""Tables of LaTeX: rows and cells, what spans several of them, and tables inside a cell."""

from __future__ import annotations

import re

from chunking.loaders.latex_groups import OPTION, past_option, skip_group
from chunking.loaders.latex_inline import plain
from chunking.loaders.tables import is_header, table_text

TABLES = ("tabular", "tabularx", "tabulary", "longtable", "supertabular", "tblr")
_RULE = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|(?:cline|cmidrule)(?:\([lr]*\))?\s*\{[^{}]*\})(?![A-Za-z])"
)
_ROW_END = re.compile(rf"\\\\{OPTION}|\\tabularnewline\b")
_CELL_END = re.compile(r"(?<!\\)&")
_INNER = re.compile(
    rf"\\begin\s*\{{(?P<name>{'|'.join(TABLES)})(?P<star>\*?)\}}(?P<inside>(?:(?!\\begin\s*\{{).)*?)"
    r"\\end\s*\{(?P=name)(?P=star)\}",
    re.DOTALL,
)
"""A table without another one inside."""
_DEEPEST = 4
_MULTIROW = re.compile(rf"\\multirow\s*{OPTION}\s*\{{\s*(-?\d{{1,3}})\s*\}}\s*{OPTION}\s*\{{[^{{}}]*\}}\s*{OPTION}")
_MULTICOLUMN = re.compile(r"\\multicolumn\s*\{\s*(\d{1,3})\s*\}")
_WIDEST = 100
"""Columns of one cell, whatever it says."""


def table(inside: str) -> str:
    """A cell over several rows is said in each of them; one over several columns counts once."""
    for _ in range(_DEEPEST):
        inside, changed = _INNER.subn(lambda inner: _in_one_cell(inner["inside"]), inside)
        if not changed:
            break
    rows: list[list[str]] = []
    tall: list[tuple[int, int, int]] = []
    for line in _ROW_END.split(_RULE.sub("", _cells(inside))):
        row: list[str] = []
        covered = 0
        for cell in _CELL_END.split(line):
            row += [""] * covered
            if over := _MULTIROW.search(cell):
                tall.append((len(rows), len(row), int(over.group(1))))
            wide = _MULTICOLUMN.search(cell)
            covered = min(int(wide.group(1)), _WIDEST) - 1 if wide else 0
            row.append(plain(_MULTIROW.sub("", cell)))
        if any(cell.strip() for cell in row):
            rows.append(row)
    for first, column, height in tall:
        for row in rows[first + 1 : first + height] if height > 0 else rows[max(0, first + height + 1) : first]:
            if column < len(row) and not row[column].strip():
                row[column] = rows[first][column]
    return table_text(rows, header=bool(rows) and is_header(rows[0]))


def _cells(inside: str) -> str:
    """What follows the width and the specification of the columns."""
    at = past_option(inside, 0)
    while inside.startswith("{", at):
        at = skip_group(inside, at)
    return inside[at:]


def _in_one_cell(inside: str) -> str:
    """A table inside a cell: its rows are parted by semicolons."""
    rows = (_CELL_END.sub(" ", row).strip() for row in _ROW_END.split(_RULE.sub("", _cells(inside))))
    return "; ".join(filter(None, rows))
