"""One contract for vector engines: ids and unit vectors in, ids and cosines out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from retrieval.embedders.base import Vectors

Sparse = tuple[NDArray[np.int32], NDArray[np.float64]]
"""Distinct term ids, and the weight of each."""


@dataclass(frozen=True, slots=True)
class Points:
    """Chunks to be written: their ids, the ids of their documents, their unit vectors, row by row.

    `sparse` are their BM25 weights, given to the engines that rank words (`VectorStore.ranks_words`).
    """

    ids: Sequence[str]
    documents: Sequence[str]
    vectors: Vectors
    sparse: Sequence[Sparse] | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """What a filter leaves: documents, and the ids of their chunks for an engine that filters by those.

    `total` is the number of chunks without the filter, 0 where that is not known.
    """

    documents: Sequence[str]
    chunks: Callable[[], list[str]]
    total: int = 0


class VectorStore(Protocol):
    """Thread-safe. Every method raises StoreError where the engine fails."""

    ranks_words: bool
    """Whether the engine holds sparse vectors, which `query_sparse` then ranks by."""

    def upsert(self, points: Points) -> None:
        """Add or replace, in batches of a size that suits the engine."""
        ...

    def delete(self, ids: Sequence[str]) -> None:
        """Ids that are not present are ignored."""
        ...

    def query(self, vector: Vectors, k: int, within: Scope | None = None) -> list[tuple[str, float]]:
        """At most k (chunk id, cosine), best first."""
        ...

    def query_sparse(self, query: Sparse, k: int, within: Scope | None = None) -> list[tuple[str, float]]:
        """At most k (chunk id, dot product) with a positive one, best first; only where `ranks_words`."""
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
