"""Vector engines by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from retrieval.vectors.base import VectorStore
from retrieval.vectors.chroma import ChromaStore

VECTOR_STORES: dict[str, Callable[[Path, str], VectorStore]] = {"chroma": ChromaStore}
"""Name to builder; it takes the folder of the index and the name of its collection."""
