"""Question to hits: both sides, fused. A side that fails leaves the other's order and an entry that says so."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.errors import CragError, ProviderError, StoreError
from retrieval.config import RetrievalConfig
from retrieval.duplicates import Distinct
from retrieval.embedders.base import Embedder, Vectors
from retrieval.embedding import embed
from retrieval.index import Index
from retrieval.lexical.bm25 import BM25Index, Matches
from retrieval.ranking import Ranking, rank_hits
from retrieval.sections import merge_siblings
from retrieval.types import Degraded, Filters, Hit

_WITHOUT = "wait for the ingest that goes on, or run crag index rebuild"


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

    def lexicon(self, filters: Filters | None = None) -> BM25Index | None:
        """The postings, for their terms; None where filters or a collection leave out texts: their words stay untold.

        Raises StoreError.
        """
        whole = self.index.registry.matching(filters, self.config.collection) is None
        return self.index.lexicon() if whole else None

    def text(self, document: str) -> str:
        """The text of the document of this id, "" where there is none. Raises StoreError."""
        return self.index.registry.text(document)

    def retrieve(self, question: str, *, top_k: int | None = None, filters: Filters | None = None) -> Retrieval:
        """At most `top_k` hits (the configuration's by default) of the documents that pass the filters.

        Copies are folded, and siblings merged into their section where enough of them were found. Passages that have
        no vector yet are found by their words, and `degraded` tells how many there are.

        Raises StoreError or ProviderError where no enabled side is left.
        """
        documents = self.index.registry.matching(filters, self.config.collection)
        top_k = self.config.top_k if top_k is None else top_k
        k = max(self.config.candidates, top_k)
        failures: dict[str, CragError] = {}
        lacking = 0
        dense: Ranking | None = None
        lexical: Ranking | None = None
        vector: Vectors | None = None
        matches: Matches | None = None
        if self.config.dense:
            try:
                vector = embed(self.embedder, [question], "query")[0]
                dense = self.index.dense(vector, k, documents)
                lacking = self.index.lacking()
                if lacking and lacking >= (chunks := len(self.index.chunks)):
                    dense = None
                    raise StoreError(f"None of the {chunks} passages has a vector yet: {_WITHOUT}.")
            except (ProviderError, StoreError) as error:
                failures["dense"] = error
        try:
            matches = self.index.match(question, self.config.bm25)
            lexical = self.index.lexical(question, matches, k, documents) if self.config.lexical else None
        except StoreError as error:
            failures["bm25"] = error
        if dense is None and lexical is None:
            raise next(iter(failures.values()))

        def rank(dense: Ranking | None) -> list[Hit]:
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
            return distinct.placed(hits)

        try:
            hits = rank(dense)
        except StoreError as error:  # Vectors that can be searched need not be readable.
            if dense is None or lexical is None:
                raise
            failures["dense"] = error
            hits = rank(None)
        hits = merge_siblings(
            hits,
            best=self.config.top_k,
            share=self.config.section_share,
            sections=self.index.chunks.sections,
        )
        action = "ranked by BM25 alone" if lexical is not None else "ranked by vectors alone"
        failed = [Degraded(stage, str(error), action, error.code) for stage, error in failures.items()]
        if lacking and "dense" not in failures:
            reason = f"{lacking} of {len(self.index.chunks)} passages have no vector yet: {_WITHOUT}"
            failed.append(Degraded("dense", reason, "those are found by their words alone", "no_vectors"))
        return Retrieval(hits, (*self.notices, *failed))
