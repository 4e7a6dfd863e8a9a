"""One verb: `Embedder.embed`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Role = Literal["query", "passage"]
Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors.

    `fingerprint` names everything that changes a vector (provider, model, dimension, precision,
    prefixes); vectors of different fingerprints are never mixed.
    """

    name: str
    fingerprint: str
    max_tokens: int
    """Longest text that is read whole, in the tokens of `count_tokens`."""

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Unit vectors, float32, shape (len(texts), dimension). Thread-safe. Raises ProviderError."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without special tokens and role prefix."""
        ...
