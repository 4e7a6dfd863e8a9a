"""The workspace's SQLite file: connections, transactions, its errors in one sentence, and what mends it."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from chunking.errors import StoreError
from retrieval.readonly import connect_read_only
from retrieval.schema import DERIVED, SCHEMA_VERSION, bring_up, complete, upgradable

_KEPT = ("documents", "indexes", "serving")
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def is_damage(error: sqlite3.Error) -> bool:
    """Whether SQLite says that the file is not what it was, and not that it is locked, full or read-only."""
    said = str(error)
    damaged = getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED
    return damaged or said.startswith(("no such table", "Could not decode to UTF-8"))


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
        self._opened = False
        with self.guard():
            if write:
                self._writer = self._connect()
                self._writer.execute("PRAGMA journal_mode = WAL")
                with self.transaction() as connection:
                    bring_up(connection)
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
                    if upgradable(version)
                    else "ingest into a new --home, or use the release that wrote it."
                )
            )

        self._opened = True

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
            if self._opened and is_damage(error):
                raise StoreError(
                    f"{self.path} is damaged ({error}): run crag index rebuild, which mends it where its documents can "
                    "still be read.",
                    code="store_damaged",
                ) from error
            raise StoreError(
                f"{self.path} cannot be used ({error}): restore it from a copy, or ingest into a new --home."
            ) from error

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Within the block this thread reads one state of the file, whatever is written meanwhile."""
        with self.guard():
            connection = self.read()
            connection.execute("BEGIN")
            try:
                yield
            finally:
                connection.execute("ROLLBACK")

    def damage(self, table: str = "") -> str:
        """The first thing that SQLite finds wrong with the file or with a table, "" where there is nothing.

        Reads all of it. Raises StoreError where it cannot be read for another reason.
        """
        with self.guard():
            try:
                argument = table or "1"
                (found,) = self.read().execute(f"PRAGMA integrity_check({argument})").fetchone()
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise
                found = str(error)
        return "" if found == "ok" else " ".join(str(found).split())

    def mend(self) -> bool:
        """Make anew what is damaged and can be: derived tables, empty, and the indexes of the others. Whether any was.

        Reads the whole file. Raises StoreError where what the documents say cannot be read any more.
        """
        if not self.damage():
            return False
        if lost := [table for table in _KEPT if not self._readable(table)]:
            raise StoreError(
                f"{self.path} is damaged and its {lost[0]} cannot be read any more: restore it from a copy, or ingest "
                "into a new --home."
            )
        copied, emptied = ([table for table in tables if self.damage(table)] for tables in (_KEPT, DERIVED))
        self._renew(copied, emptied)
        return True

    def _readable(self, table: str) -> bool:
        """Without its indexes."""
        with self.guard():
            try:
                for _ in self.read().execute(f"SELECT * FROM {table} NOT INDEXED"):
                    pass
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise
                return False
        return True

    def _renew(self, copied: Collection[str], emptied: Collection[str]) -> None:
        """Make tables and their indexes anew. DROP and REINDEX walk the pages that are damaged: the old ones are taken
        out of the schema, and VACUUM leaves them behind."""
        gone = (*copied, *emptied)
        with self.transaction() as connection:
            for table in copied:
                query = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
                (made,) = connection.execute(query, (table,)).fetchone()
                connection.execute(re.sub(rf'\ACREATE TABLE "?{table}"?', f"CREATE TABLE {table}_anew", made))
                # With the limit SQLite reads rows; without, it would copy the indexes page by page.
                connection.execute(f"INSERT INTO {table}_anew SELECT * FROM {table} NOT INDEXED LIMIT -1")
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(f"DELETE FROM sqlite_master WHERE tbl_name IN ({', '.join('?' * len(gone))})", gone)
            connection.execute("PRAGMA writable_schema = RESET")
            for table in copied:
                connection.execute(f"ALTER TABLE {table}_anew RENAME TO {table}")
            complete(connection)
        with self._write_lock, self.guard():
            assert self._writer is not None
            self._writer.execute("VACUUM")

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
