"""A server that is told to end, or is killed, in the middle of answers: each client has a whole answer or an error."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.crag.cli import crag
from tests.crag.serving import Serving, serving
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.openai import chat_stream

ASK = {"model": "vector", "messages": [{"role": "user", "content": "When does the nightly Ragas run start?"}]}
WRITTEN = ["The run ", "starts at 02:30 [1]. ", "It ", "starts ", "at 02:30 [1]."]


class Model:
    """Writes a sentence, and the rest when it is released."""

    def __init__(self) -> None:
        self.released = threading.Event()

    def reply(self, request: Request) -> Reply:
        return Reply(events=_Held(chat_stream(WRITTEN).events or (), self.released))


class _Held(list[Any]):
    def __init__(self, events: Any, released: threading.Event) -> None:
        super().__init__(events)
        self._released = released

    def __iter__(self) -> Iterator[Any]:
        for number, event in enumerate(super().__iter__()):
            if number == 4:
                self._released.wait(90)
            yield event


@pytest.fixture
def model() -> Iterator[Model]:
    model = Model()
    yield model
    model.released.set()


def begun(running: Serving, http: httpx.Client) -> Iterator[str]:
    """The lines of a stream, the role and some text of which have come."""
    reply = http.send(
        http.build_request("POST", f"{running.url}/v1/chat/completions", json={**ASK, "stream": True}), stream=True
    )
    lines = reply.iter_lines()
    while '"content":"The' not in next(lines):
        pass
    return lines


def refused(running: Serving) -> None:
    """Wait until it takes no more, which is how one knows that it is ending."""
    try:
        while True:
            httpx.get(f"{running.url}/healthz", timeout=60)
    except httpx.TransportError:
        return


@pytest.mark.parametrize(("seconds", "finishes"), [(60, True), (0, False)])
def test_answers_are_finished_or_ended_with_an_error(
    copy_of_samples: Callable[[], Path], model: Model, seconds: int, finishes: bool
) -> None:
    home = copy_of_samples()
    with ScriptedServer(model.reply) as far, httpx.Client(timeout=90) as http, ThreadPoolExecutor() as others:
        env = {"OPENAI_BASE_URL": f"{far.url}/v1", "CRAG_CHAT_MODEL": "scripted", "CRAG_STOP_SECONDS": str(seconds)}
        with serving(home, "--pipeline", "vector", **env) as running:
            lines = begun(running, http)
            whole = others.submit(httpx.post, f"{running.url}/v1/chat/completions", json=ASK, timeout=90)
            while len(far.requests) < 2:
                pass
            running.process.send_signal(signal.SIGTERM)
            if finishes:
                refused(running)
                model.released.set()
            rest = [line for line in lines if line]
            reply = whole.result()
            running.process.wait(60)
    if finishes:
        assert rest[-1] == "data: [DONE]"
        assert reply.json()["crag"]["status"] == "grounded"
    else:
        assert rest[-2] == "event: error"
        error = json.loads(rest[-1].removeprefix("data: "))["error"]
        assert (error["code"], error["type"]) == ("server_stopping", "server_error")
        assert (reply.status_code, reply.json()["error"]) == (503, error)
    outcomes = [json.loads(line)["outcome"] for line in (home / "answers.log").read_text("utf-8").splitlines()]
    assert outcomes == ["answered" if finishes else "error"] * 2
    assert not (home / "server.json").exists()
    assert crag("index", "verify", home=home).code == 0  # Nothing holds the workspace.


def test_an_answer_that_a_kill_cuts_off_is_no_whole_reply_and_leaves_no_lock(home: Path, model: Model) -> None:
    with (
        ScriptedServer(model.reply) as far,
        httpx.Client(timeout=90) as http,
        serving(home, "--pipeline", "vector", OPENAI_BASE_URL=f"{far.url}/v1", CRAG_CHAT_MODEL="scripted") as running,
    ):
        lines = begun(running, http)
        running.process.kill()
        with pytest.raises(httpx.RemoteProtocolError):
            list(lines)
    assert crag("index", "verify", home=home).code == 0
