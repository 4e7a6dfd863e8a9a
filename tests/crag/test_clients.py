"""Chat clients as people use them, against a running server: ask, stream, list models, meet errors."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from tests.crag.cli import child_environment
from tests.crag.serving import Serving, serving
from tests.fakes.http import Reply, ScriptedServer
from tests.fakes.openai import chat_stream, error

QUESTION = "When does the nightly Ragas run start?"
SECRET = "sk-very-secret-0001"
CHINESE = "每日备份保留多少天？"


def ask(text: str, **more: Any) -> dict[str, Any]:
    return {"model": "crag", "messages": [{"role": "user", "content": text}], **more}


def test_the_official_client_asks_and_streams_at_once_from_one_loop(server: Serving) -> None:
    async def one(client: openai.AsyncOpenAI, text: str) -> tuple[str, str]:
        plain = await client.chat.completions.create(**ask(text))
        pieces = []
        async for chunk in await client.chat.completions.create(**ask(text, stream=True)):
            pieces += [choice.delta.content or "" for choice in chunk.choices]
        return plain.choices[0].message.content or "", "".join(pieces)

    async def run() -> list[tuple[str, str]]:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="any") as client:
            assert "crag" in [model.id async for model in client.models.list()]
            with pytest.raises(openai.NotFoundError):
                await client.chat.completions.create(**{**ask("x"), "model": "gpt-4o"})
            return await asyncio.gather(*(one(client, text) for text in (QUESTION, CHINESE) * 2))

    answers = asyncio.run(run())
    assert all(plain == streamed for plain, streamed in answers)
    assert "02:30" in answers[0][0]
    assert answers[1] == answers[3]


def test_langchains_client_asks_streams_and_meets_errors(server: Serving) -> None:
    from langchain_openai import ChatOpenAI

    url: dict[str, Any] = {"base_url": f"{server.url}/v1", "api_key": "any"}
    model = ChatOpenAI(model="crag", **url, temperature=0, max_retries=0)
    reply = model.invoke(QUESTION)
    assert "02:30" in reply.text
    assert "".join(chunk.text for chunk in model.stream(QUESTION)) == reply.text
    assert "".join(chunk.text for chunk in asyncio.run(collected(model.astream(CHINESE)))) == model.invoke(CHINESE).text
    assert model.invoke([("system", "Be brief."), ("user", QUESTION)]).text == reply.text
    with pytest.raises(openai.NotFoundError, match="nope"):
        ChatOpenAI(model="nope", **url, max_retries=0).invoke(QUESTION)


async def collected(items: Any) -> list[Any]:
    return [item async for item in items]


def test_simonws_llm_asks_and_streams(server: Serving, tmp_path: Path) -> None:
    config = f"- model_id: docs\n  model_name: crag\n  api_base: {server.url}/v1\n"
    (tmp_path / "extra-openai-models.yaml").write_text(config)

    def llm(*arguments: str) -> subprocess.CompletedProcess[str]:
        # Without its plugins: one that is installed for its model's weights wants what is not.
        env = child_environment(LLM_USER_PATH=str(tmp_path), LLM_LOAD_PLUGINS="", OPENAI_API_KEY="any")
        command = [sys.executable, "-m", "llm", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=env)

    whole = llm("-m", "docs", "--no-stream", QUESTION)
    assert whole.returncode == 0, whole.stderr
    assert "02:30" in whole.stdout
    assert llm("-m", "docs", QUESTION).stdout == whole.stdout
    refused = llm("-m", "docs", "  ")
    assert refused.returncode != 0
    assert "question" in refused.stderr


def chunks(server: Serving, body: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a stream, the last one checked to be [DONE]."""
    with httpx.stream("POST", f"{server.url}/v1/chat/completions", json=body, timeout=60) as reply:
        assert reply.status_code == 200
        assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert "no-transform" in reply.headers["cache-control"]
        events = reply.read().decode().split("\n\n")
    assert events[-2:] == ["data: [DONE]", ""]
    return [json.loads(event.removeprefix("data: ")) for event in events[:-2] if not event.startswith(":")]


def test_every_chunk_on_the_wire_is_of_the_published_form(server: Serving) -> None:
    told = chunks(server, ask(QUESTION, stream=True, stream_options={"include_usage": True}))
    for chunk in told:
        read = ChatCompletionChunk.model_validate(chunk, strict=True)
        assert set(chunk) - {"crag"} <= {"id", "object", "created", "model", "choices", "usage"}
        assert set(read.model_extra or {}) <= {"crag"}
        for choice in chunk["choices"]:
            assert set(choice) == {"index", "delta", "logprobs", "finish_reason"}
            assert choice["index"] == 0
            assert set(choice["delta"]) <= {"role", "content", "reasoning_content", "annotations"}
    assert len({(chunk["id"], chunk["created"], chunk["model"]) for chunk in told}) == 1
    assert told[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert [c["choices"][0]["finish_reason"] for c in told[1:-1]] == [None] * (len(told) - 3) + ["stop"]
    assert told[-1]["choices"] == []
    assert told[-1]["usage"]["total_tokens"] == 0
    assert all(chunk["usage"] is None for chunk in told[:-1])
    assert not any("usage" in chunk for chunk in chunks(server, ask(QUESTION, stream=True)))
    plain = httpx.post(f"{server.url}/v1/chat/completions", json=ask(QUESTION), timeout=60).json()
    ChatCompletion.model_validate(plain, strict=True)


@pytest.mark.parametrize("stop", ["02:", ["nowhere", "starts", "02:"], ["02:30", "The", "", "zzz"]])
def test_a_text_ends_before_a_stop_sequence(server: Serving, stop: Any) -> None:
    sequences = [stop] if isinstance(stop, str) else stop
    body = ask(QUESTION, stop=stop)
    plain = httpx.post(f"{server.url}/v1/chat/completions", json=body, timeout=60).json()
    told = chunks(server, {**body, "stream": True})
    streamed = "".join(c["choices"][0]["delta"].get("content", "") for c in told if c["choices"])
    text = plain["choices"][0]["message"]["content"]
    assert text == streamed == plain["crag"]["text"]
    assert not any(sequence and sequence in text for sequence in sequences)
    assert plain["choices"][0]["finish_reason"] == told[-1]["choices"][0]["finish_reason"] == "stop"
    assert plain["crag"]["citations"] == []
    full = httpx.post(f"{server.url}/v1/chat/completions", json=ask(QUESTION), timeout=60).json()["crag"]["text"]
    assert full.startswith(text)
    assert len(full) > len(text)


@pytest.mark.parametrize("field", ["max_tokens", "max_completion_tokens"])
def test_a_text_has_no_more_tokens_than_asked_for(server: Serving, field: str) -> None:
    url = f"{server.url}/v1/chat/completions"
    lengths = []
    for most in (1, 5, 12, 100_000):
        choice = httpx.post(url, json=ask(QUESTION, **{field: most}), timeout=60).json()["choices"][0]
        told = chunks(server, ask(QUESTION, stream=True, **{field: most}))
        streamed = "".join(c["choices"][0]["delta"].get("content", "") for c in told)
        assert streamed == choice["message"]["content"]
        assert choice["finish_reason"] == ("length" if most < 100 else "stop")
        lengths.append(len(streamed))
    assert lengths == sorted(set(lengths))


@pytest.fixture(scope="module")
def behind(copy_of_samples: Callable[[], Path]) -> Iterator[tuple[Serving, ScriptedServer]]:
    """A server whose answers a scripted model writes."""
    with (
        ScriptedServer() as model,
        serving(
            copy_of_samples(), OPENAI_BASE_URL=f"{model.url}/v1", CRAG_CHAT_MODEL="scripted", OPENAI_API_KEY=SECRET
        ) as running,
    ):
        yield running, model


def test_the_models_settings_are_those_of_the_request(behind: tuple[Serving, ScriptedServer]) -> None:
    server, model = behind
    model.enqueue(chat_stream(["The nightly run ", "starts at 02:30 [1]."]))
    body = ask(QUESTION, temperature=0.7, max_tokens=99, stream=True, stream_options={"include_usage": True})
    told = chunks(server, body)
    sent = model.requests[-1].body
    assert (sent["temperature"], sent["max_tokens"]) == (0.7, 99)
    assert told[-1]["usage"] == {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}


def test_a_model_that_reaches_its_limit_ends_with_length(behind: tuple[Serving, ScriptedServer]) -> None:
    server, model = behind
    reply = chat_stream([*["The nightly run starts at 02:30 [1]. "] * 4, *["and"] * 16])
    cut = [json.loads(json.dumps(event).replace('"stop"', '"length"')) for event in reply.events or ()]
    model.enqueue(Reply(events=cut))
    told = chunks(server, ask(QUESTION, max_tokens=20, stream=True))
    assert told[-1]["choices"][0]["finish_reason"] == "length"


def test_a_model_that_breaks_off_leaves_what_was_said_and_says_so(behind: tuple[Serving, ScriptedServer]) -> None:
    server, model = behind
    model.enqueue(chat_stream(["The nightly run starts at 02:30 [1]. ", "And then ", "it "], cut=3))
    told = chunks(server, ask(QUESTION, stream=True))
    text = "".join(c["choices"][0]["delta"].get("content", "") for c in told)
    (answer,) = [c["crag"] for c in told if "crag" in c]
    assert text == answer["text"]
    assert "02:30" in text
    assert [entry["stage"] for entry in answer["degraded"]] == ["generate"]


def test_a_secret_is_in_no_reply_figure_or_log_even_where_an_endpoint_echoes_it(
    behind: tuple[Serving, ScriptedServer],
) -> None:
    server, model = behind
    model.enqueue(error(400, f"who sent me {SECRET}?"))
    reply = httpx.post(f"{server.url}/v1/chat/completions", json=ask(QUESTION, crag={"trace": True}), timeout=60)
    assert reply.json()["crag"]["degraded"][0]["stage"] == "generate"
    assert f"Bearer {SECRET}" in model.requests[-1].headers.values()
    home = Path(server.banner.split(" in ")[1].splitlines()[0])
    told = [reply.text, httpx.get(f"{server.url}/metrics").text, httpx.get(f"{server.url}/v1/models").text]
    assert not any(SECRET in text for text in (*told, (home / "answers.log").read_text(encoding="utf-8")))
