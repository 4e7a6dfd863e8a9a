"""One contract for vector engines: ids and unit vectors in, ids and cosines out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from retrieval.embedders.base import Vectors


@dataclass(frozen=True, slots=True)
class Scope:
    """What a filter leaves: documents, and the ids of their chunks for an engine that filters by those."""

    documents: Sequence[str]
    chunks: Callable[[], list[str]]


class VectorStore(Protocol):
    """Thread-safe. Every method raises StoreError where the engine fails."""

    def upsert(self, ids: Sequence[str], documents: Sequence[str], vectors: Vectors) -> None:
        """Add or replace. `documents` are the document ids, for filtering and deletion."""
        ...

    def delete(self, ids: Sequence[str]) -> None:
        """Ids that are not present are ignored."""
        ...

    def query(self, vector: Vectors, k: int, within: Scope | None = None) -> list[tuple[str, float]]:
        """At most k (chunk id, cosine), best first."""
        ...

    def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        """Stored vectors by id, for the ids that are present."""
        ...

    def ids(self) -> set[str]: ...

    def count(self) -> int: ...

    def reopen(self) -> None:
        """See what another process has written since."""
        ...

    def reset(self) -> None:
        """Empty the store, also a damaged one."""
        ...

    def close(self) -> None: ...
