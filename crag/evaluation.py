"""Evaluating pipelines: a suite's documents in a workspace of their own, and each pipeline as a `System` over them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from crag.app import Crag
from crag.auto import resolve, resolve_retrieval
from crag.pipeline import Pipeline, load_pipeline
from crag.settings import DEFAULT_PIPELINE
from eval.corpus import Corpus, corpus_of_documents, corpus_of_suite
from eval.judge_config import JudgeConfig
from eval.options import RunOptions
from eval.prices import Prices
from eval.runner import Progress, RunResult, run_suite
from eval.suite import load_suite
from graph.types import Answer, Turn

if TYPE_CHECKING:
    from retrieval.embedders.base import Embedder
    from retrieval.embedders.cache import EmbeddingCache

IngestProgress = Callable[[int, int, str], None]


def similarity_embedder() -> Embedder:
    """The one of the similarity metrics, the same whatever a pipeline under test uses. Raises ConfigError."""
    from retrieval.embedders import build_embedder

    return build_embedder(resolve_retrieval(load_pipeline(DEFAULT_PIPELINE)).embedding)


class PipelineSystem:
    """A pipeline under test, as `eval.system.System` wants it."""

    def __init__(self, bench: Bench, pipeline: Pipeline, progress: IngestProgress | None = None) -> None:
        resolved = resolve(pipeline)
        self._bench = bench
        self._pipeline = pipeline
        self._progress = progress
        self.name = resolved.pipeline.name
        self.version = resolved.pipeline.version
        self._manifest = {**resolved.pipeline.sections(), "models": resolved.models}

    def manifest(self) -> Mapping[str, Any]:
        return self._manifest

    async def ready(self) -> Mapping[str, Any]:
        self._bench.prepare([self._pipeline], self._progress)
        return self._bench.crag.index_size(self._pipeline)

    async def ask(self, question: str, history: Sequence[Turn]) -> Answer:
        self._bench.turn_to(self._pipeline)
        return await self._bench.crag.aask(question, history=history, pipeline=self._pipeline)


class Bench:
    """A suite, ready to be asked of any number of pipelines.

    The suite's own documents go into the workspace ``out/workspace``, so that nothing else is found; embeddings come
    from and go to the cache of `home`. A suite without documents is asked of what `home` holds.
    """

    def __init__(self, suite: str | Path, *, home: Path, out: Path) -> None:
        """Raises NotFoundError and ConfigError for the suite."""
        self.suite = load_suite(suite)
        self.out = out
        self.home = home
        self.similarity = load_pipeline(DEFAULT_PIPELINE)
        """Its embedder serves the similarity metrics, the same whatever a pipeline under test uses."""
        self._asking: Pipeline | None = None

    @cached_property
    def corpus(self) -> Corpus:
        """The suite's own documents, parsed, or those that `home` holds. Raises DocumentError and StoreError."""
        if self.suite.documents is not None:
            return corpus_of_suite(self.suite)
        registry = self.crag.workspace.registry
        return corpus_of_documents(registry.get(record.id) for record in registry.documents())

    @cached_property
    def crag(self) -> Crag:
        """Opened when it is first needed: a run that is whole needs none. Raises StoreError for one in use."""
        from retrieval.workspace import Workspace

        own = self.suite.documents is not None
        workspace = Workspace.open(self.out / "workspace" if own else self.home, write=own)
        return Crag(workspace, self.similarity, cache=self._cache, home=self.home)

    @cached_property
    def _cache(self) -> EmbeddingCache | None:
        """The home's, where the workspace is another; it makes its folder itself."""
        from retrieval.embedders.cache import EmbeddingCache

        return None if self.suite.documents is None else EmbeddingCache(self.home / "embeddings.sqlite3")

    def prepare(self, pipelines: Sequence[Pipeline], progress: IngestProgress | None = None) -> None:
        """Bring the documents into each pipeline's index, what is there already left alone, and load its models.

        Latencies then are those of a service that is up.
        """
        for pipeline in pipelines:
            if self.suite.documents is None:
                self.crag.require_index(pipeline)
            else:
                self.crag.ingest_documents(self.corpus.documents, pipeline=pipeline, progress=progress)
        self.crag.warm(pipelines)

    def turn_to(self, pipeline: Pipeline) -> None:
        """The pipeline that is asked from now on; it finds no question embedded by the one before."""
        if pipeline is not self._asking:
            self._asking = pipeline
            self.crag.forget_questions(pipeline)

    def run(
        self,
        pipelines: Sequence[Pipeline],
        out: Path | None = None,
        *,
        options: RunOptions | None = None,
        judge: JudgeConfig | None = None,
        prices: Prices | None = None,
        ingesting: IngestProgress | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> list[RunResult]:
        """Prepare what is to be asked, ask and score: `eval.runner.run_suite` with everything in place."""
        return asyncio.run(
            run_suite(
                self.suite,
                self.corpus,
                [PipelineSystem(self, pipeline, ingesting) for pipeline in pipelines],
                out or self.out,
                options=options,
                judge=judge,
                embedder=lambda: self.crag.embedder(self.similarity),
                prices=prices,
                judge_cache=self.out / "judge-cache.sqlite",
                progress=progress,
            )
        )

    def close(self) -> None:
        if "crag" in self.__dict__:
            self.crag.close()
        if self.__dict__.get("_cache") is not None:
            self.__dict__["_cache"].close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
