"""One verb: `Chunker.chunk`. A strategy is built from its configuration and injected parts; no model is imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chunking.errors import ProviderError
from chunking.types import Chunk, Document

SentenceEmbedder = Callable[[Sequence[str]], NDArray[np.float32]]
"""Unit vectors of sentences, shape (n, dimension)."""


class BoundaryModel(Protocol):
    def mark(
        self, instructions: str, texts: Sequence[str], schema: Mapping[str, Any]
    ) -> Sequence[Mapping[str, Any] | ProviderError | None]:
        """A reply to each text: an object of `schema` (JSON schema), None where the model gave none, or what failed."""
        ...


class Chunker(Protocol):
    def chunk(self, document: Document) -> list[Chunk]:
        """Sorted chunks of the document, disjoint unless the configuration asks for an overlap."""
        ...
