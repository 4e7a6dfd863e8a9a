"""One index of a workspace: the chunks of one chunking and one embedder, searchable by meaning and by words.

SQLite holds the chunks and their term counts. The vectors in Chroma and the postings in memory are derived: every
change commits in SQLite first, together with an outbox entry, and the derived stores then follow. After a crash the
outbox tells exactly what they have missed; a wrong number of vectors is repaired by comparing all ids.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from chunking.config import ChunkingConfig
from chunking.errors import ProviderError, StoreError
from chunking.strategies.base import Chunker
from chunking.types import Chunk, Document
from retrieval.chunks import ChunkTable
from retrieval.database import Database
from retrieval.embedders.base import Embedder, Vectors, called
from retrieval.embedding import embed
from retrieval.lexical.bm25 import OKAPI, BM25Index, Matches
from retrieval.lexical.postings import Counts
from retrieval.lexical.snapshot import snapshot_file
from retrieval.lexical.tokenizer import tokenize, words
from retrieval.registry import Place, Registry
from retrieval.stored_postings import StoredPostings
from retrieval.vectors.base import Points, Scope, VectorStore
from retrieval.verify import compare

T = TypeVar("T")

_PAGE = 2000
"""Chunks that follow together: bounds memory and what is done twice after a crash."""


class Index:
    """Thread-safe. Built by `Workspace.index`."""

    def __init__(
        self,
        *,
        database: Database,
        number: int,
        fingerprint: str,
        folder: Path,
        store: VectorStore,
        chunking: ChunkingConfig,
        embedder: Embedder,
    ) -> None:
        self.fingerprint = fingerprint
        self.chunking = chunking
        self.embedder = embedder
        self.chunks = ChunkTable(database, number)
        self.catching_up = threading.Lock()
        """Held by the one thread that takes in what the index lacks."""
        self._database = database
        self.registry = Registry(database)
        self._folder = folder
        self._store = store
        self._lock = threading.RLock()
        self._postings = StoredPostings(database, self.chunks, snapshot_file(folder), self._lock)
        self._generation = -1
        self._checked = False
        self._whole = -1

    @cached_property
    def chunker(self) -> Chunker:
        from chunking.strategies import build_chunker

        return build_chunker(
            self.chunking, self.embedder.count_tokens, lambda texts: embed(self.embedder, texts, "passage")
        )

    # Searching

    def dense(self, vector: Vectors, k: int, documents: Sequence[str] | None = None) -> list[tuple[str, float]]:
        """At most k (chunk id, cosine) nearest to a unit vector.

        Raises StoreError, and ProviderError for a vector of another dimension than the index holds.
        """
        self._check_dimensions([vector])
        self._refresh()
        self._repair()
        return self._read(lambda: self._store.query(vector, k, self._within(documents)))

    def match(self, question: str, variant: str = OKAPI) -> Matches:
        """BM25 scores of all chunks, by a key of `VARIANTS`. Raises StoreError."""
        self._refresh()
        return self._postings.get().match(tokenize(question), words(question) or None, variant)

    def lexicon(self) -> BM25Index:
        """The postings, for the terms that they hold. Raises StoreError."""
        self._refresh()
        return self._postings.get()

    def lexical(
        self, question: str, matches: Matches, k: int, documents: Sequence[str] | None = None
    ) -> list[tuple[str, float]]:
        """At most k (chunk id, BM25 score): as the engine ranks them where it ranks words, else the postings.

        The engines hold Okapi's weights: other variants are ranked by the postings.
        """
        if not self._store.ranks_words or matches.variant != OKAPI:
            return matches.top(k, documents)
        query = self._postings.get().query_weights(tokenize(question))
        return self._read(lambda: self._store.query_sparse(query, k, self._within(documents)))

    def _within(self, documents: Sequence[str] | None) -> Scope | None:
        if documents is None:
            return None
        try:
            lexical = self._postings.get()
        except StoreError:  # SQLite knows the same and takes longer.
            return Scope(documents, partial(self.chunks.within, documents), len(self.chunks))
        return Scope(documents, partial(lexical.within, documents), len(lexical))

    def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        """Stored vectors by chunk id, for the ids that have one. Raises StoreError."""
        return self._read(lambda: self._store.vectors(ids))

    def lacking(self) -> int:
        """Number of chunks that have no vector, or an old one. Raises StoreError.

        Cheap where nothing lacks: the vectors are counted once for each state of the index.
        """
        generation, pending = self.chunks.generation(), self.chunks.awaiting()
        if not pending and generation == self._whole:
            return 0
        lacking = max(pending, len(self.chunks) - self._read(self._store.count))
        if not lacking:
            self._whole = generation
        return lacking

    # Changing

    def write(
        self,
        documents: Sequence[tuple[Document, Place | None, Sequence[Chunk]]],
        vectors: Mapping[str, Vectors],
    ) -> None:
        """Take in documents with their chunks, in one transaction. Raises StoreError.

        Each is (document, place, chunks); with a place it is new or changed and replaces what the registry
        holds, with None it comes from the registry, and is left out where that holds another text or none by now.
        `vectors` are by chunk id; what lacks is embedded.
        """
        self._check_dimensions(vectors.values())
        with self._lock:
            self._repair()
            lexical = self._postings.get()
            with self._database.transaction() as connection:
                for document, place, chunks in documents:
                    if place is None:
                        if not self.registry.holds(connection, document):
                            continue
                        self.chunks.forget(connection, document.id)
                    else:
                        self.registry.put(connection, document, place)
                    distinct = list({chunk.id: chunk for chunk in chunks}.values())
                    counts = [lexical.encode(tokenize(chunk.embedded_text)) for chunk in distinct]
                    self.chunks.add(connection, document.id, distinct, counts)
                self.chunks.add_terms(connection, lexical.vocabulary)
            self.follow(vectors)

    def follow(self, vectors: Mapping[str, Vectors] | None = None) -> None:
        """Bring vectors and postings up to what SQLite says. Does nothing twice; a crash in between is made good.

        Searches go on meanwhile: they take no lock of this class once the index is loaded.
        """
        with self._lock:
            pending = self.chunks.pending()
            try:
                for first in range(0, len(pending), _PAGE):
                    self._follow(pending[first : first + _PAGE], vectors or {})
            except BaseException:  # Whatever ended it, Ctrl-C too: look at the vectors again before they are used.
                self._checked = False
                raise

    def repair(self) -> None:
        """Make good what a crash or a deleted folder has left undone: afterwards every chunk has its vector.

        Cheap once done. Raises StoreError and ProviderError.
        """
        with self._lock:
            self.follow()
            if self._checked:
                return
            if self._store.count() != len(self.chunks):
                expected, stored = self.chunks.ids(), self._store.ids()
                with self._database.transaction() as connection:
                    self.chunks.mark(connection, expected ^ stored)
                self.follow()
            self._checked = True

    @contextmanager
    def still(self) -> Iterator[None]:
        """Within the block nobody writes: only a crash leaves a chunk between its commit and its vector."""
        with self._lock:
            yield

    def rebuild(self) -> None:
        """Write vectors and postings anew from SQLite, also over a damaged Chroma folder. Raises StoreError."""
        with self._lock:
            lexical = BM25Index()
            found = self.chunks.get(self.chunks.ids())
            counts = [(i, lexical.encode(tokenize(chunk.embedded_text))) for i, (chunk, _) in found.items()]
            with self._database.transaction() as connection:
                self.chunks.replace_counts(connection, counts)
                self.chunks.add_terms(connection, lexical.vocabulary)
                self.chunks.mark(connection, found)
            self._store.reset()
            self._postings.replace(lexical)
            self._checked = True
            self.follow()
            self.keep()

    # Looking

    def status(self) -> dict[str, Any]:
        """Names and sizes. `pending` chunks await their vectors, `missing` documents await ingest into this index."""
        return {
            "fingerprint": self.fingerprint,
            "chunking": self.chunking.model_dump(),
            "embedder": self.embedder.fingerprint,
            "documents": len(self.chunks.indexed()),
            "missing": len(self.chunks.missing()),
            "chunks": len(self.chunks),
            "vectors": self._store.count(),
            "pending": len(self.chunks.pending()),
            "vector_bytes": _size(self._folder),
        }

    def verify(self) -> dict[str, Any]:
        """Compare documents, chunks, vectors and postings in full; ``ok`` is False where anything differs."""
        return compare(self._database, self.chunks, self.registry, self._store, self._postings)

    def keep(self) -> None:
        """See `StoredPostings.keep`."""
        self._postings.keep()

    def forget(self) -> None:
        """Have postings and vectors looked at again, after the tables that they are of were mended."""
        with self._lock:
            self._postings.forget()
            self._checked = False

    def close(self) -> None:
        self._postings.save()
        self._store.close()

    # Inside

    def _refresh(self) -> None:
        """Where another process owns the workspace: read again what it has changed since."""
        if self._database.writable:
            return
        generation = self.chunks.generation()
        with self._lock:
            if generation != self._generation:
                self._postings.forget()
                self._store.reopen()
                self._generation = generation

    def _read(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except StoreError:
            if self._database.writable:
                raise
            # The owner may have been moving Chroma's files just now.
            self._store.reopen()
            return ask()

    def _repair(self) -> None:
        """Once after opening as the owner. Later searches do not wait for whoever writes."""
        if self._checked or not self._database.writable:
            return
        try:
            self.repair()
        except StoreError as error:
            # Chunks that cannot follow as the words are damaged, which `match` tells, and `lacking` how many they are.
            if error.code != "store_damaged":
                raise

    def _follow(self, ids: Sequence[str], vectors: Mapping[str, Vectors]) -> None:
        present = self.chunks.get(ids)
        gone = [identifier for identifier in ids if identifier not in present]
        counts = self.chunks.counts_of(present)
        self._postings.follow(gone, counts)
        self._store.delete(gone)
        self._upsert([chunk for chunk, _ in present.values()], vectors, {i: tally for i, _, tally in counts})
        with self._database.transaction() as connection:
            self.chunks.settle(connection, ids)

    def _upsert(self, chunks: Sequence[Chunk], vectors: Mapping[str, Vectors], counts: Mapping[str, Counts]) -> None:
        lacking = [chunk for chunk in chunks if chunk.id not in vectors]
        embedded = embed(self.embedder, [chunk.embedded_text for chunk in lacking], "passage")
        known = {**vectors, **dict(zip((chunk.id for chunk in lacking), embedded, strict=True))}
        if not chunks:
            return
        sparse = None
        if self._store.ranks_words:
            sparse = self._postings.get().weights([counts[chunk.id] for chunk in chunks])
        self._check_dimensions(known.values())
        rows = np.stack([known[chunk.id] for chunk in chunks])
        self._store.upsert(Points([c.id for c in chunks], [c.document_id for c in chunks], rows, sparse))

    def _check_dimensions(self, vectors: Iterable[Vectors]) -> None:
        expected = self.chunks.dimension()
        if other := {len(vector) for vector in vectors} - {expected}:
            raise ProviderError(
                f"The {called(self.embedder)} gives vectors of {min(other)} dimensions, the index holds vectors of "
                f"{expected}: serve the model that it was built with, or name the new one in embedding.model (or "
                "embedding.dimensions), which builds another index.",
                provider=self.embedder.name,
                code="bad_reply",
            )


def _size(folder: Path) -> int:
    """Bytes of the files in it; SQLite's journals come and go meanwhile."""
    size = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            size += path.stat().st_size * path.is_file()
    return size
