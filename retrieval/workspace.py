"""A workspace folder: the registry, the indexes, the embedding cache, and the lock of the one process that writes.

Any number of processes may read beside the owner. They see what the owner has committed: before each search an
index compares its generation with the one in SQLite, and reads postings and vectors again where it has moved.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import sys
import threading
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from chunking.config import ChunkingConfig
from chunking.errors import StoreError
from retrieval.database import Database
from retrieval.embedders.base import Embedder
from retrieval.index import Index
from retrieval.lexical.tokenizer import TOKENIZER_VERSION
from retrieval.registry import Registry
from retrieval.vectors import VECTOR_STORES

if TYPE_CHECKING:
    from retrieval.embedders.cache import EmbeddingCache

DATABASE = "workspace.sqlite3"
_LOCK, _OWNER = "lock", "owner.json"


class Workspace:
    """Use `open`, as a context manager."""

    def __init__(self, home: Path, database: Database, lock: Any) -> None:
        self.home = home
        self.registry = Registry(database)
        self._database = database
        self._lock = lock
        self._indexes: dict[str, Index] = {}
        self._mutex = threading.RLock()

    @classmethod
    def open(cls, home: Path, *, write: bool) -> Self:
        """Raises StoreError where another process writes, or where there is nothing to read."""
        home = home.resolve()
        path = home / DATABASE
        if not write and not path.exists():
            raise StoreError(f"There is no workspace at {home}: run crag ingest first, or name another with --home.")
        lock = _acquire(home) if write else None
        try:
            return cls(home, Database(path, write=write), lock)
        except BaseException:
            if lock:
                lock.release()
            raise

    @cached_property
    def cache(self) -> EmbeddingCache:
        from retrieval.embedders.cache import EmbeddingCache

        return EmbeddingCache(self.home / "embeddings.sqlite3")

    @property
    def writable(self) -> bool:
        return self._database.writable

    def index(self, chunking: ChunkingConfig, embedder: Embedder) -> Index:
        """The index of this chunking, tokenizer and embedder, made where the workspace lacks it.

        Cheap: vectors and postings are opened by the first search. Raises StoreError where it is lacking and the
        workspace is open for reading only.
        """
        from chunking.strategies import fingerprint as chunking_fingerprint

        parts = [chunking_fingerprint(chunking), TOKENIZER_VERSION, embedder.fingerprint]
        fingerprint = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
        with self._mutex:
            if fingerprint not in self._indexes:
                number = self._number(fingerprint, chunking, embedder)
                folder = self.home / "indexes" / fingerprint
                store = VECTOR_STORES["chroma"](folder, f"crag-{fingerprint}")
                self._indexes[fingerprint] = Index(
                    database=self._database,
                    number=number,
                    fingerprint=fingerprint,
                    folder=folder,
                    store=store,
                    chunking=chunking,
                    embedder=embedder,
                )
            return self._indexes[fingerprint]

    def remove(self, document_ids: Collection[str]) -> int:
        """Delete documents from the registry and from every index; the number deleted. Raises StoreError."""
        with self._database.transaction() as connection:
            removed = self.registry.delete(connection, document_ids)
        self.follow()
        return removed

    def move(self, paths: Mapping[str, tuple[Path, str]]) -> None:
        """Documents whose files have new paths: (path, source) by document id. Raises StoreError."""
        if paths:
            with self._database.transaction() as connection:
                for identifier, (path, source) in paths.items():
                    self.registry.move(connection, identifier, str(path), source)

    def follow(self) -> None:
        """Let every open index follow what was committed; the others do when they are opened."""
        for index in list(self._indexes.values()):
            index.follow()

    def close(self) -> None:
        with self._mutex:
            for index in self._indexes.values():
                index.close()
            self._indexes = {}
            if "cache" in self.__dict__:
                self.cache.close()
            self._database.close()
            if self._lock:
                (self.home / _OWNER).unlink(missing_ok=True)
                self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _number(self, fingerprint: str, chunking: ChunkingConfig, embedder: Embedder) -> int:
        query = "SELECT id FROM indexes WHERE fingerprint = ?"
        with self._database.guard():
            row = self._database.read().execute(query, (fingerprint,)).fetchone()
        if row is not None:
            return int(row[0])
        if not self.writable:
            raise StoreError(
                f"The workspace {self.home} holds no index for this chunking and embedder ({embedder.name}): "
                "run crag ingest with the same --pipeline first."
            )
        with self._database.transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO indexes (fingerprint, chunking, tokenizer, embedder, dimension) VALUES (?, ?, ?, ?, ?)",
                (fingerprint, chunking.model_dump_json(), TOKENIZER_VERSION, embedder.fingerprint, embedder.dimension),
            )
        return int(cursor.lastrowid or 0)


def _acquire(home: Path) -> Any:
    from filelock import FileLock, Timeout

    lock = FileLock(home / _LOCK)
    try:
        home.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
        command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:2]])
        owner = {"pid": os.getpid(), "host": socket.gethostname(), "command": command}
        (home / _OWNER).write_text(json.dumps(owner), encoding="utf-8")
    except Timeout as error:
        raise StoreError(f"Workspace {home} is in use by {_owner(home)}: stop it or use another --home.") from error
    except OSError as error:
        lock.release()
        raise StoreError(f"The workspace {home} cannot be written ({error.strerror}): use another --home.") from error
    return lock


def _owner(home: Path) -> str:
    try:
        owner = json.loads((home / _OWNER).read_text(encoding="utf-8"))
        where = "" if owner["host"] == socket.gethostname() else f" on {owner['host']}"
        return f"process {owner['pid']}{where} ({owner['command']})"
    except (OSError, ValueError, LookupError, TypeError):
        return "another process"
