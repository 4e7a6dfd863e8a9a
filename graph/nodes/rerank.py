"""Order the candidates by the reranker; without one, or when it fails, the fused order stands."""

from __future__ import annotations

import asyncio

from chunking.errors import CragError
from graph.nodes.base import Node, Result, Run, degraded
from graph.state import State


async def rerank(state: State, run: Run) -> Result:
    hits, reranker = state["hits"], run.deps.reranker
    if reranker is None or not hits:
        return _top(state, run), {"reranker": None if reranker is None else reranker.name}
    # The search query may be a rewrite; relevance is to the question.
    asked = ((state["standalone"], hits), *state["by_part"])
    depth, top_k = run.deps.rerank.candidates, run.deps.retrieval.top_k
    ranked, *parted = [
        tuple(each)[:top_k]
        for each in await asyncio.gather(
            *(asyncio.to_thread(reranker.rerank, question, found[:depth]) for question, found in asked)
        )
    ]
    by_part = tuple((part, own) for (part, _), own in zip(state["by_part"], parted, strict=True))
    return {"hits": ranked, "by_part": by_part}, {"reranker": reranker.name, "candidates": len(hits[:depth])}


def fused_order(state: State, run: Run, error: CragError) -> Result:
    action = "The passages keep the order of the search."
    return {**_top(state, run), "degraded": degraded("rerank", error, action)}, {"reranker": None}


def _top(state: State, run: Run) -> State:
    top_k = run.deps.retrieval.top_k
    by_part = tuple((part, own[:top_k]) for part, own in state["by_part"])
    return {"hits": state["hits"][:top_k], "by_part": by_part}


NODE = Node(name="rerank", body=rerank, timeout=lambda run: run.deps.rerank.timeout, fallback=fused_order)
