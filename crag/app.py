"""`Crag`: one workspace and the pipelines that run on it, for Python, the command line and the API alike."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from crag import given
from crag.library import Library, as_pipeline
from crag.loop import OwnLoop
from crag.pipeline import Pipeline
from crag.settings import DEFAULT_PIPELINE, THREADS, home_folder

if TYPE_CHECKING:
    from graph.engine import Engine
    from graph.types import Answer, Event, Turn
    from retrieval.embedders.cache import EmbeddingCache
    from retrieval.ingest import IngestReport
    from retrieval.types import Degraded, Filters, Hit
    from retrieval.workspace import Workspace


class Crag(Library):
    """Ask, search and ingest. `ask`, `stream`, `search` and `ingest` block; their `a...` twins are awaited.

    `pipeline` is a shipped name, a path or a `Pipeline`; each call may name another one. Pipelines that agree on
    chunking and embedding share one index. Close it, or use it as a context manager, to release the workspace: what
    is still asked then ends with StoreError.
    """

    def __init__(
        self, workspace: Workspace, pipeline: Pipeline, *, cache: EmbeddingCache | None = None, home: Path | None = None
    ) -> None:
        super().__init__(workspace, pipeline, cache=cache, home=home)
        self._loop = OwnLoop(THREADS, self._is_closed)

    @classmethod
    def open(
        cls, home: str | Path | None = None, pipeline: str | Path | Pipeline = DEFAULT_PIPELINE, *, write: bool = False
    ) -> Self:
        """Open (and with `write` create) the workspace folder `home`: CRAG_HOME, else ``.crag``.

        Raises NotFoundError or ConfigError for the pipeline, StoreError for a workspace that is locked or damaged.
        """
        from retrieval.workspace import Workspace

        chosen = as_pipeline(pipeline)
        return cls(Workspace.open(home_folder(home), write=write), chosen)

    # Asking

    async def aask(
        self,
        question: str,
        *,
        history: Iterable[Turn | Mapping[str, Any]] = (),
        pipeline: str | Path | Pipeline | None = None,
        filters: Filters | Mapping[str, Any] | None = None,
        **generation: Any,
    ) -> Answer:
        """Answer one question. `generation` overrides fields of the pipeline's generation section for this answer.

        `history` has the turns before it, each ``(role, text)`` or ``{"role", "content"}``. Raises ConfigError for
        what cannot be asked, NotFoundError for a collection that holds nothing, ProviderError or StoreError for a
        search that found no way to run.
        """
        from graph.types import AnswerReady

        asked = self.astream(question, history=history, pipeline=pipeline, filters=filters, **generation)
        async with aclosing(asked) as events:
            async for event in events:
                if isinstance(event, AnswerReady):
                    return event.answer
        raise AssertionError("the graph ended without an answer")

    async def astream(
        self,
        question: str,
        *,
        history: Iterable[Turn | Mapping[str, Any]] = (),
        pipeline: str | Path | Pipeline | None = None,
        filters: Filters | Mapping[str, Any] | None = None,
        **generation: Any,
    ) -> AsyncGenerator[Event, None]:
        """Events on the way to the answer; the last one is `AnswerReady`. Text deltas join to the answer's text."""
        asked = given.read_question(question), given.read_history(history), given.read_filters(filters)
        engine = await self._engine(pipeline, asked[2])
        async with aclosing(engine.stream(*asked, **generation)) as events:
            async for event in events:
                self._require_open()
                yield event

    async def asearch(
        self,
        question: str,
        *,
        pipeline: str | Path | Pipeline | None = None,
        top_k: int | None = None,
        filters: Filters | Mapping[str, Any] | None = None,
    ) -> tuple[list[Hit], tuple[Degraded, ...]]:
        """Retrieved and reranked hits, best first, and what degraded on the way."""
        asked = given.read_question(question), given.read_top_k(top_k), given.read_filters(filters)
        engine = await self._engine(pipeline, asked[2])
        found = await engine.search(*asked)
        self._require_open()
        return found

    async def aingest(self, paths: str | Path | Sequence[str | Path], **options: Any) -> IngestReport:
        """`ingest` in a thread."""
        return await asyncio.to_thread(self.ingest, paths, **options)

    def ask(self, question: str, **options: Any) -> Answer:
        """`aask`, blocking."""
        given.warn_inside_a_loop("ask")
        return self._loop.run(self.aask(question, **options))

    def search(self, question: str, **options: Any) -> tuple[list[Hit], tuple[Degraded, ...]]:
        """`asearch`, blocking."""
        given.warn_inside_a_loop("search")
        return self._loop.run(self.asearch(question, **options))

    def stream(self, question: str, **options: Any) -> Iterator[Event]:
        """`astream`, blocking. Leaving the loop early stops the answer."""
        given.warn_inside_a_loop("stream")
        return self._loop.iterate(self.astream(question, **options))

    def warm(self, pipelines: Sequence[Pipeline] = ()) -> None:
        """Load every model and index that the pipelines use, so that the first question does not wait for them."""
        for pipeline in pipelines or (self.pipeline,):
            self._loop.run(self._warm(pipeline))

    async def _warm(self, pipeline: Pipeline) -> None:
        engine = await asyncio.to_thread(self._parts.engine, self._choose(pipeline))
        if len(self.workspace.registry):
            await engine.search("warm up", 1)

    async def _engine(self, pipeline: str | Path | Pipeline | None, filters: Filters | None = None) -> Engine:
        def checked() -> Engine:
            self.require_collection(pipeline, filters)
            return self._parts.engine(self._choose(pipeline))

        return await asyncio.to_thread(checked)

    # Life

    def close(self) -> None:
        """End what is asked, close clients, stop the thread that serves the blocking calls, release the workspace."""
        if not self._closed:
            self._closed = True
            self._loop.close(self._close_clients)
            self._opened.close()

    async def aclose(self) -> None:
        """`close`, and the clients that awaited calls have made in the loop that runs here."""
        await self._close_clients()
        await asyncio.to_thread(self.close)

    async def _close_clients(self) -> None:
        for engine in self._built.engines():
            await engine.aclose()

    def __enter__(self) -> Self:
        self._require_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        self._require_open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()


def search_shape(question: str, hits: Sequence[Hit], degraded: Sequence[Degraded]) -> dict[str, Any]:
    """The shape of ``crag search --json`` and of `POST /v1/search`."""
    return {
        "question": question,
        "hits": [hit.to_dict(rank) for rank, hit in enumerate(hits, 1)],
        "degraded": [entry.to_dict() for entry in degraded],
    }
