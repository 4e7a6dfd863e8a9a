"""From what the two sides found to hits: fusion, and every stage's score and rank on each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from chunking.types import Chunk
from retrieval.config import RetrievalConfig
from retrieval.embedders.base import Vectors
from retrieval.fusion import convex_combination, reciprocal_rank_fusion
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
    its rank on that side stays absent. One whose vector is not stored yet has no cosine. The signal ``matched`` is the
    idf-weighted share of the question's words that the chunk holds; ``coverage`` is the same, absent where the chunk is
    in another language.
    """
    sides: list[tuple[Stage, Ranking, float]] = []
    if dense is not None:
        sides.append(("dense", dense, config.dense_weight))
    if lexical is not None:
        sides.append(("bm25", lexical, config.lexical_weight))
    cosines = dict(dense or ())

    def complete(ids: Sequence[str]) -> None:
        lacking = [identifier for identifier in ids if identifier not in cosines]
        if vector is not None and lacking:
            cosines.update((identifier, float(stored @ vector)) for identifier, stored in vectors(lacking).items())

    stages: list[tuple[Stage, Ranking]] = [(stage, ranking) for stage, ranking, _ in sides]
    if len(sides) > 1:
        weights = [weight for _, _, weight in sides]
        rankings = [[identifier for identifier, _ in ranking] for _, ranking, _ in sides]
        stages.append(("rrf", reciprocal_rank_fusion(rankings, config.rrf_k, weights)))
        if config.fusion == "convex" and matches is not None:
            pool = [identifier for identifier, _ in stages[-1][1]]
            complete(pool)
            # Without a vector yet: as far from the question as the farthest.
            least = min((cosines[i] for i in pool if i in cosines), default=0.0)
            scored = [{i: cosines.get(i, least) for i in pool}, {i: matches.score(i) for i in pool}]
            stages.append(("convex", convex_combination(scored, weights)))
    # A chunk may have been deleted since the sides were asked.
    found = chunks([identifier for identifier, _ in stages[-1][1]])
    order = [identifier for identifier, _ in stages[-1][1] if identifier in found][:top_k]
    complete(order)
    placed = [
        (stage, {identifier: (rank, score) for rank, (identifier, score) in enumerate(ranking, 1)})
        for stage, ranking in stages
    ]
    hits = []
    for identifier in order:
        scores: dict[str, float] = {}
        signals: dict[str, float] = {}
        ranks: dict[str, int] = {}
        chunk, document = found[identifier]
        if dense is not None and identifier in cosines:
            scores["dense"] = cosines[identifier]
        if matches is not None:
            if lexical is not None:
                scores["bm25"] = matches.score(identifier)
            signals["matched"] = matches.coverage(identifier)
            if comparable(question, chunk.text):
                signals["coverage"] = signals["matched"]
        for stage, places in placed:
            if identifier in places:
                ranks[stage], scores[stage] = places[identifier]
        hits.append(Hit(chunk, document, scores[placed[-1][0]], scores, ranks, signals))
    return hits
