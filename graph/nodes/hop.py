"""Search on from what was found: an answer in two places is often reached only through the first of them.

"Who directed the film shot in Leland?" finds Leland. Where the evidence is weak, a language model names what is still
missing ("Who directed Maximum Overdrive?"); without one, and where there is likely enough to answer from, the passage
joined to the question is searched for, and finds the film.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any

from chunking.errors import CragError, ProviderError
from graph.feedback import QUERY_LIMIT
from graph.language import language_of
from graph.neutral import neutralise
from graph.nodes.base import Node, Result, Run, degraded
from graph.nodes.retrieve import search
from graph.prompts import messages, shown
from graph.state import Graded, State
from graph.types import Usage
from retrieval.types import Hit

PASSAGE_LIMIT = 1000
"""Characters of a passage that are joined to the question, or shown to the model: what an embedder reads."""
KEPT = 5
"""Of the first search, before what the further searches add."""
ADDED = 2
"""New passages that each further search adds at most. This and `KEPT` were chosen on multihop_en."""
LEANS = 1.0
"""Of the probability of the passage that led to it, what a passage found by a hop is worth."""
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"questions": {"type": "array", "items": {"type": "string"}}},
    "required": ["questions"],
    "additionalProperties": False,
}
_TOKENS = 80
"""Of the reply for each question."""
Likely = tuple[Hit, float]
"""A passage, and the probability that it holds the answer."""


async def hop(state: State, run: Run) -> Result:
    update = State(hopped=True)
    asked: tuple[str, ...] | None = None
    # Evidence that is likely enough to answer from is not worth the seconds of a call.
    if run.deps.chat is not None and state["best"].confidence < state["policy"].upper:
        asked, usage, trouble = await _missing(state, run)
        update = {**update, "usage": usage, "degraded": trouble}
    if asked is None:
        return await _from_passages(state, run, update)
    found = await asyncio.gather(*(_ranked(question, run) for question in asked))
    likely = [list(zip(hits, run.deps.calibration.probabilities(hits), strict=True)) for hits in found]
    merged, added = _merged(state["best"], likely, run.deps.retrieval.top_k)
    return {**update, "best": merged, "sub_questions": asked}, {"searched_for": asked, "passages_added": added}


async def _missing(state: State, run: Run) -> tuple[tuple[str, ...] | None, Usage, tuple[Any, ...]]:
    """What the model still misses, at most `rewrite.hops` questions; None where it did not say."""
    model, limit = run.deps.chat, run.deps.rewrite.hops
    assert model is not None
    question, usage = state["standalone"], Usage()
    prompt = messages(
        language_of(question),
        "subquestions",
        passages=shown(state["best"].hits[:KEPT], PASSAGE_LIMIT),
        question=neutralise(question),
        limit=str(limit),
    )
    try:
        reply, usage = await run.ask(model, prompt, schema=SCHEMA, max_tokens=_TOKENS * (limit + 1))
        if reply is None or not all(isinstance(each, str) for each in reply["questions"]):
            raise ProviderError("The model's reply held no questions.", provider=model.name, code="bad_reply")
    except ProviderError as error:
        return None, usage, degraded("hop", error, "The search goes on from the best passages.")
    written = [re.sub(r"\s+", " ", each).strip()[:QUERY_LIMIT] for each in reply["questions"]]
    new = [each for each in dict.fromkeys(written) if each and each not in state["tried"]]
    return tuple(new[:limit]), usage, ()


async def _from_passages(state: State, run: Run, update: State) -> Result:
    best = state["best"]
    starts = best.hits[: run.deps.rewrite.hops]
    queries = [f"{state['standalone']} {start.chunk.text[:PASSAGE_LIMIT]}" for start in starts]
    found = await asyncio.gather(*(_ranked(query, run) for query in queries))
    # What else a document says was found by the first search, where it is like the question.
    likely = [
        [(hit, LEANS * probability) for hit in hits if hit.document.id != start.document.id]
        for start, hits, probability in zip(starts, found, best.probabilities, strict=False)
    ]
    merged, added = _merged(best, likely, run.deps.retrieval.top_k)
    detail = {"started_from": [start.document.title for start in starts], "passages_added": added}
    return {**update, "best": merged}, detail


async def _ranked(query: str, run: Run) -> tuple[Hit, ...]:
    hits = tuple((await search(query, run)).hits)
    if run.deps.reranker is None or not hits:
        return hits
    return tuple(await asyncio.to_thread(run.deps.reranker.rerank, query, hits[: run.deps.rerank.candidates]))


def _merged(best: Graded, found: Sequence[Sequence[Likely]], top_k: int) -> tuple[Graded, int]:
    """The best of the first search, then the first new ones of each further search in turn, then the rest."""
    likely = {hit.chunk.id: p for hit, p in zip(best.hits, best.probabilities, strict=True)}
    kept = {hit.chunk.id: hit for hit in best.hits[:KEPT]}
    new = [[pair for pair in pairs if pair[0].chunk.id not in kept][:ADDED] for pairs in found]
    for pair in chain.from_iterable(zip_longest(*new)):
        if pair is not None:
            kept.setdefault(pair[0].chunk.id, pair[0])
            likely.setdefault(pair[0].chunk.id, pair[1])
    for hit in best.hits[KEPT:]:
        kept.setdefault(hit.chunk.id, hit)
    hits = tuple(kept.values())[:top_k]
    before = {hit.chunk.id for hit in best.hits}
    added = sum(1 for hit in hits if hit.chunk.id not in before)
    probabilities = tuple(likely[hit.chunk.id] for hit in hits)
    return replace(best, hits=hits, probabilities=probabilities), added


def without_hops(state: State, run: Run, error: CragError) -> Result:
    action = "Only the first search's passages are used."
    return {"hopped": True, "degraded": degraded("hop", error, action)}, {"passages_added": 0}


def _timeout(run: Run) -> float:
    """Time to search and rank, after the model's where there is one."""
    return run.deps.rerank.timeout + (run.generation.timeout if run.deps.chat is not None else 0.0)


NODE = Node(name="hop", body=hop, timeout=_timeout, fallback=without_hops)
