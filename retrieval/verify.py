"""Whether documents, chunks, vectors and postings of an index say the same, compared in full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chunking.errors import StoreError
from retrieval.chunks import ChunkTable
from retrieval.database import Database
from retrieval.lexical.bm25 import BM25Index
from retrieval.lexical.postings import Counts
from retrieval.lexical.tokenizer import tokenize
from retrieval.registry import Registry
from retrieval.stored_postings import StoredPostings
from retrieval.vectors.base import VectorStore

_PAGE = 2000
"""Vectors that are read together."""


def compare(
    database: Database, chunks: ChunkTable, registry: Registry, store: VectorStore, postings: StoredPostings
) -> dict[str, Any]:
    """``ok``, the number of ``chunks``, and by kind how many differ; ``damage`` is what SQLite says of its file or "".

    Postings that cannot be read are missing ones, all of them. Raises StoreError where the chunks cannot be read.
    """
    damage = database.damage()
    expected = chunks.ids()
    found = chunks.get(expected)
    stored = store.ids()
    held, counts = _words(chunks, postings)
    fresh, known = BM25Index(held.vocabulary), held.ids
    wrong_offsets = wrong_postings = 0
    texts: dict[str, str] = {}
    for chunk, _ in sorted(found.values(), key=lambda pair: pair[0].document_id):
        if chunk.document_id not in texts:
            texts = {chunk.document_id: registry.get(chunk.document_id).text}
        wrong_offsets += texts[chunk.document_id][chunk.start : chunk.end] != chunk.text
        tally = fresh.encode(tokenize(chunk.embedded_text))
        wrong_postings += chunk.id in known and not _equal(tally, counts.get(chunk.id))
    differences = {
        "missing_vectors": len(expected - stored),
        "extra_vectors": len(stored - expected),
        "wrong_vectors": _wrong_vectors(store, sorted(expected & stored), chunks.dimension()),
        "missing_postings": len(expected - known),
        "extra_postings": len(known - expected),
        "wrong_postings": wrong_postings,
        "wrong_offsets": wrong_offsets,
        "damage": damage,
    }
    return {"ok": not any(differences.values()), "chunks": len(expected), **differences}


def _words(chunks: ChunkTable, postings: StoredPostings) -> tuple[BM25Index, dict[str, Counts]]:
    """The postings and the term counts of SQLite by chunk; none of what is damaged."""
    try:
        held = postings.get()
    except StoreError as error:
        if error.code != "store_damaged":
            raise
        return BM25Index(), {}
    try:
        return held, {identifier: tally for identifier, _, tally in chunks.counts()}
    except StoreError as error:
        if error.code != "store_damaged":
            raise
        return held, {}


def _equal(one: Counts, other: Counts | None) -> bool:
    return other is not None and np.array_equal(_sorted(one), _sorted(other))


def _sorted(counts: Counts) -> Any:
    return np.stack(counts)[:, np.argsort(counts[0])]


def _wrong_vectors(store: VectorStore, ids: Sequence[str], dimension: int) -> int:
    """Stored vectors that are not of unit length or of another dimension."""
    wrong = 0
    for first in range(0, len(ids), _PAGE):
        rows = np.stack(list(store.vectors(ids[first : first + _PAGE]).values()))
        wrong += int((np.abs(np.linalg.norm(rows, axis=1) - 1) > 1e-3).sum())
        wrong += len(rows) * (rows.shape[1] != dimension)
    return wrong
