"""The workspace's SQLite file: schema, connections, transactions, and its errors in one sentence."""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chunking.errors import StoreError
from retrieval.readonly import connect_read_only

SCHEMA_VERSION = 2

_SCHEMA = """
CREATE TABLE documents (
    id TEXT PRIMARY KEY,
    origin TEXT NOT NULL,
    source TEXT NOT NULL,
    title TEXT NOT NULL,
    media_type TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    text TEXT NOT NULL,
    blocks TEXT NOT NULL,
    notes TEXT NOT NULL,
    ingested_at TEXT NOT NULL,
    page_starts TEXT NOT NULL DEFAULT '[]',
    collection TEXT NOT NULL DEFAULT 'default',
    date TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX documents_collection ON documents (collection, origin);

CREATE TABLE indexes (
    id INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    chunking TEXT NOT NULL,
    tokenizer TEXT NOT NULL,
    embedder TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0,
    embedding TEXT NOT NULL DEFAULT '',
    store TEXT NOT NULL DEFAULT ''
) STRICT;

-- The index that answers for a pipeline, by the pipeline's name, until another one is whole.
CREATE TABLE serving (
    pipeline TEXT PRIMARY KEY,
    index_id INTEGER NOT NULL REFERENCES indexes ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- A document that an index has taken in, be it with no chunk at all.
CREATE TABLE indexed (
    index_id INTEGER NOT NULL REFERENCES indexes ON DELETE CASCADE,
    document_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
    PRIMARY KEY (index_id, document_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX indexed_document ON indexed (document_id);

CREATE TABLE chunks (
    number INTEGER PRIMARY KEY,
    index_id INTEGER NOT NULL REFERENCES indexes ON DELETE CASCADE,
    id TEXT NOT NULL,
    document_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    text TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    heading_path TEXT NOT NULL,
    page INTEGER,
    parent_id TEXT,
    forced INTEGER NOT NULL,
    context TEXT NOT NULL,
    terms BLOB NOT NULL,
    UNIQUE (index_id, id)
) STRICT;
CREATE INDEX chunks_document ON chunks (document_id);

CREATE TABLE terms (
    index_id INTEGER NOT NULL REFERENCES indexes ON DELETE CASCADE,
    id INTEGER NOT NULL,
    term TEXT NOT NULL,
    PRIMARY KEY (index_id, id)
) STRICT, WITHOUT ROWID;

-- Chunks whose vector is still to be written or deleted. Filled by the triggers within the transaction that changes
-- a chunk and emptied once the vector store has followed, so that a crash between the two is made good later.
CREATE TABLE outbox (
    index_id INTEGER NOT NULL REFERENCES indexes ON DELETE CASCADE,
    chunk_id TEXT NOT NULL,
    PRIMARY KEY (index_id, chunk_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER chunk_added AFTER INSERT ON chunks BEGIN
    INSERT OR IGNORE INTO outbox VALUES (new.index_id, new.id);
END;
CREATE TRIGGER chunk_removed AFTER DELETE ON chunks WHEN EXISTS (SELECT 1 FROM indexes WHERE id = old.index_id) BEGIN
    INSERT OR IGNORE INTO outbox VALUES (old.index_id, old.id);
END;
"""

_INDEXES = (
    "CREATE INDEX IF NOT EXISTS chunks_parent ON chunks (parent_id) WHERE parent_id IS NOT NULL",
    # All that a filter looks at: the rows themselves hold the texts.
    "CREATE INDEX IF NOT EXISTS documents_filter ON documents (collection, source, title, media_type, date, id)",
)
"""Of no format of their own: without them the same is found, by reading every row."""

_UPGRADE = {
    1: (
        "ALTER TABLE documents ADD COLUMN page_starts TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE documents ADD COLUMN collection TEXT NOT NULL DEFAULT 'default'",
        "ALTER TABLE documents ADD COLUMN date TEXT NOT NULL DEFAULT ''",
        "UPDATE documents SET date = substr(ingested_at, 1, 10)",
        "CREATE INDEX documents_collection ON documents (collection, origin)",
        "ALTER TABLE indexes ADD COLUMN embedding TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE indexes ADD COLUMN store TEXT NOT NULL DEFAULT ''",
        "CREATE TABLE serving (pipeline TEXT PRIMARY KEY,"
        " index_id INTEGER NOT NULL REFERENCES indexes ON DELETE CASCADE) STRICT, WITHOUT ROWID",
        # Pages of documents that were read before offsets of pages were kept: where each page's first block begins.
        "UPDATE documents SET page_starts = coalesce((SELECT json_group_array(start) FROM ("
        " SELECT min(json_extract(b.value, '$[1]')) AS start FROM json_each(documents.blocks) b"
        " WHERE json_extract(b.value, '$[4]') IS NOT NULL GROUP BY json_extract(b.value, '$[4]') ORDER BY start)),"
        " '[]')"
        " WHERE media_type = 'application/pdf'",
    )
}
"""Statements that bring a file of that version to the next one."""


class Database:
    """One connection for each thread that reads, one for writing. Only the owner of the workspace writes."""

    def __init__(self, path: Path, *, write: bool) -> None:
        """Creates the file when writing. Raises StoreError."""
        self.path = path
        self._write = write
        self._write_lock = threading.RLock()
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._writer: sqlite3.Connection | None = None
        with self.guard():
            if write:
                self._writer = self._connect()
                self._writer.execute("PRAGMA journal_mode = WAL")
                with self.transaction() as connection:
                    if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                        _create(connection)
                    _upgrade(connection)
                    for statement in _INDEXES:
                        connection.execute(statement)
            version = self.read().execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            self.close()
            raise StoreError(f"{path} holds nothing yet: run crag ingest first, or wait until it has begun.")
        if version != SCHEMA_VERSION:
            self.close()
            raise StoreError(
                f"{path} has the format {version}, this release reads {SCHEMA_VERSION}: "
                + (
                    "crag index rebuild brings it up to date."
                    if version in _UPGRADE
                    else "ingest into a new --home, or use the release that wrote it."
                )
            )

    @property
    def identity(self) -> int:
        """A number that hardly another workspace has; 0 where an older release made the file."""
        with self.guard():
            return int(self.read().execute("PRAGMA application_id").fetchone()[0])

    @property
    def writable(self) -> bool:
        return self._writer is not None

    def read(self) -> sqlite3.Connection:
        """This thread's connection, for reading only."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect()
            connection.execute("PRAGMA query_only = ON")
            self._local.connection = connection
        return connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The writing connection inside BEGIN IMMEDIATE ... COMMIT; an exception rolls back. Nests flatly."""
        if self._writer is None:
            raise StoreError(f"{self.path} is open for reading only: this command must own the workspace to change it.")
        with self._write_lock, self.guard():
            if self._writer.in_transaction:
                yield self._writer
                return
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
            except BaseException:  # Ctrl-C too must not leave the transaction open.
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise
            self._writer.execute("COMMIT")

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Turns SQLite's errors into StoreError."""
        try:
            yield
        except sqlite3.Error as error:
            if isinstance(error, sqlite3.OperationalError) and "full" in str(error):
                raise StoreError(f"The disk that holds {self.path} is full: free some space and try again.") from error
            if isinstance(error, sqlite3.OperationalError) and ("readonly" in str(error) or self._cut_off()):
                raise StoreError(
                    f"The folder {self.path.parent} is read-only, and what wrote it was not closed: open it once where "
                    "it can be written (crag index status), or use a copy of it."
                ) from error
            raise StoreError(
                f"{self.path} cannot be used ({error}): restore it from a copy, or ingest into a new --home."
            ) from error

    def _cut_off(self) -> bool:
        """Whether there is a log to be read first, and no way to do so."""
        log = self.path.with_name(f"{self.path.name}-wal")
        return log.exists() and not os.access(self.path.parent, os.W_OK)

    def close(self) -> None:
        with self._write_lock:
            for connection in self._connections:
                connection.close()
            self._connections, self._writer = [], None
            self._local = threading.local()

    def _connect(self) -> sqlite3.Connection:
        # Closed by `close`, which may run in another thread.
        connection = None if self._write else connect_read_only(self.path, timeout=30)
        if connection is None:
            connection = sqlite3.connect(self.path, timeout=30, isolation_level=None, check_same_thread=False)
        self._connections.append(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        # SQLite's own lower() knows ASCII only.
        connection.create_function("lower_case", 1, str.lower, deterministic=True)
        return connection


def _create(connection: sqlite3.Connection) -> None:
    statement = ""
    for line in _SCHEMA.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    make_own(connection)


def make_own(connection: sqlite3.Connection) -> None:
    """Give the file a number of its own, in SQLite's header: see `Database.identity`."""
    connection.execute(f"PRAGMA application_id = {secrets.randbelow(2**31 - 1) + 1}")


def _upgrade(connection: sqlite3.Connection) -> None:
    while statements := _UPGRADE.get(version := connection.execute("PRAGMA user_version").fetchone()[0]):
        for statement in statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {version + 1}")
