"""Where the evidence may be half of it, the search goes on from what it found: once, bounded, and named."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

import pytest

from chunking.errors import StoreError
from graph.config import GradingConfig, RewriteConfig
from graph.engine import Engine
from graph.types import Answer
from retrieval.config import RetrievalConfig
from tests.fakes.graph import MemoryRetriever, ScriptedGrader, deps, hit

LELAND = hit("Leland is a town where the film Maximum Overdrive was shot in 1986.", source="leland.md", title="Leland")
FILM = hit("Stephen King directed Maximum Overdrive.", source="film.md", title="Film")
OTHERS = [hit(f"In Leland the film club number {n} met in 1986.", source=f"o{n}.md") for n in range(4)]
QUESTION = "Who made the film shot in Leland in 1986?"


def ask(confidence: float, retriever: MemoryRetriever | None = None, **rewrite: Any) -> Answer:
    settings = {"attempts": 0, "hops": 2, **rewrite}
    return asyncio.run(
        Engine(
            deps(
                [LELAND, FILM, *OTHERS],
                **({"retriever": retriever} if retriever else {}),
                calibration=ScriptedGrader([confidence]),
                rewrite=RewriteConfig(**settings),
                retrieval=RetrievalConfig(top_k=5),
            )
        ).ask(QUESTION)
    )


def found(answer: Answer) -> set[str]:
    return {one.document.source for one in answer.hits}


def test_a_passage_that_only_the_first_one_leads_to_joins_the_evidence() -> None:
    fillers = [hit(f"Cake recipe {n}.", source=f"f{n}.md") for n in range(1)]

    def sources(hops: int) -> tuple[set[str], Answer]:
        parts = deps(
            [LELAND, *OTHERS, *fillers, FILM],
            calibration=ScriptedGrader([0.5]),
            rewrite=RewriteConfig(attempts=0, hops=hops),
            retrieval=RetrievalConfig(top_k=6),
        )
        answer = asyncio.run(Engine(parts).ask(QUESTION))
        return found(answer), answer

    assert "film.md" not in sources(0)[0]
    reached, answer = sources(5)
    assert "film.md" in reached
    assert len(answer.hits) == 6
    (event,) = [event for event in answer.trace if event.node == "hop"]
    assert "Leland" in event.detail["started_from"]
    assert event.detail["passages_added"] >= 1


def test_it_goes_on_from_the_best_passages_once() -> None:
    retriever = MemoryRetriever([LELAND, FILM, *OTHERS])
    answer = ask(0.5, retriever)
    first, *hops = retriever.asked
    assert first == QUESTION
    assert len(hops) == 2
    assert all(query.startswith(f"{QUESTION} ") for query in hops)
    assert LELAND.chunk.text in "\n".join(hops)
    assert [event.node for event in answer.trace].count("hop") == 1
    assert len(answer.hits) <= 5


@pytest.mark.parametrize(
    ("confidence", "rewrite"), [(0.95, {}), (0.5, {"hops": 0}), (0.01, {}), (0.5, {"hop_below": 0.4})]
)
def test_sure_hopeless_and_unbounded_questions_do_not_hop(confidence: float, rewrite: dict[str, Any]) -> None:
    retriever = MemoryRetriever([LELAND, FILM, *OTHERS])
    answer = ask(confidence, retriever, **rewrite)
    assert retriever.asked == [QUESTION]
    assert "hop" not in [event.node for event in answer.trace]


def test_without_grading_nothing_hops() -> None:
    retriever = MemoryRetriever([LELAND, FILM])
    parts = deps([], retriever=retriever, rewrite=RewriteConfig(hops=2), grading=GradingConfig(enabled=False))
    asyncio.run(Engine(parts).ask(QUESTION))
    assert retriever.asked == [QUESTION]


def test_a_hop_that_fails_leaves_the_first_search_and_is_named() -> None:
    retriever = MemoryRetriever([LELAND, FILM, *OTHERS], deque([None, StoreError("Locked.")]))
    answer = ask(0.5, retriever)
    assert answer.status == "grounded"
    assert [entry.stage for entry in answer.degraded] == ["hop"]
