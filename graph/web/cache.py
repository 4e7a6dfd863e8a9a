"""Pages that were found lately, in one SQLite file: a question asked again costs no search and no credit.

The file is a convenience: it may be deleted, damaged or unwritable at any time, and the answer is to search again.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from graph.web.base import WebPage

logger = logging.getLogger(__name__)

_SCHEMA = "CREATE TABLE IF NOT EXISTS searches (key BLOB PRIMARY KEY, found REAL NOT NULL, pages TEXT NOT NULL)"
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class PageCache:
    """Key to pages, for `lifetime` seconds; beyond `max_bytes` of pages the oldest searches make room.

    Thread-safe, and several processes may share the file. Never raises for what happens to it. `clock` gives seconds
    since the epoch.
    """

    def __init__(self, path: Path, *, lifetime: float, max_bytes: int, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._lifetime = lifetime
        self._max_bytes = max_bytes
        self._clock = clock
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def get(self, key: bytes) -> list[WebPage] | None:
        """The pages of a search that is young enough."""
        with self._lock:
            try:
                row = self._connect().execute("SELECT found, pages FROM searches WHERE key = ?", (key,)).fetchone()
                # A clock that was set back makes no entry immortal.
                if row is None or not 0 <= self._clock() - row[0] < self._lifetime:
                    return None
                return [WebPage(**page) for page in json.loads(row[1])]
            except (sqlite3.Error, OSError, ValueError, TypeError) as error:
                self._recover(error)
                return None

    def put(self, key: bytes, pages: Sequence[WebPage]) -> None:
        written = json.dumps([asdict(page) for page in pages], ensure_ascii=False)
        if len(written.encode("utf-8", "replace")) > self._max_bytes:
            return
        with self._lock:
            try:
                with self._connect() as connection:
                    connection.execute(
                        "INSERT OR REPLACE INTO searches VALUES (?, ?, ?)", (key, self._clock(), written)
                    )
                    connection.execute(
                        "DELETE FROM searches WHERE found <= ? OR key IN (SELECT key FROM (SELECT key, SUM(LENGTH("
                        "CAST(pages AS BLOB))) OVER (ORDER BY found DESC, key) AS upto FROM searches) WHERE upto > ?)",
                        (self._clock() - self._lifetime, self._max_bytes),
                    )
            except (sqlite3.Error, OSError, UnicodeError) as error:
                self._recover(error)

    def close(self) -> None:
        with self._lock:
            self._disconnect()

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self._path, timeout=5, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(_SCHEMA)
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _recover(self, error: Exception) -> None:
        logger.warning("The web cache %s is passed over: %s", self._path, error)
        self._disconnect()
        if getattr(error, "sqlite_errorcode", None) in _DAMAGED:
            for ending in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + ending).unlink(missing_ok=True)
