"""Structure first: sections, then blocks, then whole units packed so that sizes and cuts cost least together."""

from __future__ import annotations

from chunking.config import ChunkingConfig
from chunking.noise import kept_blocks
from chunking.strategies.assembly import Assembler
from chunking.strategies.base import SentenceEmbedder
from chunking.strategies.packing import pack
from chunking.strategies.sections import Piece, group_units, join_sections, pieces
from chunking.types import Chunk, Document, TokenCounter


class HybridChunker:
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
            chosen = pack(
                group.tokens,
                group.costs,
                target=min(config.target_tokens, group.cap),
                minimum=min(config.min_tokens, group.cap),
                cap=group.cap,
                extra=group.extra,
            )
            found.extend(pieces(measured, group, chosen, overlap=config.overlap))
        return assembler.finish(join_sections(assembler, measured, found, minimum=config.min_tokens))
