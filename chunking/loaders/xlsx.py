"""Spreadsheets (extra ``office``): a heading a sheet, a table for each region between blank rows."""

from __future__ import annotations

import datetime
import io
import warnings
from collections.abc import Iterator
from typing import Any

from chunking.errors import DocumentError, install_line
from chunking.loaders.archive import check_archive, damaged
from chunking.loaders.base import Parsed, TextBuilder
from chunking.loaders.tables import is_header, table_text
from chunking.normalize import clean

_WHAT = "spreadsheet"


def load_xlsx(data: bytes, source: str) -> Parsed:
    """Values as they were last computed; a cell in a percent format is written as percent."""
    check_archive(data, source, _WHAT)
    try:
        import openpyxl
    except ImportError as error:
        raise DocumentError(f"{source} is a spreadsheet: run {install_line('office')}.") from error
    builder = TextBuilder()
    try:
        with warnings.catch_warnings():
            # What it does not keep when it writes (styles, validation) does not matter here.
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        title = clean(book.properties.title or "").strip()
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
        raise DocumentError(f"{source} holds no values: where it is made of formulas, save it once in its program.")
    return Parsed(builder.text, tuple(builder.blocks), title=title)


def _regions(sheet: Any) -> Iterator[list[list[str]]]:
    region: list[list[str]] = []
    for row in sheet.iter_rows():
        cells = [_value(cell) for cell in row]
        if any(cells):
            region.append(cells)
        elif region:
            yield region
            region = []
    if region:
        yield region


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
        percent = "%" in (cell.number_format or "")
        return f"{value * 100:.10g}%" if percent else f"{value:.15g}"
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    return clean(str(value)).strip()
