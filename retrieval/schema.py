"""What the workspace's SQLite file holds: its tables, how an older file is brought up to them, and what may be lost."""

from __future__ import annotations

import re
import secrets
import sqlite3
from collections.abc import Iterator

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

DERIVED = ("chunks", "terms", "indexed", "outbox")
"""Tables that are made anew from the others."""


def bring_up(connection: sqlite3.Connection) -> None:
    """Within a transaction: have all tables there, of a new file, an older one and one that has lost some."""
    if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        complete(connection)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        make_own(connection)
    while statements := _UPGRADE.get(version := _version(connection)):
        for statement in statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {version + 1}")
    if _version(connection) == SCHEMA_VERSION:
        complete(connection)


def complete(connection: sqlite3.Connection) -> None:
    """Make the tables that are not there, empty, and the indexes. Without its chunks an index has no document."""
    known = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    for statement in _statements():
        connection.execute(
            re.sub(r"(?m)^CREATE (TABLE|INDEX|TRIGGER) ", r"CREATE \1 IF NOT EXISTS ", statement, count=1)
        )
    for statement in _INDEXES:
        connection.execute(statement)
    if "chunks" not in known:
        connection.execute("DELETE FROM indexed")


def make_own(connection: sqlite3.Connection) -> None:
    """Give the file a number of its own, in SQLite's header: see `Database.identity`."""
    connection.execute(f"PRAGMA application_id = {secrets.randbelow(2**31 - 1) + 1}")


def upgradable(version: int) -> bool:
    return version in _UPGRADE


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _statements() -> Iterator[str]:
    statement = ""
    for line in _SCHEMA.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
