"""`Crag`: one workspace and the pipelines that run on it, for Python, the command line and the API alike."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from chunking.errors import NotFoundError, StoreError
from crag.auto import Resolved
from crag.pipeline import Pipeline, load_pipeline
from crag.settings import DEFAULT_PIPELINE, THREADS, home_folder
from crag.wiring import Parts
from retrieval.types import DEFAULT_COLLECTION

if TYPE_CHECKING:
    from chunking.types import Document
    from graph.deps import Deps
    from graph.engine import Engine
    from graph.types import Answer, Event, Turn
    from retrieval.embedders.base import Embedder
    from retrieval.embedders.cache import EmbeddingCache
    from retrieval.ingest import IngestReport
    from retrieval.registry import DocumentRecord
    from retrieval.types import Degraded, Filters, Hit
    from retrieval.workspace import Workspace

T = TypeVar("T")

SAMPLES = Path(__file__).parent / "samples" / "documents"
"""Bundled with the package: a small corpus in both languages."""


class Crag:
    """Ask, search and ingest. `ask`, `stream`, `search` and `ingest` block; their `a...` twins are awaited.

    `pipeline` is a shipped name, a path or a `Pipeline`; each call may name another one. Pipelines that agree on
    chunking and embedding share one index. Close it, or use it as a context manager, to release the workspace.
    """

    def __init__(
        self, workspace: Workspace, pipeline: Pipeline, *, cache: EmbeddingCache | None = None, home: Path | None = None
    ) -> None:
        """`cache` (closed by its owner) and `home`, where calibrations lie, are the workspace's own unless given."""
        self.workspace = workspace
        self.pipeline = pipeline
        self._parts = Parts(workspace, cache, home)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    @classmethod
    def open(
        cls, home: str | Path | None = None, pipeline: str | Path | Pipeline = DEFAULT_PIPELINE, *, write: bool = False
    ) -> Self:
        """Open (and with `write` create) the workspace folder `home`: CRAG_HOME, else ``.crag``.

        Raises NotFoundError or ConfigError for the pipeline, StoreError for a workspace that is locked or damaged.
        """
        from retrieval.workspace import Workspace

        chosen = _pipeline(pipeline)
        return cls(Workspace.open(home_folder(home), write=write), chosen)

    # Asking

    async def aask(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        pipeline: str | Path | Pipeline | None = None,
        filters: Filters | None = None,
        **generation: Any,
    ) -> Answer:
        """Answer one question. `generation` overrides fields of the pipeline's generation section for this answer."""
        engine = await self._engine(pipeline)
        return await engine.ask(question, history, filters, **generation)

    async def astream(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        pipeline: str | Path | Pipeline | None = None,
        filters: Filters | None = None,
        **generation: Any,
    ) -> AsyncIterator[Event]:
        """Events on the way to the answer; the last one is `AnswerReady`. Text deltas join to the answer's text."""
        engine = await self._engine(pipeline)
        events = engine.stream(question, history, filters, **generation)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    async def asearch(
        self,
        question: str,
        *,
        pipeline: str | Path | Pipeline | None = None,
        top_k: int | None = None,
        filters: Filters | None = None,
    ) -> tuple[list[Hit], tuple[Degraded, ...]]:
        """Retrieved and reranked hits, best first, and what degraded on the way."""
        engine = await self._engine(pipeline)
        return await engine.search(question, top_k, filters)

    def ask(self, question: str, **options: Any) -> Answer:
        """`aask`, blocking."""
        return self._run(self.aask(question, **options))

    def search(self, question: str, **options: Any) -> tuple[list[Hit], tuple[Degraded, ...]]:
        """`asearch`, blocking."""
        return self._run(self.asearch(question, **options))

    def stream(self, question: str, **options: Any) -> Iterator[Event]:
        """`astream`, blocking. Leaving the loop early stops the answer."""
        events: queue.SimpleQueue[Event | BaseException | None] = queue.SimpleQueue()

        async def pump() -> None:
            try:
                async for event in self.astream(question, **options):
                    events.put(event)
                events.put(None)
            except BaseException as error:
                events.put(error)
                raise

        task = asyncio.run_coroutine_threadsafe(pump(), self._own_loop())
        try:
            while (event := events.get()) is not None:
                if isinstance(event, BaseException):
                    raise event
                yield event
        finally:
            task.cancel()

    # Documents

    def ingest(
        self,
        paths: Sequence[str | Path],
        *,
        collection: str = DEFAULT_COLLECTION,
        prune: bool = False,
        pipeline: str | Path | Pipeline | None = None,
        progress: Callable[..., None] | None = None,
    ) -> IngestReport:
        """Read files and folders into the index of the pipeline. `prune` removes documents whose files are gone.

        Raises ConfigError for a name that no collection can have.
        """
        from retrieval.ingest import ingest

        chosen = self._choose(pipeline)
        index = self._parts.index(chosen)
        report = ingest(
            self.workspace,
            index,
            [Path(path) for path in paths],
            collection=collection,
            prune=prune,
            progress=progress,
        )
        self.workspace.switch(chosen.name, index)
        return report

    def ingest_documents(
        self,
        documents: Sequence[Document],
        *,
        collection: str = DEFAULT_COLLECTION,
        pipeline: str | Path | Pipeline | None = None,
        progress: Callable[..., None] | None = None,
    ) -> IngestReport:
        """Take documents that are parsed already into the index of the pipeline."""
        from retrieval.ingest import ingest_documents

        chosen = self._choose(pipeline)
        index = self._parts.index(chosen)
        report = ingest_documents(self.workspace, index, documents, collection=collection, progress=progress)
        self.workspace.switch(chosen.name, index)
        return report

    def replace(self, document: Document, *, pipeline: str | Path | Pipeline | None = None) -> int:
        """Put a document that was read anew in the place of the one with its id; the number of its chunks.

        The other indexes lack it until `catch_up`. Raises NotFoundError where there is none of that id.
        """
        from retrieval.registry import Place

        record = self.workspace.registry.find(document.id)
        index = self._parts.index(self._choose(pipeline))
        chunks = index.chunker.chunk(document)
        index.write([(document, Place(record.origin, record.collection, record.date), chunks)], {})
        self.workspace.follow()
        return len(chunks)

    def ingest_samples(self, progress: Callable[..., None] | None = None) -> IngestReport:
        """Read the bundled sample documents."""
        return self.ingest(sorted(SAMPLES.iterdir()), progress=progress)

    def documents(self, collection: str | None = None) -> list[dict[str, Any]]:
        """The documents of a collection, or of all, sorted by source, in the shape of ``crag docs list --json``."""
        from retrieval.types import Filters

        filters = None if collection is None else Filters(collection=collection)
        return [record.to_dict() for record in self.workspace.registry.documents(filters)]

    def collections(self) -> list[dict[str, Any]]:
        """``{"name", "documents"}`` of every collection, sorted by name; the default one is always there."""
        found = self.workspace.registry.collections()
        return [{"name": name, "documents": documents} for name, documents in found.items()]

    def remove_collection(self, name: str) -> list[dict[str, Any]]:
        """Remove a collection with its documents; gives what was removed. Raises NotFoundError."""
        known = self.workspace.registry.collections()
        if not known.get(name):
            raise NotFoundError(f"There is no collection {name!r} (there are: {', '.join(known)}).")
        return self.remove([each["id"] for each in self.documents(name)])

    def document(self, name: str) -> dict[str, Any]:
        """One document by id or source, with its text and blocks. Raises NotFoundError."""
        record = self._find(name)
        document = self.workspace.registry.get(record.id)
        blocks = [
            {"kind": each.kind, "start": each.start, "end": each.end, "page": each.page} for each in document.blocks
        ]
        return {**record.to_dict(), "text": document.text, "blocks": blocks}

    def _find(self, name: str) -> DocumentRecord:
        try:
            return self.workspace.registry.find(name)
        except NotFoundError as error:
            sources = [record.source for record in self.workspace.registry.documents()]
            meant = [source for source in sources if source.endswith(f"/{name}")]
            if name in sources or not meant:
                raise
            raise NotFoundError(f"No document is called {name}: did you mean {' or '.join(meant[:3])}?") from error

    def remove(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Remove documents by id or source from every index; gives what was removed. Raises NotFoundError."""
        records = [self._find(name) for name in names]
        # An index that is open follows at once; one that is not would only when it is opened next.
        self._parts.index(self.pipeline)
        self.workspace.remove([record.id for record in records])
        return [record.to_dict() for record in records]

    def require_documents(self) -> None:
        """Raises StoreError where the workspace holds nothing."""
        if not len(self.workspace.registry):
            raise StoreError(f"The workspace {self.workspace.home} has no documents yet: run crag ingest PATH first.")

    def require_index(self, pipeline: str | Path | Pipeline | None = None, filters: Filters | None = None) -> None:
        """Raises StoreError where there is nothing to ask, or where the pipeline's index lacks documents.

        NotFoundError where the collection that would be asked holds none, for then it is misspelt or not named.
        """
        self.require_documents()
        chosen = self._choose(pipeline)
        collection = (filters and filters.collection) or chosen.retrieval.collection
        self._require_collection(collection, filters)
        if filters is not None:
            self._require_match(filters, collection)
        if self._parts.earlier(chosen) is not None:
            return
        if missing := len(self._parts.index(chosen).chunks.missing()):
            raise StoreError(
                f"The index of pipeline {chosen.name} lacks {missing} of the documents of {self.workspace.home}: "
                "run crag index rebuild with the same --pipeline once."
            )

    def _require_match(self, filters: Filters, collection: str) -> None:
        asked = filters if filters.documents is not None else filters.model_copy(update={"collection": collection})
        if not self.workspace.registry.documents(asked):
            example = self.workspace.registry.documents()[0].source
            raise NotFoundError(
                f"No document matches the filters; a source is named like {example!r}: see crag docs list."
            )

    def _require_collection(self, name: str, filters: Filters | None) -> None:
        known = self.workspace.registry.collections()
        if filters and filters.documents is not None:
            return
        if not any(count and fnmatchcase(each, name) for each, count in known.items()):
            held = ", ".join(each for each, count in known.items() if count)
            raise NotFoundError(f"The collection {name} holds no documents (there are: {held}): name one of these.")

    # The index of the pipeline

    def catch_up(
        self, pipeline: str | Path | Pipeline | None = None, progress: Callable[..., None] | None = None
    ) -> IngestReport:
        """Take documents that came in by another pipeline, or before chunking or embedding changed, into its index.

        Until that is done the index that served the pipeline before goes on answering; then one transaction switches.
        """
        from retrieval.ingest import catch_up

        chosen = self._choose(pipeline)
        index = self._parts.index(chosen)
        report = catch_up(self.workspace, index, progress=progress)
        self.workspace.switch(chosen.name, index)
        return report

    def serves_earlier(self, pipeline: str | Path | Pipeline | None = None) -> bool:
        """Whether the pipeline's own index is not whole and the one before it answers meanwhile."""
        return self._parts.earlier(self._choose(pipeline)) is not None

    def index_status(self) -> dict[str, Any]:
        home = str(self.workspace.home)
        documents = len(self.workspace.registry)
        return {"home": home, "documents": documents, "index": self._parts.index(self.pipeline).status()}

    def index_size(self, pipeline: str | Path | Pipeline | None = None) -> dict[str, float]:
        """``chunks`` and their ``mean_tokens`` in the pipeline's index."""
        chunks = self._parts.index(self._choose(pipeline)).chunks
        return {"chunks": len(chunks), "mean_tokens": chunks.mean_tokens()}

    def verify_index(self) -> dict[str, Any]:
        """Compare documents, vectors and postings in full; ``ok`` is False where they differ."""
        return self._parts.index(self.pipeline).verify()

    def rebuild_index(self, progress: Callable[..., None] | None = None) -> dict[str, Any]:
        """Make vectors and postings anew, documents that were missing included; gives `index_status`."""
        self._parts.index(self.pipeline).rebuild()
        self.catch_up(progress=progress)
        return self.index_status()

    def indexes(self) -> list[dict[str, Any]]:
        """Every index of the workspace, oldest first, with the pipelines that it answers for."""
        return [record.to_dict() for record in self.workspace.indexes()]

    def prune_indexes(self, fingerprints: Sequence[str] = ()) -> list[dict[str, Any]]:
        """Remove the named indexes, or those that answer for no pipeline; gives what was removed.

        The one of the pipeline in use stays unless it is named. Raises NotFoundError for a name that is none.
        """
        known = {each["fingerprint"]: each for each in self.indexes()}
        for name in fingerprints:
            if name not in known:
                raise NotFoundError(f"There is no index {name} (there are: {', '.join(known)}): see crag index list.")
        own = self._parts.index(self.pipeline).fingerprint
        idle = [name for name, each in known.items() if not each["pipelines"] and name != own]
        gone = list(dict.fromkeys(fingerprints)) or idle
        self.workspace.drop(gone)
        self._parts.forget()
        return [known[name] for name in gone]

    def follow_index(self, progress: Callable[..., None] | None = None) -> dict[str, Any]:
        """Write the vectors that the pipeline's index lacks, from the cache where it has them; gives `index_status`."""
        self._parts.index(self.pipeline).follow()
        self.catch_up(progress=progress)
        return self.index_status()

    async def aingest(self, paths: Sequence[str | Path], **options: Any) -> IngestReport:
        """`ingest` in a thread."""
        return await asyncio.to_thread(self.ingest, paths, **options)

    def warm(self, pipelines: Sequence[Pipeline] = ()) -> None:
        """Load every model and index that the pipelines use, so that the first question does not wait for them."""
        for pipeline in pipelines or (self.pipeline,):
            self._run(self._warm(pipeline))

    async def _warm(self, pipeline: Pipeline) -> None:
        engine = await self._engine(pipeline)
        if len(self.workspace.registry):
            await engine.search("warm up", 1)

    def forget_questions(self, pipeline: str | Path | Pipeline | None = None) -> None:
        """Have the pipeline embed each question anew, for fair latencies where several are asked the same."""
        from retrieval.embedders.cache import CachedEmbedder

        embedder = self.embedder(pipeline)
        if isinstance(embedder, CachedEmbedder):
            embedder.forget_queries()

    def resolved(self, pipeline: str | Path | Pipeline | None = None) -> Resolved:
        """The pipeline with every `auto` decided. Raises ConfigError where that cannot be done."""
        return self._parts.resolved(self._choose(pipeline))

    def dependencies(self, pipeline: str | Path | Pipeline | None = None) -> Deps:
        """What the pipeline's engine answers with."""
        return self._parts.engine(self._choose(pipeline)).deps

    def embedder(self, pipeline: str | Path | Pipeline | None = None) -> Embedder:
        """The pipeline's embedder, behind the cache."""
        return self._parts.embedder(self._choose(pipeline))

    def models(self, pipeline: str | Path | Pipeline | None = None) -> dict[str, str]:
        """Provider in use by role, `auto` decided."""
        return self.resolved(pipeline).models

    # Life

    def close(self) -> None:
        """Close clients, stop the thread that serves the blocking calls, release the workspace."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            for engine in self._parts.engines():
                asyncio.run_coroutine_threadsafe(engine.aclose(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join()
        self.workspace.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _choose(self, pipeline: str | Path | Pipeline | None) -> Pipeline:
        return self.pipeline if pipeline is None else _pipeline(pipeline)

    async def _engine(self, pipeline: str | Path | Pipeline | None) -> Engine:
        return await asyncio.to_thread(self._parts.engine, self._choose(pipeline))

    def _own_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._loop.set_default_executor(answer_threads(THREADS))
                self._thread = threading.Thread(target=_serve_loop, args=(self._loop,), name="crag-loop", daemon=True)
                self._thread.start()
            return self._loop

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.run_coroutine_threadsafe(work, self._own_loop())
        try:
            return task.result()
        except BaseException:  # After Ctrl-C too, what nobody waits for any more must not go on.
            task.cancel()
            raise


def answer_threads(most: int) -> ThreadPoolExecutor:
    """For the loop that answers: what `asyncio.to_thread` runs the steps of answers in."""
    return ThreadPoolExecutor(most, thread_name_prefix="crag-answer")


def _pipeline(given: str | Path | Pipeline) -> Pipeline:
    return given if isinstance(given, Pipeline) else load_pipeline(given)


def _serve_loop(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
        if tasks := asyncio.all_tasks(loop):
            for task in tasks:
                task.cancel()
            loop.run_until_complete(asyncio.wait(tasks))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()


def search_shape(question: str, hits: Sequence[Hit], degraded: Sequence[Degraded]) -> dict[str, Any]:
    """The shape of ``crag search --json`` and of `POST /v1/search`."""
    return {
        "question": question,
        "hits": [hit.to_dict(rank) for rank, hit in enumerate(hits, 1)],
        "degraded": [entry.to_dict() for entry in degraded],
    }
