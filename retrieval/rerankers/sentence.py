"""The embedded default: the chunk, its best sentence and its words, against the question. No further model.

Sentences are embedded at ingest, so that at question time their vectors are looked up. The best sentences of the
first few are then read token by token, where the embedder can.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chunking.sentences import split_sentences
from chunking.types import Chunk
from retrieval.config import RerankConfig
from retrieval.embedders.base import Embedder, token_reader
from retrieval.embedding import embed
from retrieval.interaction import matched_shares, under_headings
from retrieval.rerankers.base import Reranker
from retrieval.types import Hit

Scores = NDArray[np.float64]


SENTENCE, BM25, MATCHED = 0.75, 0.75, 0.75
"""Weights beside the cosine's 1, by measurement: docs/retrieval.md."""

READ, CLOSELY = 3, 0.3
"""Candidates whose best sentence is read token by token, and the weight of the share of the question that it matches,
beside the 1 of the other signals together, by measurement: docs/retrieval.md."""

_HEADING = re.compile(r"\s*#{1,6} ")
_ROW = re.compile(r"\s*\|")


def sentences_of(chunk: Chunk) -> list[str]:
    """The sentences that stand for a chunk, both when they are embedded at ingest and when it is reranked."""
    return [chunk.text[start:end] for start, end in split_sentences(chunk.text)] or [chunk.text]


class SentenceReranker:
    """Score, 0 to 1: weighted mean of the cosine of the chunk, the one of its best sentence, BM25 and the share of the
    question's words, each scaled to 0 for the least of the candidates and 1 for the best of them; and, for the first
    few by that mean, how much of the question their best sentence matches token by token.

    1 is a candidate that is best in everything; scores of two questions are not comparable. A term that no candidate
    has is left out; one that lacks it, while others have it, counts as their least. A heading is no sentence, as it is
    near to a question whatever is said below it. A row says little without its table, so that the sentences of a chunk
    with two rows or more count at least as much as its cosine.
    Adds the signals ``best_sentence`` and ``dense``, both cosines.
    """

    name = "sentence"

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.fingerprint = f"sentence-3-{embedder.fingerprint}"

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        if not hits:
            return []
        query = embed(self._embedder, [question], "query")[0]
        dense = self._dense(query, hits)
        groups = [sentences_of(hit.chunk) for hit in hits]
        best, cosines = self._best_sentences(query, groups)
        nearest = _scaled(dense)
        tables = np.array([sum(bool(_ROW.match(sentence)) for sentence in group) > 1 for group in groups])
        terms = [(1.0, nearest), (SENTENCE, np.where(tables, np.maximum(_scaled(cosines), nearest), _scaled(cosines)))]
        for weight, known in (
            (BM25, [hit.scores.get("bm25") for hit in hits]),
            (MATCHED, [hit.signals.get("matched") for hit in hits]),
        ):
            if (values := _filled(known)) is not None:
                terms.append((weight, _scaled(values)))
        scores = np.average([values for _, values in terms], axis=0, weights=[weight for weight, _ in terms])
        scores = self._closely(question, hits, [group[i] for group, i in zip(groups, best, strict=True)], scores)
        order = sorted(range(len(hits)), key=lambda i: (-scores[i], i))
        return [
            hits[i].at_stage("rerank", float(scores[i]), rank, best_sentence=float(cosines[i]), dense=float(dense[i]))
            for rank, i in enumerate(order, 1)
        ]

    def _dense(self, query: NDArray[np.float32], hits: Sequence[Hit]) -> Scores:
        lacking = [i for i, hit in enumerate(hits) if "dense" not in hit.scores]
        scores = np.array([hit.scores.get("dense", 0.0) for hit in hits], np.float64)
        if lacking:
            scores[lacking] = embed(self._embedder, [hits[i].chunk.embedded_text for i in lacking], "passage") @ query
        return scores

    def _best_sentences(self, query: NDArray[np.float32], groups: Sequence[Sequence[str]]) -> tuple[list[int], Scores]:
        """The number of each group's best sentence, a heading only where there is nothing else, and its cosine."""
        sentences = [sentence for group in groups for sentence in group]
        cosines = (embed(self._embedder, sentences, "passage") @ query).astype(np.float64)
        headings = np.array([bool(_HEADING.match(sentence)) for sentence in sentences])
        best, scores, start = list[int](), list[float](), 0
        for group in groups:
            own, heading = cosines[start : start + len(group)], headings[start : start + len(group)]
            best.append(int(np.argmax(np.where(heading, -np.inf, own))))
            scores.append(float(own.min() if heading.all() else own[best[-1]]))
            start += len(group)
        return best, np.array(scores)

    def _closely(self, question: str, hits: Sequence[Hit], sentences: Sequence[str], scores: Scores) -> Scores:
        """The scores with `CLOSELY` for the first `READ`; the others count as the least matched of those."""
        reader = token_reader(self._embedder)
        if reader is None:
            return scores
        first = np.argsort(-scores, kind="stable")[:READ]
        texts = [under_headings(hits[i], sentences[i]) for i in first]
        shares = np.array(matched_shares(question, texts, reader))
        read = np.full(len(hits), shares.min())
        read[first] = shares
        return np.asarray((scores + CLOSELY * read) / (1 + CLOSELY), np.float64)


def _filled(values: Sequence[float | None]) -> Scores | None:
    known = [value for value in values if value is not None]
    return np.array([min(known) if value is None else value for value in values], np.float64) if known else None


def _scaled(values: Scores) -> Scores:
    least, best = float(values.min()), float(values.max())
    return (values - least) / (best - least) if best - least > 1e-9 else np.ones_like(values)


def build_sentence(config: RerankConfig, *, embedder: Embedder) -> Reranker:
    return SentenceReranker(embedder)
