"""The one door to an embedder from the index: nothing misshapen passes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunking.errors import ProviderError
from retrieval.embedders.base import Embedder, Role, Vectors, called


def embed(embedder: Embedder, texts: Sequence[str], role: Role) -> Vectors:
    """Vectors of texts, shape (len(texts), dimension), checked to be of that shape and finite. Raises ProviderError."""
    if not texts:
        return np.empty((0, embedder.dimension), np.float32)
    vectors = embedder.embed(texts, role)
    shape = (len(texts), embedder.dimension)
    if vectors.shape != shape:
        problem = f"vectors of shape {vectors.shape} where {shape} was asked for"
    elif not np.isfinite(vectors).all():
        problem = "vectors that are not finite numbers"
    else:
        return vectors
    raise ProviderError(f"The {called(embedder)} returned {problem}: check the model.", provider=embedder.name)
