"""The engine's promises: events in order, cancellation, small overhead, search, filters, history."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator

import pytest

from chunking.errors import ConfigError, ProviderError
from graph.budget import Budget
from graph.config import GenerationConfig, LimitsConfig
from graph.engine import Engine
from graph.llms.base import Message, Request
from graph.nodes.base import Run
from graph.types import AnswerReady, Event, NodeEvent, NodeStarted, TextDelta, Usage
from retrieval.config import RetrievalConfig
from retrieval.types import Filters
from tests.fakes.graph import CoverageReranker, MemoryRetriever, ScriptedGrader, deps, hit

PASSAGES = [
    hit("The tower has 312 steps. It was finished in 1889.", source="tower.md", title="Tower"),
    hit("The bridge carries trains and was closed in 1950.", source="bridge.md", title="Bridge"),
    hit("语义分块先把文本切成句子。阈值是 0.7。", source="chunk.md", title="语义分块"),
]
QUESTION = "How many steps does the tower have?"


def events_of(engine: Engine, question: str = QUESTION) -> list[Event]:
    async def collect() -> list[Event]:
        return [event async for event in engine.stream(question)]

    return asyncio.run(collect())


def test_each_node_starts_and_ends_and_the_answer_comes_last() -> None:
    events = events_of(Engine(deps(PASSAGES)))
    started = [event.node for event in events if isinstance(event, NodeStarted)]
    ended = [event for event in events if isinstance(event, NodeEvent)]
    assert started == [event.node for event in ended]
    ready = events[-1]
    assert isinstance(ready, AnswerReady)
    assert ready.answer.text == "".join(event.text for event in events if isinstance(event, TextDelta))
    answer = ready.answer
    assert answer.trace == tuple(ended[:-1])
    assert set(answer.timings) == {event.node for event in answer.trace} | {"total"}
    assert answer.timings["total"] >= max(event.milliseconds for event in answer.trace)
    assert answer.pipeline == {"name": "test", "version": "0"}
    assert answer.models["calibration"] == "generic"


def test_a_refusal_is_streamed_too() -> None:
    events = events_of(Engine(deps([])))
    ready = events[-1]
    assert isinstance(ready, AnswerReady)
    assert ready.answer.status == "abstained"
    assert ready.answer.text == "".join(event.text for event in events if isinstance(event, TextDelta))


class Endless:
    """Writes the same supported sentence for ever, and knows when it was closed."""

    name = "endless"

    def __init__(self) -> None:
        self.begun, self.closed = asyncio.Event(), False

    def prompt(self, request: Request) -> tuple[Message, ...]:
        return ()

    async def generate(self, request: Request) -> AsyncGenerator[str | Usage, None]:
        self.begun.set()
        try:
            while True:
                yield "The tower has 312 steps [1]. "
                await asyncio.sleep(0.01)
        finally:
            self.closed = True

    async def aclose(self) -> None:
        return


def test_a_consumer_that_leaves_cancels_the_work() -> None:
    generator = Endless()
    engine = Engine(deps(PASSAGES, generator=generator, calibration=ScriptedGrader([0.9])))

    async def leave() -> float:
        stream = engine.stream(QUESTION)
        async for event in stream:
            if isinstance(event, TextDelta):
                break
        started = time.perf_counter()
        await stream.aclose()
        assert generator.closed
        return time.perf_counter() - started

    assert asyncio.run(leave()) < 0.5


def test_a_cancelled_question_stops_the_model() -> None:
    generator = Endless()
    engine = Engine(deps(PASSAGES, generator=generator, calibration=ScriptedGrader([0.9])))

    async def cancel() -> None:
        task = asyncio.create_task(engine.ask(QUESTION))
        await generator.begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert generator.closed


def test_an_endless_model_is_cut_at_its_timeout() -> None:
    engine = Engine(
        deps(
            PASSAGES,
            generator=Endless(),
            calibration=ScriptedGrader([0.9]),
            generation=GenerationConfig(provider="extractive", timeout=0.3),
        )
    )
    answer = asyncio.run(engine.ask(QUESTION))
    assert answer.status == "partial"
    assert answer.text.endswith("[1].")


def test_concurrent_questions_do_not_mix() -> None:
    engine = Engine(deps(PASSAGES))
    questions = [QUESTION, "When was the bridge closed?", "语义分块的阈值是多少？"]

    async def together() -> list[str]:
        answers = await asyncio.gather(*(engine.ask(question) for question in questions * 5))
        assert [answer.question for answer in answers] == questions * 5
        return [answer.text for answer in answers[:3]]

    tower, bridge, chunk = asyncio.run(together())
    assert "312" in tower
    assert "1950" in bridge
    assert "0.7" in chunk


def test_search_retrieves_and_reranks_only() -> None:
    engine = Engine(deps(PASSAGES, reranker=CoverageReranker(), retrieval=RetrievalConfig(top_k=2)))
    hits, degraded = asyncio.run(engine.search(QUESTION))
    assert (len(hits), degraded) == (2, ())
    assert hits[0].document.source == "tower.md"
    assert hits[0].ranks == {"dense": 1, "rerank": 1}
    assert len(asyncio.run(engine.search(QUESTION, top_k=3))[0]) == 3
    only = asyncio.run(engine.search(QUESTION, filters=Filters(source="bridge*")))[0]
    assert [one.document.source for one in only] == ["bridge.md"]


def test_search_without_its_reranker_keeps_the_order() -> None:
    engine = Engine(deps(PASSAGES, reranker=CoverageReranker(ProviderError("Down.", provider="x"))))
    hits, degraded = asyncio.run(engine.search(QUESTION))
    assert hits[0].document.source == "tower.md"
    assert [entry.stage for entry in degraded] == ["rerank"]


def test_filters_reach_the_search() -> None:
    answer = asyncio.run(Engine(deps(PASSAGES)).ask(QUESTION, filters=Filters(source="bridge*")))
    assert {one.document.source for one in answer.hits} == {"bridge.md"}


def test_an_empty_question_is_refused() -> None:
    for question in ("", "  \n"):
        with pytest.raises(ConfigError, match="empty"):
            asyncio.run(Engine(deps(PASSAGES)).ask(question))
        with pytest.raises(ConfigError, match="empty"):
            asyncio.run(Engine(deps(PASSAGES)).search(question))


def test_a_follow_up_searches_with_its_subject_and_answers_what_was_asked() -> None:
    retriever = MemoryRetriever(PASSAGES)
    answer = asyncio.run(
        Engine(deps(PASSAGES, retriever=retriever)).ask(
            "And when was it finished?", history=[("user", QUESTION), ("assistant", "312 steps. [1]")]
        )
    )
    assert retriever.asked[0] == "when was the tower finished?"
    assert answer.question == "And when was it finished?"
    assert "1889" in answer.text


def test_the_drawing_has_every_node() -> None:
    drawing = Engine(deps([])).mermaid()
    for node in ("condense", "retrieve", "rerank", "grade", "rewrite", "search_web", "grade_web", "refine"):
        assert f"{node}({node})" in drawing
    for edge in ("grade -.-> rewrite", "rewrite -.-> retrieve", "grade_web -.-> abstain", "generate --> verify"):
        assert edge in drawing


def test_failures_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    engine = Engine(deps(PASSAGES, reranker=CoverageReranker(ProviderError("Down today.", provider="x"))))
    with caplog.at_level(logging.WARNING):
        asyncio.run(engine.ask(QUESTION))
    assert "Down today." in caplog.text


def test_a_run_leaves_time_for_what_comes_after_a_failure() -> None:
    parts = deps([], limits=LimitsConfig(deadline=10))
    budget = Budget(parts.limits, parts.generation, parts.embedder.count_tokens)
    run = Run(deps=parts, generation=parts.generation, budget=budget, started=time.perf_counter())
    assert 9.5 < run.remaining() < 9.8
    assert run.remaining(reserves=2) < run.remaining()
