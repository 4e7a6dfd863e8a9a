"""Heartbeats while a source is silent, and an end to the source when the reader leaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import Response

from crag.api.chat import complete, read_chat
from crag.api.errors import ApiError, to_json
from crag.api.feedback import Answers
from crag.api.records import Records
from crag.api.schemas import ChatRequest
from crag.api.stopping import Stopping
from crag.api.streams import with_heartbeats
from crag.api.telemetry import Metrics
from crag.pipeline import Pipeline
from graph.types import TextDelta


async def counted(delays: list[float], ended: list[str]) -> AsyncIterator[int]:
    try:
        for number, delay in enumerate(delays):
            await asyncio.sleep(delay)
            yield number
    finally:
        ended.append("ended")


def test_json_is_one_line_whatever_a_client_takes_for_a_lines_end() -> None:
    text = "a\u2028b\u2029c\x85d\n备份"
    assert len(to_json({"text": text}).splitlines()) == 1
    assert json.loads(to_json({"text": text})) == {"text": text}


def test_silence_is_filled_and_order_kept() -> None:
    async def run() -> list[int | None]:
        return [item async for item in with_heartbeats(counted([0, 0.25, 0], []), Stopping(), interval=0.1)]

    items = asyncio.run(run())
    assert [item for item in items if item is not None] == [0, 1, 2]
    assert items[0] == 0
    assert items.count(None) == 2


def test_leaving_ends_the_source() -> None:
    ended: list[str] = []

    async def run() -> None:
        stream = with_heartbeats(counted([0, 60], ended), Stopping())
        assert await anext(stream) == 0
        await stream.aclose()
        assert ended == ["ended"]

    asyncio.run(run())


def test_a_server_that_has_no_more_time_ends_the_source_and_says_so() -> None:
    ended: list[str] = []

    async def run() -> None:
        stopping = Stopping()
        stream = with_heartbeats(counted([0, 60], ended), stopping)
        assert await anext(stream) == 0
        stopping.end()
        with pytest.raises(ApiError, match="being stopped") as told:
            await anext(stream)
        assert (told.value.status, ended) == (503, ["ended"])
        with pytest.raises(ApiError):  # One that begins too late.
            await anext(with_heartbeats(counted([0, 60], ended), stopping))

    asyncio.run(run())


def test_an_error_of_the_source_reaches_the_reader() -> None:
    async def broken() -> AsyncIterator[int]:
        yield 1
        raise ValueError("broken")

    async def run() -> None:
        async for _ in with_heartbeats(broken(), Stopping()):
            pass

    with pytest.raises(ValueError, match="broken"):
        asyncio.run(run())


class Telling:
    """In the place of the application: tells the given texts, and notes when it was ended."""

    def __init__(self, *texts: Any) -> None:
        self.texts = texts
        self.ended = False

    def require_collection(self, *asked: Any) -> None:
        return

    async def astream(self, question: str, **options: Any) -> AsyncIterator[TextDelta]:
        try:
            for text in self.texts:
                yield TextDelta(text)
            await asyncio.sleep(60)
        finally:
            self.ended = True


def streamed(source: Telling, home: Path) -> tuple[list[Any], str]:
    """The events that a client reads when `source` answers, and the line that the log has of it."""
    app = FastAPI()
    app.state.stopping = Stopping()
    answers = Answers(home, 10)
    records = Records(home, Metrics({}), answers, questions=True)

    @app.post("/")
    async def chat(request: Request) -> Response:
        asked = {"model": "p", "messages": [{"role": "user", "content": "What?"}], "stream": True, "user": "me"}
        read = read_chat(ChatRequest.model_validate(asked), {"p": Pipeline(name="p")})
        return await complete(source, read, request, records)  # type: ignore[arg-type]

    async def run() -> str:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client:
            return (await client.post("/", timeout=20)).content.decode()

    events = [event for event in asyncio.run(run()).split("\n\n") if event]
    records.close()
    answers.close()
    assert events[-1].startswith("event: error\ndata: ")
    read = [json.loads(event.removeprefix("event: error\n").removeprefix("data: ")) for event in events]
    return read, (home / "answers.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("unfit", [object(), float("nan"), {1, 2}])
def test_what_json_cannot_hold_ends_the_stream_with_an_error_and_the_source_with_it(
    unfit: object, tmp_path: Path
) -> None:
    source = Telling("half \ud83d", unfit)
    (*_, text, last), line = streamed(source, tmp_path)
    assert text["choices"][0]["delta"]["content"] == "half \ufffd"
    assert last["error"]["type"] == "server_error"
    assert source.ended
    told = json.loads(line)
    assert (told["outcome"], told["error"], told["user"]) == ("error", "server_error", "me")


def test_json_on_the_wire_is_what_utf8_can_carry() -> None:
    assert to_json({"中": ["\ud83d\ude00", "\ude00", "😀"]}) == '{"中":["😀","\ufffd","😀"]}'
    with pytest.raises(ValueError, match="JSON"):
        to_json(float("inf"))
