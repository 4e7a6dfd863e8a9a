"""text -> unit vector. Providers import their libraries when they are built, not here."""

from __future__ import annotations

from collections.abc import Callable

from chunking.errors import ConfigError
from retrieval.config import EmbeddingConfig
from retrieval.embedders.base import Embedder
from retrieval.embedders.bge import build_bge
from retrieval.embedders.cache import CachedEmbedder, EmbeddingCache
from retrieval.embedders.local import build_local
from retrieval.embedders.openai import build_openai

EMBEDDERS: dict[str, Callable[[EmbeddingConfig], Embedder]] = {
    "local": build_local,
    "openai": build_openai,
    "bge": build_bge,
}


def build_embedder(config: EmbeddingConfig, cache: EmbeddingCache | None = None) -> Embedder:
    """The provider that `config` names, behind `cache` where one is given. Raises ConfigError."""
    if config.provider not in EMBEDDERS:
        names = ", ".join(EMBEDDERS)
        raise ConfigError(f"embedding.provider {config.provider!r} is unknown: choose one of {names}.")
    embedder = EMBEDDERS[config.provider](config)
    return CachedEmbedder(embedder, cache) if cache is not None else embedder
