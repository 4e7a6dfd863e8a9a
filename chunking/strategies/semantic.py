"""Cut where the topic changes: sentence vectors decide, sizes and structure set the limits.

A heading always begins a chunk. A segment below the minimum joins the neighbour that is more like it; one above the
cap is cut at its lowest similarity near the middle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from chunking.config import ChunkingConfig
from chunking.errors import ConfigError
from chunking.noise import kept_blocks
from chunking.strategies.assembly import Assembler, Measured
from chunking.strategies.base import SentenceEmbedder
from chunking.strategies.breakpoints import Floats, find_cuts
from chunking.strategies.sections import Group, Piece, group_units, join_sections, keep_antecedents, pieces
from chunking.strategies.tfidf import tfidf_vectors
from chunking.types import Chunk, Document, TokenCounter


class SemanticChunker:
    """Raises ConfigError where the signal is `embedding` and no embedder is given."""

    def __init__(
        self, config: ChunkingConfig, count_tokens: TokenCounter, embed: SentenceEmbedder | None = None
    ) -> None:
        if config.signal == "tfidf":
            embed = tfidf_vectors
        if embed is None:
            raise ConfigError(
                "chunking.strategy 'semantic' needs an embedder: set chunking.signal to 'tfidf' without one."
            )
        self._config = config
        self._count = count_tokens
        self._embed = embed

    def chunk(self, document: Document) -> list[Chunk]:
        config = self._config
        assembler = Assembler(document, kept_blocks(document, config), config, self._count)
        measured = assembler.measure()
        groups = group_units(assembler, measured, target=config.target_tokens, coalesce=False)
        found: list[Piece] = []
        for group, vectors in zip(groups, self._vectors(document, measured, groups), strict=True):
            cuts, similarities = find_cuts(
                vectors, method=config.breakpoint, bound=config.threshold, window=config.window
            )
            headings = [i - 1 for i, (a, _) in enumerate(group.ranges) if i and measured.units[a].kind == "heading"]
            starts = sorted({0, *(cut + 1 for cut in cuts), *(cut + 1 for cut in headings)})
            segments = list(zip(starts, [*starts[1:], len(group.ranges)], strict=True))
            segments = _split_large(segments, group, similarities, config.min_tokens)
            segments = _merge_small(segments, group, similarities, config.min_tokens)
            segments = keep_antecedents(segments, measured, group, minimum=config.min_tokens)
            found.extend(pieces(measured, group, segments, overlap=config.overlap))
        return assembler.finish(join_sections(assembler, measured, found, minimum=config.min_tokens))

    def _vectors(self, document: Document, measured: Measured, groups: Sequence[Group]) -> list[NDArray[np.floating]]:
        """The vectors of each group's atoms, embedded in one batch."""
        if self._config.signal == "tfidf":
            # Weights come from the group alone: what follows must not change earlier chunks.
            return [tfidf_vectors(_texts(document, measured, group)) for group in groups]
        texts = [text for group in groups for text in _texts(document, measured, group)]
        if not texts:
            return []
        vectors = self._embed(texts)
        ends = list(accumulate(len(group.ranges) for group in groups))
        return [vectors[end - len(group.ranges) : end] for end, group in zip(ends, groups, strict=True)]


def _texts(document: Document, measured: Measured, group: Group) -> list[str]:
    text, units = document.text, measured.units
    return [text[units[a].start : units[b - 1].end] for a, b in group.ranges]


def _split_large(
    segments: Sequence[tuple[int, int]], group: Group, similarities: Floats, minimum: int
) -> list[tuple[int, int]]:
    """Cuts segments above the cap at the lowest similarity, weighed by the distance from the middle."""
    total = [0, *accumulate(group.tokens)]
    near = similarities.tolist()
    done: list[tuple[int, int]] = []
    waiting = list(reversed(segments))
    while waiting:
        first, last = waiting.pop()
        size = total[last] - total[first]
        if last - first == 1 or size + group.extra[first] <= group.cap:
            done.append((first, last))
            continue
        waiting += [(cut := _cheapest(total, near, first, last, min(minimum, size // 3)), last), (first, cut)]
    return done


def _cheapest(total: Sequence[int], similarities: Sequence[float], first: int, last: int, least: int) -> int:
    """The place of a cut, the first one of several. At the quarter it must be .25 less similar than in the middle."""
    begin, end = total[first], total[last]
    best, lowest = first + 1, math.inf
    for place in range(first + 1, last):
        before = total[place] - begin
        cost = similarities[place - 1] + abs(before / (end - begin) - 0.5)
        cost += 0.0 if min(before, end - total[place]) >= least else 10.0
        if cost < lowest:
            best, lowest = place, cost
    return best


def _merge_small(
    segments: Sequence[tuple[int, int]], group: Group, similarities: Floats, minimum: int
) -> list[tuple[int, int]]:
    """Joins segments below the minimum to the more similar neighbour with room for them."""
    total = [0, *accumulate(group.tokens)]

    def size(segment: tuple[int, int]) -> int:
        return total[segment[1]] - total[segment[0]]

    def likeness(a: tuple[int, int] | None, b: tuple[int, int] | None) -> float:
        if a is None or b is None or size(a) + size(b) + group.extra[a[0]] > group.cap:
            return -np.inf
        return float(similarities[b[0] - 1])

    merged: list[tuple[int, int]] = []
    waiting = list(reversed(segments))
    while waiting:
        segment = waiting.pop()
        before = merged[-1] if merged else None
        after = waiting[-1] if waiting else None
        to_before, to_after = likeness(before, segment), likeness(segment, after)
        if size(segment) >= minimum or max(to_before, to_after) == -np.inf:
            merged.append(segment)
        elif before and to_before >= to_after:
            merged[-1] = (before[0], segment[1])
        elif after:
            waiting[-1] = (segment[0], after[1])
    return merged
