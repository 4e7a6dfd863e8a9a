"""A server under load: 64 streams of a model that writes 30 tokens/s, clients that leave, memory, and ingest beside.

Bars: no error and every text right; first text at most 150 ms (p95) after the model's first sentence is complete;
memory flat over 2,000 requests; 200 clients that leave in mid-stream leave no thread and no connection; p95 beside an
upload of 500 documents at most three times that without.
"""

from __future__ import annotations

import asyncio
import json
import re
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil

from tests.crag.cli import SAMPLES, crag
from tests.crag.serving import Serving, serving
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.openai import chat_stream

STREAMS, LEAVERS, REQUESTS, DOCUMENTS = 64, 200, 2000, 500
TOKENS_A_SECOND = 30
SENTENCE = ["The ", "nightly ", "run ", "starts ", "at ", "02:30 ", "[1]. "]
QUESTION = "When does the nightly Ragas run start? (asked by {})"


class Model:
    """Writes the same sentences for everybody, and notes when each reader's first one was complete."""

    def __init__(self) -> None:
        self.complete: dict[str, float] = {}

    def reply(self, request: Request) -> Reply:
        found = re.findall(r"asked by (\w+)", json.dumps(request.body))
        reply = chat_stream(SENTENCE * 6, gap=1 / TOKENS_A_SECOND)
        return Reply(events=_Watched(list(reply.events or ()), self.complete, found[-1]), gap=reply.gap)


class _Watched(list[object]):
    def __init__(self, events: list[object], complete: dict[str, float], who: str) -> None:
        super().__init__(events)
        self._complete, self._who = complete, who

    def __iter__(self) -> Iterator[object]:
        for number, event in enumerate(super().__iter__()):
            if number == len(SENTENCE):  # The role comes first.
                self._complete[self._who] = time.perf_counter()
            yield event


def main() -> None:
    model = Model()
    with tempfile.TemporaryDirectory() as folder, ScriptedServer(model.reply) as far:
        home = Path(folder)
        crag("ingest", SAMPLES, home=home)
        with serving(home, OPENAI_BASE_URL=f"{far.url}/v1", CRAG_CHAT_MODEL="scripted") as server:
            asyncio.run(streams(server, model))
            asyncio.run(leavers(server))
        with serving(home) as server:
            asyncio.run(memory(server))
            asyncio.run(beside_ingest(server))


async def streams(server: Serving, model: Model) -> None:
    async with client(server) as http:
        await asyncio.gather(*(one(http, f"warm{n}") for n in range(4)))
        told = await asyncio.gather(*(one(http, f"reader{n}") for n in range(STREAMS)))
    late = [1000 * (first - model.complete[f"reader{n}"]) for n, (first, _) in enumerate(told)]
    wrong = sum(text != told[0][1] or "02:30" not in text for _, text in told)
    print(f"  {STREAMS} streams: {wrong} wrong texts; first text after the model's first sentence: {shares(late)}")


async def one(http: httpx.AsyncClient, who: str) -> tuple[float, str]:
    """Time of the first text, and the whole text, which the stream itself confirms."""
    first, text, confirmed = 0.0, "", None
    async with http.stream("POST", "/v1/chat/completions", json=body(QUESTION.format(who), stream=True)) as reply:
        async for line in reply.aiter_lines():
            if not line.startswith("data: {"):
                continue
            chunk = json.loads(line[6:])
            piece = chunk["choices"][0]["delta"].get("content")
            if piece and not first:
                first = time.perf_counter()
            text += piece or ""
            confirmed = chunk["crag"]["text"] if "crag" in chunk else confirmed
    assert text == confirmed
    return first, text


async def leavers(server: Serving) -> None:
    process = psutil.Process(server.process.pid)

    async def leave(http: httpx.AsyncClient, number: int) -> None:
        async with http.stream(
            "POST", "/v1/chat/completions", json=body(QUESTION.format(f"l{number}"), stream=True)
        ) as reply:
            async for line in reply.aiter_lines():
                if number % 2 or '"content":"The' in line:
                    return

    for name in ("first", "second"):
        async with client(server) as http:
            await asyncio.gather(*(leave(http, number) for number in range(LEAVERS)))
        await asyncio.sleep(3)
        counts = (
            f"{process.num_threads()} threads, {len(established(process))} connections, {running(server):.0f} requests"
        )
        print(f"  {name} {LEAVERS} leavers: left behind {counts}, {process.memory_info().rss / 2**20:.0f} MB")


async def memory(server: Serving) -> None:
    process = psutil.Process(server.process.pid)
    used = []
    async with client(server) as http:
        for part in range(5):
            for first in range(0, REQUESTS // 5, 4):
                asked = (QUESTION.format(f"m{part}n{first + n}") for n in range(4))
                await asyncio.gather(*(http.post("/v1/chat/completions", json=body(each)) for each in asked))
            used.append(process.memory_info().rss / 2**20)
    print(f"  memory after each {REQUESTS // 5} of {REQUESTS} answers: {', '.join(f'{mb:.0f}' for mb in used)} MB")


async def beside_ingest(server: Serving) -> None:
    async with client(server) as http:
        idle = [await timed(http, f"i{n}") for n in range(100)]
        print(f"  answers without an upload: {shares(idle)}")
        texts = [(f"{n}.md", document(n).encode()) for n in range(DOCUMENTS)]
        job = (await http.post("/v1/documents", files=[("files", each) for each in texts])).json()
        started, busy = time.perf_counter(), []
        while (await http.get(f"/v1/jobs/{job['id']}")).json()["status"] in ("queued", "running"):
            busy.append(await timed(http, f"b{len(busy)}"))
        seconds = time.perf_counter() - started
    print(f"  {len(busy)} answers beside {DOCUMENTS} documents ({seconds:.0f} s): {shares(busy)}")
    print(f"  p95 beside ingest / p95 without: {quantile(busy) / quantile(idle):.1f} (bar 3)")


def document(number: int) -> str:
    lines = [
        f"Machine {number} of hall {line} is greased every {(number * line) % 90 + 1} days by team {line}."
        for line in range(25)
    ]
    return f"# Machine {number}\n\n" + "\n\n".join(lines)


async def timed(http: httpx.AsyncClient, who: str) -> float:
    started = time.perf_counter()
    (await http.post("/v1/chat/completions", json=body(QUESTION.format(who)))).raise_for_status()
    return 1000 * (time.perf_counter() - started)


def client(server: Serving) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=server.url, timeout=120, limits=httpx.Limits(max_connections=None))


def body(question: str, **more: object) -> dict[str, object]:
    return {"model": "crag", "messages": [{"role": "user", "content": question}], **more}


def established(process: psutil.Process) -> list[object]:
    return [each for each in process.net_connections("tcp") if each.status == psutil.CONN_ESTABLISHED]


def running(server: Serving) -> float:
    found = re.search(r"^crag_api_requests_running (\S+)", httpx.get(f"{server.url}/metrics").text, re.MULTILINE)
    assert found
    return float(found[1])


def quantile(milliseconds: list[float], share: float = 0.95) -> float:
    return sorted(milliseconds)[int(share * (len(milliseconds) - 1))]


def shares(milliseconds: list[float]) -> str:
    p50, p95, most = statistics.median(milliseconds), quantile(milliseconds), max(milliseconds)
    return f"p50 {p50:.0f} ms, p95 {p95:.0f} ms, most {most:.0f} ms"
