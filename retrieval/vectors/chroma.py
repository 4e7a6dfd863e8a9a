"""Embedded Chroma: one folder and one collection for each index, our vectors, cosine space."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from chunking.errors import StoreError
from retrieval.embedders.base import Vectors
from retrieval.vectors.base import Points, Scope, Sparse
from retrieval.vectors.graphs import check_graphs

_HNSW = {"space": "cosine", "ef_construction": 200, "ef_search": 200}


_FEW = 500
"""Chunks up to which a filtered search compares every vector."""

_MOST = 1000
"""Nearest chunks, of all, that a filtered search looks through: at 100,000 vectors Chroma gives 200 in 2 ms."""


class ChromaStore:
    """Opens at first use. Another process keeps seeing what it saw when it opened: see `reopen`.

    With `write` off nothing is made where it is lacking: that finds no vectors.
    """

    ranks_words = False

    def __init__(self, folder: Path, name: str, *, write: bool = True) -> None:
        self._folder = folder
        self._name = name
        self._write = write
        self._idle = threading.Condition()
        self._users = 0
        self._client: Any = None
        self._collection: Any = None
        self._place: int | None = None
        self._copy: tempfile.TemporaryDirectory[str] | None = None

    def upsert(self, points: Points) -> None:
        with self._open() as collection:
            page = self._client.get_max_batch_size()
            for first in range(0, len(points.ids), page):
                span = slice(first, first + page)
                collection.upsert(
                    ids=list(points.ids[span]),
                    embeddings=np.ascontiguousarray(points.vectors[span], np.float32),
                    metadatas=[{"document": document} for document in points.documents[span]],
                )

    def delete(self, ids: Sequence[str]) -> None:
        with self._open() as collection:
            page = self._client.get_max_batch_size()
            for first in range(0, len(ids), page):
                collection.delete(ids=list(ids[first : first + page]))

    def query(self, vector: Vectors, k: int, within: Scope | None = None) -> list[tuple[str, float]]:
        ids = None if within is None else within.chunks()
        if ids is not None and len(ids) <= _FEW:
            # Walking the graph for the few of many takes Chroma 70 ms at 100,000 vectors; reading them takes 10.
            scores = {i: float(stored @ vector) for i, stored in self.vectors(ids).items()}
            return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k]
        if ids and within is not None and (enough := 2 * k * within.total // len(ids)) <= _MOST:
            # Where much passes the filter, enough of the nearest do: handing Chroma the ids of 85,000 takes 40 ms.
            inside = set(ids)
            found = [pair for pair in self.query(vector, max(k, enough)) if pair[0] in inside][:k]
            if len(found) == min(k, len(ids)):
                return found
        with self._open() as collection:
            # By ids, for a filter over metadata walks Chroma's SQLite: 160 ms for 5,000 documents instead of 16.
            answer = collection.query(
                query_embeddings=[np.asarray(vector, np.float32)], n_results=k, ids=ids, include=["distances"]
            )
        return [
            (identifier, 1.0 - distance)
            for identifier, distance in zip(answer["ids"][0], answer["distances"][0], strict=True)
        ]

    def query_sparse(self, query: Sparse, k: int, within: Scope | None = None) -> list[tuple[str, float]]:
        raise StoreError("Chroma ranks no sparse vectors: rank words by the postings.")

    def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        if not ids:
            return {}
        with self._open() as collection:
            found = collection.get(ids=list(ids), include=["embeddings"])
        return dict(zip(found["ids"], np.asarray(found["embeddings"], np.float32), strict=True))

    def ids(self) -> set[str]:
        with self._open() as collection:
            return set(collection.get(include=[])["ids"])

    def count(self) -> int:
        with self._open() as collection:
            return int(collection.count())

    def reopen(self) -> None:
        self.close()

    def reset(self) -> None:
        self.close()
        if self._folder.is_file():
            self._folder.unlink()
        gone = self._beside("gone")
        with suppress(OSError):  # At once, for a reader that opens it meanwhile would write into what is left.
            self._folder.rename(gone)
        for folder in (gone, self._folder):
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        with self._idle:
            self._idle.wait_for(lambda: not self._users)
            client, self._client, self._collection = self._client, None, None
            if client is not None:
                self._disconnect(client)

    def _disconnect(self, client: Any) -> None:
        client.close()
        if self._copy is not None:
            self._copy.cleanup()
            self._copy = None

    @contextmanager
    def _open(self) -> Iterator[Any]:
        try:
            with self._idle:
                place = None if self._write else _place(self._folder)
                if self._collection is not None and place != self._place:
                    # SQLite finds its journal by path: it would take that of the new file for its own.
                    self.close()
                if self._collection is None:
                    self._client, self._collection = self._connect()
                    self._place = place
                self._users += 1
            try:
                yield self._collection
            finally:
                with self._idle:
                    self._users -= 1
                    self._idle.notify_all()
        # Chroma lets errors of its Rust side through as they come: plain Exceptions, and panics, which are none.
        except BaseException as error:
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            raise StoreError(self._trouble(error)) from error

    def _connect(self) -> tuple[Any, Any]:
        check_graphs(self._folder)
        held = _held(self._folder)
        if self._write:
            if not held:
                self._make()
            return _embedded(self._folder, self._name)
        if held and os.access(self._folder, os.W_OK):
            return _embedded(self._folder, self._name, write=False)
        # Chroma writes when it opens: what lies where nothing can be written is read from a copy.
        self._copy = tempfile.TemporaryDirectory(prefix="crag-vectors-", ignore_cleanup_errors=True)
        copy = Path(self._copy.name) / self._folder.name
        return _embedded(Path(shutil.copytree(self._folder, copy)) if held else copy, self._name)

    def _make(self) -> None:
        """Appears whole: a reader that opened it half made would make its tables too, and one of the two would fail."""
        partial = self._beside("partial")
        client, _ = _embedded(partial, self._name)
        client.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        partial.rename(self._folder)

    def _beside(self, name: str) -> Path:
        folder = self._folder.with_name(f"{self._folder.name}.{name}")
        if folder.exists():  # Of a process that was killed.
            shutil.rmtree(folder, ignore_errors=True)
        return folder

    def _trouble(self, error: BaseException) -> str:
        return (
            f"The vectors in {self._folder} cannot be used ({error}): run crag index rebuild, "
            "which writes them anew from the workspace."
        )


def _held(folder: Path) -> bool:
    """Whether Chroma has made the folder."""
    try:
        return (folder / "chroma.sqlite3").stat().st_size > 0
    except OSError:
        return False


def _place(folder: Path) -> int | None:
    """Another one where the owner has put a new folder in the place of the old."""
    try:
        return folder.stat().st_ino
    except OSError:
        return None


def _embedded(folder: Path, name: str, *, write: bool = True) -> tuple[Any, Any]:
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient
    from chromadb.config import Settings

    client: Any = None
    try:
        client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
        return client, collection_of(client, name, write=write)
    except BaseException:  # Rust's panics and Ctrl-C are no Exceptions, and leave the same behind.
        if client is not None:
            client.close()
        # Chroma keeps what failed to start under its path and would hand it to the next client.
        SharedSystemClient._identifier_to_system.pop(str(folder), None)
        raise


def collection_of(client: Any, name: str, *, write: bool = True) -> Any:
    """The collection, with `write` made where it is lacking. Raises NotFoundError of Chroma's."""
    # Without an explicit None, Chroma attaches an embedding function that downloads a model.
    if not write:
        return client.get_collection(name, embedding_function=None)
    return client.get_or_create_collection(name, embedding_function=None, configuration={"hnsw": _HNSW})
