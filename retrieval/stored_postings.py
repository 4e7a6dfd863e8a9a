"""The postings of one index in memory: from their file or from SQLite's term counts, and written down again."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from chunking.errors import StoreError
from retrieval.chunks import ChunkTable
from retrieval.database import Database
from retrieval.lexical.bm25 import BM25Index
from retrieval.lexical.postings import Counts
from retrieval.lexical.snapshot import load_snapshot, save_snapshot

_log = logging.getLogger(__name__)


class StoredPostings:
    """Thread-safe. `lock` is held by whoever writes the index."""

    def __init__(self, database: Database, chunks: ChunkTable, file: Path, lock: threading.RLock) -> None:
        self._database = database
        self._chunks = chunks
        self._file = file
        self._lock = lock
        self._held: BM25Index | None = None
        self._saved, self._changed = -1, 0
        self._damaged: tuple[int, str] | None = None

    def get(self) -> BM25Index:
        """Read the first time. Raises StoreError, with the code ``store_damaged`` where they cannot be made out."""
        held = self._held
        if held is not None:
            return held
        with self._lock:
            if self._held is None:
                self._held = self._load()
                self.keep()
            return self._held

    def forget(self) -> None:
        """Have them read again."""
        self._held = None

    def replace(self, postings: BM25Index) -> None:
        self._held, self._damaged = postings, None

    def follow(self, gone: Collection[str], changed: Sequence[tuple[str, str, Counts]]) -> None:
        """Take out chunks and take in (chunk id, document id, term counts). Raises StoreError."""
        postings = self.get()
        postings.remove(gone)
        with self._told():
            postings.add(changed)
        self._changed += len(gone) + len(changed)

    def keep(self) -> None:
        """Write them down where enough has changed since they were: a start after a crash reads them then.

        After a hundredth of the chunks, so that one document more in a large index does not write it all anew.
        """
        with self._lock:
            if self._held is not None and self._changed > len(self._held) // 100:
                self.save()

    def save(self) -> None:
        """As the owner, with nothing left to follow: write them for the next start. Without a file that start is
        slower, no more."""
        with self._lock:
            if self._held is None or not self._database.writable:
                return
            try:
                if self._chunks.pending() or (generation := self._chunks.generation()) == self._saved:
                    return
                save_snapshot(self._file, self._held, generation)
                self._saved, self._changed = generation, 0
            except (OSError, StoreError) as error:
                _log.warning(
                    "The postings file %s could not be written (%s): the next start is slower.", self._file, error
                )

    def _load(self) -> BM25Index:
        """From the file, brought up to what SQLite says; from SQLite alone where the file is not it."""
        generation = self._chunks.generation()
        if self._damaged is not None and self._damaged[0] == generation:
            raise StoreError(self._damaged[1], code="store_damaged")
        try:
            # One state: the owner may be writing, and counts newer than the terms would look like damage.
            with self._told(), self._database.snapshot():
                return self._read()
        except StoreError as error:
            if error.code == "store_damaged":
                self._damaged = (generation, str(error))
            raise

    def _read(self) -> BM25Index:
        generation, vocabulary = self._chunks.generation(), self._chunks.vocabulary()
        if (postings := load_snapshot(self._file, vocabulary, generation)) is not None:
            pending = self._chunks.pending()
            postings.remove(pending)
            postings.add(self._chunks.counts_of(pending))
            if postings.ids == self._chunks.ids():
                self._saved = generation
                return postings
        if self._file.exists():
            _log.info("The postings in %s are not those of the index now: read from SQLite.", self._file)
        postings = BM25Index(vocabulary)
        postings.add(self._chunks.counts())
        self._changed = len(postings)
        return postings

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Says of damage that it is of the words, which can be made anew."""
        try:
            yield
        except (StoreError, ValueError) as error:
            if isinstance(error, StoreError) and error.code != "store_damaged":
                raise
            raise StoreError(
                f"The words of the index (BM25) in {self._database.path} are damaged: crag index verify tells how far, "
                "crag index rebuild makes them anew.",
                code="store_damaged",
            ) from error
