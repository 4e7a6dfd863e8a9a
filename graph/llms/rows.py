"""Rows of a table that are told together: the one with the extreme, those of which a value is asked, or all of them."""

from __future__ import annotations

from graph.columns import asked_column, mentions, names_row, names_rows
from graph.evidence import Source, Strip
from graph.extremes import extreme_rows
from graph.llms.base import Request
from graph.questions import enumerates, extreme
from graph.quotes import cells, header_line, quoted, table_rows

MOST_ROWS = 30
"""Rows that are told."""
WIDE = 4
"""Columns of a row that is said whole where it is one of many."""


def rows_asked_for(request: Request, part: str, source: Source, best: Strip) -> list[tuple[Source, str]]:
    """The rows of the table of the best sentence, as they are said, where the question asks for several of them; where
    it is of none, of the best table whose rows the question names.

    For the greatest or the least, the row that holds it, all rows where that cannot be told. Nothing where the question
    names a row, or there is no such table.
    """
    if not (extreme(part) or enumerates(part)):
        return []
    header = header_line(source, best)
    if header is None:
        named = _named(request, part)
        if named is None:
            return []
        source, best, header = named
    names, first = cells(header), cells(best.text)[0]
    if extreme(part):
        if asked_column(part, names) is None:
            return []
        rows, whole = table_rows(source, best)
        chosen = extreme_rows(part, names, [cells(row.text) for row in rows]) if whole else []
        return _said(header, [(source, row) for row in [rows[i] for i in chosen] or rows], part)
    table = _across(request, header, best)
    matching = [(each, row) for each, row in table if mentions(part, cells(row.text))]
    if names_row(part, first) or not (matching or names_rows(part, names)):
        return []
    # Of what is only to be named, the next column of many says enough.
    asked = part if matching or asked_column(part, names) is not None or len(names) <= WIDE else names[1]
    return _said(header, matching or table, asked)


def _named(request: Request, part: str) -> tuple[Source, Strip, str] | None:
    """The most relevant row of the tables that say in their first column what is asked for, with its header."""
    found = [
        (source, strip, header)
        for source in request.sources
        for strip in source.strips
        if (header := header_line(source, strip)) is not None and names_rows(part, cells(header))
    ]
    return max(found, key=lambda each: each[1].relevance, default=None)


def _across(request: Request, header: str, best: Strip) -> list[tuple[Source, Strip]]:
    """The kept rows under the same header of the same document: a long table lies in several passages."""
    found = [
        (source, strip)
        for source in request.sources
        if source.hit.document.id == best.hit.document.id
        for strip in source.strips
        if header_line(source, strip) == header
    ]
    return sorted(found, key=lambda pair: pair[1].start)


def _said(header: str, rows: list[tuple[Source, Strip]], part: str) -> list[tuple[Source, str]]:
    return [(source, quoted(row.text, header, (part,))) for source, row in rows[:MOST_ROWS]]
