"""What the graph costs: questions answered by it, and by calling its nodes' bodies by hand in the same order.

Both take turns on the same warm question of the bundled suite, over the bundled samples and the shipped pipeline.
By hand there is no LangGraph, no event, no deadline and no fallback: what is left is the work itself.
"""

from __future__ import annotations

import asyncio
import json
import operator
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, cast

from crag import Crag
from graph.budget import Budget
from graph.engine import Engine
from graph.nodes import NODES
from graph.nodes.base import Run
from graph.state import State
from tests.crag.cli import ROOT, SAMPLES

BAR = 10.0
"""Milliseconds at the median."""
_ROUNDS = 5
_ADDED = ("tried", "degraded", "usage", "trace")
"""Keys of the state that grow where the others are replaced."""


def main() -> None:
    lines = (ROOT / "crag" / "samples" / "suite" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines]
    with tempfile.TemporaryDirectory() as folder, Crag.open(folder, write=True) as crag:
        crag.ingest([Path(SAMPLES)])
        engine = Engine(crag.dependencies())
        pairs = asyncio.run(_measured(engine, questions))
    graph, by_hand = ([pair[side] for pair in pairs] for side in (0, 1))
    added = [one - other for one, other in pairs]
    p50, p95 = statistics.median(added), sorted(added)[int(0.95 * (len(added) - 1))]
    print(f"  {len(questions)} questions, each {_ROUNDS} times after one that is not counted")
    print(f"  p50: graph {statistics.median(graph):.1f} ms, by hand {statistics.median(by_hand):.1f} ms")
    verdict = "ok" if p50 <= BAR else "OVER"
    print(f"  the graph adds p50 {p50:.1f} ms, p95 {p95:.1f} ms (bar p50 {BAR:.0f} ms: {verdict})")


async def _measured(engine: Engine, questions: list[str]) -> list[tuple[float, float]]:
    """Milliseconds in the graph and by hand, the answers being the same."""
    pairs = []
    for question in questions:
        path = [event.node for event in (await engine.ask(question)).trace] + ["answer"]
        text = await _by_hand(engine, question, path)
        for _ in range(_ROUNDS):
            started = time.perf_counter()
            answer = await engine.ask(question)
            between = time.perf_counter()
            assert await _by_hand(engine, question, path) == text == answer.text
            pairs.append(((between - started) * 1000, (time.perf_counter() - between) * 1000))
    return pairs


async def _by_hand(engine: Engine, question: str, path: list[str]) -> str:
    bodies = {node.name: node.body for node in NODES}
    deps = engine.deps
    state: dict[str, Any] = {**engine.start(question)}
    budget = Budget(deps.limits, deps.generation, deps.embedder.count_tokens)
    run = Run(deps=deps, generation=deps.generation, budget=budget, started=time.perf_counter())
    for name in path:
        update, _ = await bodies[name](cast(State, state), run)
        for key, value in update.items():
            state[key] = operator.add(state[key], value) if key in _ADDED else value
    return str(state["answer"].text)
