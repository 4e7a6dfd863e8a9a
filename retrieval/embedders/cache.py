"""One cache under every embedder: no text is embedded twice, across re-ingests, chunking sweeps and restarts.

Vectors are kept as float32, so that a cached vector equals a computed one to the last bit. The file is a
convenience: it may be deleted, damaged or unwritable at any time, and the answer is to embed again.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np

from retrieval.database import is_damage
from retrieval.embedders.base import Embedder, Role, Vectors, token_reader
from retrieval.embedders.interrupt import pause
from retrieval.readonly import connect_read_only
from retrieval.types import Degraded

_log = logging.getLogger(__name__)
_SCHEMA = "CREATE TABLE IF NOT EXISTS vectors (key BLOB NOT NULL UNIQUE, vector BLOB NOT NULL)"
_VARIABLES = 500


class EmbeddingCache:
    """Key (16 bytes) to vector, in SQLite with a write-ahead log: several processes may share it.

    Beyond `max_bytes` the oldest entries make room; one that is still in use comes back as the youngest.
    Thread-safe. Never raises for what happens to its file.
    """

    def __init__(self, path: Path, *, max_bytes: int = 4 << 30) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._read_only = False
        self._troubles: dict[Degraded, None] = {}

    @staticmethod
    def key(fingerprint: str, role: Role, text: str) -> bytes:
        return hashlib.sha256(f"{fingerprint}\0{role}\0{text}".encode("utf-8", "replace")).digest()[:16]

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors of those keys that are present, each of shape (dimension,) and read-only."""
        with self._lock:
            try:
                return self._get(keys)
            except (sqlite3.Error, OSError) as error:
                self._recover(error)
                return {}

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Store row i of `vectors` under key i, all or none."""
        rows = [(k, v.tobytes()) for k, v in zip(keys, np.ascontiguousarray(vectors, np.float32), strict=True)]
        with self._lock:
            for _ in range(2):
                try:
                    self._put(rows)
                except (sqlite3.Error, OSError) as error:
                    if self._recover(error):
                        continue
                break

    def take_troubles(self) -> tuple[Degraded, ...]:
        """What went wrong with the file since this was asked last, each once."""
        with self._lock:
            taken, self._troubles = tuple(self._troubles), {}
        return taken

    def close(self) -> None:
        with self._lock:
            self._disconnect()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None and self._path.exists():
            self._connection = connect_read_only(self._path, timeout=10)
            self._read_only = self._connection is not None
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # isolation_level None: transactions are ours to open.
            connection = sqlite3.connect(self._path, timeout=10, isolation_level=None, check_same_thread=False)
            self._connection = connection
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(_SCHEMA)
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _get(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        connection = self._connect()
        found: dict[bytes, Vectors] = {}
        for first in range(0, len(keys), _VARIABLES):
            part = keys[first : first + _VARIABLES]
            marks = ",".join("?" * len(part))
            rows = connection.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", part)
            found.update((key, np.frombuffer(vector, np.float32)) for key, vector in rows if _is_whole(vector))
        return found

    def _put(self, rows: list[tuple[bytes, bytes]]) -> None:
        connection = self._connect()
        if self._read_only:
            return
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            connection.executemany("INSERT OR REPLACE INTO vectors (key, vector) VALUES (?, ?)", rows)
        self._evict(connection)

    def _evict(self, connection: sqlite3.Connection) -> None:
        size, pages, free = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "page_count", "freelist_count")
        )
        if (pages - free) * size <= self._max_bytes:
            return
        (count,) = connection.execute("SELECT COUNT(*) FROM vectors").fetchone()
        keep = int(count * 0.9 * self._max_bytes / ((pages - free) * size))
        with connection:
            connection.execute(
                "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY rowid LIMIT ?)", (count - keep,)
            )

    def _recover(self, error: Exception) -> bool:
        """After an error: a damaged file is deleted (True, try again); any other trouble skips the cache."""
        self._disconnect()
        damaged = isinstance(error, sqlite3.Error) and is_damage(error)
        action = "it is made anew" if damaged else "texts are embedded again"
        trouble = Degraded("embedding cache", f"{self._path} cannot be used ({error})", action, "cache_unusable")
        if trouble not in self._troubles:
            _log.warning("%s: %s", trouble.reason, trouble.action)
        self._troubles[trouble] = None
        if damaged:
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        return damaged


class CachedEmbedder:
    """Any embedder behind the cache. Passages go to disk, queries into memory: most are asked once.

    What is missing is embedded and stored in slices, so that an interrupted ingest loses little.
    """

    _SLICE = 256
    _QUERIES = 1024

    def __init__(self, embedder: Embedder, cache: EmbeddingCache) -> None:
        self._embedder = embedder
        self._cache = cache
        self._queries: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()
        self.name = embedder.name
        self.fingerprint = embedder.fingerprint
        self.max_tokens = embedder.max_tokens
        self.degraded: str | None = getattr(embedder, "degraded", None)
        self.endpoint: str | None = getattr(embedder, "endpoint", None)
        self.tokens = token_reader(embedder)

    @property
    def dimension(self) -> int:
        """Asked for when needed: an embedder behind an endpoint may have to call it to know."""
        return self._embedder.dimension

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        return self._queries_of(texts) if role == "query" else self._passages_of(texts)

    def take_troubles(self) -> tuple[Degraded, ...]:
        """Of the cache, see `EmbeddingCache.take_troubles`."""
        return self._cache.take_troubles()

    def forget_queries(self) -> None:
        """The next time that a query comes, it is embedded."""
        with self._lock:
            self._queries.clear()

    def _passages_of(self, texts: Sequence[str]) -> Vectors:
        keys = [EmbeddingCache.key(self.fingerprint, "passage", text) for text in texts]
        unique = dict(zip(keys, texts, strict=True))
        found = self._cache.get(list(unique))
        known = {key: vector for key, vector in found.items() if _is_unit(vector, self.dimension)}
        missing = [key for key in unique if key not in known]
        for first in range(0, len(missing), self._SLICE):
            pause()
            part = missing[first : first + self._SLICE]
            vectors = self._embedder.embed([unique[key] for key in part], "passage")
            self._cache.put(part, vectors)
            known.update(zip(part, vectors, strict=True))
        return np.stack([known[key] for key in keys])

    def _queries_of(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            known = {text: self._queries[text] for text in texts if text in self._queries}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            known.update(zip(missing, self._embedder.embed(missing, "query"), strict=True))
        with self._lock:
            for text in texts:
                self._queries[text] = known[text]
                self._queries.move_to_end(text)
            while len(self._queries) > self._QUERIES:
                self._queries.popitem(last=False)
        return np.stack([known[text] for text in texts])


def _is_whole(stored: object) -> bool:
    return isinstance(stored, bytes) and len(stored) % 4 == 0


def _is_unit(vector: Vectors, dimension: int) -> bool:
    """Whether it is what an embedder gave: SQLite does not see a flipped bit. NaN is near to nothing."""
    return len(vector) == dimension and abs(float(np.dot(vector, vector)) - 1.0) < 1e-2
