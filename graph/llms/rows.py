"""Rows of a table that are told together: the one with the extreme, those of which a value is asked, or all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graph.columns import asked_column, mentions, names_row, names_rows
from graph.evidence import Source, Strip
from graph.extremes import extreme_rows
from graph.lists import MOST_TOLD
from graph.llms.base import Request
from graph.questions import enumerates, extreme
from graph.quotes import cells, header_line, quoted, rows_under, table_rows

WIDE = 4
"""Columns of a row that is said whole where it is one of many."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows as they are said, with the passages that they are of, and how many the document has of them in all."""

    said: Sequence[tuple[Source, str]] = ()
    total: int = 0


def rows_asked_for(request: Request, part: str, source: Source, best: Strip) -> Rows:
    """The rows of the table of the best sentence, as they are said, where the question asks for several of them; where
    it is of none, of the best table whose rows the question names.

    For the greatest or the least, the row that holds it, all rows where that cannot be told. Nothing where the question
    names a row, or there is no such table.
    """
    if not (extreme(part) or enumerates(part)):
        return Rows()
    header = header_line(source, best)
    if header is None:
        named = _named(request, part)
        if named is None:
            return Rows()
        source, best, header = named
    return (_extreme if extreme(part) else _all)(request, part, source, best, header)


def _extreme(request: Request, part: str, source: Source, best: Strip, header: str) -> Rows:
    names = cells(header)
    if asked_column(part, names) is None:
        return Rows()
    rows, whole = table_rows(source, best)
    chosen = extreme_rows(part, names, [cells(row.text) for row in rows]) if whole else []
    told = [(source, rows[i]) for i in chosen] or [(source, row) for row in rows]
    return _said(header, told, part, len(chosen or _written(request, header, best)))


def _all(request: Request, part: str, source: Source, best: Strip, header: str) -> Rows:
    names, first = cells(header), cells(best.text)[0]
    table, every = _across(request, header, best), _written(request, header, best)
    matching = [(each, row) for each, row in table if mentions(part, cells(row.text))]
    if names_row(part, first) or not (matching or names_rows(part, names)):
        return Rows()
    if matching:
        every = [row for row in every if mentions(part, cells(row))]
    # Of what is only to be named, the next column of many says enough.
    asked = part if matching or asked_column(part, names) is not None or len(names) <= WIDE else names[1]
    return _said(header, matching or table, asked, len(every))


def _written(request: Request, header: str, best: Strip) -> list[str]:
    """The rows that the whole document has under the header."""
    return rows_under(request.text_of(best.hit.document.id), header)


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


def _said(header: str, rows: list[tuple[Source, Strip]], part: str, total: int) -> Rows:
    """The first of them; `total` is at least as many as are at hand."""
    told = [(source, quoted(row.text, header, (part,))) for source, row in rows[:MOST_TOLD]]
    return Rows(told, max(total, len(rows)))
