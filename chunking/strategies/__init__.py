"""Document -> chunks, by the strategy that a pipeline file names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from chunking.config import ChunkingConfig
from chunking.errors import ConfigError
from chunking.strategies.base import BoundaryModel, Chunker, SentenceEmbedder
from chunking.strategies.fixed import FixedChunker
from chunking.strategies.hybrid import HybridChunker
from chunking.strategies.llm import LLMChunker
from chunking.strategies.paragraph import ParagraphChunker
from chunking.strategies.parents import ParentChunker
from chunking.strategies.semantic import SemanticChunker
from chunking.strategies.sentence import SentenceChunker
from chunking.types import TokenCounter

STRATEGIES: dict[
    str, Callable[[ChunkingConfig, TokenCounter, SentenceEmbedder | None, BoundaryModel | None], Chunker]
] = {
    "fixed": lambda config, count, embed, model: FixedChunker(config, count),
    "hybrid": lambda config, count, embed, model: HybridChunker(config, count),
    "llm": lambda config, count, embed, model: LLMChunker(config, count, model),
    "paragraph": lambda config, count, embed, model: ParagraphChunker(config, count),
    "semantic": lambda config, count, embed, model: SemanticChunker(config, count, embed),
    "sentence": lambda config, count, embed, model: SentenceChunker(config, count),
}

VERSION = 1
"""Raised whenever the same configuration would cut a document differently."""


def build_chunker(
    config: ChunkingConfig,
    count_tokens: TokenCounter,
    embed: SentenceEmbedder | None = None,
    model: BoundaryModel | None = None,
) -> Chunker:
    """Raises ConfigError for a strategy that does not exist or that needs `embed` or `model` and gets none."""
    try:
        build = STRATEGIES[config.strategy]
    except KeyError:
        known = ", ".join(sorted(STRATEGIES))
        raise ConfigError(f"chunking.strategy {config.strategy!r} does not exist: choose one of {known}.") from None
    chunker = build(config, count_tokens, embed, model)
    return ParentChunker(chunker, config.parent_tokens) if config.parent_tokens else chunker


def fingerprint(config: ChunkingConfig) -> str:
    """16 hex digits: equal for configurations that cut every document alike."""
    values = config.model_dump(mode="json", exclude=None if config.strategy == "llm" else {"only"})
    settings = json.dumps(values, sort_keys=True)
    return hashlib.sha256(f"{VERSION}\0{settings}".encode()).hexdigest()[:16]
