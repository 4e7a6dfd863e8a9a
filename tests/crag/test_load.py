"""Many at once: every stream is right, and whoever leaves in mid-stream leaves nothing behind."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import httpx
import psutil
import pytest

from tests.crag.serving import Serving, serving
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.openai import chat_stream

SENTENCE = ["The nightly ", "run starts ", "at 02:30 ", "[1]. "]
STREAMS, LEAVERS = 32, 60


@pytest.fixture(scope="module")
def written(copy_of_samples: Callable[[], Path]) -> Iterator[Serving]:
    """A server whose model writes slowly."""
    with (
        ScriptedServer(lambda request: chat_stream(SENTENCE * 4, gap=0.05)) as model,
        serving(copy_of_samples(), OPENAI_BASE_URL=f"{model.url}/v1", CRAG_CHAT_MODEL="scripted") as running,
    ):
        yield running


def stream(http: httpx.AsyncClient, number: int) -> AbstractAsyncContextManager[httpx.Response]:
    asked = f"When does the nightly Ragas run start? ({number})"
    body = {"model": "crag", "messages": [{"role": "user", "content": asked}], "stream": True}
    return http.stream("POST", "/v1/chat/completions", json=body)


def client(server: Serving) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=server.url, timeout=60, limits=httpx.Limits(max_connections=None))


def test_streams_that_run_at_once_do_not_mix(written: Serving) -> None:
    async def one(http: httpx.AsyncClient, number: int) -> tuple[str, str, str]:
        text, told = "", {}
        async with stream(http, number) as reply:
            async for line in reply.aiter_lines():
                if line.startswith("data: {"):
                    chunk = json.loads(line[6:])
                    text += chunk["choices"][0]["delta"].get("content", "")
                    told = chunk.get("crag", told)
        return text, told["text"], told["question"]

    async def run() -> list[tuple[str, str, str]]:
        async with client(written) as http:
            return await asyncio.gather(*(one(http, number) for number in range(STREAMS)))

    for number, (text, confirmed, asked) in enumerate(asyncio.run(run())):
        assert text == confirmed
        assert "02:30" in text
        assert asked.endswith(f"({number})")


def test_clients_that_leave_in_mid_stream_leave_nothing(written: Serving) -> None:
    process = psutil.Process(written.process.pid)

    async def leave(http: httpx.AsyncClient, number: int) -> None:
        async with stream(http, number) as reply:
            async for line in reply.aiter_lines():
                if number % 2 or '"content":"The' in line:
                    return

    async def run() -> None:
        async with client(written) as http:
            await asyncio.gather(*(leave(http, number) for number in range(LEAVERS)))

    asyncio.run(run())
    before = process.num_threads()
    end = time.monotonic() + 20
    while running(written) or [each for each in process.net_connections("tcp") if each.status == "ESTABLISHED"]:
        assert time.monotonic() < end
        time.sleep(0.1)
    asyncio.run(run())
    time.sleep(0.5)
    assert process.num_threads() <= before + 8  # The pools of threads have a bound, and may not have reached it yet.
    assert httpx.get(f"{written.url}/readyz", timeout=20).status_code == 200


def test_questions_that_wait_for_a_slow_endpoint_keep_no_other_waiting(
    copy_of_samples: Callable[[], Path], tmp_path: Path
) -> None:
    held = threading.Event()
    held.set()  # The server warms up.
    waiting = 12

    def hold(request: Request) -> Reply:
        held.wait(120)
        documents = request.body["documents"]
        return Reply({"results": [{"index": n, "relevance_score": 1 / (n + 1)} for n in range(len(documents))]})

    slow = tmp_path / "slow.yaml"
    with ScriptedServer(hold) as reranker:
        rerank = f"{{provider: http, base_url: '{reranker.url}', timeout: 100}}"
        slow.write_text(f"extends: hybrid-rerank\nname: slow\nrerank: {rerank}\n", encoding="utf-8")
        with serving(
            copy_of_samples(), "--pipeline", str(slow), "--pipeline", "vector", CRAG_THREADS="16"
        ) as running_one:
            reranker.requests.clear()
            held.clear()

            async def run() -> list[httpx.Response]:
                async with client(running_one) as http:
                    asked = [asyncio.create_task(ask(http, "slow", number)) for number in range(waiting)]
                    try:
                        async with asyncio.timeout(90):
                            while len(reranker.requests) < waiting:
                                await asyncio.sleep(0.05)
                            other = await ask(http, "vector", 0)
                    finally:
                        held.set()
                    return [other, *await asyncio.gather(*asked)]

            replies = asyncio.run(run())
    for reply in replies:
        told = reply.raise_for_status().json()["crag"]
        assert "02:30" in told["text"]
        assert told["degraded"] == []


async def ask(http: httpx.AsyncClient, model: str, number: int) -> httpx.Response:
    asked = f"When does the nightly Ragas run start? ({number})"
    body = {"model": model, "messages": [{"role": "user", "content": asked}]}
    return await http.post("/v1/chat/completions", json=body, timeout=120)


def running(server: Serving) -> float:
    figures = httpx.get(f"{server.url}/metrics", timeout=20, headers={"connection": "close"}).text
    found = re.search(r"^crag_api_requests_running (\S+)", figures, re.MULTILINE)
    assert found
    return float(found[1])
