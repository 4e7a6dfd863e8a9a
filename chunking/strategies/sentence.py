"""Whole sentences filled up to the target size from left to right: the baseline that others have to beat."""

from __future__ import annotations

from chunking.strategies.assembly import Measured
from chunking.strategies.packing import merge_small, pack_greedily
from chunking.strategies.sectional import SectionalChunker
from chunking.strategies.sections import Group, keep_antecedents


class SentenceChunker(SectionalChunker):
    def _cut(self, measured: Measured, group: Group) -> list[tuple[int, int]]:
        config = self._config
        chosen = pack_greedily(group.tokens, target=config.target_tokens, cap=group.cap, extra=group.extra)
        chosen = merge_small(chosen, group.tokens, minimum=config.min_tokens, cap=group.cap, extra=group.extra)
        return keep_antecedents(chosen, measured, group, minimum=config.min_tokens)
