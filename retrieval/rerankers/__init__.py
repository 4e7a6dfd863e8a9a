"""hits -> hits in a better order. Providers import their libraries when they are built, not here."""

from __future__ import annotations

from typing import Protocol

from chunking.errors import ConfigError
from retrieval.config import RerankConfig
from retrieval.embedders.base import Embedder
from retrieval.rerankers.base import Reranker
from retrieval.rerankers.bge import build_bge
from retrieval.rerankers.http import build_http
from retrieval.rerankers.sentence import build_sentence


class _Builder(Protocol):
    def __call__(self, config: RerankConfig, *, embedder: Embedder) -> Reranker: ...


RERANKERS: dict[str, _Builder] = {
    "sentence": build_sentence,
    "bge": build_bge,
    "http": build_http,
}


def build_reranker(config: RerankConfig, *, embedder: Embedder) -> Reranker | None:
    """The provider that `config` names; None for ``none``. `embedder` should be the index's. Raises ConfigError."""
    if config.provider == "none":
        return None
    if config.provider not in RERANKERS:
        names = ", ".join(["none", *RERANKERS])
        raise ConfigError(f"rerank.provider {config.provider!r} is unknown: choose one of {names}.")
    return RERANKERS[config.provider](config, embedder=embedder)
