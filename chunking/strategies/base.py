"""One verb: `Chunker.chunk`. A strategy is built from its configuration and two injected functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chunking.types import Chunk, Document

SentenceEmbedder = Callable[[Sequence[str]], NDArray[np.float32]]
"""Unit vectors of sentences, shape (n, dimension). Injected: chunking imports no model."""


class Chunker(Protocol):
    def chunk(self, document: Document) -> list[Chunk]:
        """Sorted chunks of the document, disjoint unless the configuration asks for an overlap."""
        ...
