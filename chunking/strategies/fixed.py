"""Windows of a fixed number of tokens, whatever they cut through: what the other strategies are measured against."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from chunking.config import ChunkingConfig
from chunking.noise import kept_blocks
from chunking.pieces import safe_cut, slices
from chunking.strategies.assembly import Assembler, Span
from chunking.types import Block, Chunk, Document, TokenCounter


class FixedChunker:
    """`overlap` counts tokens. Words, joined emoji and combining sequences stay whole; `min_tokens` does not apply."""

    def __init__(self, config: ChunkingConfig, count_tokens: TokenCounter) -> None:
        self._config = config
        self._count = count_tokens

    def chunk(self, document: Document) -> list[Chunk]:
        blocks = kept_blocks(document, self._config)
        assembler = Assembler(document, blocks, self._config, self._count)
        window = min(self._config.target_tokens, assembler.smallest_budget())
        step = max(1, window - min(self._config.overlap, window // 2))
        spans: list[Span] = []
        for start, end in _regions(document.text, blocks):
            spans.extend(self._windows(document.text, start, end, window, step))
        return _without_nested(assembler.finish(spans))

    def _windows(self, text: str, start: int, end: int, window: int, step: int) -> list[Span]:
        bounds = [start, *(stop for _, stop in slices(text, start, end, 64))]
        counts = self._count([text[a:b] for a, b in pairwise(bounds)])
        total = [0]
        for count in counts:
            total.append(total[-1] + count)
        spans = []
        at = 0
        while True:
            first = _place(text, bounds, total, at)
            last = end if at + window >= total[-1] else _place(text, bounds, total, at + window)
            piece = text[first:last]
            if stripped := piece.strip():
                lead = len(piece) - len(piece.lstrip())
                spans.append(Span(first + lead, first + lead + len(stripped)))
            if last >= end:
                return spans
            at += step


def _without_nested(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Without the chunks that lie in a neighbour: windows that overlap may share a whole word, or be halved."""
    kept: list[Chunk] = []
    for chunk in chunks:
        while kept and chunk.start <= kept[-1].start and chunk.end > kept[-1].end:
            kept.pop()
        if not kept or chunk.end > kept[-1].end:
            kept.append(chunk)
    return kept


def _regions(text: str, blocks: Sequence[Block]) -> list[tuple[int, int]]:
    """Stretches of blocks with only whitespace between them."""
    regions: list[tuple[int, int]] = []
    for block in blocks:
        if regions and not text[regions[-1][1] : block.start].strip():
            regions[-1] = (regions[-1][0], block.end)
        else:
            regions.append((block.start, block.end))
    return regions


def _place(text: str, bounds: list[int], total: list[int], tokens: int) -> int:
    """The offset that so many tokens lie before, to the nearest word."""
    index = min(bisect_right(total, tokens) - 1, len(total) - 2)
    inside = (tokens - total[index]) / max(1, total[index + 1] - total[index])
    low, high = bounds[index], bounds[index + 1]
    place = low + round(inside * (high - low))
    if not low < place < high:
        return place
    start = place
    # A word longer than this (or text without spaces) is cut where it stands.
    while (
        start > max(low, place - 24)
        and text[start - 1].isascii()
        and text[start - 1].isalnum()
        and text[start].isalnum()
    ):
        start -= 1
    if start > low and not (text[start - 1].isascii() and text[start - 1].isalnum() and text[start].isalnum()):
        return safe_cut(text, low, high, start)
    return safe_cut(text, low, high, place)
