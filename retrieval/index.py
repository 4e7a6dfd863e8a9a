"""One index of a workspace: the chunks of one chunking and one embedder, searchable by meaning and by words.

SQLite holds the chunks and their term counts. The vectors in Chroma and the postings in memory are derived: every
change commits in SQLite first, together with an outbox entry, and the derived stores then follow. After a crash the
outbox tells exactly what they have missed; a wrong number of vectors is repaired by comparing all ids.
"""

from __future__ import annotations

import logging
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
from retrieval.lexical.snapshot import load_snapshot, save_snapshot, snapshot_file
from retrieval.lexical.tokenizer import tokenize, words
from retrieval.registry import Place, Registry
from retrieval.vectors.base import Points, Scope, VectorStore

T = TypeVar("T")

_log = logging.getLogger(__name__)

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
        self._bm25: BM25Index | None = None
        self._generation = -1
        self._checked = False
        self._saved, self._changed = -1, 0
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
        return self._lexical().match(tokenize(question), words(question) or None, variant)

    def lexicon(self) -> BM25Index:
        """The postings, for the terms that they hold. Raises StoreError."""
        self._refresh()
        return self._lexical()

    def lexical(
        self, question: str, matches: Matches, k: int, documents: Sequence[str] | None = None
    ) -> list[tuple[str, float]]:
        """At most k (chunk id, BM25 score): as the engine ranks them where it ranks words, else the postings.

        The engines hold Okapi's weights: other variants are ranked by the postings.
        """
        if not self._store.ranks_words or matches.variant != OKAPI:
            return matches.top(k, documents)
        query = self._lexical().query_weights(tokenize(question))
        return self._read(lambda: self._store.query_sparse(query, k, self._within(documents)))

    def _within(self, documents: Sequence[str] | None) -> Scope | None:
        if documents is None:
            return None
        lexical = self._lexical()
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
            lexical = self._lexical()
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
            self._bm25 = lexical
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
        """Compare SQLite, vectors and postings in full; ``ok`` is False where anything differs."""
        expected = self.chunks.ids()
        found = self.chunks.get(expected)
        stored = self._store.ids()
        fresh, lexical = BM25Index(self._lexical().vocabulary), self._lexical()
        wrong_offsets = wrong_postings = 0
        counts = {identifier: tally for identifier, _, tally in self.chunks.counts()}
        texts: dict[str, str] = {}
        for chunk, _ in sorted(found.values(), key=lambda pair: pair[0].document_id):
            if chunk.document_id not in texts:
                texts = {chunk.document_id: self.registry.get(chunk.document_id).text}
            wrong_offsets += texts[chunk.document_id][chunk.start : chunk.end] != chunk.text
            tally = fresh.encode(tokenize(chunk.embedded_text))
            wrong_postings += not np.array_equal(_sorted(tally), _sorted(counts[chunk.id]))
        differences = {
            "missing_vectors": len(expected - stored),
            "extra_vectors": len(stored - expected),
            "wrong_vectors": self._wrong_vectors(sorted(expected & stored)),
            "missing_postings": len(expected - lexical.ids),
            "extra_postings": len(lexical.ids - expected),
            "wrong_postings": wrong_postings,
            "wrong_offsets": wrong_offsets,
        }
        return {"ok": not any(differences.values()), "chunks": len(expected), **differences}

    def keep(self) -> None:
        """Write the postings down where enough has changed since they were: a start after a crash reads them then.

        After a hundredth of the chunks, so that one document more in a large index does not write it all anew.
        """
        with self._lock:
            if self._bm25 is not None and self._changed > len(self._bm25) // 100:
                self._save()

    def close(self) -> None:
        with self._lock:
            self._save()
        self._store.close()

    # Inside

    def _lexical(self) -> BM25Index:
        lexical = self._bm25
        if lexical is not None:
            return lexical
        with self._lock:
            if self._bm25 is None:
                self._bm25 = self._load()
                self.keep()
            return self._bm25

    def _load(self) -> BM25Index:
        """The postings from their file, brought up to what SQLite says; from SQLite alone where the file is not it."""
        generation, vocabulary = self.chunks.generation(), self.chunks.vocabulary()
        if (lexical := load_snapshot(self._snapshot, vocabulary, generation)) is not None:
            pending = self.chunks.pending()
            lexical.remove(pending)
            lexical.add(self.chunks.counts_of(pending))
            if lexical.ids == self.chunks.ids():
                self._saved = generation
                return lexical
        if self._snapshot.exists():
            _log.info("The postings in %s are not those of the index now: read from SQLite.", self._snapshot)
        lexical = BM25Index(vocabulary)
        lexical.add(self.chunks.counts())
        self._changed = len(lexical)
        return lexical

    def _save(self) -> None:
        """As the owner, with nothing left to follow: write the postings for the next start. Without a file that
        start is slower, no more."""
        if self._bm25 is None or not self._database.writable:
            return
        try:
            if self.chunks.pending() or (generation := self.chunks.generation()) == self._saved:
                return
            save_snapshot(self._snapshot, self._bm25, generation)
            self._saved, self._changed = generation, 0
        except (OSError, StoreError) as error:
            _log.warning(
                "The postings file %s could not be written (%s): the next start is slower.", self._snapshot, error
            )

    @property
    def _snapshot(self) -> Path:
        return snapshot_file(self._folder)

    def _refresh(self) -> None:
        """Where another process owns the workspace: read again what it has changed since."""
        if self._database.writable:
            return
        generation = self.chunks.generation()
        with self._lock:
            if generation != self._generation:
                self._bm25 = None
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
        if not self._checked and self._database.writable:
            self.repair()

    def _follow(self, ids: Sequence[str], vectors: Mapping[str, Vectors]) -> None:
        lexical = self._lexical()
        present = self.chunks.get(ids)
        gone = [identifier for identifier in ids if identifier not in present]
        counts = self.chunks.counts_of(present)
        lexical.remove(gone)
        lexical.add(counts)
        self._store.delete(gone)
        self._upsert([chunk for chunk, _ in present.values()], vectors, {i: tally for i, _, tally in counts})
        with self._database.transaction() as connection:
            self.chunks.settle(connection, ids)
        self._changed += len(ids)

    def _upsert(self, chunks: Sequence[Chunk], vectors: Mapping[str, Vectors], counts: Mapping[str, Counts]) -> None:
        lacking = [chunk for chunk in chunks if chunk.id not in vectors]
        embedded = embed(self.embedder, [chunk.embedded_text for chunk in lacking], "passage")
        known = {**vectors, **dict(zip((chunk.id for chunk in lacking), embedded, strict=True))}
        if not chunks:
            return
        sparse = None
        if self._store.ranks_words:
            sparse = self._lexical().weights([counts[chunk.id] for chunk in chunks])
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

    def _wrong_vectors(self, ids: Sequence[str]) -> int:
        """Stored vectors that are not of unit length or of another dimension."""
        wrong, expected = 0, self.chunks.dimension()
        for first in range(0, len(ids), _PAGE):
            stored = self._store.vectors(ids[first : first + _PAGE])
            rows = np.stack(list(stored.values()))
            wrong += int((np.abs(np.linalg.norm(rows, axis=1) - 1) > 1e-3).sum())
            wrong += len(rows) * (rows.shape[1] != expected)
        return wrong


def _size(folder: Path) -> int:
    """Bytes of the files in it; SQLite's journals come and go meanwhile."""
    size = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            size += path.stat().st_size * path.is_file()
    return size


def _sorted(counts: tuple[Any, Any]) -> Any:
    return np.stack(counts)[:, np.argsort(counts[0])]
