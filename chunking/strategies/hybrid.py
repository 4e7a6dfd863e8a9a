"""Structure first: sections, then blocks, then whole units packed so that sizes and cuts cost least together."""

from __future__ import annotations

from chunking.strategies.assembly import Measured
from chunking.strategies.packing import pack
from chunking.strategies.sectional import SectionalChunker
from chunking.strategies.sections import Group


class HybridChunker(SectionalChunker):
    def _cut(self, measured: Measured, group: Group) -> list[tuple[int, int]]:
        return pack(
            group.tokens,
            group.costs,
            target=min(self._config.target_tokens, group.cap),
            minimum=min(self._config.min_tokens, group.cap),
            cap=group.cap,
            extra=group.extra,
        )
