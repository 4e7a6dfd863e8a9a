"""Where a topic ends: pure functions from sentence vectors to cuts.

`similarities[i]` is the cosine across the gap between sentence i and i + 1; a cut i means that sentence i + 1 begins a
new segment. Every function returns ascending gap numbers and none for fewer than two sentences. The formulas:

threshold    similarity < bound
percentile   distance (1 - similarity) >= its bound-th percentile, linear interpolation
stddev       similarity < mean - bound * standard deviation (population)
iqr          similarity < Q1 - bound * (Q3 - Q1), Tukey's fence
gradient     numerical gradient of the distance >= its bound-th percentile
depth        depth of the valley > mean + bound * standard deviation (Hearst 1997, TextTiling, sets bound = -0.5)
optimal      least sum of squared distances to segment means plus a price for each segment, by dynamic programming
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Cuts = list[int]

LONGEST_SEGMENT = 64
"""Sentences of the longest segment that `optimal` considers: bounds its work for each sentence."""

_BLOCK = 256  # sentences at a time: a block of doubles stays in the processor's cache

DEFAULT_BOUNDS: dict[str, float] = {
    "threshold": 0.72,
    "percentile": 85.0,
    "stddev": 1.0,
    "iqr": 1.5,
    "gradient": 85.0,
    "depth": 0.75,
    "optimal": 1.0,
}


def gap_similarities(vectors: NDArray[np.floating], window: int) -> Floats:
    """Cosine of the sums of the `window` vectors before and after each gap, shape (n - 1,).

    Vectors that are zero or not finite count as nothing; a side without any vector has similarity 0. The product of two
    sums is the sum of the products of sentences at most ``2 * window - 1`` apart, so each pair is multiplied once.
    """
    n = len(vectors)
    if n < 2:
        return np.zeros(0)
    window = min(window, n)
    products = _lagged_products(vectors, 2 * window)
    ahead, across = np.zeros(n), np.zeros(n)
    for i in range(window):
        # Sums that reach beyond an end meet zeros there.
        ahead[: n - i] += products[0, i:]
        for lag in range(1, window - i):
            ahead[: n - i] += 2 * products[lag, i:]
        for j in range(window):
            across[i:] += products[i + j + 1, : n - i]
    # ahead[s] is the squared length of the window that begins at s; at the start of a text windows are shorter.
    behind = np.concatenate([_opening_lengths(products, window), ahead[1:]])[: n - 1]
    lengths = np.sqrt(np.maximum(behind, 0.0) * np.maximum(ahead[1:], 0.0))
    cosines = np.zeros(n - 1)
    np.divide(across[:-1], lengths, out=cosines, where=lengths > 1e-12)
    return np.clip(cosines, -1.0, 1.0)


def _lagged_products(vectors: NDArray[np.floating], lags: int) -> Floats:
    """Row l holds the products of each vector and the one l places on, 0 beyond the last; shape (lags, n)."""
    n = len(vectors)
    products = np.zeros((lags, n))
    for first in range(0, n, _BLOCK):
        part = vectors[first : first + _BLOCK + lags].astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            squares = np.vecdot(part, part)
        if not np.isfinite(squares).all():  # quicker told by the sums than by the vectors
            part = _finite(part)
            squares = np.vecdot(part, part)
        for lag in range(lags):
            count = min(_BLOCK, len(part) - lag)
            if count > 0:
                ahead = np.vecdot(part[:count], part[lag : lag + count]) if lag else squares[:count]
                products[lag, first : first + count] = ahead
    return products


def _opening_lengths(products: Floats, window: int) -> Floats:
    """Squared lengths of the sums of the first 1 to window - 1 vectors and of the first full window."""
    lengths = []
    total = 0.0
    for last in range(min(window, products.shape[1])):
        total += products[0, last] + 2 * sum(products[lag, last - lag] for lag in range(1, last + 1))
        lengths.append(total)
    return np.asarray(lengths)


def threshold(similarities: Floats, bound: float) -> Cuts:
    return _where(similarities < bound)


def percentile(similarities: Floats, bound: float) -> Cuts:
    distances = 1.0 - similarities
    return _where(distances >= np.percentile(distances, bound)) if len(distances) else []


def stddev(similarities: Floats, bound: float) -> Cuts:
    return _where(similarities < similarities.mean() - bound * similarities.std()) if len(similarities) else []


def iqr(similarities: Floats, bound: float) -> Cuts:
    if not len(similarities):
        return []
    first, third = np.percentile(similarities, [25, 75])
    return _where(similarities < first - bound * (third - first))


def gradient(similarities: Floats, bound: float) -> Cuts:
    if len(similarities) < 2:
        return []
    slopes = np.gradient(1.0 - similarities)
    return _where(slopes >= np.percentile(slopes, bound))


def depth(similarities: Floats, bound: float) -> Cuts:
    """Cuts at the bottoms of valleys only."""
    if not len(similarities):
        return []
    depths = valley_depths(similarities)
    return _where((depths > depths.mean() + bound * depths.std()) & _bottoms(similarities))


def valley_depths(similarities: Floats) -> Floats:
    """How far the similarity rises on either side before it falls again, both added (Hearst 1997)."""
    return _climb(similarities) + _climb(similarities[::-1])[::-1] - 2 * similarities


def optimal(vectors: NDArray[np.floating], bound: float) -> Cuts:
    """`bound` is the price of a segment in units of the mean squared distance of neighbouring sentences."""
    n = len(vectors)
    if n < 2:
        return []
    clean = _finite(vectors)
    sums = np.vstack([np.zeros((1, clean.shape[1])), np.cumsum(clean, axis=0)])
    squares = np.concatenate([[0.0], np.cumsum(np.einsum("ij,ij->i", clean, clean))])
    price = bound * float(np.mean(np.sum((clean[1:] - clean[:-1]) ** 2, axis=1)))
    best = np.zeros(n + 1)
    begin = np.zeros(n + 1, dtype=np.intp)
    for end in range(1, n + 1):
        starts = np.arange(max(0, end - LONGEST_SEGMENT), end)
        inner = sums[end] - sums[starts]
        spread = squares[end] - squares[starts] - np.einsum("ij,ij->i", inner, inner) / (end - starts)
        costs = best[starts] + spread + price
        chosen = int(np.argmin(costs))
        best[end] = costs[chosen]
        begin[end] = starts[chosen]
    cuts: Cuts = []
    at = int(begin[n])
    while at:
        cuts.append(at - 1)
        at = int(begin[at])
    return cuts[::-1]


METHODS: dict[str, Callable[[Floats, float], Cuts]] = {
    "threshold": threshold,
    "percentile": percentile,
    "stddev": stddev,
    "iqr": iqr,
    "gradient": gradient,
    "depth": depth,
}


def find_cuts(vectors: NDArray[np.floating], *, method: str, bound: float | None, window: int) -> tuple[Cuts, Floats]:
    """Cuts by a method's name, and the similarities that they were read from."""
    similarities = gap_similarities(vectors, window)
    bound = DEFAULT_BOUNDS[method] if bound is None else bound
    cuts = optimal(vectors, bound) if method == "optimal" else METHODS[method](similarities, bound)
    return cuts, similarities


def _where(mask: NDArray[np.bool_]) -> Cuts:
    return [int(i) for i in np.flatnonzero(mask)]


def _finite(vectors: NDArray[np.floating]) -> Floats:
    clean = np.array(vectors, dtype=np.float64)
    clean[~np.isfinite(clean).all(axis=1)] = 0.0
    return clean


def _climb(similarities: Floats) -> Floats:
    """The peak that is reached by going left while the similarity does not fall."""
    rises = np.concatenate([[True], similarities[:-1] < similarities[1:]])
    return similarities[np.maximum.accumulate(np.where(rises, np.arange(len(similarities)), 0))]


def _bottoms(similarities: Floats) -> NDArray[np.bool_]:
    """Gaps that no neighbour undercuts; of a level bottom the first gap."""
    padded = np.concatenate([[np.inf], similarities, [np.inf]])
    return (padded[1:-1] < padded[:-2]) & (padded[1:-1] <= padded[2:])
