"""One contract for vector engines: ids and unit vectors in, ids and cosines out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from retrieval.embedders.base import Vectors


class VectorStore(Protocol):
    def upsert(self, ids: Sequence[str], documents: Sequence[str], vectors: Vectors) -> None:
        """Add or replace. `documents` are the document ids, for filtering and deletion."""
        ...

    def delete(self, ids: Sequence[str]) -> None: ...

    def query(self, vector: Vectors, k: int, documents: Sequence[str] | None = None) -> list[tuple[str, float]]:
        """At most k (chunk id, cosine), best first, restricted to `documents` where given."""
        ...

    def ids(self) -> set[str]: ...
