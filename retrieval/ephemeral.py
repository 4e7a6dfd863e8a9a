"""Rank documents that are never stored, such as web pages, exactly as stored ones are ranked."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.strategies.base import Chunker
from chunking.types import Document
from retrieval.config import RetrievalConfig
from retrieval.duplicates import Distinct
from retrieval.embedders.base import Embedder
from retrieval.embedding import embed
from retrieval.lexical.bm25 import BM25Index
from retrieval.lexical.tokenizer import tokenize, words
from retrieval.ranking import Ranking, rank_hits
from retrieval.types import DocumentInfo, Hit


def rank_documents(
    question: str,
    documents: Sequence[tuple[Document, DocumentInfo]],
    *,
    chunker: Chunker,
    embedder: Embedder,
    config: RetrievalConfig,
) -> list[Hit]:
    """At most `config.top_k` hits over the chunks of these documents, copies folded. Raises ProviderError.

    BM25's statistics are those of the given documents alone.
    """
    chunks = {chunk.id: (chunk, info) for document, info in documents for chunk in chunker.chunk(document)}
    if not chunks:
        return []
    index = BM25Index()
    index.add([(i, chunk.document_id, index.encode(tokenize(chunk.embedded_text))) for i, (chunk, _) in chunks.items()])
    matches = index.match(tokenize(question), words(question) or None, config.bm25)
    dense: Ranking | None = None
    vector = None
    if config.dense:
        vector = embed(embedder, [question], "query")[0]
        stored = embed(embedder, [chunk.embedded_text for chunk, _ in chunks.values()], "passage")
        ranked = sorted(zip(chunks, (stored @ vector).tolist(), strict=True), key=lambda item: -item[1])
        dense = ranked[: config.candidates]
    distinct = Distinct(lambda ids: {identifier: chunks[identifier] for identifier in ids}, config.top_k)
    hits = rank_hits(
        dense,
        matches.top(config.candidates) if config.lexical else None,
        question=question,
        config=config,
        top_k=config.top_k,
        vector=vector,
        matches=matches,
        chunks=distinct,
        vectors=lambda ids: dict(zip(chunks, stored, strict=True)),
    )
    return distinct.placed(hits)
