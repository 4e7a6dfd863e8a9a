"""Retrieval metrics over spans of the documents, so that chunkings can be compared. Pure functions.

Contexts are ranked from 1. A group of gold is found at the first rank where the contexts so far hold one of its
alternatives whole, counted in letters and digits. Where no context holds more than one group and no group is in more
than one, recall@k, reciprocal rank and nDCG are those of the literature with one relevant passage per group.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from eval.runs import Context, Gold, Span

Rank = int | None


def found_ranks(gold: Gold, contexts: Sequence[Context]) -> list[Rank]:
    """Per group, the rank at which it is found, or None."""
    return [min((r for span in group if (r := _found(span, contexts)) is not None), default=None) for group in gold]


def hit_rate(ranks: Sequence[Rank], k: int) -> float:
    """1 when any group is found within rank k, else 0."""
    return float(any(rank is not None and rank <= k for rank in ranks))


def recall(ranks: Sequence[Rank], k: int) -> float:
    """Share of the groups that are found within rank k."""
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def reciprocal_rank(ranks: Sequence[Rank]) -> float:
    """1 over the rank of the group found first, 0 when none is."""
    return max((1 / rank for rank in ranks if rank is not None), default=0.0)


def ndcg(ranks: Sequence[Rank], k: int) -> float:
    """Normalised discounted cumulative gain (Järvelin & Kekäläinen 2002), gain 1 a group, discount log2(1 + rank).

    A passage with several groups earns at most the ideal: the i-th group found counts at rank i or later.
    """
    found = sorted(rank for rank in ranks if rank is not None and rank <= k)
    gain = sum(1 / math.log2(1 + max(rank, position)) for position, rank in enumerate(found[:k], 1))
    ideal = sum(1 / math.log2(1 + position) for position in range(1, min(len(ranks), k) + 1))
    return gain / ideal


def within_budget(contexts: Sequence[Context], budget: int) -> list[Context]:
    """The best contexts, in order, while their tokens fit the budget."""
    kept: list[Context] = []
    spent = 0
    for context in contexts:
        spent += context.tokens
        if spent > budget:
            break
        kept.append(context)
    return kept


def coverage(evidence: Gold, contexts: Sequence[Context]) -> float:
    """Share of the evidence's letters and digits inside the contexts: mean over groups of the best alternative."""
    return sum(max(_covered(span, contexts) for span in group) for group in evidence) / len(evidence)


def precision(evidence: Gold, contexts: Sequence[Context]) -> float:
    """Share of the contexts' characters that are evidence. Needs at least one context.

    Of a passage that stands in several places, the place with the most evidence counts.
    """
    places = {(span.document, place) for group in evidence for span in group for place in range(span.start, span.end)}
    inside: set[tuple[str, int]] = set()
    for context in contexts:
        held = ({(document, n) for n in range(start, end)} for document, start, end in context.places)
        inside |= max(held, key=lambda each: len(each & places))
    return len(places & inside) / len(inside)


def relevant(gold: Gold, context: Context) -> bool:
    """A passage counts as relevant when it holds half of an alternative, or half of it is gold."""
    documents = {document for document, _, _ in context.places}
    spans = [span for group in gold for span in group if span.document in documents]
    if any(_covered(span, [context]) >= 0.5 for span in spans):
        return True
    return bool(spans) and precision((tuple(spans),), [context]) >= 0.5


def average_precision(verdicts: Sequence[bool]) -> float:
    """Mean of precision@k over the relevant ranks, as Ragas' context precision; 0 when nothing is relevant."""
    hits = [position for position, verdict in enumerate(verdicts, 1) if verdict]
    return sum(number / position for number, position in enumerate(hits, 1)) / len(hits) if hits else 0.0


def _found(span: Span, contexts: Sequence[Context]) -> Rank:
    missing = set(_places(span))
    for context in contexts:
        for document, start, end in context.places:
            if document == span.document:
                missing.difference_update(range(start, end))
        if not missing:
            return context.rank
    return None


def _covered(span: Span, contexts: Iterable[Context]) -> float:
    places = set(_places(span))
    held: set[int] = set()
    for context in contexts:
        for document, start, end in context.places:
            if document == span.document:
                held |= places & set(range(max(start, span.start), min(end, span.end)))
    return len(held) / len(places)


def _places(span: Span) -> list[int]:
    """Offsets of the span's letters and digits; of all its characters where it has none."""
    places = [span.start + offset for offset, character in enumerate(span.text) if character.isalnum()]
    return places or list(range(span.start, span.end))
