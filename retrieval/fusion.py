"""Reciprocal rank fusion, a pure function of rankings."""

from __future__ import annotations

from collections.abc import Sequence


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], k: int = 60, weights: Sequence[float] | None = None
) -> list[tuple[str, float]]:
    """(id, sum over rankings of weight / (k + rank)), best first; ranks count from 1.

    Cormack, Clarke & Buettcher, SIGIR 2009, whose k is 60. Weights default to 1. An id twice in a ranking counts
    at its better rank. Equal scores keep the order of best rank, then of the rankings.
    """
    if weights is None:
        weights = [1.0] * len(rankings)
    scores: dict[str, float] = {}
    best: dict[str, int] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, identifier in enumerate(dict.fromkeys(ranking), 1):
            scores[identifier] = scores.get(identifier, 0.0) + weight / (k + rank)
            best[identifier] = min(rank, best.get(identifier, rank))
    return sorted(scores.items(), key=lambda item: (-item[1], best[item[0]]))
