"""A real embedder with no model: hashed bags of character n-grams. Deterministic, quick, and near texts are near."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from retrieval.embedders.base import Role, Vectors

_TOKEN = re.compile(r"[a-zA-Z0-9_]+|[^\sa-zA-Z0-9_]")


class HashEmbedder:
    """Remembers its texts. `dimension` is a power of two. `before` runs ahead of each call and may raise or wait."""

    name = "hash"
    max_tokens = 512

    def __init__(self, dimension: int = 64, before: Callable[[Sequence[str]], None] | None = None) -> None:
        self.dimension = dimension
        self.fingerprint = f"hash-{dimension}"
        self.calls = 0
        self.texts: list[str] = []
        self._before = before

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if self._before:
            self._before(texts)
        self.calls += 1
        self.texts.extend(texts)
        vectors = np.stack([self._vector(text.lower()) for text in texts])
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(_TOKEN.findall(text)) for text in texts]

    def _vector(self, text: str) -> Vectors:
        points = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)
        vector = np.zeros(self.dimension)
        vector[0] = 1e-3  # never the zero vector
        for size in (1, 2, 3):
            codes = np.zeros(max(0, len(points) - size + 1), np.uint32)
            for offset in range(size):
                codes = codes * np.uint32(0x01000193) ^ points[offset : offset + len(codes)]
            codes = (codes ^ codes >> np.uint32(15)) * np.uint32(0x9E3779B1)
            signs = np.where(codes & np.uint32(0x10000), 1.0, -1.0)
            vector += np.bincount(codes >> np.uint32(17), signs, 1 << 15).reshape(-1, self.dimension).sum(axis=0)
        return vector.astype(np.float32)
