"""What the strategies that cut one section at a time share; each adds only where it cuts."""

from __future__ import annotations

from abc import ABC, abstractmethod

from chunking.config import ChunkingConfig
from chunking.noise import kept_blocks
from chunking.strategies.assembly import Assembler, Measured
from chunking.strategies.sections import Group, Piece, group_units, join_sections, pieces
from chunking.types import Chunk, Document, TokenCounter


class SectionalChunker(ABC):
    def __init__(self, config: ChunkingConfig, count_tokens: TokenCounter) -> None:
        self._config = config
        self._count = count_tokens

    @abstractmethod
    def _cut(self, measured: Measured, group: Group) -> list[tuple[int, int]]:
        """Ranges of the group's atoms, a chunk each, in order and without gaps."""

    def chunk(self, document: Document) -> list[Chunk]:
        config = self._config
        assembler = Assembler(document, kept_blocks(document, config), config, self._count)
        measured = assembler.measure()
        found: list[Piece] = []
        for group in group_units(assembler, measured, target=config.target_tokens):
            found.extend(pieces(measured, group, self._cut(measured, group), overlap=config.overlap))
        return assembler.finish(join_sections(assembler, measured, found, minimum=config.min_tokens))
