"""CSV and TSV: one table, one line a record, whatever a cell holds."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from chunking.errors import DocumentError
from chunking.loaders.base import MAX_TEXT_BYTES, Parsed, TextBuilder
from chunking.loaders.tables import is_header, table_text
from chunking.normalize import decode

_SAMPLE = 20_000
_NAMED_SEPARATOR = re.compile(r'\A"?sep=(.)"?[^\S\n]*(?:\n|\Z)', re.IGNORECASE)
_NO_SEPARATOR = "\x1f"
_END = "\ue000"
"""A last record that is told from all others: it is missing where a quotation mark was never closed."""


def load_csv(data: bytes, source: str) -> Parsed:
    """The separator is told by a first line ``sep=;``, as Excel writes it, or by the first lines: comma, semicolon, tab
    or pipe. Where most lines have none, or each another number of them, each line is one cell.
    """
    text, note = decode(data, source=source)
    named = _NAMED_SEPARATOR.match(text)
    if named:
        separator, text = named.group(1), text[named.end() :]
    else:
        separator = _separator(text, "\t" if source.lower().endswith(".tsv") else ",")
    # The module's bound on a cell holds for the whole process; the size of the file bounds it here.
    csv.field_size_limit(MAX_TEXT_BYTES)
    notes = [note] if note else []
    try:
        rows = _rows(text, separator)
        if rows is None:
            rows = _rows(text, separator, quoting=csv.QUOTE_NONE) or []
            notes.append("a quotation mark is never closed: all of them were read as characters")
        if not named and _is_one_column(rows):
            rows = _rows(text, _NO_SEPARATOR) or rows
    except csv.Error as error:
        raise DocumentError(f"{source} is no sound CSV file ({error}): save it anew as CSV.", code="damaged") from error
    builder = TextBuilder()
    builder.add("table", table_text(rows, header=bool(rows) and is_header(rows[0])))
    return Parsed(builder.text, tuple(builder.blocks), notes=tuple(notes))


def _separator(text: str, other: str) -> str:
    try:
        return csv.Sniffer().sniff(text[:_SAMPLE], ",;\t|").delimiter
    except csv.Error:
        return other


def _rows(text: str, separator: str, *, quoting: Literal[0, 3] = csv.QUOTE_MINIMAL) -> list[list[str]] | None:
    """None where a quotation mark is never closed."""
    # Some sniffed dialects do not double quotes; every common writer does.
    rows = list(csv.reader(io.StringIO(f"{text}\n{_END}"), delimiter=separator, quoting=quoting))
    return rows[:-1] if rows[-1] == [_END] else None


def _is_one_column(rows: Sequence[Sequence[str]]) -> bool:
    widths = Counter(len(row) for row in rows if row)
    if not widths:
        return False
    usual, count = widths.most_common(1)[0]
    return usual == 1 or (len(rows[0]) == 1 and 2 * count <= widths.total())
