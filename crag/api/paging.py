"""`limit` and `offset` of the lists that grow with use; each list says beside them how much there is in `total`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

from fastapi import Query

T = TypeVar("T")

Limit = Annotated[int | None, Query(ge=1, le=100_000, description="At most so many; all of them otherwise.")]
Offset = Annotated[int, Query(ge=0, le=2**31, description="Pass over so many first.")]


def part_of(items: Sequence[T], limit: int | None, offset: int) -> Sequence[T]:
    """What a client asked to see of a whole list."""
    return items[offset : None if limit is None else offset + limit]
