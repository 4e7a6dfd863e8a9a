"""CSV and TSV: one table, one line a record, whatever a cell holds."""

from __future__ import annotations

import csv
import io

from chunking.errors import DocumentError
from chunking.loaders.base import Parsed, TextBuilder
from chunking.loaders.tables import is_header, table_text
from chunking.normalize import decode

_SAMPLE = 20_000


def load_csv(data: bytes, source: str) -> Parsed:
    """The separator is told by the first lines: comma, semicolon, tab or pipe."""
    text, note = decode(data, source=source)
    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(text[:_SAMPLE], ",;\t|")
    except csv.Error:
        dialect = csv.excel_tab if source.lower().endswith(".tsv") else csv.excel
    try:
        # Some sniffed dialects do not double quotes; every common writer does.
        rows = list(csv.reader(io.StringIO(text), delimiter=dialect.delimiter))
    except csv.Error as error:
        raise DocumentError(f"{source} is no sound CSV file ({error}): save it anew as CSV.") from error
    builder = TextBuilder()
    builder.add("table", table_text(rows, header=bool(rows) and is_header(rows[0])))
    return Parsed(builder.text, tuple(builder.blocks), notes=(note,) if note else ())
