"""Put the answer together."""

from __future__ import annotations

import time

from graph.nodes.base import Node, Result, Run
from graph.state import State
from graph.types import Answer, Usage
from retrieval.types import Degraded


async def answer(state: State, run: Run) -> Result:
    timings: dict[str, float] = {}
    for event in state["trace"]:
        timings[event.node] = timings.get(event.node, 0.0) + event.milliseconds
    timings["total"] = (time.perf_counter() - run.started) * 1000
    evidence = [source.hit for source in state.get("sources", ())]
    # Small talk is answered without a search.
    found = state["best"].hits if "best" in state else ()
    rest = [hit for hit in found if all(hit.chunk.id != kept.chunk.id for kept in evidence)]
    made = Answer(
        question=state["question"],
        text=state["text"],
        status=state["status"],
        route=state["route"],
        confidence=state["confidence"],
        citations=state["citations"],
        degraded=_once(state["degraded"]),
        usage=state.get("usage", Usage()),
        timings=timings,
        pipeline=run.deps.pipeline,
        models={**run.deps.models, **_graders(run)},
        hits=(*evidence, *rest),
        trace=state["trace"],
    )
    return {"answer": made}, {"status": made.status}


def _graders(run: Run) -> dict[str, str]:
    model = run.deps.model_grader
    return {"calibration": run.deps.calibration.name, **({"model_grader": model.name} if model is not None else {})}


def _once(entries: tuple[Degraded, ...]) -> tuple[Degraded, ...]:
    """A stage that fails in every loop is named once."""
    return tuple(dict.fromkeys(entries))


NODE = Node(name="answer", body=answer)
