"""Signals of a rewritten search, measured against the question itself.

A query made of the passages' own words finds them again with flattering scores; confidence must not rise from that.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from retrieval.embedders.base import Embedder
from retrieval.embedding import embed
from retrieval.lexical.tokenizer import comparable, tokenize, words
from retrieval.types import Hit


def rescored(question: str, hits: Sequence[Hit], known: Sequence[Hit], embedder: Embedder) -> tuple[Hit, ...]:
    """The hits in their order, with what they score for `question`. Raises ProviderError.

    A passage that the question's own search found (`known`) keeps what that said. Any other gets its cosine and the
    weighted share of the question's words (idf over all passages at hand; none in another language), and no rank:
    no side found it.
    """
    before = {hit.chunk.id: hit for hit in known}
    new = [hit for hit in hits if hit.chunk.id not in before]
    if new:
        vectors = embed(embedder, [hit.chunk.embedded_text for hit in new], "passage")
        cosines = vectors @ embed(embedder, [question], "query")[0]
        asked = words(question)
        terms = {hit.chunk.id: asked & set(tokenize(hit.chunk.embedded_text)) for hit in (*known, *new)}
        count = Counter(term for found in terms.values() for term in found)
        weight = {term: math.log1p(len(terms) / (0.5 + count[term])) for term in asked}
        total = sum(weight.values()) or 1.0
        for hit, cosine in zip(new, cosines.tolist(), strict=True):
            share = sum(weight[term] for term in terms[hit.chunk.id]) / total
            signals = {"matched": share, **({"coverage": share} if comparable(question, hit.chunk.text) else {})}
            before[hit.chunk.id] = replace(hit, scores={"dense": cosine}, ranks={}, signals=signals)
    return tuple(before[hit.chunk.id] for hit in hits)
