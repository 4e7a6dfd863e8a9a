"""Question to hits: both sides, fused. A side that fails leaves the other's order and an entry that says so."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.errors import CragError, ProviderError, StoreError
from retrieval.config import RetrievalConfig
from retrieval.duplicates import Distinct
from retrieval.embedders.base import Embedder, Vectors
from retrieval.embedding import embed
from retrieval.index import Index
from retrieval.lexical.bm25 import Matches
from retrieval.ranking import Ranking, rank_hits
from retrieval.sections import merge_siblings
from retrieval.types import Degraded, Filters, Hit


@dataclass(frozen=True, slots=True)
class Retrieval:
    hits: list[Hit]
    """Best first."""
    degraded: tuple[Degraded, ...] = ()


class Retriever:
    """Thread-safe."""

    def __init__(
        self, index: Index, embedder: Embedder, config: RetrievalConfig, notices: tuple[Degraded, ...] = ()
    ) -> None:
        """`notices` stand in `degraded` of whatever is found."""
        self.index = index
        self.embedder = embedder
        self.config = config
        self.notices = notices

    def retrieve(self, question: str, *, top_k: int | None = None, filters: Filters | None = None) -> Retrieval:
        """At most `top_k` hits (the configuration's by default) of the documents that pass the filters.

        Copies are folded, and siblings merged into their section where enough of them were found.

        Raises StoreError or ProviderError where no enabled side is left.
        """
        documents = self.index.registry.matching(filters, self.config.collection)
        top_k = self.config.top_k if top_k is None else top_k
        k = max(self.config.candidates, top_k)
        failures: dict[str, CragError] = {}
        dense: Ranking | None = None
        lexical: Ranking | None = None
        vector: Vectors | None = None
        matches: Matches | None = None
        if self.config.dense:
            try:
                vector = embed(self.embedder, [question], "query")[0]
                dense = self.index.dense(vector, k, documents)
            except (ProviderError, StoreError) as error:
                failures["dense"] = error
        try:
            matches = self.index.match(question, self.config.bm25)
            lexical = self.index.lexical(question, matches, k, documents) if self.config.lexical else None
        except StoreError as error:
            failures["bm25"] = error
        if dense is None and lexical is None:
            raise next(iter(failures.values()))
        distinct = Distinct(self.index.chunks.get, top_k)
        hits = rank_hits(
            dense,
            lexical,
            question=question,
            config=self.config,
            top_k=top_k,
            vector=vector if dense is not None else None,
            matches=matches,
            chunks=distinct,
            vectors=self.index.vectors,
        )
        hits = merge_siblings(
            distinct.placed(hits),
            best=self.config.top_k,
            share=self.config.section_share,
            sections=self.index.chunks.sections,
        )
        action = "ranked by BM25 alone" if lexical is not None else "ranked by vectors alone"
        failed = (Degraded(stage, str(error), action) for stage, error in failures.items())
        return Retrieval(hits, (*self.notices, *failed))
