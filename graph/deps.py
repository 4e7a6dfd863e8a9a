"""What the graph needs from outside, as Protocols, and the one object that carries it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from chunking.types import Document
from graph.config import GenerationConfig, GradingConfig, LimitsConfig, RewriteConfig, WebConfig
from graph.llms.base import ChatModel, Generator
from graph.spelling import Lexicon
from graph.web.base import WebSearch
from retrieval.config import RerankConfig, RetrievalConfig
from retrieval.embedders.base import Embedder
from retrieval.rerankers.base import Reranker
from retrieval.types import Degraded, DocumentInfo, Filters, Hit


class Retrieval(Protocol):
    """A search's result: `hits` best first, and what went wrong on the way."""

    @property
    def hits(self) -> Sequence[Hit]: ...

    @property
    def degraded(self) -> Sequence[Degraded]: ...


class Retriever(Protocol):
    def retrieve(self, question: str, *, top_k: int | None = None, filters: Filters | None = None) -> Retrieval:
        """Blocking and thread-safe. Raises ProviderError or StoreError where no side could search."""
        ...

    def lexicon(self, filters: Filters | None = None) -> Lexicon | None:
        """The words of the texts; None where some are out of reach, whose words are not to be told."""
        ...

    def text(self, document: str) -> str:
        """The text of the document of this id, "" where there is none. Blocking. Raises StoreError."""
        ...


class RankDocuments(Protocol):
    def __call__(self, question: str, documents: Sequence[tuple[Document, DocumentInfo]]) -> Sequence[Hit]:
        """Passages of documents that are in no store, best first. Blocking. Raises ProviderError."""
        ...


class Grader(Protocol):
    """Probabilities from retrieval signals; `graph.confidence.Calibration` is the one that ships."""

    @property
    def name(self) -> str: ...

    def confidence(self, hits: Sequence[Hit]) -> float:
        """Probability that the hits, best first, hold the answer."""
        ...

    def probabilities(self, hits: Sequence[Hit]) -> tuple[float, ...]:
        """The same for each hit alone."""
        ...


@dataclass(frozen=True, kw_only=True)
class Deps:
    """Everything that one pipeline answers with. Sections of the pipeline file keep their names."""

    retriever: Retriever
    embedder: Embedder
    generator: Generator
    calibration: Grader
    reranker: Reranker | None = None
    chat: ChatModel | None = None
    """Rewrites and condenses; without it, rules do."""
    model_grader: ChatModel | None = None
    """Grades the passages beside the calibration; None: the calibration alone."""
    web_search: WebSearch | None = None
    """None: nothing leaves the machine."""
    rank_web: RankDocuments | None = None
    """Ranks web pages; required with `web_search`."""
    retrieval: RetrievalConfig = field(default_factory=RetrievalConfig)
    rerank: RerankConfig = field(default_factory=RerankConfig)
    grading: GradingConfig = field(default_factory=GradingConfig)
    rewrite: RewriteConfig = field(default_factory=RewriteConfig)
    web: WebConfig = field(default_factory=WebConfig)
    generation: GenerationConfig = field(default_factory=GenerationConfig)
    limits: LimitsConfig = field(default_factory=LimitsConfig)
    pipeline: Mapping[str, str] = field(default_factory=dict)
    """``name`` and ``version``, copied into each answer."""
    models: Mapping[str, str] = field(default_factory=dict)
    """Provider in use by role, copied into each answer."""
