"""Structure first: sections, then blocks, then whole units packed so that sizes and cuts cost least together."""

from __future__ import annotations

from chunking.config import ChunkingConfig
from chunking.strategies.assembly import Measured
from chunking.strategies.packing import pack
from chunking.strategies.sectional import SectionalChunker
from chunking.strategies.sections import Group


class HybridChunker(SectionalChunker):
    def _cut(self, measured: Measured, group: Group) -> list[tuple[int, int]]:
        return pack_group(group, self._config)


def pack_group(group: Group, config: ChunkingConfig) -> list[tuple[int, int]]:
    return pack(
        group.tokens,
        group.costs,
        target=min(config.target_tokens, group.cap),
        minimum=min(config.min_tokens, group.cap),
        cap=group.cap,
        extra=group.extra,
    )
