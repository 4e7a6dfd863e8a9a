"""Evaluating pipelines: a suite's documents in a workspace of their own, and each pipeline as a `System` over them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from crag.app import Crag
from crag.pipeline import Pipeline, load_pipeline
from crag.settings import DEFAULT_PIPELINE
from eval.corpus import corpus_of_documents, corpus_of_suite
from eval.judge_config import JudgeConfig
from eval.options import RunOptions
from eval.prices import Prices
from eval.runner import Progress, RunResult, run_suite
from eval.suite import load_suite
from graph.types import Answer, Turn
from retrieval.embedders.cache import EmbeddingCache
from retrieval.workspace import Workspace

IngestProgress = Callable[[int, int, str], None]


class PipelineSystem:
    """A pipeline under test, as `eval.system.System` wants it."""

    def __init__(self, crag: Crag, pipeline: Pipeline) -> None:
        resolved = crag.resolved(pipeline)
        self._crag = crag
        self._pipeline = pipeline
        self.name = resolved.pipeline.name
        self.version = resolved.pipeline.version
        self._manifest = {**resolved.pipeline.sections(), "models": resolved.models}

    def manifest(self) -> Mapping[str, Any]:
        return self._manifest

    async def ask(self, question: str, history: Sequence[Turn]) -> Answer:
        return await self._crag.aask(question, history=history, pipeline=self._pipeline)


class Bench:
    """A suite, ready to be asked of any number of pipelines.

    The suite's own documents go into the workspace ``out/workspace``, so that nothing else is found; embeddings come
    from and go to the cache of `home`. A suite without documents is asked of what `home` holds.
    """

    def __init__(self, suite: str | Path, *, home: Path, out: Path) -> None:
        """Raises NotFoundError, ConfigError, DocumentError for the suite, StoreError for a workspace in use."""
        self.suite = load_suite(suite)
        self.out = out
        self.similarity = load_pipeline(DEFAULT_PIPELINE)
        """Its embedder serves the similarity metrics, the same whatever a pipeline under test uses."""
        if self.suite.documents is None:
            workspace = Workspace.open(home, write=False)
            registry = workspace.registry
            self.corpus = corpus_of_documents(registry.get(record.id) for record in registry.documents())
            self._cache = None
        else:
            self.corpus = corpus_of_suite(self.suite)
            workspace = Workspace.open(out / "workspace", write=True)
            home.mkdir(parents=True, exist_ok=True)
            self._cache = EmbeddingCache(home / "embeddings.sqlite3")
        self.crag = Crag(workspace, self.similarity, cache=self._cache, home=home)

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

    def run(
        self,
        pipelines: Sequence[Pipeline],
        out: Path | None = None,
        *,
        options: RunOptions | None = None,
        judge: JudgeConfig | None = None,
        prices: Prices | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> list[RunResult]:
        """Ask and score: `eval.runner.run_suite` with everything in place."""
        self.prepare(pipelines)
        systems = [PipelineSystem(self.crag, pipeline) for pipeline in pipelines]
        return asyncio.run(
            run_suite(
                self.suite,
                self.corpus,
                systems,
                out or self.out,
                options=options,
                judge=judge,
                embedder=self.crag.embedder(self.similarity),
                prices=prices,
                judge_cache=self.out / "judge-cache.sqlite",
                progress=progress,
            )
        )

    def close(self) -> None:
        self.crag.close()
        if self._cache is not None:
            self._cache.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
