"""`Crag` from Python: blocking and awaited, from several threads and loops, and its shared parts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from chunking.errors import StoreError
from crag.app import Crag
from graph.types import Answer, AnswerReady, NodeStarted, TextDelta
from tests.fakes.http import ScriptedServer
from tests.fakes.openai import chat_stream

QUESTION = "When does the nightly Ragas run start?"


@pytest.fixture(scope="module")
def app(copy_of_samples: Callable[[], Path]) -> Iterator[Crag]:
    with Crag.open(copy_of_samples(), write=True) as app:
        yield app


def timeless(answer: Answer) -> dict[str, object]:
    return {key: value for key, value in answer.to_dict().items() if key != "timings"}


def test_blocking_and_awaited_calls_give_the_same(app: Crag) -> None:
    answer = app.ask(QUESTION)
    assert answer.status == "grounded"
    assert timeless(asyncio.run(app.aask(QUESTION))) == timeless(answer)
    # A second loop after the first has closed.
    assert timeless(asyncio.run(app.aask(QUESTION))) == timeless(answer)
    events = list(app.stream(QUESTION))
    assert isinstance(events[0], NodeStarted)
    assert isinstance(events[-1], AnswerReady)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == answer.text
    hits, degraded = app.search(QUESTION, top_k=2)
    assert len(hits) == 2
    assert degraded == ()


def test_many_threads_ask_at_once(app: Crag) -> None:
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: timeless(app.ask(QUESTION)), range(12)))
    assert all(answer == answers[0] for answer in answers)


def test_a_stream_that_is_left_early_stops(app: Crag) -> None:
    for event in app.stream(QUESTION):
        if isinstance(event, NodeStarted):
            break
    assert app.ask(QUESTION).text


def test_pipelines_that_agree_share_embedder_and_index(app: Crag) -> None:
    engines = [asyncio.run(app._engine(name)) for name in ("vector", "hybrid", "crag")]
    assert len({id(engine.deps.embedder) for engine in engines}) == 1
    assert len({id(engine.deps.retriever.index) for engine in engines}) == 1  # type: ignore[attr-defined]
    assert engines[0].deps.reranker is None
    assert engines[2].deps.reranker is not None


def test_a_second_writer_is_refused_while_readers_are_not(app: Crag) -> None:
    with pytest.raises(
        StoreError, match="in use by this process itself, which has it open for writing: use that one, or close it"
    ):
        Crag.open(app.workspace.home, write=True)
    with Crag.open(app.workspace.home, "vector") as reader:
        assert reader.ask(QUESTION).citations


def test_overrides_and_filters_reach_the_answer(app: Crag) -> None:
    from retrieval.types import Filters

    only = app.ask("Ragas", filters=Filters(source="*/zh/*"))
    assert all("/zh/" in hit.document.source for hit in only.hits)
    assert len(app.ask("概括一下 9 月 8 日向量前缀事故的原因。", max_sentences=1).citations) == 1


def test_a_language_model_is_closed_with_the_app(
    copy_of_samples: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = chat_stream(["The nightly run starts at 02:30, after the imports [1]."])
    with ScriptedServer(lambda request: replace(reply)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        monkeypatch.setenv("CRAG_CHAT_MODEL", "scripted")
        with Crag.open(copy_of_samples()) as app:
            answers = [app.ask(QUESTION) for _ in range(2)]
    assert all(answer.text == "The nightly run starts at 02:30, after the imports [1]." for answer in answers)
    assert answers[0].models["generation"] == "openai:scripted"
    assert answers[0].usage.model_calls == 1
