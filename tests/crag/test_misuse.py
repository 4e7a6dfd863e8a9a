"""What a Python caller may do wrong with `Crag`: one sentence says so, and nothing waits for ever."""

from __future__ import annotations

import asyncio
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from chunking.errors import ConfigError, CragError, StoreError
from crag.app import Crag
from graph.types import AnswerReady
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.openai import chat_stream

QUESTION = "When does the nightly Ragas run start?"
CLOSED = "has been closed: open it again with"


@pytest.fixture(scope="module")
def folder(copy_of_samples: Callable[[], Path]) -> Path:
    return copy_of_samples()


@pytest.fixture(scope="module")
def app(folder: Path) -> Iterator[Crag]:
    """Open for reading."""
    with Crag.open(folder) as app:
        yield app


class Slow:
    """A model that writes nothing until it is released."""

    def __init__(self) -> None:
        self.asked, self.released = threading.Event(), threading.Event()

    def reply(self, request: Request) -> Reply:
        self.asked.set()
        self.released.wait(120)
        return chat_stream(["The nightly run starts at 02:30 [1]."])


@pytest.fixture
def slow(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Crag, Slow]]:
    model = Slow()
    with ScriptedServer(model.reply) as far:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{far.url}/v1")
        monkeypatch.setenv("CRAG_CHAT_MODEL", "scripted")
        with Crag.open(folder) as app:
            yield app, model
            model.released.set()


CALLS: dict[str, Callable[[Crag], Any]] = {
    "ask": lambda app: app.ask(QUESTION),
    "search": lambda app: app.search(QUESTION),
    "stream": lambda app: list(app.stream(QUESTION)),
    "aask": lambda app: asyncio.run(app.aask(QUESTION)),
    "asearch": lambda app: asyncio.run(app.asearch(QUESTION)),
    "ingest": lambda app: app.ingest("."),
    "documents": lambda app: app.documents(),
    "document": lambda app: app.document("x"),
    "remove": lambda app: app.remove(["x"]),
    "warm": lambda app: app.warm(),
    "models": lambda app: app.models(),
    "index_status": lambda app: app.index_status(),
    "with": lambda app: app.__enter__(),
}


def test_nothing_is_asked_of_one_that_is_closed(folder: Path) -> None:
    app = Crag.open(folder)
    app.ask(QUESTION)
    app.close()
    app.close()
    for call in CALLS.values():
        with pytest.raises(StoreError, match=CLOSED):
            call(app)


def test_blocking_calls_that_run_end_when_it_is_closed(slow: tuple[Crag, Slow]) -> None:
    app, model = slow
    with ThreadPoolExecutor() as others:
        asked = [others.submit(app.ask, QUESTION), others.submit(lambda: list(app.stream(QUESTION)))]
        assert model.asked.wait(120)
        app.close()
        for each in asked:
            with pytest.raises(StoreError, match=CLOSED):
                each.result(120)


def test_a_call_that_has_hardly_begun_ends_too(slow: tuple[Crag, Slow]) -> None:
    home = slow[0].workspace.home
    for _ in range(3):
        with ThreadPoolExecutor() as others, Crag.open(home) as app:
            asked = [others.submit(app.ask, QUESTION), others.submit(list, app.stream(QUESTION))]
            app.close()
            for each in asked:
                with pytest.raises(StoreError, match=CLOSED):
                    each.result(120)


def test_an_awaited_call_does_not_answer_from_what_is_closed(slow: tuple[Crag, Slow]) -> None:
    app, model = slow

    async def run() -> None:
        task = asyncio.create_task(app.aask(QUESTION))
        assert await asyncio.to_thread(model.asked.wait, 120)
        app.close()
        model.released.set()
        with pytest.raises(StoreError, match=CLOSED):
            await task

    asyncio.run(run())


def test_an_async_block_closes_what_was_made_in_its_loop(slow: tuple[Crag, Slow]) -> None:
    app, model = slow
    model.released.set()

    async def run() -> str:
        async with app:
            return (await app.aask(QUESTION)).text

    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        assert "02:30" in asyncio.run(run())
    with pytest.raises(StoreError, match=CLOSED):
        app.documents()


def test_blocking_in_a_running_loop_is_warned_of_but_not_where_a_person_types(
    app: Crag, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> str:
        return app.ask(QUESTION).text

    with pytest.warns(RuntimeWarning, match="blocks the event loop that runs here.*await Crag.aask") as told:
        assert "02:30" in asyncio.run(run())
    assert told[0].filename == __file__
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    assert "02:30" in asyncio.run(run())  # As in a cell of a notebook; warnings are errors here.


def test_only_who_opened_it_for_writing_changes_it(app: Crag, tmp_path: Path) -> None:
    calls: tuple[Callable[[], Any], ...] = (
        lambda: app.ingest(tmp_path),
        lambda: app.ingest_documents([]),
        lambda: app.remove([]),
    )
    for call in calls:
        with pytest.raises(StoreError, match=r"open for reading only: open it with Crag.open\(..., write=True\)"):
            call()


def test_a_path_is_one_path(tmp_path: Path) -> None:
    (tmp_path / "pump.md").write_text("# Pump\n\nThe pump P-77 is serviced every seven months.\n", encoding="utf-8")
    with Crag.open(tmp_path / "home", write=True) as app:
        assert app.ingest(str(tmp_path / "pump.md")).added == 1
        assert asyncio.run(app.aingest(tmp_path / "pump.md")).unchanged == 1


def test_turns_are_pairs_or_messages(app: Crag) -> None:
    turns = (("user", QUESTION), ("assistant", "It starts at 02:30."))
    told = {app.ask("And what does it use?", history=turns).question}
    told.add(app.ask("And what does it use?", history=[{"role": r, "content": t} for r, t in turns]).question)
    events = app.stream("And what does it use?", history=iter(turns))
    told |= {event.answer.question for event in events if isinstance(event, AnswerReady)}
    assert len(told) == 1


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda app: app.ask(None), "question must be a string, not NoneType"),
        (lambda app: app.ask(" "), "question is empty"),
        (lambda app: app.ask(QUESTION, history=["x"]), "a turn is a pair of role"),
        (lambda app: app.ask(QUESTION, history=[("robot", "x")]), "user, assistant, system"),
        (lambda app: app.ask(QUESTION, history=[{"role": "user"}]), "a turn is a pair of role"),
        (lambda app: app.ask(QUESTION, filters={"sauce": "*"}), "filters.sauce: .*; the filters are collection, "),
        (lambda app: app.ask(QUESTION, filters={"date_from": "soon"}), "filters.date_from: "),
        (lambda app: app.search(QUESTION, top_k=0), "top_k must be at least 1, not 0"),
        (lambda app: app.ask(QUESTION, temperature=9), "generation.temperature cannot be 9"),
        (lambda app: app.ask(QUESTION, pipeline="nix"), "no pipeline 'nix'"),
    ],
)
def test_what_cannot_be_asked_is_told_in_a_sentence(app: Crag, call: Callable[[Crag], Any], says: str) -> None:
    with pytest.raises(CragError, match=says) as told:
        call(app)
    assert "\n" not in str(told.value)


def test_filters_may_be_a_mapping(app: Crag) -> None:
    hits, _ = app.search(QUESTION, filters={"source": "*/zh/*"})
    assert hits
    assert all("/zh/" in hit.document.source for hit in hits)
    with pytest.raises(ConfigError, match="filters"):
        app.search(QUESTION, filters={"documents": 5})
