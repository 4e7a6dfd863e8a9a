"""What an answer may spend: calls and tokens are admitted before they are made, and what they cut is named."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ProviderError
from graph.budget import LEAST, Budget
from graph.config import GenerationConfig, GradingConfig, LimitsConfig, RewriteConfig
from graph.engine import Engine
from graph.llms import build_llm
from graph.llms.base import Message
from graph.types import Answer, Turn, Usage
from tests.fakes.graph import HashEmbedder, ScriptedGrader, deps, hit
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.openai import chat_json, chat_stream

PASSAGES = [hit("The tower has 312 steps. It is of marble, finished in 1889.", source="tower.md", title="Marble tower")]
QUESTION = "How many steps does the tower have?"


def reply(request: Request) -> Reply:
    """A model that knows every prompt."""
    if request.body.get("stream"):
        return chat_stream(["The tower has 312 steps [1]."])
    if "query" in request.body["response_format"]["json_schema"]["schema"]["properties"]:
        return chat_json({"query": "tower step count"})
    return chat_json({"question": "How many steps does the finished tower have?"})


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(reply) as running:
        yield running


def ask(server: ScriptedServer, history: tuple[Turn, ...] = (), confidence: float = 0.1, **limits: Any) -> Answer:
    generation = GenerationConfig(
        provider="openai", model="m", base_url=f"{server.url}/v1", max_tokens=200, evidence_tokens=100
    )
    model = build_llm(generation)
    engine = Engine(
        deps(
            PASSAGES,
            generator=model.generator,
            chat=model.chat,
            generation=generation,
            limits=LimitsConfig(**limits),
            rewrite=RewriteConfig(attempts=1),
            grading=GradingConfig(lower=0.2),
            calibration=ScriptedGrader([confidence, 0.9]),
        )
    )

    async def answered() -> Answer:
        try:
            return await engine.ask(QUESTION if not history else "And when was it finished?", history)
        finally:
            await engine.aclose()

    return asyncio.run(answered())


def cuts(answer: Answer) -> list[tuple[str, str]]:
    return [(entry.stage, entry.reason) for entry in answer.degraded]


def test_within_its_limits_nothing_is_cut(server: ScriptedServer) -> None:
    answer = ask(server, history=(("user", QUESTION),))
    assert answer.degraded == ()
    assert len(server.requests) == answer.usage.model_calls == 3


def test_calls_on_the_way_leave_one_for_the_answer(server: ScriptedServer) -> None:
    answer = ask(server, history=(("user", QUESTION),), model_calls=2)
    assert answer.usage.model_calls == len(server.requests) == 2
    assert server.requests[-1].body["stream"] is True
    ((stage, reason),) = cuts(answer)
    assert stage == "rewrite"
    assert (
        reason == "The answer's budget of 2 model calls is spent but the one for the answer: raise limits.model_calls."
    )


def test_without_calls_the_answer_is_quoted_and_nothing_is_sent(server: ScriptedServer) -> None:
    answer = ask(server, model_calls=0)
    assert server.requests == []
    assert answer.text.startswith("The tower has 312 steps. [1]")
    assert [stage for stage, _ in cuts(answer)] == ["rewrite", "generate"]
    assert "0 model calls is spent: raise limits.model_calls" in answer.degraded[1].reason


def test_tokens_too_few_for_the_prompt_are_not_spent(server: ScriptedServer) -> None:
    answer = ask(server, tokens=50)
    assert server.requests == []
    assert [stage for stage, _ in cuts(answer)] == ["rewrite", "generate"]
    assert "50 tokens is spent: raise limits.tokens" in answer.degraded[1].reason


def test_the_endpoint_is_told_what_is_left(server: ScriptedServer) -> None:
    answer = ask(server, confidence=0.9, tokens=700)
    (request,) = server.requests
    counted = sum(HashEmbedder().count_tokens([message["content"] for message in request.body["messages"]])) + 8
    assert LEAST <= request.body["max_tokens"] == 700 - counted < 200 or request.body["max_tokens"] == 200
    assert answer.degraded == ()


def test_an_answer_that_the_budget_ends_says_so(server: ScriptedServer) -> None:
    long = chat_stream(["The tower has 312 steps [1]. It was"])
    events = [dict(event) for event in long.events or ()]
    events[-2] = {**events[-2], "choices": [{**events[-2]["choices"][0], "finish_reason": "length"}]}
    server.enqueue(chat_stream(["The tower has 312 steps [1]."]))
    ask(server, confidence=0.9)
    whole = server.requests[0].body
    counted = sum(HashEmbedder().count_tokens([message["content"] for message in whole["messages"]])) + 8
    server.enqueue(Reply(events=events))
    answer = ask(server, confidence=0.9, tokens=counted + 40)
    assert server.requests[1].body["max_tokens"] == 40
    assert (answer.text, answer.status) == ("The tower has 312 steps [1].", "partial")
    ((stage, reason),) = cuts(answer)
    assert (stage, reason) == ("generate", "The answer's budget left 40 tokens to write it in: raise limits.tokens.")


def test_an_endpoint_that_ignores_max_tokens_is_cut(server: ScriptedServer) -> None:
    server.enqueue(chat_stream(["The tower has 312 steps [1]. ", *["It goes on and on without a stop. " * 20] * 50]))
    answer = ask(server, confidence=0.9)
    assert (answer.text, answer.status) == ("The tower has 312 steps [1].", "partial")
    assert "max_tokens" in answer.degraded[0].reason


_CALLS = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 300), st.integers(0, 400), st.booleans()), max_size=12)


@given(calls=_CALLS, allowed=st.integers(0, 8), tokens=st.one_of(st.none(), st.integers(1, 1500)))
def test_no_order_of_calls_exceeds_the_budget(
    calls: list[tuple[int, int, int, bool]], allowed: int, tokens: int | None
) -> None:
    generation = GenerationConfig(max_tokens=100, evidence_tokens=100)
    budget = Budget(LimitsConfig(model_calls=allowed, tokens=tokens), generation, HashEmbedder().count_tokens)
    made, spent = 0, 0
    for words, most, written, last in calls:
        messages: list[Message] = [{"role": "user", "content": "word " * words}]
        try:
            grant = budget.admit(messages, most, last=last)
        except ProviderError:
            continue
        made += 1
        used = min(written, grant.max_tokens)
        spent += grant.prompt_tokens + used
        assert grant.max_tokens <= most
        assert grant.max_tokens == most or last
        budget.settle(grant, Usage(grant.prompt_tokens, used, 1))
        if grant.prompt_tokens + used == 0:
            spent += most
    assert made <= allowed
    assert tokens is None or spent <= tokens
