"""Give each passage and the question a probability, and remember the best search so far."""

from __future__ import annotations

from graph.nodes.base import Node, Result, Run
from graph.routes import route_of
from graph.state import Graded, State
from retrieval.types import Hit


async def grade(state: State, run: Run) -> Result:
    graded = graded_hits(state["search_query"], state["hits"], run)
    before = state.get("best")
    # A rewrite counts only if it raises the confidence.
    best = graded if before is None or graded.confidence > before.confidence else before
    route = route_of(best.confidence, state["policy"])
    detail = {"confidence": graded.confidence, "route": route, "kept": best.query}
    return {"best": best, "route": route, "confidence": best.confidence}, detail


async def grade_web(state: State, run: Run) -> Result:
    web = graded_hits(state["web"].query, state["web"].hits, run)
    confidence = max(web.confidence, state["best"].confidence)
    return {"web": web, "confidence": confidence}, {"confidence": web.confidence, "hits": len(web.hits)}


def graded_hits(query: str, hits: tuple[Hit, ...], run: Run) -> Graded:
    calibration = run.deps.calibration
    return Graded(query, hits, calibration.probabilities(hits), calibration.confidence(hits))


NODE = Node(name="grade", body=grade)
WEB_NODE = Node(name="grade_web", body=grade_web)
