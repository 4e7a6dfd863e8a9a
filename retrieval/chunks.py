"""The chunks of one index in SQLite, with their stored term counts and what the vector store has still to follow."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from chunking.errors import StoreError
from chunking.types import Chunk
from retrieval.database import Database
from retrieval.lexical.postings import Counts
from retrieval.sections import Section
from retrieval.types import DocumentInfo

_CHUNK = (
    'c.id, c.document_id, c.start, c."end", c.text, c.tokens, c.heading_path, c.page, c.parent_id, c.forced, c.context'
)
_PAGE = 500
"""Ids in one statement: below the 999 variables of old SQLite builds."""


class ChunkTable:
    """Writing methods take the connection of the transaction that they are part of."""

    def __init__(self, database: Database, index_id: int) -> None:
        self._database = database
        self._index = index_id

    def __len__(self) -> int:
        return int(self._scalar("SELECT count(*) FROM chunks WHERE index_id = ?"))

    def mean_tokens(self) -> float:
        """Of a chunk; 0 where there is none."""
        return float(self._scalar("SELECT coalesce(avg(tokens), 0) FROM chunks WHERE index_id = ?"))

    def ids(self) -> set[str]:
        return {row[0] for row in self._all("SELECT id FROM chunks WHERE index_id = ?")}

    def get(self, ids: Iterable[str]) -> dict[str, tuple[Chunk, DocumentInfo]]:
        """Chunks and their documents by id; ids that are gone are left out."""
        query = (
            f"SELECT {_CHUNK}, d.source, d.title, d.media_type, d.date, d.collection"
            " FROM chunks c JOIN documents d ON d.id = c.document_id WHERE c.index_id = ? AND c.id IN"
        )
        found = ((_chunk(row[:11]), _info(row[1], row[11:])) for row in self._paged(query, ids))
        return {chunk.id: (chunk, document) for chunk, document in found}

    def of_document(self, document_id: str) -> list[Chunk]:
        """In text order."""
        query = f'SELECT {_CHUNK} FROM chunks c WHERE c.index_id = ? AND c.document_id = ? ORDER BY c.start, c."end"'
        return [_chunk(row) for row in self._all(query, document_id)]

    def sections(self, parent_ids: Collection[str]) -> dict[str, Section]:
        """The parents that chunks of this index have, by id: the text from the first child to the last."""
        query = (
            'SELECT s.*, d.text FROM (SELECT parent_id, document_id, count(*), min(start), max("end"), sum(tokens),'
            " min(page), json_group_array(json(heading_path)), json_group_array(context)"
            " FROM chunks WHERE index_id = ? AND parent_id IS NOT NULL AND parent_id IN"
        )
        rest = " GROUP BY parent_id) s JOIN documents d ON d.id = s.document_id"
        return {row[0]: _section(row) for row in self._paged(query, parent_ids, rest)}

    def counts(self) -> list[tuple[str, str, Counts]]:
        """(chunk id, document id, term counts) of all chunks, oldest first. Raises StoreError over damaged ones."""
        query = "SELECT id, document_id, terms FROM chunks WHERE index_id = ? ORDER BY number"
        return [self._counted(row) for row in self._all(query)]

    def counts_of(self, ids: Iterable[str]) -> list[tuple[str, str, Counts]]:
        query = "SELECT c.id, c.document_id, c.terms FROM chunks c WHERE c.index_id = ? AND c.id IN"
        return [self._counted(row) for row in self._paged(query, ids)]

    def vocabulary(self) -> list[str]:
        """Terms by id. Raises StoreError where some are lost."""
        rows = self._all("SELECT id, term FROM terms WHERE index_id = ? ORDER BY id")
        if any(row[0] != number for number, row in enumerate(rows)):
            raise self._damaged("terms are lost")
        return [row[1] for row in rows]

    def within(self, document_ids: Collection[str]) -> list[str]:
        """Ids of the chunks of these documents."""
        query = "SELECT c.id FROM chunks c WHERE c.index_id = ? AND c.document_id IN"
        return [row[0] for row in self._paged(query, document_ids)]

    def indexed(self) -> set[str]:
        """Ids of the documents that the index has taken in."""
        return {row[0] for row in self._all("SELECT document_id FROM indexed WHERE index_id = ?")}

    def missing(self) -> list[str]:
        """Ids of the workspace's documents that the index has not taken in, sorted by source."""
        query = (
            "SELECT id FROM documents WHERE id NOT IN (SELECT document_id FROM indexed WHERE index_id = ?)"
            " ORDER BY source, id"
        )
        return [row[0] for row in self._all(query)]

    def pending(self) -> list[str]:
        """Ids of the chunks that the vector store has still to follow."""
        return [row[0] for row in self._all("SELECT chunk_id FROM outbox WHERE index_id = ?")]

    def awaiting(self) -> int:
        """Number of the chunks that are there and whose vector is still to be written."""
        return int(
            self._scalar(
                "SELECT count(*) FROM outbox o JOIN chunks c ON c.index_id = o.index_id AND c.id = o.chunk_id"
                " WHERE o.index_id = ?"
            )
        )

    def dimension(self) -> int:
        """Of the vectors that the index was made for."""
        return int(self._scalar("SELECT dimension FROM indexes WHERE id = ?"))

    def generation(self) -> int:
        """Grows with every change that the derived stores have followed."""
        return int(self._scalar("SELECT generation FROM indexes WHERE id = ?"))

    def add(
        self, connection: sqlite3.Connection, document_id: str, chunks: Sequence[Chunk], counts: Sequence[Counts]
    ) -> None:
        """Take in a document that is in the registry and not in the index yet."""
        connection.execute("INSERT INTO indexed VALUES (?, ?)", (self._index, document_id))
        connection.executemany(
            'INSERT INTO chunks (index_id, id, document_id, start, "end", text, tokens, heading_path, page, parent_id,'
            " forced, context, terms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(self._index, *_row(chunk), _pack(tally)) for chunk, tally in zip(chunks, counts, strict=True)],
        )

    def add_terms(self, connection: sqlite3.Connection, vocabulary: Sequence[str]) -> None:
        """Store the terms that a longer vocabulary has more than the stored one."""
        # Ids count from 0 without a gap; counting the rows would read them all.
        query = "SELECT coalesce(max(id) + 1, 0) FROM terms WHERE index_id = ?"
        stored = connection.execute(query, (self._index,)).fetchone()[0]
        more = enumerate(vocabulary[stored:], stored)
        connection.executemany(
            "INSERT INTO terms VALUES (?, ?, ?)", [(self._index, number, term) for number, term in more]
        )

    def forget(self, connection: sqlite3.Connection, document_id: str) -> None:
        """Take a document out of this index; it stays in the registry."""
        key = (self._index, document_id)
        connection.execute("DELETE FROM chunks WHERE index_id = ? AND document_id = ?", key)
        connection.execute("DELETE FROM indexed WHERE index_id = ? AND document_id = ?", key)

    def replace_counts(self, connection: sqlite3.Connection, counts: Iterable[tuple[str, Counts]]) -> None:
        """Overwrite all term counts and drop the stored vocabulary, which `add_terms` then writes anew."""
        connection.execute("DELETE FROM terms WHERE index_id = ?", (self._index,))
        connection.executemany(
            "UPDATE chunks SET terms = ? WHERE index_id = ? AND id = ?",
            ((_pack(tally), self._index, identifier) for identifier, tally in counts),
        )

    def mark(self, connection: sqlite3.Connection, ids: Collection[str]) -> None:
        """Have the vector store follow these chunks again."""
        connection.executemany("INSERT OR IGNORE INTO outbox VALUES (?, ?)", [(self._index, i) for i in ids])

    def settle(self, connection: sqlite3.Connection, ids: Collection[str]) -> None:
        """The derived stores have followed these chunks."""
        connection.executemany(
            "DELETE FROM outbox WHERE index_id = ? AND chunk_id = ?", [(self._index, i) for i in ids]
        )
        connection.execute("UPDATE indexes SET generation = generation + 1 WHERE id = ?", (self._index,))

    def _counted(self, row: Sequence[Any]) -> tuple[str, str, Counts]:
        identifier, document_id, blob = row
        if len(blob) % 8:
            raise self._damaged(f"the term counts of {identifier} are cut off")
        terms, counts = np.frombuffer(blob, "<i4").reshape(2, -1)
        return identifier, document_id, (terms, counts)

    def _damaged(self, how: str) -> StoreError:
        return StoreError(f"{self._database.path} is damaged ({how}): run crag index rebuild.", code="store_damaged")

    def _all(self, query: str, *parameters: Any) -> list[Any]:
        with self._database.guard():
            return self._database.read().execute(query, (self._index, *parameters)).fetchall()

    def _scalar(self, query: str) -> Any:
        return self._all(query)[0][0]

    def _paged(self, query: str, ids: Iterable[str], after: str = "") -> Iterator[Any]:
        wanted = list(ids)
        for first in range(0, len(wanted), _PAGE):
            page = wanted[first : first + _PAGE]
            yield from self._all(f"{query} ({', '.join('?' * len(page))}){after}", *page)


def _info(identifier: str, row: Sequence[Any]) -> DocumentInfo:
    source, title, media_type, date, collection = row
    return DocumentInfo(identifier, source, title, media_type, date=date or None, collection=collection)


def _row(chunk: Chunk) -> tuple[Any, ...]:
    return (
        chunk.id,
        chunk.document_id,
        chunk.start,
        chunk.end,
        chunk.text,
        chunk.tokens,
        json.dumps(chunk.heading_path, ensure_ascii=False),
        chunk.page,
        chunk.parent_id,
        int(chunk.forced),
        chunk.context,
    )


def _chunk(row: Sequence[Any]) -> Chunk:
    identifier, document_id, start, end, text, tokens, heading_path, page, parent_id, forced, context = row
    return Chunk(
        id=identifier,
        document_id=document_id,
        start=start,
        end=end,
        text=text,
        tokens=tokens,
        heading_path=tuple(json.loads(heading_path)),
        page=page,
        parent_id=parent_id,
        forced=bool(forced),
        context=context,
    )


def _section(row: Sequence[Any]) -> Section:
    identifier, document_id, chunks, start, end, tokens, page, paths, contexts, text = row
    distinct = dict.fromkeys(json.loads(contexts))
    passage = Chunk(
        id=identifier,
        document_id=document_id,
        start=start,
        end=end,
        text=text[start:end],
        tokens=tokens,
        heading_path=_common([tuple(path) for path in json.loads(paths)]),
        page=page,
        context=next(iter(distinct)) if len(distinct) == 1 else "",
    )
    return Section(passage, chunks)


def _common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The headings that all of them are under."""
    shared = 0
    while all(len(path) > shared for path in paths) and len({path[shared] for path in paths}) == 1:
        shared += 1
    return paths[0][:shared]


def _pack(counts: Counts) -> bytes:
    return np.stack(counts).astype("<i4").tobytes()
