"""Qdrant: dense and sparse vectors of one collection for each index, in a folder or on a cluster.

The sparse vectors are BM25 by our tokenizer: a chunk's weights when it was written, a question's idf as of now, so
that their dot product is the score that the postings give.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from chunking.errors import MissingExtraError, StoreError
from retrieval.config import StoreConfig
from retrieval.embedders.base import Vectors
from retrieval.vectors.base import Points, Scope, Sparse

API_KEY = "QDRANT_API_KEY"
_BATCH = 500
"""Points in one request: some 2 MB at 384 dimensions."""
_PAGE = 5000
_DENSE, _WORDS = "dense", "bm25"


class QdrantStore:
    """Connects at first use. Without `store.url` the points lie in the index's folder, for one process at a time.

    With `write` off no folder is made where it is lacking.
    """

    ranks_words = True

    def __init__(self, config: StoreConfig, folder: Path, name: str, *, write: bool = True) -> None:
        self._config = config
        self._folder = folder
        self._write = write
        self._name = name
        self._lock = threading.RLock()
        self._client: Any = None
        self._made = False

    def upsert(self, points: Points) -> None:
        with self._open() as (client, models):
            self._make(client, models, points.vectors.shape[1])
            for first in range(0, len(points.ids), _BATCH):
                rows = range(first, min(first + _BATCH, len(points.ids)))
                client.upsert(self._name, [_point(models, points, row) for row in rows], wait=True)

    def delete(self, ids: Sequence[str]) -> None:
        with self._open() as (client, models):
            for first in range(0, len(ids) if self._exists(client) else 0, _PAGE):
                chosen = models.PointIdsList(points=[_key(i) for i in ids[first : first + _PAGE]])
                client.delete(self._name, chosen, wait=True)

    def query(self, vector: Vectors, k: int, within: Scope | None = None) -> list[tuple[str, float]]:
        return self._query(_DENSE, np.asarray(vector, np.float32).tolist(), k, within)

    def query_sparse(self, query: Sparse, k: int, within: Scope | None = None) -> list[tuple[str, float]]:
        terms, weights = query
        if not len(terms):
            return []
        with self._open() as (_, models):
            words = models.SparseVector(indices=terms.tolist(), values=weights.tolist())
        return [(identifier, score) for identifier, score in self._query(_WORDS, words, k, within) if score > 0]

    def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        found: dict[str, Vectors] = {}
        with self._open() as (client, _):
            for first in range(0, len(ids) if self._exists(client) else 0, _PAGE):
                keys = [_key(i) for i in ids[first : first + _PAGE]]
                for point in client.retrieve(self._name, keys, with_payload=["chunk"], with_vectors=[_DENSE]):
                    found[point.payload["chunk"]] = np.asarray(point.vector[_DENSE], np.float32)
        return found

    def ids(self) -> set[str]:
        found: set[str] = set()
        with self._open() as (client, _):
            offset, more = None, self._exists(client)
            while more:
                page, offset = client.scroll(self._name, limit=_PAGE, offset=offset, with_payload=["chunk"])
                found.update(point.payload["chunk"] for point in page)
                more = offset is not None
        return found

    def count(self) -> int:
        with self._open() as (client, _):
            return int(client.count(self._name, exact=True).count) if self._exists(client) else 0

    def reopen(self) -> None:
        """A server's other clients are seen at once; a folder has no others."""

    def reset(self) -> None:
        with self._open() as (client, _):
            client.delete_collection(self._name)
            self._made = False

    def close(self) -> None:
        with self._lock:
            client, self._client, self._made = self._client, None, False
            if client is not None:
                client.close()

    def _query(self, using: str, query: Any, k: int, within: Scope | None) -> list[tuple[str, float]]:
        with self._open() as (client, models):
            if not self._exists(client):
                return []
            only = None
            if within is not None:
                match = models.MatchAny(any=list(within.documents))
                only = models.Filter(must=[models.FieldCondition(key="document", match=match)])
            answer = client.query_points(
                self._name, query, using=using, query_filter=only, limit=k, with_payload=["chunk"]
            )
        return [(point.payload["chunk"], point.score) for point in answer.points]

    def _make(self, client: Any, models: Any, dimension: int) -> None:
        if self._exists(client):
            return
        client.create_collection(
            self._name,
            vectors_config={_DENSE: models.VectorParams(size=dimension, distance=models.Distance.COSINE)},
            sparse_vectors_config={_WORDS: models.SparseVectorParams()},
            shard_number=self._config.shards,
            replication_factor=self._config.replicas,
            write_consistency_factor=self._config.write_consistency,
        )
        if self._config.url:  # A folder needs none, and says so as a warning.
            client.create_payload_index(self._name, "document", models.PayloadSchemaType.KEYWORD)
        self._made = True

    def _exists(self, client: Any) -> bool:
        self._made = self._made or bool(client.collection_exists(self._name))
        return self._made

    @contextmanager
    def _open(self) -> Iterator[tuple[Any, Any]]:
        try:
            from qdrant_client import QdrantClient, models
        except ImportError as error:
            raise MissingExtraError("store.provider qdrant", "qdrant") from error
        try:
            with self._lock:
                if self._client is None:
                    self._client = self._connect(QdrantClient)
                if self._config.url:
                    client = self._client
                else:
                    # A folder's points are plain Python objects: one thread at a time.
                    yield self._client, models
                    return
            yield client, models
        except StoreError:
            raise
        except Exception as error:  # The client lets errors of its transports through as they come.
            where = f"Qdrant server at {self._config.url}" if self._config.url else f"Qdrant folder {self._folder}"
            remedy = "start it, or correct store.url; " if self._config.url else "end what else uses it; "
            raise StoreError(
                f"The {where} cannot be used ({str(error) or type(error).__name__}): {remedy}"
                "if its data is lost or damaged, run crag index rebuild."
            ) from error

    def _connect(self, build: Any) -> Any:
        if not self._config.url:
            if not (self._write or self._folder.exists()):
                return build(":memory:")
            return build(path=str(self._folder), force_disable_check_same_thread=True)
        key = os.environ.get(self._config.api_key_env or API_KEY)
        return build(
            url=self._config.url, api_key=key, timeout=max(1, round(self._config.timeout)), check_compatibility=False
        )


def _point(models: Any, points: Points, row: int) -> Any:
    vector: dict[str, Any] = {_DENSE: points.vectors[row].tolist()}
    if points.sparse is not None:
        terms, weights = points.sparse[row]
        vector[_WORDS] = models.SparseVector(indices=terms.tolist(), values=weights.tolist())
    payload = {"chunk": points.ids[row], "document": points.documents[row]}
    return models.PointStruct(id=_key(points.ids[row]), vector=vector, payload=payload)


def _key(identifier: str) -> str:
    """Qdrant takes numbers and UUIDs only."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, identifier))
