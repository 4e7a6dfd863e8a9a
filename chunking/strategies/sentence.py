"""Whole sentences filled up to the target size from left to right: the baseline that others have to beat."""

from __future__ import annotations

from chunking.config import ChunkingConfig
from chunking.noise import kept_blocks
from chunking.strategies.assembly import Assembler
from chunking.strategies.base import SentenceEmbedder
from chunking.strategies.packing import merge_small, pack_greedily
from chunking.strategies.sections import Piece, group_units, join_sections, keep_antecedents, pieces
from chunking.types import Chunk, Document, TokenCounter


class SentenceChunker:
    def __init__(
        self, config: ChunkingConfig, count_tokens: TokenCounter, embed: SentenceEmbedder | None = None
    ) -> None:
        self._config = config
        self._count = count_tokens

    def chunk(self, document: Document) -> list[Chunk]:
        config = self._config
        assembler = Assembler(document, kept_blocks(document, config), config, self._count)
        measured = assembler.measure()
        found: list[Piece] = []
        for group in group_units(assembler, measured, target=config.target_tokens):
            chosen = pack_greedily(group.tokens, target=config.target_tokens, cap=group.cap, extra=group.extra)
            chosen = merge_small(chosen, group.tokens, minimum=config.min_tokens, cap=group.cap, extra=group.extra)
            chosen = keep_antecedents(chosen, measured, group, minimum=config.min_tokens)
            found.extend(pieces(measured, group, chosen, overlap=config.overlap))
        return assembler.finish(join_sections(assembler, measured, found, minimum=config.min_tokens))
