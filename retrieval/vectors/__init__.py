"""Vector engines by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from retrieval.config import StoreConfig
from retrieval.vectors.base import VectorStore
from retrieval.vectors.chroma import ChromaStore
from retrieval.vectors.chroma_server import ChromaServerStore
from retrieval.vectors.qdrant import QdrantStore

VECTOR_STORES: dict[str, Callable[[StoreConfig, Path, str], VectorStore]] = {
    "chroma": lambda config, folder, name: ChromaStore(folder, name),
    "chroma-server": lambda config, folder, name: ChromaServerStore(config, name),
    "qdrant": QdrantStore,
}
"""Name to builder; it takes the section of the pipeline file, the folder of the index and a name for its collection."""


def build_store(config: StoreConfig, folder: Path, name: str) -> VectorStore:
    """Connects at first use."""
    return VECTOR_STORES[config.provider](config, folder, name)
