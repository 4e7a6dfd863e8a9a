"""From a resolved pipeline to the objects that run it. What two pipelines configure alike is built once and shared."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import ValidationError

from crag.auto import Resolved, resolve, resolve_retrieval
from crag.pipeline import Pipeline
from retrieval.types import Degraded

if TYPE_CHECKING:
    from graph.confidence import Calibration
    from graph.engine import Engine
    from retrieval.embedders.base import Embedder
    from retrieval.embedders.cache import EmbeddingCache
    from retrieval.index import Index
    from retrieval.rerankers.base import Reranker
    from retrieval.workspace import Workspace

T = TypeVar("T")
Key = tuple[Hashable, ...]
"""The name of a part, and what it is built from."""

EARLIER = Degraded(
    "index",
    "the index of this pipeline's chunking and embedding is not whole yet",
    "searched the one that served before; documents that came since may be missing",
    "index_behind",
)

CALIBRATIONS = "calibrations"
"""Folder of a workspace with what ``crag eval calibrate`` fitted."""

WEB_CACHE = "web-cache.sqlite3"
"""File of a workspace with the pages that web searches found lately."""


class Parts:
    """Thread-safe, and lazy: asking for an index loads no language model, ingesting loads no reranker."""

    def __init__(self, workspace: Workspace, cache: EmbeddingCache | None = None, home: Path | None = None) -> None:
        """`cache` and `home` (where calibrations lie) are the workspace's own unless others are given."""
        self._workspace = workspace
        self._cache = cache
        self._home = home or workspace.home
        self._built: dict[Key, Any] = {}
        self._lock = threading.RLock()

    def resolved(self, pipeline: Pipeline) -> Resolved:
        return self._once(("resolved", pipeline), lambda: resolve(pipeline))

    def embedder(self, pipeline: Pipeline) -> Embedder:
        from retrieval.embedders import build_embedder

        config = resolve_retrieval(pipeline).embedding
        return self._once(("embedder", config), lambda: build_embedder(config, self._cache or self._workspace.cache))

    def index(self, pipeline: Pipeline, fingerprint: str | None = None) -> Index:
        """The pipeline's own, or that of a fingerprint which `earlier` gave."""
        from chunking.strategies import build_chunker
        from crag.boundaries import ChatBoundaries

        embedder = self.embedder(pipeline)
        key = ("index", pipeline.chunking, embedder.fingerprint, pipeline.store, fingerprint)
        embedding = resolve_retrieval(pipeline).embedding

        def build() -> Index:
            index = self._workspace.index(pipeline.chunking, embedder, embedding, pipeline.store, fingerprint)
            if pipeline.chunking.strategy == "llm":
                index.chunker = build_chunker(
                    pipeline.chunking,
                    embedder.count_tokens,
                    model=ChatBoundaries(lambda: self.resolved(pipeline).pipeline.generation),
                )
            return index

        return self._once(key, build)

    def earlier(self, pipeline: Pipeline) -> tuple[Pipeline, str] | None:
        """The pipeline with the chunking, embedding and store that have served it so far, and the fingerprint of their
        index, while its own index is not whole; None where that one is, and where there is no other."""
        from retrieval.workspace import index_fingerprint

        own = index_fingerprint(pipeline.chunking, self.embedder(pipeline), pipeline.store)
        if (found := self._workspace.earlier(pipeline.name, own)) is None:
            return None
        values = {"chunking": found.chunking, "embedding": found.embedding, "store": found.store.model_dump()}
        try:
            served = Pipeline.model_validate({**pipeline.model_dump(), **values})
        except ValidationError:  # Of a release whose keys this one does not know.
            return None
        # Another release may embed otherwise by the same settings: questions would not fit its vectors.
        return (served, found.fingerprint) if self.embedder(served).fingerprint == found.embedder else None

    def forget(self) -> None:
        """Build indexes and engines anew: some of the indexes are gone."""
        with self._lock:
            self._built = {key: part for key, part in self._built.items() if key[0] not in ("index", "engine")}

    def reranker(self, pipeline: Pipeline) -> Reranker | None:
        from retrieval.rerankers import build_reranker

        config = resolve_retrieval(pipeline).rerank
        embedder = self.embedder(pipeline)
        key = ("reranker", config, embedder.fingerprint)
        return self._once(key, lambda: build_reranker(config, embedder=embedder))

    def engine(self, pipeline: Pipeline) -> Engine:
        """Over the pipeline's index, or, while that is being built, over the one that has served so far."""
        chosen, fingerprint = self.earlier(pipeline) or (pipeline, None)
        return self._once(("engine", chosen, fingerprint), lambda: self._engine(chosen, fingerprint))

    def engines(self) -> list[Engine]:
        """Those that have been built."""
        with self._lock:
            return [part for key, part in self._built.items() if key[0] == "engine"]

    def _engine(self, pipeline: Pipeline, earlier: str | None) -> Engine:
        from chunking.strategies import build_chunker
        from graph.confidence import calibration_for
        from graph.deps import Deps
        from graph.engine import Engine
        from graph.llms import build_llm, build_model_grader
        from graph.web import build_web
        from retrieval.ephemeral import rank_documents
        from retrieval.retriever import Retriever

        found = self.resolved(pipeline)
        decided = found.pipeline
        embedder, reranker = self.embedder(pipeline), self.reranker(pipeline)
        model = build_llm(decided.generation)
        # A web page is cut while a question waits: no model marks its boundaries.
        strategy = "hybrid" if decided.chunking.strategy == "llm" else decided.chunking.strategy
        chunking = decided.chunking.model_copy(update={"strategy": strategy})
        chunker = build_chunker(chunking, embedder.count_tokens, lambda texts: embedder.embed(texts, "passage"))
        return Engine(
            Deps(
                retriever=Retriever(
                    self.index(pipeline, earlier), embedder, decided.retrieval, notices=(EARLIER,) if earlier else ()
                ),
                reranker=reranker,
                embedder=embedder,
                generator=model.generator,
                chat=model.chat,
                model_grader=build_model_grader(decided.grading, decided.generation, model),
                web_search=build_web(decided.web, self._home / WEB_CACHE),
                rank_web=partial(rank_documents, chunker=chunker, embedder=embedder, config=decided.retrieval),
                calibration=calibration_for(
                    embedder.fingerprint,
                    reranker.name if reranker else None,
                    load_calibrations(self._home),
                ),
                retrieval=decided.retrieval,
                rerank=decided.rerank,
                grading=decided.grading,
                rewrite=decided.rewrite,
                web=decided.web,
                generation=decided.generation,
                limits=decided.limits,
                pipeline={"name": decided.name, "version": decided.version},
                # Whoever shows an answer must know whether its confidence decided anything.
                models={**found.models, "grading": "on" if decided.grading.enabled else "off"},
            )
        )

    def _once(self, key: Key, build: Callable[[], T]) -> T:
        with self._lock:
            if key not in self._built:
                self._built[key] = build()
            return cast(T, self._built[key])


def load_calibrations(home: Path) -> tuple[Calibration, ...]:
    """The calibrations of a workspace, the newest first. Raises ConfigError for a damaged file."""
    from graph.confidence import Calibration

    files = sorted((home / CALIBRATIONS).glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    return tuple(Calibration.from_json(path.read_text(encoding="utf-8"), where=str(path)) for path in files)
