"""Every node that asks a provider, times every way in which a provider fails: what comes of the answer.

``python -m tests.graph.faults`` writes docs/results/faults.md; `test_faults` holds the file and the promises to it.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from chunking.config import ChunkingConfig
from chunking.errors import CragError
from chunking.loaders import load_bytes
from graph.config import GenerationConfig, LimitsConfig, RewriteConfig, WebConfig
from graph.deps import Deps
from graph.engine import Engine
from graph.llms import LanguageModel, build_llm
from graph.types import Answer, Turn
from graph.web import WebPage, build_web
from retrieval.config import EmbeddingConfig, RerankConfig, RetrievalConfig
from retrieval.embedders import build_embedder
from retrieval.embedders.base import Embedder
from retrieval.index import Index
from retrieval.ingest import ingest_documents
from retrieval.rerankers import build_reranker
from retrieval.retriever import Retriever
from retrieval.workspace import Workspace
from tests.fakes.graph import HashEmbedder, ScriptedGrader, deps, hit, rank_pages
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.openai import chat, chat_stream, error

PAGE = Path(__file__).parents[2] / "docs" / "results" / "faults.md"
DEADLINE = 20.0
"""Seconds for an answer here; a provider may take `PATIENCE` of them."""
PATIENCE = 1.5
NODES_WITHOUT = ("verify", "abstain", "answer")
"""These ask nobody."""

TOWER = hit("The tower has 312 steps, of marble. It was finished in 1889.", source="tower.md", title="Marble tower")
BRIDGE = hit("The bridge carries trains and was closed in 1950.", source="bridge.md", title="Bridge")
QUESTION = "How many steps does the tower have?"
TITLE = (
    "Provide a concise, 5-word-or-less title for the conversation, using its same language, with no punctuation.\n\n"
    "User: How many steps does the tower have?\nAI: 312"
)


class Endless(Sequence[Any]):
    """Says the same thing until it is stopped."""

    def __init__(self, said: Any) -> None:
        self.said = said
        self.stopped = threading.Event()

    def __len__(self) -> int:
        return sys.maxsize

    def __getitem__(self, index: Any) -> Any:
        if self.stopped.is_set():
            raise IndexError
        return self.said


@dataclass(frozen=True)
class Fault:
    """`reply` is None where nothing listens; `stream` is what a provider that streams does in its place."""

    name: str
    reply: Reply | None
    stream: Reply | None = None


_DRIP, _TALK = Endless("x"), Endless((chat_stream(["so "]).events or ())[1])
_HTML = Reply(b"<html>busy</html>", headers={"Content-Type": "text/html"})
_NOW = {"retry-after-ms": "5", "retry-after": "0"}
FAULTS = (
    Fault("refused", None),
    Fault("slow", Reply({}, delay=30.0)),
    Fault("429", error(429, **_NOW)),
    Fault("500", error(500, **_NOW)),
    Fault("cut stream", replace(chat("x" * 500), short=200), chat_stream(["The tow"], cut=2)),
    Fault("empty", Reply(b"")),
    Fault("not JSON", _HTML, Reply(events=["{not json"])),
    Fault("wrong schema", Reply({"answer": 42}), Reply(events=[{"choices": "wrong"}])),
    Fault("endless", Reply(events=_DRIP, gap=0.1), Reply(events=_TALK, gap=0.1)),
)


@dataclass(frozen=True)
class Case:
    """A node whose provider is at a URL, everything else being sound and in the process.

    `ends` names the faults that the question cannot survive: then the answer is an error that says why.
    """

    node: str
    asks: str
    make: Callable[[str], Deps]
    stage: str
    question: str = QUESTION
    history: tuple[Turn, ...] = ()
    streams: bool = False
    ends: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Outcome:
    """What became of one question, after `seconds`: an answer, or the error in its place."""

    case: Case
    fault: Fault
    seconds: float
    answer: Answer | None
    error: CragError | None

    @property
    def cell(self) -> str:
        return self.answer.status if self.answer is not None else "error"


class Pages:
    """A web search that finds one page."""

    name = "fixed"

    async def search(self, query: str) -> list[WebPage]:
        return [WebPage("https://example.org/tower", "Guide", "Visitors climb 312 steps in the tower.")]

    async def aclose(self) -> None:
        return


# One client for an endpoint, whichever node asks it: to make one takes longer than to be refused by it.
@cache
def _model(url: str) -> LanguageModel:
    return build_llm(_generation(url))


@cache
def _embedder(url: str) -> Embedder:
    return build_embedder(EmbeddingConfig(provider="openai", base_url=f"{url}/v1", timeout=PATIENCE / 4))


def _generation(url: str) -> GenerationConfig:
    return GenerationConfig(provider="openai", model="m", base_url=f"{url}/v1", timeout=PATIENCE)


def _parts(confidences: Sequence[float], passages: Sequence[Any] = (TOWER, BRIDGE), **changes: Any) -> Deps:
    parts = {
        "calibration": ScriptedGrader(confidences),
        "generation": GenerationConfig(provider="extractive", timeout=PATIENCE),
        "limits": LimitsConfig(deadline=DEADLINE),
        "rerank": RerankConfig(timeout=PATIENCE),
        "rewrite": RewriteConfig(attempts=0),
        **changes,
    }
    return deps(passages, **parts)


def _asked(url: str, confidences: Sequence[float] = (0.9,), **rewrite: Any) -> Deps:
    settings = RewriteConfig(**{"attempts": 0, **rewrite})
    return _parts(confidences, chat=_model(url).chat, rewrite=settings)


def _graded(url: str, **changes: Any) -> Deps:
    return _parts([0.8], model_grader=_model(url).chat, **changes)


def _graded_web(url: str) -> Deps:
    return replace(_graded(url, web_search=Pages(), rank_web=rank_pages), calibration=ScriptedGrader([0.3]))


def _generated(url: str) -> Deps:
    return _parts([0.9], generator=_model(url).generator, generation=_generation(url))


def _reranked(url: str) -> Deps:
    config = RerankConfig(provider="http", base_url=url, timeout=PATIENCE)
    return _parts([0.9], reranker=build_reranker(config, embedder=HashEmbedder()), rerank=config)


def _retrieved(url: str, *, index: Index) -> Deps:
    return _parts([0.9], retriever=Retriever(index, _embedder(url), RetrievalConfig()))


def _searched(url: str, *, provider: str) -> Deps:
    config = WebConfig(provider=provider, base_url=url, timeout=PATIENCE)
    return _parts([0.3, 0.9], web=config, web_search=build_web(config), rank_web=rank_pages)


def cases(index: Index) -> tuple[Case, ...]:
    """`index` holds the text of `TOWER`."""
    model = "language model"
    return (
        Case("condense", model, _asked, "condense", "And when was it finished?", (("user", QUESTION),)),
        Case("reply", model, _asked, "reply", TITLE),
        Case("retrieve", "embeddings", partial(_retrieved, index=index), "dense", ends=frozenset({"endless"})),
        Case("rerank", "rerank server", _reranked, "rerank"),
        Case("grade", model, _graded, "grade"),
        Case("hop", model, partial(_asked, confidences=[0.3], hops=2), "hop"),
        Case("rewrite", model, partial(_asked, confidences=[0.1, 0.9], attempts=1), "rewrite"),
        Case("search_web", "Tavily", partial(_searched, provider="tavily"), "web"),
        Case("search_web", "SearXNG", partial(_searched, provider="searxng"), "web"),
        Case("grade_web", model, _graded_web, "grade"),
        Case("refine", "embeddings", lambda url: _parts([0.9], embedder=_embedder(url)), "refine"),
        Case("generate", model, _generated, "generate", streams=True),
    )


async def _outcome(case: Case, fault: Fault, url: str) -> Outcome:
    engine = Engine(case.make(url))
    if fault.name in case.ends:
        # Nothing comes before the deadline, so it need not be far away.
        engine = Engine(replace(engine.deps, limits=LimitsConfig(deadline=2.0)))
    answer: Answer | None = None
    failed: CragError | None = None
    started = time.perf_counter()
    try:
        answer = await engine.ask(case.question, case.history)
    except CragError as raised:
        failed = raised
    seconds = time.perf_counter() - started
    if engine.deps.web_search is not None:
        await engine.deps.web_search.aclose()
    return Outcome(case, fault, seconds, answer, failed)


def outcomes() -> list[Outcome]:
    """All cases times all faults, side by side, by case and then by fault."""
    with ExitStack() as stack:
        workspace = stack.enter_context(
            Workspace.open(Path(stack.enter_context(tempfile.TemporaryDirectory())), write=True)
        )
        index = workspace.index(ChunkingConfig(), HashEmbedder())
        # BM25 needs others beside it to tell one passage from.
        texts = [TOWER.chunk.text, BRIDGE.chunk.text, *(f"Filler {n} speaks of rain and roads." for n in range(4))]
        documents = [load_bytes(text.encode(), source=f"{number}.txt") for number, text in enumerate(texts)]
        ingest_documents(workspace, index, documents)
        stack.enter_context(_environment({"TAVILY_API_KEY": "tvly-test", "OPENAI_API_KEY": "sk-test-key"}))
        with ScriptedServer() as gone:
            pass
        urls: dict[tuple[str, bool], str] = {}
        for fault in FAULTS:
            for streams, reply in ((False, fault.reply), (True, fault.stream or fault.reply)):
                said = None if reply is None else stack.enter_context(ScriptedServer(_always(reply)))
                urls[fault.name, streams] = gone.url if said is None else said.url
        asked = [(case, fault, urls[fault.name, case.streams]) for case in cases(index) for fault in FAULTS]
        searches = [cell for cell in asked if cell[0].node == "retrieve"]
        try:
            # A search that was given up still reads the index: the workspace may be closed when it has ended.
            found = _side_by_side(searches, wait=True) + _side_by_side(
                [cell for cell in asked if cell not in searches], wait=False
            )
        finally:
            _stop()
            # The next server may listen where one of these did.
            _model.cache_clear()
            _embedder.cache_clear()
        order = {(case.node, case.asks, fault.name): number for number, (case, fault, _) in enumerate(asked)}
        return sorted(found, key=lambda one: order[one.case.node, one.case.asks, one.fault.name])


def _side_by_side(cells: Sequence[tuple[Case, Fault, str]], *, wait: bool) -> list[Outcome]:
    # A blocking client that is late keeps its thread: each cell has some to lose.
    pool = ThreadPoolExecutor(4 * len(cells))
    loop = asyncio.new_event_loop()
    loop.set_default_executor(pool)

    async def all_of_them() -> list[Outcome]:
        try:
            return await asyncio.gather(*(_outcome(*cell) for cell in cells))
        finally:
            for url in {url for *_, url in cells}:
                await _model(url).generator.aclose()

    try:
        return loop.run_until_complete(all_of_them())
    finally:
        loop.close()
        if wait:
            _stop()
        pool.shutdown(wait=wait)
        for endless in (_DRIP, _TALK):
            endless.stopped.clear()


def _stop() -> None:
    for endless in (_DRIP, _TALK):
        endless.stopped.set()


def _always(reply: Reply) -> Callable[[Request], Reply]:
    return lambda request: reply


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def page(found: Sequence[Outcome]) -> str:
    """The document: one row for each node and whom it asks, one column for each fault."""
    names = [fault.name for fault in FAULTS]
    rows: dict[tuple[str, str], list[Outcome]] = {}
    for one in found:
        rows.setdefault((one.case.node, one.case.asks), []).append(one)
    lines = [
        "# Faults",
        "",
        "Every node that asks a provider, while that provider fails in one way and everything else is sound: real",
        "clients against a server on loopback, written by `python -m tests.graph.faults` and held to this page by a",
        "test. Each question ended within its deadline, and `degraded` named the stage and what was done in its place.",
        "",
        f"| node | asks | {' | '.join(names)} | in its place |",
        f"|---|---|{'---|' * len(names)}---|",
    ]
    for (node, asks), row in rows.items():
        actions = [entry.action for one in row if one.answer for entry in one.answer.degraded]
        place = dict.fromkeys(action[:1].upper() + action[1:].rstrip(".") for action in actions)
        cells = " | ".join(one.cell for one in row)
        lines.append(f"| {node} | {asks} | {cells} | {'; '.join(place)} |")
    lines += [
        "",
        "*grounded*: answered from the sources; *abstained*: a refusal that says what was searched for; *error*:",
        "one sentence that names the endpoint or the key to raise. A title for a chat client is *abstained* too:",
        f"nothing was searched for. The nodes {', '.join(NODES_WITHOUT)} ask nobody.",
        "",
        "Refused: nothing listens. Slow: no byte in time. Cut stream: the connection closes in mid-reply. Endless:",
        "bytes without end, each in time. What fails for the moment (429, 500, refused) is tried again first, as often",
        "as the client does.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(outcomes()), encoding="utf-8")
