"""The documents of a workspace: what was ingested, from where, and its text. SQLite is their only home."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from chunking.errors import NotFoundError
from chunking.types import Block, Document, document_id
from retrieval.database import Database
from retrieval.types import DEFAULT_COLLECTION, DocumentInfo, Filters


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A line of ``crag docs list``. `characters` is the length of the text, `ingested_at` is ISO 8601 in UTC.

    `date` is the ISO day on which the file was last modified, or, without a file, on which it was taken in.
    """

    id: str
    origin: str
    source: str
    title: str
    media_type: str
    content_hash: str
    characters: int
    notes: tuple[str, ...]
    ingested_at: str
    collection: str
    date: str

    @property
    def info(self) -> DocumentInfo:
        return DocumentInfo(
            self.id, self.source, self.title, self.media_type, date=self.date or None, collection=self.collection
        )

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__} | {"notes": list(self.notes)}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document comes from and which collection it belongs to.

    `origin` is an absolute path or a URL; `date` an ISO day, today's where there is none.
    """

    origin: str
    collection: str = DEFAULT_COLLECTION
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """What has to be known of a document to see whether it changed."""

    id: str
    content_hash: str
    source: str
    date: str


_RECORD = "id, origin, source, title, media_type, content_hash, length(text), notes, ingested_at, collection, date"


class Registry:
    def __init__(self, database: Database) -> None:
        self._database = database

    def __len__(self) -> int:
        with self._database.guard():
            return int(self._database.read().execute("SELECT count(*) FROM documents").fetchone()[0])

    def __iter__(self) -> Iterator[DocumentRecord]:
        return iter(self.documents())

    def documents(self, filters: Filters | None = None) -> list[DocumentRecord]:
        """Sorted by source; of every collection where `filters` are not given."""
        conditions, values = where(filters) if filters is not None else ("1", [])
        query = f"SELECT {_RECORD} FROM documents WHERE {conditions} ORDER BY source, id"
        with self._database.guard():
            return [_record(row) for row in self._database.read().execute(query, values).fetchall()]

    def collections(self) -> dict[str, int]:
        """Number of documents by collection, sorted by name; the default one is always there."""
        query = "SELECT collection, count(*) FROM documents GROUP BY collection"
        with self._database.guard():
            found = dict(self._database.read().execute(query).fetchall())
        return dict(sorted(({DEFAULT_COLLECTION: 0} | found).items()))

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
        query = (
            "SELECT id, source, title, media_type, content_hash, text, blocks, notes, page_starts"
            " FROM documents WHERE id = ?"
        )
        with self._database.guard():
            row = self._database.read().execute(query, (document_id,)).fetchone()
        if row is None:
            raise NotFoundError(f"No document has the id {document_id}: crag docs list shows what was ingested.")
        identifier, source, title, media_type, content_hash, text, blocks, notes, page_starts = row
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
            page_starts=tuple(json.loads(page_starts)),
        )

    def text(self, document_id: str) -> str:
        """Of the parsed document, "" where there is none."""
        with self._database.guard():
            row = self._database.read().execute("SELECT text FROM documents WHERE id = ?", (document_id,)).fetchone()
        return "" if row is None else str(row[0])

    def members(self, collection: str) -> dict[str, Member]:
        """What a collection holds, by origin (absolute path or URL)."""
        query = "SELECT origin, id, content_hash, source, date FROM documents WHERE collection = ?"
        with self._database.guard():
            rows = self._database.read().execute(query, (collection,)).fetchall()
        return {origin: Member(*rest) for origin, *rest in rows}

    def matching(self, filters: Filters | None, collection: str = DEFAULT_COLLECTION) -> list[str] | None:
        """Ids of the documents that pass, or None where all do. `collection` holds where the filters name none."""
        conditions, values = where(filters or Filters(), collection)
        with self._database.guard():
            reader = self._database.read()
            if reader.execute(f"SELECT 1 FROM documents WHERE NOT ({conditions}) LIMIT 1", values).fetchone() is None:
                return None
            return [row[0] for row in reader.execute(f"SELECT id FROM documents WHERE {conditions}", values)]

    def holds(self, connection: sqlite3.Connection, document: Document) -> bool:
        """Within a transaction: whether the document is there and its text is this one."""
        query = "SELECT 1 FROM documents WHERE id = ? AND content_hash = ? AND text = ?"
        return connection.execute(query, (document.id, document.content_hash, document.text)).fetchone() is not None

    def put(
        self,
        connection: sqlite3.Connection,
        document: Document,
        place: Place,
    ) -> None:
        """Add or replace within a transaction. Chunks of an earlier text go, in every index."""
        now = datetime.now(UTC)
        connection.execute("DELETE FROM chunks WHERE document_id = ?", (document.id,))
        connection.execute("DELETE FROM indexed WHERE document_id = ?", (document.id,))
        connection.execute(
            "INSERT INTO documents (id, origin, source, title, media_type, content_hash, text, blocks, notes,"
            " ingested_at, page_starts, collection, date) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET"
            " source = excluded.source, title = excluded.title, media_type = excluded.media_type,"
            " content_hash = excluded.content_hash, text = excluded.text, blocks = excluded.blocks,"
            " notes = excluded.notes, ingested_at = excluded.ingested_at, page_starts = excluded.page_starts,"
            " date = excluded.date",
            (
                document.id,
                place.origin,
                document.source,
                document.title,
                document.media_type,
                document.content_hash,
                document.text,
                _json([[b.kind, b.start, b.end, b.heading_path, b.page] for b in document.blocks]),
                _json(document.notes),
                now.isoformat(timespec="seconds"),
                _json(document.page_starts),
                place.collection,
                place.date or now.date().isoformat(),
            ),
        )

    def move(self, connection: sqlite3.Connection, document_id: str, origin: str, source: str) -> None:
        """A document's file has another path now. Its id, text, chunks and vectors stay.

        A title that was the file's name becomes the new name.
        """
        (old, title) = connection.execute("SELECT source, title FROM documents WHERE id = ?", (document_id,)).fetchone()
        if title == PurePosixPath(old).stem:
            title = PurePosixPath(source).stem
        connection.execute(
            "UPDATE documents SET origin = ?, source = ?, title = ? WHERE id = ?", (origin, source, title, document_id)
        )

    def delete(self, connection: sqlite3.Connection, document_ids: Collection[str]) -> int:
        """Delete documents and their chunks in every index, within a transaction; the number deleted."""
        return max(0, connection.executemany("DELETE FROM documents WHERE id = ?", _rows(document_ids)).rowcount)


def where(filters: Filters, default: str = DEFAULT_COLLECTION) -> tuple[str, list[Any]]:
    """A condition on `documents` that says what `Filters.matches` says, and its values."""
    collection = filters.collection or (None if filters.documents is not None else default)
    tests: list[tuple[str, Any]] = [
        ("collection GLOB ?", _glob(collection) if collection else None),
        ("id IN (SELECT value FROM json_each(?))", None if filters.documents is None else _json(filters.documents)),
        ("source GLOB ?", _glob(filters.source)),
        ("lower_case(title) GLOB ?", _glob(filters.title_pattern)),
        ("media_type = ?", filters.media_type),
        ("date >= ?", filters.date_from and filters.date_from.isoformat()),
        ("date <> '' AND date <= ?", filters.date_to and filters.date_to.isoformat()),
    ]
    given = [(test, value) for test, value in tests if value is not None]
    return " AND ".join(test for test, _ in given) or "1", [value for _, value in given]


def _glob(pattern: str | None) -> str | None:
    """SQLite's form of an `fnmatch` pattern: the two differ in how a set is negated and in what is no set."""
    if pattern is None:
        return None
    out, at = [], 0
    while at < len(pattern):
        end = pattern.find("]", at + 3 if pattern[at + 1 : at + 2] == "!" else at + 2) if pattern[at] == "[" else -1
        if pattern[at] == "[" and end < 0:
            out.append("[[]")
        elif pattern[at] == "[":
            body = pattern[at + 1 : end]
            out.append(_set(body.removeprefix("!"), negated=body.startswith("!")))
            at = end
        else:
            out.append(pattern[at])
        at += 1
    return "".join(out)


def _set(body: str, *, negated: bool) -> str:
    """One character in (not in) what stands between fnmatch's brackets. A range whose ends are reversed is empty.

    SQLite takes ``]`` and ``-`` for themselves only at the front, and ``^`` anywhere but there.
    """
    singles: list[str] = []
    ranges: list[str] = []
    at = 0
    while at < len(body):
        if body[at + 1 : at + 2] != "-" or at + 2 == len(body):
            singles.append(body[at])
            at += 1
            continue
        low, high = body[at], body[at + 2]
        at += 3
        while low <= high and low in "]^-":
            singles.append(low)
            low = chr(ord(low) + 1)
        if high == "]" and low <= high:
            singles.append(high)
            high = chr(ord(high) - 1)
        if low <= high:
            ranges.append(f"{low}-{high}")
    first = "".join(each for each in "]-" if each in singles)
    inside = first + "".join(ranges) + "".join(each for each in singles if each not in "]^-")
    if "^" in singles:
        inside += "^"
    if negated:
        return f"[^{inside}]" if inside else "?"
    return {"": "[^\x01-\U0010ffff]", "^": "^"}.get(inside, f"[{inside}]")


def member_id(origin: str, collection: str = DEFAULT_COLLECTION) -> str:
    """The id that a document of this origin is given in a collection."""
    return document_id(origin if collection == DEFAULT_COLLECTION else f"{collection}\0{origin}")


def _rows(values: Iterable[str]) -> list[tuple[str]]:
    return [(value,) for value in values]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _record(row: tuple[Any, ...]) -> DocumentRecord:
    fields = dict(zip(DocumentRecord.__slots__, row, strict=True))
    return DocumentRecord(**{**fields, "notes": tuple(json.loads(fields["notes"]))})
