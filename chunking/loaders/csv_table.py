"""CSV and TSV: one table, one line a record, whatever a cell holds."""

from __future__ import annotations

import csv
import io

from chunking.errors import DocumentError
from chunking.loaders.base import MAX_TEXT_BYTES, Parsed, TextBuilder
from chunking.loaders.tables import is_header, table_text
from chunking.normalize import decode

_SAMPLE = 20_000
_END = "\ue000"
"""A last record that is told from all others: it is missing where a quotation mark was never closed."""


def load_csv(data: bytes, source: str) -> Parsed:
    """The separator is told by the first lines: comma, semicolon, tab or pipe."""
    text, note = decode(data, source=source)
    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(text[:_SAMPLE], ",;\t|")
    except csv.Error:
        dialect = csv.excel_tab if source.lower().endswith(".tsv") else csv.excel
    # The module's bound on a cell holds for the whole process; the size of the file bounds it here.
    csv.field_size_limit(MAX_TEXT_BYTES)
    notes = [note] if note else []
    lines = io.StringIO(f"{text}\n{_END}")
    try:
        # Some sniffed dialects do not double quotes; every common writer does.
        rows = list(csv.reader(lines, delimiter=dialect.delimiter))
        if rows[-1] != [_END]:
            lines.seek(0)
            rows = list(csv.reader(lines, delimiter=dialect.delimiter, quoting=csv.QUOTE_NONE))
            notes.append("a quotation mark is never closed: all of them were read as characters")
    except csv.Error as error:
        raise DocumentError(f"{source} is no sound CSV file ({error}): save it anew as CSV.") from error
    rows.pop()
    builder = TextBuilder()
    builder.add("table", table_text(rows, header=bool(rows) and is_header(rows[0])))
    return Parsed(builder.text, tuple(builder.blocks), notes=tuple(notes))
