"""The real openai client, through the graph, against a scripted endpoint: success, retries and every failure."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from chunking.errors import ConfigError, ProviderError
from graph.config import GenerationConfig, GradingConfig, LimitsConfig, RewriteConfig
from graph.engine import Engine
from graph.llms import build_llm
from graph.llms.openai import OpenAIModel, parse_object
from graph.llms.opening import Opening
from graph.nodes.rewrite import FEEDBACK
from graph.prompts import NOT_ENOUGH
from graph.types import Answer, AnswerReady, TextDelta, Turn
from tests.fakes.graph import ScriptedGrader, deps, hit
from tests.fakes.http import Reply, ScriptedServer
from tests.fakes.openai import chat, chat_json, chat_stream, error

PASSAGES = [hit("The tower has 312 steps. It was finished in 1889.", source="tower.md", title="Finished tower")]
QUESTION = "How many steps does the tower have?"
ANSWER = ["The tower", " has 312", " steps [1", "]."]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


def config(server: ScriptedServer, **changes: Any) -> GenerationConfig:
    return GenerationConfig(provider="openai", model="scripted", base_url=f"{server.url}/v1", **changes)


def answer(
    server: ScriptedServer, *, history: tuple[Turn, ...] = (), question: str = QUESTION, **changes: Any
) -> Answer:
    generation = config(server, **changes.pop("generation", {}))
    model = build_llm(generation)
    parts = {"calibration": ScriptedGrader([0.9]), **changes}
    engine = Engine(deps(PASSAGES, generator=model.generator, chat=model.chat, generation=generation, **parts))

    async def ask() -> Answer:
        try:
            return await engine.ask(question, history)
        finally:
            await engine.aclose()

    return asyncio.run(ask())


def test_a_streamed_answer_with_usage(server: ScriptedServer) -> None:
    server.enqueue(chat_stream(ANSWER))
    got = answer(server)
    assert (got.text, got.status) == ("The tower has 312 steps [1].", "grounded")
    assert (got.usage.prompt_tokens, got.usage.completion_tokens, got.usage.model_calls) == (10, 4, 1)
    assert got.degraded == ()
    body = server.requests[0].body
    assert body["stream"] is True
    assert body["max_tokens"] == 800
    system, user = body["messages"]
    assert NOT_ENOUGH["en"] in system["content"]
    assert '<source id="1" title="Finished tower">' in user["content"]
    assert QUESTION in user["content"]


def test_deltas_join_to_the_text_and_come_while_the_model_writes(server: ScriptedServer) -> None:
    server.enqueue(chat_stream(["The tower has 312 steps [1]. ", "It was finished in 1889 [1]. ", "Done."], gap=0.15))
    generation = config(server)
    model = build_llm(generation)
    parts = deps(PASSAGES, generator=model.generator, generation=generation, calibration=ScriptedGrader([0.9]))
    engine = Engine(replace(parts, grading=GradingConfig(strip_threshold=0.0)))

    async def listen() -> tuple[list[float], str, Answer]:
        times, text, ready = [], "", None
        async for event in engine.stream(QUESTION):
            if isinstance(event, TextDelta):
                times.append(time.perf_counter())
                text += event.text
            elif isinstance(event, AnswerReady):
                ready = event.answer
                times.append(time.perf_counter())
        await engine.aclose()
        assert ready is not None
        return times, text, ready

    times, text, ready = asyncio.run(listen())
    assert text == ready.text == "The tower has 312 steps [1]. It was finished in 1889 [1]."
    assert times[-1] - times[0] > 0.1
    assert ready.status == "partial"


def test_rate_limits_and_server_errors_are_retried(server: ScriptedServer) -> None:
    retry = {"retry-after-ms": "10"}
    server.enqueue(error(429, **retry), error(500, **retry), chat_stream(ANSWER))
    got = answer(server)
    assert got.text == "The tower has 312 steps [1]."
    assert len(server.requests) == 3
    assert got.degraded == ()


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (error(500, **{"retry-after-ms": "5"}), "status 500"),
        (error(429, **{"retry-after-ms": "5"}), "rate limit"),
        (error(401), "does not accept the key"),
        (error(404, "no such model"), "no such model"),
        (Reply(b"<html>not an API</html>", headers={"Content-Type": "text/html"}), "in the middle of the answer"),
        (Reply(events=["{not json"]), "no known form"),
        (Reply(events=[{"choices": "wrong"}]), "no known form"),
        (Reply(events=[{"choices": [{"index": 0, "delta": {"content": 5}}]}]), "no known form"),
        (Reply(events=[{"error": {"message": "overloaded"}}]), "replied badly"),
        (Reply(events=[]), "in the middle of the answer"),
        (chat_stream(["The tow"], cut=2), "in the middle of the answer"),
        (chat_stream([""] * 400, gap=0.05), "did not finish"),
        (chat_stream(ANSWER, delay=30.0), "did not finish"),
    ],
)
def test_a_model_that_fails_before_its_first_sentence_is_replaced_by_quotes(
    server: ScriptedServer, reply: Reply, says: str
) -> None:
    server.enqueue(*[reply] * 3)
    started = time.perf_counter()
    got = answer(server, generation={"timeout": 1.0})
    assert time.perf_counter() - started < 3
    assert got.status == "grounded"
    assert got.text.startswith("The tower has 312 steps. [1]")
    (entry,) = got.degraded
    assert entry.stage == "generate"
    assert says in entry.reason
    assert "quotes" in entry.action


def test_a_refused_connection_is_replaced_by_quotes() -> None:
    with ScriptedServer() as gone:
        pass
    got = answer(gone)
    assert "cannot be reached" in got.degraded[0].reason
    assert got.status == "grounded"


def test_a_stream_that_breaks_keeps_what_was_shown(server: ScriptedServer) -> None:
    server.enqueue(chat_stream(["The tower has 312 steps [1]. It was fin", "ished in 1889 [1]."], cut=2))
    got = answer(server)
    assert (got.text, got.status) == ("The tower has 312 steps [1].", "partial")
    assert "in the middle" in got.degraded[0].reason
    assert got.usage.model_calls == 1


def test_an_answer_longer_than_max_tokens_ends_with_its_last_whole_sentence(server: ScriptedServer) -> None:
    reply = chat_stream(["The tower has 312 steps [1]. It was"])
    events = [dict(event) for event in reply.events or ()]
    events[-2] = {**events[-2], "choices": [{**events[-2]["choices"][0], "finish_reason": "length"}]}
    server.enqueue(Reply(events=events))
    got = answer(server)
    assert (got.text, got.status) == ("The tower has 312 steps [1].", "partial")
    assert "max_tokens" in got.degraded[0].reason


def test_the_whole_answer_keeps_its_deadline(server: ScriptedServer) -> None:
    server.enqueue(chat_stream(ANSWER, delay=30.0))
    started = time.perf_counter()
    got = answer(server, generation={"timeout": 60.0}, limits=LimitsConfig(deadline=1.0))
    assert time.perf_counter() - started < 1.5
    assert got.status == "grounded"
    assert got.degraded[0].stage == "generate"


def test_the_model_may_say_that_it_does_not_know(server: ScriptedServer) -> None:
    server.enqueue(chat_stream([NOT_ENOUGH["en"]]))
    got = answer(server)
    assert (got.status, got.citations) == ("abstained", ())
    assert got.text.startswith("The documents do not seem to hold the answer.")


def test_an_answer_of_unsupported_sentences_is_a_refusal(server: ScriptedServer) -> None:
    server.enqueue(chat_stream(["The moon is made of green cheese [1]."]))
    assert answer(server).status == "abstained"


def test_in_place_of_an_empty_answer_the_passages_are_quoted(server: ScriptedServer) -> None:
    server.enqueue(chat_stream([]))
    got = answer(server)
    assert got.status == "grounded"
    assert got.degraded[0].stage == "generate"
    assert "wrote nothing" in got.degraded[0].reason


def test_a_weak_search_is_rewritten_by_the_model(server: ScriptedServer) -> None:
    server.enqueue(chat_json({"query": "tower staircase step count"}), chat_stream(ANSWER))
    got = answer(server, calibration=ScriptedGrader([0.1, 0.9]))
    rewrite = next(event for event in got.trace if event.node == "rewrite")
    assert rewrite.detail == {"query": "tower staircase step count", "how": "written by the model"}
    assert got.usage.model_calls == 2
    format_ = server.requests[0].body["response_format"]
    assert format_["json_schema"]["schema"]["required"] == ["query"]
    # The question is graded and answered as asked.
    assert QUESTION in server.requests[1].body["messages"][1]["content"]


@pytest.mark.parametrize(
    "replies",
    [
        [chat("I would search for towers.")],
        [chat("")],
        [chat('{"query": 7}')],
        [chat_json({"query": QUESTION})],
        [error(400, "response_format is not supported"), chat("no JSON here either")],
    ],
)
def test_a_rewrite_that_cannot_be_read_falls_back_on_the_passages(server: ScriptedServer, replies: list[Reply]) -> None:
    server.enqueue(*replies, chat_stream(ANSWER))
    got = answer(server, calibration=ScriptedGrader([0.1, 0.9]))
    rewrite = next(event for event in got.trace if event.node == "rewrite")
    assert rewrite.detail["how"] == FEEDBACK
    assert got.status == "grounded"
    # A query that was tried already is no failure; a reply without one is.
    repeated = replies == [chat_json({"query": QUESTION})]
    assert [entry.stage for entry in got.degraded] == ([] if repeated else ["rewrite"])


def test_a_failing_rewrite_is_named(server: ScriptedServer) -> None:
    server.enqueue(*[error(500, **{"retry-after-ms": "5"})] * 3, chat_stream(ANSWER))
    got = answer(server, calibration=ScriptedGrader([0.1, 0.9]), rewrite=RewriteConfig(attempts=1))
    assert [entry.stage for entry in got.degraded] == ["rewrite"]
    assert got.status == "grounded"


def test_models_that_refuse_a_parameter_are_asked_in_their_own_words(server: ScriptedServer) -> None:
    server.enqueue(
        error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        error(400, "Unsupported value: 'temperature' does not support 0.0."),
        chat_stream(ANSWER),
    )
    got = answer(server)
    assert (got.text, got.degraded) == ("The tower has 312 steps [1].", ())
    body = server.requests[2].body
    assert body["max_completion_tokens"] == 800
    assert "max_tokens" not in body
    assert "temperature" not in body


def test_servers_without_structured_output_are_asked_plainly(server: ScriptedServer) -> None:
    server.enqueue(error(400, "unknown field response_format"), chat('```json\n{"query": "tower stairs"}\n```'))
    server.enqueue(chat_stream(ANSWER))
    got = answer(server, calibration=ScriptedGrader([0.1, 0.9]))
    assert next(event for event in got.trace if event.node == "rewrite").detail["how"] == "written by the model"
    assert "response_format" not in server.requests[1].body


def test_a_follow_up_is_condensed_by_the_model(server: ScriptedServer) -> None:
    server.enqueue(
        chat_json({"question": "When was the tower finished?"}), chat_stream(["It was finished in 1889 [1]."])
    )
    history: tuple[Turn, ...] = (("user", QUESTION), ("assistant", "312 [1]"))
    got = answer(server, question="And when was it finished?", history=history)
    assert got.question == "And when was it finished?"
    assert got.trace[0].detail == {
        "question": "When was the tower finished?",
        "how": "rewritten by the model to stand alone",
    }
    assert got.text == "It was finished in 1889 [1]."


def test_condensing_that_fails_is_done_by_rule(server: ScriptedServer) -> None:
    server.enqueue(*[error(503, **{"retry-after-ms": "5"})] * 3, chat_stream(["It was finished in 1889 [1]."]))
    got = answer(server, question="When was it finished?", history=(("user", QUESTION),))
    assert got.trace[0].detail["question"] == "When was the tower finished?"
    assert got.degraded[0].stage == "condense"


def test_overrides_reach_the_endpoint_and_are_checked(server: ScriptedServer) -> None:
    server.enqueue(chat_stream(ANSWER))
    generation = config(server)
    model = build_llm(generation)
    engine = Engine(deps(PASSAGES, generator=model.generator, generation=generation, calibration=ScriptedGrader([0.9])))

    async def ask() -> None:
        await engine.ask(QUESTION, temperature=0.5, max_tokens=99)
        with pytest.raises(ConfigError, match=r"generation\.temperature cannot be 9"):
            await engine.ask(QUESTION, temperature=9)
        with pytest.raises(ConfigError, match="tone"):
            await engine.ask(QUESTION, tone="warm")
        await engine.aclose()

    asyncio.run(ask())
    assert (server.requests[0].body["temperature"], server.requests[0].body["max_tokens"]) == (0.5, 99)


def test_one_engine_serves_several_event_loops(server: ScriptedServer) -> None:
    server.enqueue(chat_stream(ANSWER), chat_stream(ANSWER))
    generation = config(server)
    engine = Engine(
        deps(
            PASSAGES,
            generator=build_llm(generation).generator,
            generation=generation,
            calibration=ScriptedGrader([0.9]),
        )
    )

    async def ask() -> str:
        text = (await engine.ask(QUESTION)).text
        await engine.aclose()
        return text

    assert asyncio.run(ask()) == asyncio.run(ask()) == "The tower has 312 steps [1]."


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"CRAG_CHAT_MODEL"):
        OpenAIModel(GenerationConfig(provider="openai"))
    with pytest.raises(ConfigError, match=r"set OPENAI_API_KEY"):
        OpenAIModel(GenerationConfig(provider="openai", model="m"))
    with pytest.raises(ConfigError, match=r"extractive, openai"):
        build_llm(GenerationConfig(provider="nobody"))
    monkeypatch.setenv("CRAG_CHAT_MODEL", "from-the-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert OpenAIModel(GenerationConfig(provider="openai")).name == "openai:from-the-environment"


def test_a_structured_reply_of_another_shape_is_a_provider_error(server: ScriptedServer) -> None:
    server.enqueue(Reply([1, 2, 3]))
    model = OpenAIModel(config(server))

    async def ask() -> None:
        with pytest.raises(ProviderError, match="no known form"):
            await model.ask_json([{"role": "user", "content": "x"}], schema={}, max_tokens=9)
        await model.aclose()

    asyncio.run(ask())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"query": "a"}', {"query": "a"}),
        ('Sure! {"note": 1} {"query": "a", "more": []} bye', {"query": "a", "more": []}),
        ('{"query": {"query": "inner"}}', {"query": "inner"}),
        ('{"query": "unfinished', None),
        ("[]", None),
        ("", None),
        ("{" * 50, None),
    ],
)
def test_json_is_found_in_what_models_write(text: str, value: dict[str, Any] | None) -> None:
    schema = {"properties": {"query": {"type": "string"}}, "required": ["query"]}
    assert parse_object(text, schema) == value


@pytest.mark.parametrize("size", [1, 7, 400])
@pytest.mark.parametrize(
    "opening",
    [
        "<think>Source 1 says 312.</think>",
        "<think>\nThe user asks.\n</think>\n\n",
        "<thinking>a</thinking>Sure! ",
        "Sure! ",
        "Certainly.\n\n",
        "好的！",
    ],
)
def test_thoughts_and_politeness_before_an_answer_are_no_part_of_it(
    server: ScriptedServer, opening: str, size: int
) -> None:
    written = f"{opening}The tower has 312 steps [1]."
    server.enqueue(chat_stream([written[at : at + size] for at in range(0, len(written), size)]))
    got = answer(server)
    assert (got.text, got.status) == ("The tower has 312 steps [1].", "grounded")


@pytest.mark.parametrize("written", ["Sure", "12", "<b>Sure</b> enough, it has 312 steps [1].", "Sure enough."])
def test_what_only_looks_like_an_opening_is_kept(written: str) -> None:
    opening = Opening()
    assert "".join(map(opening.push, written)) + opening.close() == written


def test_thoughts_that_never_end_are_the_whole_reply() -> None:
    opening = Opening()
    assert "".join(map(opening.push, "<think>" + "It has 312 steps [1]. " * 50)) + opening.close() == ""


@pytest.mark.parametrize("text", ['{"query":' + "[" * 5000, '{"query":' * 5000])
def test_a_reply_nested_thousands_deep_is_none(text: str) -> None:
    assert parse_object(text, {"required": ["query"]}) is None
