"""A workspace folder: the registry, the indexes, the embedding cache, and the lock of the one process that writes.

Any number of processes may read beside the owner. They see what the owner has committed: before each search an
index compares its generation with the one in SQLite, and reads postings and vectors again where it has moved.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import socket
import sys
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from chunking.config import ChunkingConfig
from chunking.errors import StoreError
from retrieval.chunks import ChunkTable
from retrieval.config import EmbeddingConfig, StoreConfig
from retrieval.database import Database
from retrieval.embedders.base import Embedder
from retrieval.index import Index
from retrieval.lexical.snapshot import snapshot_file
from retrieval.lexical.tokenizer import TOKENIZER_VERSION
from retrieval.registry import Registry
from retrieval.vectors import build_store

if TYPE_CHECKING:
    from retrieval.embedders.cache import EmbeddingCache
    from retrieval.vectors.base import VectorStore

_log = logging.getLogger(__name__)

DATABASE, CACHE = "workspace.sqlite3", "embeddings.sqlite3"
_LOCK, _OWNER = "lock", "owner.json"


@dataclass(frozen=True, slots=True)
class IndexRecord:
    """An index as the workspace knows it. `pipelines` are the names that it answers for, `missing` the documents that
    it lacks, `awaiting` the chunks without a vector yet; `embedding` is None where an older release made it."""

    fingerprint: str
    chunking: dict[str, Any]
    embedder: str
    embedding: dict[str, Any] | None
    store: StoreConfig
    documents: int
    missing: int
    awaiting: int
    pipelines: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "fingerprint": self.fingerprint,
            "chunking": self.chunking,
            "embedder": self.embedder,
            "store": self.store.provider,
            "documents": self.documents,
            "missing": self.missing,
            "pipelines": list(self.pipelines),
        }


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
        size = path.stat().st_size if path.exists() else None
        if not size and any(home.glob("indexes/*")):
            raise StoreError(
                f"{path} is {'missing' if size is None else 'empty'} while {home / 'indexes'} is not, so its documents "
                "are lost: restore it from a copy, or ingest into a new --home."
            )
        if not write and size is None:
            raise StoreError(f"There is no workspace at {home}: run crag ingest first, or name another with --home.")
        lock = _acquire(home) if write else None
        try:
            return cls(home, Database(path, write=write), lock)
        except BaseException:  # Nobody would release the lock after Ctrl-C.
            if lock:
                lock.release()
            raise

    @cached_property
    def cache(self) -> EmbeddingCache:
        from retrieval.embedders.cache import EmbeddingCache

        return EmbeddingCache(self.home / CACHE)

    @property
    def writable(self) -> bool:
        return self._database.writable

    def index(
        self,
        chunking: ChunkingConfig,
        embedder: Embedder,
        embedding: EmbeddingConfig | None = None,
        store: StoreConfig | None = None,
        fingerprint: str | None = None,
    ) -> Index:
        """The index of this chunking, tokenizer, embedder and vector engine, made where the workspace lacks it.

        Cheap: vectors and postings are opened by the first search. `embedding` is what the embedder was built from:
        with it, the index can answer for a pipeline that has moved on (`earlier`). `fingerprint` is that of a record:
        a release with another tokenizer or other cuts would compute another one. Raises StoreError where the index is
        lacking and the workspace is open for reading only.
        """
        store = store or StoreConfig()
        fingerprint = fingerprint or index_fingerprint(chunking, embedder, store)
        with self._mutex:
            if fingerprint not in self._indexes:
                number = self._number(fingerprint, chunking, embedder, embedding, store)
                engine = self._store(fingerprint, store)
                self._indexes[fingerprint] = Index(
                    database=self._database,
                    number=number,
                    fingerprint=fingerprint,
                    folder=self._folder(fingerprint),
                    store=engine,
                    chunking=chunking,
                    embedder=embedder,
                )
            return self._indexes[fingerprint]

    def indexes(self) -> list[IndexRecord]:
        """Every index, oldest first."""
        query = (
            "SELECT i.fingerprint, i.chunking, i.embedder, i.embedding, i.store,"
            " (SELECT count(*) FROM indexed WHERE index_id = i.id), (SELECT count(*) FROM documents),"
            " (SELECT count(*) FROM outbox o JOIN chunks c ON c.index_id = o.index_id AND c.id = o.chunk_id"
            " WHERE o.index_id = i.id),"
            " (SELECT json_group_array(pipeline) FROM serving WHERE index_id = i.id) FROM indexes i ORDER BY i.id"
        )
        with self._database.guard():
            return [_index_record(row) for row in self._database.read().execute(query).fetchall()]

    def earlier(self, pipeline: str, fingerprint: str) -> IndexRecord | None:
        """The index that answers for `pipeline` while the one of `fingerprint` is lacking or not whole.

        None where that one is whole, and where no other has ever been.
        """
        query = "SELECT i.fingerprint FROM serving s JOIN indexes i ON i.id = s.index_id WHERE s.pipeline = ?"
        with self._database.guard():
            row = self._database.read().execute(query, (pipeline,)).fetchone()
        if row is None or row[0] == fingerprint:
            return None
        known = {each.fingerprint: each for each in self.indexes()}
        own = known.get(fingerprint)
        served = known.get(row[0])
        whole = own is not None and not own.missing and not own.awaiting
        return served if served and served.embedding and not whole else None

    def switch(self, pipeline: str, index: Index) -> bool:
        """Have the index answer for `pipeline` from now on, in one transaction; False where it lacks documents or
        vectors."""
        with index.still(), self._database.transaction() as connection:
            if index.chunks.missing() or index.chunks.awaiting():
                return False
            connection.execute(
                "INSERT INTO serving VALUES (?, (SELECT id FROM indexes WHERE fingerprint = ?))"
                " ON CONFLICT (pipeline) DO UPDATE SET index_id = excluded.index_id",
                (pipeline, index.fingerprint),
            )
        return True

    def drop(self, fingerprints: Collection[str]) -> None:
        """Delete indexes with their chunks and vectors; the documents stay. Raises StoreError."""
        records = {each.fingerprint: each for each in self.indexes()}
        with self._mutex:
            for fingerprint in fingerprints:
                if index := self._indexes.pop(fingerprint, None):
                    index.close()
                with self._database.transaction() as connection:
                    connection.execute("DELETE FROM indexes WHERE fingerprint = ?", (fingerprint,))
                self._store(fingerprint, records[fingerprint].store).reset()
                snapshot_file(self._folder(fingerprint)).unlink(missing_ok=True)

    def remove(self, document_ids: Collection[str]) -> int:
        """Delete documents from the registry and from every index; the number deleted. Raises StoreError."""
        with self._database.transaction() as connection:
            removed = self.registry.delete(connection, document_ids)
        self.follow()
        return removed

    def mend(self) -> None:
        """Make damaged tables anew that are derived: empty, for `Index.rebuild` and `catch_up` to fill.

        Raises StoreError where what the documents say cannot be read any more.
        """
        with self._mutex:
            if self._database.mend():
                for index in self._indexes.values():
                    index.forget()

    def move(self, paths: Mapping[str, tuple[Path, str]]) -> None:
        """Documents whose files have new paths: (path, source) by document id. Raises StoreError."""
        if paths:
            with self._database.transaction() as connection:
                for identifier, (path, source) in paths.items():
                    self.registry.move(connection, identifier, str(path), source)

    def follow(self) -> None:
        """Let every open index follow what was committed, and the others delete what is gone.

        What the others lack, which takes their embedders, is written when they are opened.
        """
        for index in list(self._indexes.values()):
            index.follow()
            index.keep()
        query = (
            "SELECT i.id, i.fingerprint, i.store, json_group_array(o.chunk_id) FROM outbox o"
            " JOIN indexes i ON i.id = o.index_id LEFT JOIN chunks c ON c.index_id = o.index_id AND c.id = o.chunk_id"
            " WHERE c.id IS NULL GROUP BY i.id"
        )
        with self._mutex:  # None of them is opened meanwhile.
            with self._database.guard():
                rows = self._database.read().execute(query).fetchall()
            for number, fingerprint, config, gone in rows:
                if fingerprint not in self._indexes:
                    self._delete(number, fingerprint, _store_config(config), json.loads(gone))

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

    def _delete(self, number: int, fingerprint: str, config: StoreConfig, ids: Sequence[str]) -> None:
        store = self._store(fingerprint, config)
        try:
            store.delete(ids)
            with self._database.transaction() as connection:
                ChunkTable(self._database, number).settle(connection, ids)
        except StoreError as error:  # Of a server that is away, perhaps: it is done when the index is opened.
            _log.warning("%s", error)
        finally:
            store.close()

    def _store(self, fingerprint: str, config: StoreConfig) -> VectorStore:
        name = f"crag-{fingerprint}"
        if config.url and (identity := self._database.identity):
            # Other workspaces may use the server, and each would delete what the other has.
            name = f"{name}-{identity:08x}"
        return build_store(config, self._folder(fingerprint), name, write=self.writable)

    def _folder(self, fingerprint: str) -> Path:
        return self.home / "indexes" / fingerprint

    def _number(
        self,
        fingerprint: str,
        chunking: ChunkingConfig,
        embedder: Embedder,
        embedding: EmbeddingConfig | None,
        store: StoreConfig,
    ) -> int:
        query = "SELECT id FROM indexes WHERE fingerprint = ?"
        with self._database.guard():
            row = self._database.read().execute(query, (fingerprint,)).fetchone()
        if row is not None:
            if embedding is not None and self.writable:
                self._describe(fingerprint, embedding)
            return int(row[0])
        if not self.writable:
            raise StoreError(
                f"The workspace {self.home} holds no index for this chunking and embedder ({embedder.name}): "
                "run crag index rebuild with the same --pipeline once."
            )
        with self._database.transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO indexes (fingerprint, chunking, tokenizer, embedder, dimension, embedding, store)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    fingerprint,
                    chunking.model_dump_json(),
                    TOKENIZER_VERSION,
                    embedder.fingerprint,
                    embedder.dimension,
                    embedding.model_dump_json() if embedding else "",
                    store.model_dump_json(),
                ),
            )
        return int(cursor.lastrowid or 0)

    def _describe(self, fingerprint: str, embedding: EmbeddingConfig) -> None:
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE indexes SET embedding = ? WHERE fingerprint = ? AND embedding = ''",
                (embedding.model_dump_json(), fingerprint),
            )


def index_fingerprint(chunking: ChunkingConfig, embedder: Embedder, store: StoreConfig) -> str:
    """16 hex digits: what two pipelines must agree on to share an index."""
    from chunking.strategies import fingerprint as chunking_fingerprint

    parts = [chunking_fingerprint(chunking), TOKENIZER_VERSION, embedder.fingerprint]
    if store != StoreConfig():
        parts.append(store.model_dump_json(include={"provider", "url"}))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _index_record(row: Sequence[Any]) -> IndexRecord:
    fingerprint, chunking, embedder, embedding, store, indexed, documents, awaiting, pipelines = row
    return IndexRecord(
        fingerprint,
        json.loads(chunking),
        embedder,
        json.loads(embedding) if embedding else None,
        _store_config(store),
        indexed,
        documents - indexed,
        awaiting,
        tuple(sorted(json.loads(pipelines))),
    )


def _store_config(stored: str) -> StoreConfig:
    """An older release stored none."""
    return StoreConfig.model_validate_json(stored) if stored else StoreConfig()


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
        raise StoreError(f"Workspace {home} is in use by {_owner(home)}.") from error
    except OSError as error:
        lock.release()
        raise StoreError(f"The workspace {home} cannot be written ({error.strerror}): use another --home.") from error
    return lock


def _owner(home: Path) -> str:
    try:
        owner = json.loads((home / _OWNER).read_text(encoding="utf-8"))
        where = "" if owner["host"] == socket.gethostname() else f" on {owner['host']}"
        if (owner["pid"], where) == (os.getpid(), ""):
            return "this process itself, which has it open for writing: use that one, or close it first"
        other = f"process {owner['pid']}{where} ({owner['command']})"
    except (OSError, ValueError, LookupError, TypeError):
        other = "another process"
    return f"{other}: stop it or use another --home"
