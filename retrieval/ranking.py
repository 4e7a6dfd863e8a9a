"""From what the two sides found to hits: fusion, and every stage's score and rank on each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from chunking.types import Chunk
from retrieval.config import RetrievalConfig
from retrieval.embedders.base import Vectors
from retrieval.fusion import reciprocal_rank_fusion
from retrieval.lexical.bm25 import Matches
from retrieval.lexical.tokenizer import comparable
from retrieval.types import DocumentInfo, Hit, Stage

Ranking = Sequence[tuple[str, float]]
"""(chunk id, score), best first."""


def rank_hits(
    dense: Ranking | None,
    lexical: Ranking | None,
    *,
    question: str,
    config: RetrievalConfig,
    top_k: int,
    vector: Vectors | None,
    matches: Matches | None,
    chunks: Callable[[Sequence[str]], Mapping[str, tuple[Chunk, DocumentInfo]]],
    vectors: Callable[[Sequence[str]], Mapping[str, Vectors]],
) -> list[Hit]:
    """Fuse the sides that ran (None: did not) and build at most `top_k` hits.

    A chunk that only one side returned still gets the other side's score, from its stored vector or its term counts;
    its rank on that side stays absent. The signal ``coverage`` is the idf-weighted share of the question's words; a
    chunk in another language has none.
    """
    sides: list[tuple[Stage, Ranking, float]] = []
    if dense is not None:
        sides.append(("dense", dense, config.dense_weight))
    if lexical is not None:
        sides.append(("bm25", lexical, config.lexical_weight))
    order: Ranking = sides[0][1]
    if len(sides) > 1:
        rankings = [[identifier for identifier, _ in ranking] for _, ranking, _ in sides]
        order = reciprocal_rank_fusion(rankings, config.rrf_k, [weight for _, _, weight in sides])
    # A chunk may have been deleted since the sides were asked.
    found = chunks([identifier for identifier, _ in order])
    order = [(identifier, score) for identifier, score in order if identifier in found][:top_k]
    cosines = dict(dense or ())
    if vector is not None:
        lacking = vectors([identifier for identifier, _ in order if identifier not in cosines])
        cosines.update((identifier, float(stored @ vector)) for identifier, stored in lacking.items())
    ranks = {
        stage: {identifier: rank for rank, (identifier, _) in enumerate(ranking, 1)} for stage, ranking, _ in sides
    }
    hits = []
    for rank, (identifier, score) in enumerate(order, 1):
        scores: dict[str, float] = {}
        if dense is not None and identifier in cosines:
            scores["dense"] = cosines[identifier]
        if lexical is not None and matches is not None:
            scores["bm25"] = matches.score(identifier)
        chunk, document = found[identifier]
        meets = matches is not None and comparable(question, chunk.text)
        hit = Hit(
            chunk,
            document,
            score=score,
            scores=scores,
            ranks={stage: places[identifier] for stage, places in ranks.items() if identifier in places},
            signals={"coverage": matches.coverage(identifier)} if matches is not None and meets else {},
        )
        hits.append(hit.at_stage("rrf", score, rank) if len(sides) > 1 else hit)
    return hits
