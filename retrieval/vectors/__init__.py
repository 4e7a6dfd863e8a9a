"""Vector engines by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from retrieval.config import StoreConfig
from retrieval.vectors.base import VectorStore
from retrieval.vectors.chroma import ChromaStore
from retrieval.vectors.chroma_server import ChromaServerStore
from retrieval.vectors.qdrant import QdrantStore

VECTOR_STORES: dict[str, Callable[[StoreConfig, Path, str, bool], VectorStore]] = {
    "chroma": lambda config, folder, name, write: ChromaStore(folder, name, write=write),
    "chroma-server": lambda config, folder, name, write: ChromaServerStore(config, name, write=write),
    "qdrant": lambda config, folder, name, write: QdrantStore(config, folder, name, write=write),
}
"""Name to builder; it takes the section of the pipeline file, the folder of the index, a name for its collection and
whether that may be made."""


def build_store(config: StoreConfig, folder: Path, name: str, *, write: bool = True) -> VectorStore:
    """Connects at first use. With `write` off, what is lacking is not made: it holds no vectors then."""
    return VECTOR_STORES[config.provider](config, folder, name, write)
