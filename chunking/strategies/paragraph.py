"""A paragraph a chunk: small ones are merged with a neighbour, those above the cap degrade to sentences."""

from __future__ import annotations

from chunking.strategies.assembly import Measured
from chunking.strategies.packing import merge_small, pack_greedily
from chunking.strategies.sectional import SectionalChunker
from chunking.strategies.sections import Group, keep_antecedents


class ParagraphChunker(SectionalChunker):
    def _cut(self, measured: Measured, group: Group) -> list[tuple[int, int]]:
        config = self._config
        chosen: list[tuple[int, int]] = []
        for first, last in _paragraphs(measured, group):
            if sum(group.tokens[first:last]) + group.extra[first] <= group.cap:
                chosen.append((first, last))
            else:
                packed = pack_greedily(
                    group.tokens[first:last],
                    target=config.target_tokens,
                    cap=group.cap,
                    extra=group.extra[first:last],
                )
                chosen.extend((first + a, first + b) for a, b in packed)
        chosen = merge_small(chosen, group.tokens, minimum=config.min_tokens, cap=group.cap, extra=group.extra)
        return keep_antecedents(chosen, measured, group, minimum=config.min_tokens)


def _paragraphs(measured: Measured, group: Group) -> list[tuple[int, int]]:
    """Ranges of atoms whose content lies in one block; headings go with the block that they announce."""
    ranges: list[tuple[int, int]] = []
    last_block = -1
    for i, (_, stop) in enumerate(group.ranges):
        block = measured.units[stop - 1].block
        if block == last_block:
            ranges[-1] = (ranges[-1][0], i + 1)
        else:
            ranges.append((i, i + 1))
        last_block = block
    return ranges
