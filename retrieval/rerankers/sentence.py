"""The embedded default: the chunk, its best sentence and its words, against the question. No further model.

Sentences are embedded at ingest, so that at question time their vectors are looked up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chunking.sentences import split_sentences
from chunking.types import Chunk
from retrieval.config import RerankConfig
from retrieval.embedders.base import Embedder
from retrieval.embedding import embed
from retrieval.rerankers.base import Reranker
from retrieval.types import Hit

Scores = NDArray[np.float64]


def sentences_of(chunk: Chunk) -> list[str]:
    """The sentences that stand for a chunk, both when they are embedded at ingest and when it is reranked."""
    return [chunk.text[start:end] for start, end in split_sentences(chunk.text)] or [chunk.text]


class SentenceReranker:
    """Score: z(dense + best sentence) + z(bm25), each standardised over the candidates.

    Zero is an average candidate of this question, and scores of two questions are not comparable. Where no
    candidate has a BM25 score its term is left out; one that lacks it, while others have it, counts as their least.
    Adds the signals ``best_sentence`` and ``dense``, both cosines.
    """

    name = "sentence"

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.fingerprint = f"sentence-1-{embedder.fingerprint}"

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        if not hits:
            return []
        query = embed(self._embedder, [question], "query")[0]
        dense = self._dense(query, hits)
        best = self._best_sentences(query, hits)
        scores = _standardised(dense + best) + _standardised(_lexical(hits))
        order = sorted(range(len(hits)), key=lambda i: (-scores[i], i))
        return [
            hits[i].at_stage("rerank", float(scores[i]), rank, best_sentence=float(best[i]), dense=float(dense[i]))
            for rank, i in enumerate(order, 1)
        ]

    def _dense(self, query: NDArray[np.float32], hits: Sequence[Hit]) -> Scores:
        lacking = [i for i, hit in enumerate(hits) if "dense" not in hit.scores]
        scores = np.array([hit.scores.get("dense", 0.0) for hit in hits], np.float64)
        if lacking:
            scores[lacking] = embed(self._embedder, [hits[i].chunk.embedded_text for i in lacking], "passage") @ query
        return scores

    def _best_sentences(self, query: NDArray[np.float32], hits: Sequence[Hit]) -> Scores:
        groups = [sentences_of(hit.chunk) for hit in hits]
        cosines = embed(self._embedder, [sentence for group in groups for sentence in group], "passage") @ query
        starts = np.cumsum([0, *(len(group) for group in groups)])[:-1]
        return np.maximum.reduceat(cosines, starts).astype(np.float64)


def _lexical(hits: Sequence[Hit]) -> Scores:
    known = [hit.scores["bm25"] for hit in hits if "bm25" in hit.scores]
    least = min(known, default=0.0)
    return np.array([hit.scores.get("bm25", least) for hit in hits], np.float64)


def _standardised(values: Scores) -> Scores:
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 1e-9 else np.zeros_like(values)


def build_sentence(config: RerankConfig, *, embedder: Embedder) -> Reranker:
    return SentenceReranker(embedder)
