"""Search the index for the current query."""

from __future__ import annotations

import asyncio
from typing import Any

from chunking.errors import CragError, ProviderError
from graph.deps import Retrieval
from graph.nodes.base import LateError, Node, Result, Run, degraded
from graph.questions import lone_parts
from graph.rescore import rescored
from graph.state import State


async def retrieve(state: State, run: Run) -> Result:
    """A first search looks for the whole question and, where it asks several things, for each of them."""
    query, known = state["search_query"], state.get("candidates")
    asked = lone_parts(state["standalone"]) if known is None else ()
    found, *parted = await asyncio.gather(*(search(each, run) for each in (query, *asked)))
    hits = tuple(found.hits)
    if known is None:
        known = hits
    elif query != state["standalone"]:
        hits = await asyncio.to_thread(rescored, state["standalone"], hits, known, run.deps.embedder)
    update: State = {
        "hits": hits,
        "by_part": tuple((part, tuple(own.hits)) for part, own in zip(asked, parted, strict=True)),
        "candidates": known,
        "tried": (query,),
        "degraded": tuple(found.degraded),
    }
    detail: dict[str, Any] = {"query": query, "passages_found": len(hits)}
    if asked:
        detail["also_searched_for"] = asked
    return update, detail


async def search(query: str, run: Run) -> Retrieval:
    return await asyncio.to_thread(run.deps.retriever.retrieve, query, top_k=breadth(run), filters=run.filters)


def breadth(run: Run) -> int:
    """Hits to ask for: as many as the next stage reads."""
    top_k = run.deps.retrieval.top_k
    return top_k if run.deps.reranker is None else max(top_k, run.deps.rerank.candidates)


def without_search(state: State, run: Run, error: CragError) -> Result:
    """A first search that fails is the end; a rewritten one leaves what the searches before it found."""
    if "best" not in state:
        if isinstance(error, LateError):
            raise ProviderError(
                f"The search did not finish within the answer's deadline of {run.deps.limits.deadline:g} s: "
                "raise limits.deadline, or look at the embedder's endpoint.",
                provider="retrieve",
            ) from error
        raise error
    action = "The results of the search before are used."
    update: State = {
        "hits": (),
        "by_part": (),
        "tried": (state["search_query"],),
        "degraded": degraded("retrieve", error, action),
    }
    return update, {"query": state["search_query"], "passages_found": 0}


NODE = Node(name="retrieve", body=retrieve, fallback=without_search)
