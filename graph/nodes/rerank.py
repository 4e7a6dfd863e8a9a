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
    ranked = await asyncio.to_thread(reranker.rerank, state["standalone"], hits[: run.deps.rerank.candidates])
    return {"hits": tuple(ranked)[: run.deps.retrieval.top_k]}, {"reranker": reranker.name, "candidates": len(ranked)}


def fused_order(state: State, run: Run, error: CragError) -> Result:
    action = "The passages keep the order of the search."
    return {**_top(state, run), "degraded": degraded("rerank", error, action)}, {"reranker": None}


def _top(state: State, run: Run) -> State:
    return {"hits": state["hits"][: run.deps.retrieval.top_k]}


NODE = Node(name="rerank", body=rerank, timeout=lambda run: run.deps.rerank.timeout, fallback=fused_order)
