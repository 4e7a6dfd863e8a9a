"""Optimal segmentation with a size prior, by dynamic programming (Utiyama & Isahara 2001; Kehagias et al. 2003).

A chunk of s tokens costs (s - t)^2 / (t * max(s, t)) for a target of t: 0 at the target, 0.25 at half of it, 0.5 at
twice. A cut costs what its place costs. A chunk below the minimum costs more than any chunk of lawful size, so that it
remains only where no neighbour has room.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate


def pack(
    tokens: Sequence[int],
    costs: Sequence[float],
    *,
    target: int,
    minimum: int,
    cap: int,
    extra: Sequence[int],
) -> list[tuple[int, int]]:
    """Ranges of units, each of at most `cap` tokens (a single larger unit stands alone), of least total cost.

    `costs[i]` is that of a cut before unit i, `extra[i]` the tokens that a chunk carries in its context when it begins
    there. Ties go to the earlier cut. No chunk is longer than the cap, which bounds the work for each unit.
    """
    n = len(tokens)
    total = [0, *accumulate(tokens)]
    small = 10.0 + cap / target
    size_cost = [_size_cost(size, target) + (small if size < minimum else 0.0) for size in range(cap + 1)]
    best = [0.0] * (n + 1)
    begin = [0] * (n + 1)
    for i in range(1, n + 1):
        end = total[i]
        lowest = float("inf")
        chosen = i - 1
        for j in range(i - 1, -1, -1):
            size = end - total[j]
            if size > cap:
                if j == i - 1:
                    lowest = best[j] + costs[j] + _size_cost(size, target)
                break
            if size + extra[j] > cap and j < i - 1:
                continue
            cost = best[j] + costs[j] + size_cost[size]
            if cost <= lowest:
                lowest = cost
                chosen = j
        best[i] = lowest
        begin[i] = chosen
    ranges: list[tuple[int, int]] = []
    at = n
    while at:
        ranges.append((begin[at], at))
        at = begin[at]
    ranges.reverse()
    return ranges


def _size_cost(size: int, target: int) -> float:
    return (size - target) ** 2 / (target * max(size, target))


def pack_greedily(tokens: Sequence[int], *, target: int, cap: int, extra: Sequence[int]) -> list[tuple[int, int]]:
    """Ranges filled up to `target` from left to right; a single unit above it stands alone. `extra` as in `pack`."""
    ranges: list[tuple[int, int]] = []
    start, size = 0, 0
    for index, count in enumerate(tokens):
        if index > start and size + count > min(target, cap - extra[start]):
            ranges.append((start, index))
            start, size = index, 0
        size += count
    if tokens:
        ranges.append((start, len(tokens)))
    return ranges


def merge_small(
    ranges: Sequence[tuple[int, int]], tokens: Sequence[int], *, minimum: int, cap: int, extra: Sequence[int]
) -> list[tuple[int, int]]:
    """Joins each range below `minimum` to its smaller neighbour where both fit under `cap`. `extra` as in `pack`."""
    total = [0, *accumulate(tokens)]

    def size(span: tuple[int, int]) -> int:
        return total[span[1]] - total[span[0]]

    def room(a: tuple[int, int] | None, b: tuple[int, int] | None) -> int:
        """Tokens of both, or more than any cap where they do not fit."""
        both = size(a) + size(b) if a and b else cap + 1
        return both if a and both + extra[a[0]] <= cap else cap + 1

    merged: list[tuple[int, int]] = []
    waiting = list(reversed(ranges))
    while waiting:
        span = waiting.pop()
        before = merged[-1] if merged else None
        after = waiting[-1] if waiting else None
        with_before, with_after = room(before, span), room(span, after)
        if size(span) >= minimum or min(with_before, with_after) > cap:
            merged.append(span)
        elif before and with_before <= with_after:
            merged[-1] = (before[0], span[1])
        elif after:
            waiting[-1] = (span[0], after[1])
    return merged
