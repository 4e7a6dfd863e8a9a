"""Ways to make one ranking of several: pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


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


def convex_combination(
    scores: Sequence[Mapping[str, float]], weights: Sequence[float] | None = None
) -> list[tuple[str, float]]:
    """(id, weighted mean over sides of the score, each side scaled to 0 for its least and 1 for its best), best first.

    Every side scores the same ids. Bruch, Gai & Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", ACM
    TOIS 2023, who find it above reciprocal ranks: those forget by how much one candidate is ahead of the next.
    Weights default to 1 and count relative to each other. A side whose scores are all equal adds the same to each.
    Equal means keep the order of the ids in the first side.
    """
    if weights is None:
        weights = [1.0] * len(scores)
    total = sum(weights) or 1.0
    fused = dict.fromkeys(scores[0], 0.0) if scores else {}
    for side, weight in zip(scores, weights, strict=True):
        least, best = min(side.values(), default=0.0), max(side.values(), default=0.0)
        for identifier, score in side.items():
            fused[identifier] += weight / total * ((score - least) / (best - least) if best > least else 1.0)
    return sorted(fused.items(), key=lambda item: -item[1])
