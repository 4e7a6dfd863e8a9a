"""Give each passage and the question a probability, and remember the best search so far."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any

from graph.nodes.base import Node, Result, Run
from graph.routes import route_of
from graph.state import Graded, State
from retrieval.types import Hit


async def grade(state: State, run: Run) -> Result:
    graded = graded_hits(state["search_query"], state["hits"], run)
    if state["by_part"]:
        graded = _joined(graded, [graded_hits(part, own, run) for part, own in state["by_part"]], run)
    before = state.get("best")
    # A rewrite counts only if it raises the confidence.
    best = graded if before is None or graded.confidence > before.confidence else before
    route = route_of(best.confidence, state["policy"])
    detail: dict[str, Any] = {"confidence": graded.confidence, "route": route}
    if before is not None:
        detail["better_search"] = "this one" if best is graded else "the one before"
    return {"best": best, "route": route, "confidence": best.confidence}, detail


async def grade_web(state: State, run: Run) -> Result:
    web = graded_hits(state["web"].query, state["web"].hits, run)
    confidence = max(web.confidence, state["best"].confidence)
    return {"web": web, "confidence": confidence}, {"confidence": web.confidence, "passages_found": len(web.hits)}


def graded_hits(query: str, hits: tuple[Hit, ...], run: Run) -> Graded:
    calibration = run.deps.calibration
    return Graded(query, hits, calibration.probabilities(hits), calibration.confidence(hits))


def _joined(whole: Graded, parted: Sequence[Graded], run: Run) -> Graded:
    """The evidence of each part in turn. It holds the answer where its weakest part does, or where the whole does."""
    likely: dict[str, float] = {}
    for graded in (*parted, whole):
        for hit, probability in zip(graded.hits, graded.probabilities, strict=True):
            likely[hit.chunk.id] = max(probability, likely.get(hit.chunk.id, 0.0))
    turns = chain.from_iterable(zip_longest(*(graded.hits for graded in (*parted, whole))))
    hits = tuple({hit.chunk.id: hit for hit in turns if hit is not None}.values())[: run.deps.retrieval.top_k]
    confidence = max(whole.confidence, min(graded.confidence for graded in parted))
    return Graded(whole.query, hits, tuple(likely[hit.chunk.id] for hit in hits), confidence)


NODE = Node(name="grade", body=grade)
WEB_NODE = Node(name="grade_web", body=grade_web)
