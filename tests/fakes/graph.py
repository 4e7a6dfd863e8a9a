"""Small real parts for the graph's tests: an in-memory index over hashed words, and providers that follow a script."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np

from chunking.types import Chunk, Document, chunk_id, document_id
from graph.confidence import calibration_for
from graph.config import GenerationConfig
from graph.deps import Deps
from graph.llms.extractive import ExtractiveGenerator
from graph.support import content_words
from retrieval.embedders.base import Role, Vectors
from retrieval.lexical.bm25 import BM25Index
from retrieval.lexical.tokenizer import tokenize
from retrieval.types import Degraded, DocumentInfo, Filters, Hit


class HashEmbedder:
    """Unit vectors of word counts, hashed to 512 places: texts that share words are alike."""

    name = "hash"
    fingerprint = "hash:512"
    dimension = 512
    max_tokens = 512

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for word, count in Counter(tokenize(text)).items():
                vectors[row, crc32(word.encode()) % self.dimension] += count
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(norms > 0, norms, 1)).astype(np.float32)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(tokenize(text)) for text in texts]


def hit(text: str, *, source: str = "notes.md", title: str = "Notes", offset: int = 0, url: str | None = None) -> Hit:
    """A passage that begins at `offset` of its document."""
    document = document_id(source)
    end = offset + len(text)
    chunk = Chunk(chunk_id(document, offset, end, text), document, offset, end, text, len(tokenize(text)))
    return Hit(chunk, DocumentInfo(document, source, title, "text/plain", url=url), 0.0)


@dataclass(frozen=True)
class Found:
    hits: list[Hit]
    degraded: tuple[Degraded, ...] = ()


@dataclass
class MemoryRetriever:
    """Ranks passages by hashed words. `faults` are raised, one a call, before anything is found; None lets pass."""

    passages: Sequence[Hit]
    faults: deque[Exception | None] = field(default_factory=deque)
    delay: float = 0.0
    asked: list[str] = field(default_factory=list)
    embedder: HashEmbedder = field(default_factory=HashEmbedder)

    def retrieve(self, question: str, *, top_k: int | None = None, filters: Filters | None = None) -> Found:
        self.asked.append(question)
        time.sleep(self.delay)
        fault = self.faults.popleft() if self.faults else None
        if fault is not None:
            raise fault
        passages = [one for one in self.passages if filters is None or filters.matches(one.document)]
        return Found(ranked(question, passages, self.embedder)[:top_k])

    def lexicon(self, filters: Filters | None = None) -> BM25Index | None:
        return None if filters else index_of(self.passages)

    def text(self, document: str) -> str:
        """As far as it is in the passages."""
        own = sorted((one.chunk for one in self.passages if one.document.id == document), key=lambda chunk: chunk.start)
        made = ""
        for chunk in own:
            made = f"{made:<{chunk.start}}"[: chunk.start] + chunk.text
        return made


def index_of(passages: Sequence[Hit]) -> BM25Index:
    index = BM25Index()
    texts = [(one.chunk.id, one.document.id, index.encode(tokenize(one.chunk.embedded_text))) for one in passages]
    index.add(texts)
    return index


def ranked(question: str, passages: Sequence[Hit], embedder: HashEmbedder) -> list[Hit]:
    if not passages:
        return []
    cosines = embedder.embed([one.chunk.text for one in passages], "passage") @ embedder.embed([question], "query")[0]
    asked = content_words(question)
    scored = sorted(zip(map(float, cosines), passages, strict=True), key=lambda pair: -pair[0])
    return [
        one.at_stage("dense", score, rank, coverage=len(asked & content_words(one.chunk.text)) / (len(asked) or 1))
        for rank, (score, one) in enumerate(scored, 1)
    ]


def rank_pages(question: str, documents: Sequence[tuple[Document, DocumentInfo]]) -> list[Hit]:
    """Each page as one passage, ranked."""
    passages = [
        Hit(
            Chunk(chunk_id(d.id, 0, len(d.text), d.text), d.id, 0, len(d.text), d.text, len(tokenize(d.text))),
            info,
            0.0,
        )
        for d, info in documents
    ]
    return ranked(question, passages, HashEmbedder())


@dataclass
class ScriptedGrader:
    """Confidences in order, the last one for ever; passages are equally likely."""

    confidences: Sequence[float]
    name: str = "scripted"
    graded: int = 0

    def confidence(self, hits: Sequence[Hit]) -> float:
        value = self.confidences[min(self.graded, len(self.confidences) - 1)]
        self.graded += 1
        return value if hits else 0.0

    def probabilities(self, hits: Sequence[Hit]) -> tuple[float, ...]:
        return tuple(0.5 for _ in hits)


@dataclass
class CoverageReranker:
    """Orders by words of the question; fails or waits where told to."""

    fault: Exception | None = None
    delay: float = 0.0
    name: str = "coverage"
    fingerprint: str = "coverage"

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        time.sleep(self.delay)
        if self.fault is not None:
            raise self.fault
        order = sorted(hits, key=lambda one: -one.signals.get("coverage", 0.0))
        return [one.at_stage("rerank", one.signals.get("coverage", 0.0), rank) for rank, one in enumerate(order, 1)]


def deps(passages: Sequence[Hit], **changes: Any) -> Deps:
    """The embedded default over `passages`: no model, no web, no reranker."""
    parts: dict[str, Any] = {
        "retriever": MemoryRetriever(passages),
        "embedder": HashEmbedder(),
        "generator": ExtractiveGenerator(),
        "calibration": calibration_for("hash:512", None),
        "generation": GenerationConfig(provider="extractive"),
        "pipeline": {"name": "test", "version": "0"},
    }
    return Deps(**{**parts, **changes})
