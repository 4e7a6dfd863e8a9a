"""The documents of a workspace: what was ingested, from where, and its text. SQLite is their only home."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from chunking.errors import NotFoundError
from chunking.types import Block, Document
from retrieval.database import Database
from retrieval.types import DocumentInfo, Filters


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A line of ``crag docs list``. `characters` is the length of the text, `ingested_at` is ISO 8601 in UTC."""

    id: str
    origin: str
    source: str
    title: str
    media_type: str
    content_hash: str
    characters: int
    notes: tuple[str, ...]
    ingested_at: str

    @property
    def info(self) -> DocumentInfo:
        return DocumentInfo(self.id, self.source, self.title, self.media_type)

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__} | {"notes": list(self.notes)}


_RECORD = "id, origin, source, title, media_type, content_hash, length(text), notes, ingested_at"


class Registry:
    def __init__(self, database: Database) -> None:
        self._database = database

    def __len__(self) -> int:
        with self._database.guard():
            return int(self._database.read().execute("SELECT count(*) FROM documents").fetchone()[0])

    def __iter__(self) -> Iterator[DocumentRecord]:
        return iter(self.documents())

    def documents(self, filters: Filters | None = None) -> list[DocumentRecord]:
        """Sorted by source."""
        with self._database.guard():
            rows = self._database.read().execute(f"SELECT {_RECORD} FROM documents ORDER BY source, id").fetchall()
        records = [_record(row) for row in rows]
        return [record for record in records if filters is None or filters.matches(record.info)]

    def find(self, name: str) -> DocumentRecord:
        """By id, source or origin. Raises NotFoundError, also where a source names several documents."""
        query = f"SELECT {_RECORD} FROM documents WHERE id = ?1 OR source = ?1 OR origin = ?1"
        with self._database.guard():
            rows = self._database.read().execute(query, (name,)).fetchall()
        if len(rows) > 1:
            raise NotFoundError(f"{name} names {len(rows)} documents: give an id, as crag docs list shows it.")
        if not rows:
            raise NotFoundError(f"No document is called {name}: crag docs list shows what was ingested.")
        return _record(rows[0])

    def get(self, document_id: str) -> Document:
        """The parsed document. Raises NotFoundError."""
        query = "SELECT id, source, title, media_type, content_hash, text, blocks, notes FROM documents WHERE id = ?"
        with self._database.guard():
            row = self._database.read().execute(query, (document_id,)).fetchone()
        if row is None:
            raise NotFoundError(f"No document has the id {document_id}: crag docs list shows what was ingested.")
        identifier, source, title, media_type, content_hash, text, blocks, notes = row
        return Document(
            id=identifier,
            source=source,
            title=title,
            media_type=media_type,
            content_hash=content_hash,
            text=text,
            blocks=tuple(
                Block(kind, start, end, tuple(path), page) for kind, start, end, path, page in json.loads(blocks)
            ),
            notes=tuple(json.loads(notes)),
        )

    def content_hashes(self) -> dict[str, str]:
        """Content hash by document id."""
        with self._database.guard():
            return dict(self._database.read().execute("SELECT id, content_hash FROM documents").fetchall())

    def origins(self) -> dict[str, str]:
        """Origin (absolute path or URL) by document id."""
        with self._database.guard():
            return dict(self._database.read().execute("SELECT id, origin FROM documents").fetchall())

    def matching(self, filters: Filters | None) -> list[str] | None:
        """Ids of the documents that pass, or None where nothing is restricted."""
        if filters is None or filters == Filters():
            return None
        with self._database.guard():
            rows = self._database.read().execute("SELECT id, source, title, media_type FROM documents").fetchall()
        return [row[0] for row in rows if filters.matches(DocumentInfo(*row))]

    def put(self, connection: sqlite3.Connection, document: Document, origin: str) -> None:
        """Add or replace within a transaction. Chunks of an earlier text go, in every index."""
        connection.execute("DELETE FROM chunks WHERE document_id = ?", (document.id,))
        connection.execute("DELETE FROM indexed WHERE document_id = ?", (document.id,))
        connection.execute(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
            " source = excluded.source, title = excluded.title, media_type = excluded.media_type,"
            " content_hash = excluded.content_hash, text = excluded.text, blocks = excluded.blocks,"
            " notes = excluded.notes, ingested_at = excluded.ingested_at",
            (
                document.id,
                origin,
                document.source,
                document.title,
                document.media_type,
                document.content_hash,
                document.text,
                _json([[b.kind, b.start, b.end, b.heading_path, b.page] for b in document.blocks]),
                _json(document.notes),
                datetime.now(UTC).isoformat(timespec="seconds"),
            ),
        )

    def delete(self, connection: sqlite3.Connection, document_ids: Collection[str]) -> int:
        """Delete documents and their chunks in every index, within a transaction; the number deleted."""
        return max(0, connection.executemany("DELETE FROM documents WHERE id = ?", _rows(document_ids)).rowcount)


def _rows(values: Iterable[str]) -> list[tuple[str]]:
    return [(value,) for value in values]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _record(row: tuple[Any, ...]) -> DocumentRecord:
    fields = dict(zip(DocumentRecord.__slots__, row, strict=True))
    return DocumentRecord(**{**fields, "notes": tuple(json.loads(fields["notes"]))})
