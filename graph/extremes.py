"""The row of a table with the greatest or the least of what a question asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from graph.columns import asked_column
from graph.quantities import stated
from graph.questions import extreme

LEAST_ROWS = 2
"""Rows of a table below which nothing is compared."""

_FIGURE = re.compile(r"\d")


def extreme_rows(question: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Indices of the rows that hold the extreme the question asks for; none where it asks for none.

    None either where the column is not plain, or a cell of it is no single amount in the unit of the others: half a
    comparison is worse than none.
    """
    which = extreme(question)
    column = asked_column(question, header) if which else None
    if column is None or len(rows) < LEAST_ROWS:
        return []
    values = [_amount(row[column]) if column < len(row) else None for row in rows]
    known = [value for value in values if value is not None]
    if len(known) < len(rows) or len({unit for _, unit in known}) > 1:
        return []
    best = (max if which > 0 else min)(value for value, _ in known)
    return [number for number, (value, _) in enumerate(known) if value == best]


def _amount(cell: str) -> tuple[Decimal, str | None] | None:
    said = stated(cell)
    if len(_FIGURE.findall(cell)) and len(said.quantities) == 1 and not said.tokens and not said.days:
        (one,) = said.quantities
        return (one.scaled or one.value, one.unit)
    return None
