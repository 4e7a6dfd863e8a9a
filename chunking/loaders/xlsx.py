"""Spreadsheets (extra ``office``): a heading a sheet, a table for each region between blank rows."""

from __future__ import annotations

import datetime
import io
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from chunking.errors import DocumentError, install_line
from chunking.loaders.archive import check_archive, damaged
from chunking.loaders.base import Parsed, TextBuilder
from chunking.loaders.scripts import HEIGHTS, on_one_line
from chunking.loaders.stated import stated_title
from chunking.loaders.tables import is_header, table_text
from chunking.normalize import clean

_WHAT = "spreadsheet"
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s+ref="([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})"')
# What a format shows as it stands: in quotation marks, after a backslash, or a colour in brackets.
_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')


def load_xlsx(data: bytes, source: str) -> Parsed:
    """Values as they were last computed, percent where a format says so; a cell over several rows is said in each."""
    check_archive(data, source, _WHAT)
    try:
        import openpyxl
    except ImportError as error:
        raise DocumentError(
            f"{source} is a spreadsheet: run {install_line('office')}.", code="missing_extra"
        ) from error
    builder = TextBuilder()
    try:
        with warnings.catch_warnings():
            # What it does not keep when it writes (styles, validation) does not matter here.
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, rich_text=True)
        title = stated_title(book.properties.title)
        sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        for sheet in sheets:
            if len(sheets) > 1:
                builder.add("heading", clean(sheet.title), level=1)
            for region in _regions(sheet):
                _write(region, builder)
        book.close()
    except Exception as error:  # openpyxl lets KeyError, ValueError and XML errors through for damaged parts
        raise damaged(source, _WHAT) from error
    if not any(block.kind != "heading" for block in builder.blocks):
        raise DocumentError(
            f"{source} holds no values: where it is made of formulas, save it once in its program.", code="no_text"
        )
    return Parsed(builder.text, tuple(builder.blocks), title=title)


def _regions(sheet: Any) -> Iterator[list[list[str]]]:
    region: list[list[str]] = []
    merged = _merged(sheet)
    open_cells: dict[int, tuple[int, str]] = {}  # column -> last row and words of a cell over several rows
    # Many programs write a wrong size of the sheet.
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(), start=1):
        cells = [_value(cell) for cell in row]
        open_cells = {column: each for column, each in open_cells.items() if each[0] >= number}
        if any(cells):
            for column, (_, words) in open_cells.items():
                cells += [""] * (column + 1 - len(cells))
                cells[column] = cells[column] or words
            open_cells |= {column: (last, cells[column]) for column, last in merged[number] if column < len(cells)}
            region.append(cells)
        elif region and not open_cells:
            yield region
            region = []
    if region:
        yield region


def _merged(sheet: Any) -> defaultdict[int, list[tuple[int, int]]]:
    """First row, from 1 -> columns, from 0, and last rows of the cells over several rows.

    openpyxl tells them only where it holds the whole sheet in memory.
    """
    from openpyxl.utils.cell import range_boundaries

    found: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    with sheet.parent._archive.open(sheet._worksheet_path) as part:
        for each in _MERGED.findall(part.read()):
            column, first, _, last = range_boundaries(each.decode())
            if last > first:
                found[first].append((column - 1, last))
    return found


def _write(region: list[list[str]], builder: TextBuilder) -> None:
    width = max(len(row) for row in region)
    rows = [[*row, *[""] * (width - len(row))] for row in region]
    used = [column for column in range(width) if any(row[column] for row in rows)]
    rows = [[row[column] for column in used] for row in rows]
    # A line of one cell above wider ones is the table's caption.
    while len(used) > 1 and rows and sum(map(bool, rows[0])) == 1:
        builder.add("paragraph", next(filter(None, rows.pop(0))))
    if len(used) == 1:
        builder.add("paragraph", "\n".join(row[0] for row in rows))
    elif rows:
        builder.add("table", table_text(rows, header=is_header(rows[0])))


def _value(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        form = cell.number_format or ""
        if "%" in _LITERAL.sub("", form):
            return f"{value * 100:.10g}%"
        return f"{value:.15g}%" if "%" in form else f"{value:.15g}"
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(value, list):  # of strings and runs that look different
        fonts = (getattr(run, "font", None) for run in value)
        heights = (HEIGHTS.get(getattr(font, "vertAlign", None) or "", "") for font in fonts)
        value = on_one_line(zip(heights, map(str, value), strict=True))
    return clean(str(value)).strip()
