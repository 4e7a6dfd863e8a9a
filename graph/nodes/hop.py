"""Search on from what was found: an answer in two places is often reached only through the first of them.

"Who directed the film shot in Leland?" finds Leland; what its passage says, joined to the question, finds the film.
"""

from __future__ import annotations

import asyncio
from itertools import chain, zip_longest

from chunking.errors import CragError
from graph.nodes.base import Node, Result, Run, degraded
from graph.nodes.retrieve import search
from graph.state import Graded, State
from retrieval.types import Hit

PASSAGE_LIMIT = 1000
"""Characters of a passage that are joined to the question: what an embedder reads."""
KEPT = 5
"""Of the first search, before what the further searches add."""
ADDED = 2
"""New passages that each further search adds at most. This and `KEPT` were chosen on multihop_en."""
LEANS = 1.0
"""Of the probability of the passage that led to it, what a passage found by a hop is worth."""


async def hop(state: State, run: Run) -> Result:
    best = state["best"]
    starts = best.hits[: run.deps.rewrite.hops]
    found = await asyncio.gather(*(_from(state["standalone"], start, run) for start in starts))
    merged, added = _merged(best, found, run.deps.retrieval.top_k)
    detail = {"started_from": [start.document.title for start in starts], "passages_added": added}
    return {"best": merged, "hopped": True}, detail


async def _from(question: str, start: Hit, run: Run) -> tuple[Hit, ...]:
    query = f"{question} {start.chunk.text[:PASSAGE_LIMIT]}"
    hits = tuple((await search(query, run)).hits)
    if run.deps.reranker is None or not hits:
        return hits
    return tuple(await asyncio.to_thread(run.deps.reranker.rerank, query, hits[: run.deps.rerank.candidates]))


def _merged(best: Graded, found: list[tuple[Hit, ...]], top_k: int) -> tuple[Graded, int]:
    """The best of the first search, then the first new ones of each further search in turn, then the rest."""
    likely = {hit.chunk.id: p for hit, p in zip(best.hits, best.probabilities, strict=True)}
    kept = {hit.chunk.id: hit for hit in best.hits[:KEPT]}
    new = [
        [(hit, LEANS * likely[start.chunk.id]) for hit in hits if hit.chunk.id not in kept][:ADDED]
        for start, hits in zip(best.hits, found, strict=False)
    ]
    for pair in chain.from_iterable(zip_longest(*new)):
        if pair is not None:
            kept.setdefault(pair[0].chunk.id, pair[0])
            likely.setdefault(pair[0].chunk.id, pair[1])
    for hit in best.hits[KEPT:]:
        kept.setdefault(hit.chunk.id, hit)
    hits = tuple(kept.values())[:top_k]
    before = {hit.chunk.id for hit in best.hits}
    added = sum(1 for hit in hits if hit.chunk.id not in before)
    return Graded(best.query, hits, tuple(likely[hit.chunk.id] for hit in hits), best.confidence), added


def without_hops(state: State, run: Run, error: CragError) -> Result:
    action = "Only the first search's passages are used."
    return {"hopped": True, "degraded": degraded("hop", error, action)}, {"passages_added": 0}


NODE = Node(name="hop", body=hop, timeout=lambda run: run.deps.rerank.timeout, fallback=without_hops)
