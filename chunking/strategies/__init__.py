"""Document -> chunks, by the strategy that a pipeline file names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from chunking.config import ChunkingConfig
from chunking.errors import ConfigError
from chunking.strategies.base import Chunker, SentenceEmbedder
from chunking.strategies.fixed import FixedChunker
from chunking.strategies.hybrid import HybridChunker
from chunking.strategies.paragraph import ParagraphChunker
from chunking.strategies.parents import ParentChunker
from chunking.strategies.semantic import SemanticChunker
from chunking.strategies.sentence import SentenceChunker
from chunking.types import TokenCounter

STRATEGIES: dict[str, Callable[[ChunkingConfig, TokenCounter, SentenceEmbedder | None], Chunker]] = {
    "fixed": FixedChunker,
    "hybrid": HybridChunker,
    "paragraph": ParagraphChunker,
    "semantic": SemanticChunker,
    "sentence": SentenceChunker,
}

VERSION = 1
"""Raised whenever the same configuration would cut a document differently."""


def build_chunker(config: ChunkingConfig, count_tokens: TokenCounter, embed: SentenceEmbedder | None = None) -> Chunker:
    """Raises ConfigError for a strategy that does not exist or that needs `embed` and gets none."""
    try:
        build = STRATEGIES[config.strategy]
    except KeyError:
        known = ", ".join(sorted(STRATEGIES))
        raise ConfigError(f"chunking.strategy {config.strategy!r} does not exist: choose one of {known}.") from None
    chunker = build(config, count_tokens, embed)
    return ParentChunker(chunker, config.parent_tokens) if config.parent_tokens else chunker


def fingerprint(config: ChunkingConfig) -> str:
    """16 hex digits: equal for configurations that cut every document alike."""
    settings = json.dumps(config.model_dump(mode="json"), sort_keys=True)
    return hashlib.sha256(f"{VERSION}\0{settings}".encode()).hexdigest()[:16]
