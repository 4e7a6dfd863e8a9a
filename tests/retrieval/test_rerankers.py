"""The sentence reranker's arithmetic, and its reading of text with the real default embedder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ConfigError
from chunking.types import Chunk
from retrieval.config import EmbeddingConfig, RerankConfig
from retrieval.embedders import build_embedder
from retrieval.embedders.cache import CachedEmbedder, EmbeddingCache
from retrieval.rerankers import RERANKERS, build_reranker
from retrieval.rerankers.base import Reranker
from retrieval.rerankers.sentence import sentences_of
from retrieval.types import DocumentInfo, Hit
from tests.fakes.embedder import HashEmbedder

DOCUMENT = DocumentInfo("d", "d.md", "D", "text/markdown")


def chunk_of(text: str, number: int = 0, context: str = "") -> Chunk:
    return Chunk(f"c{number}", "d", 0, len(text), text, len(text), context=context)


def hit_of(text: str, number: int = 0, **scores: float) -> Hit:
    return Hit(
        chunk_of(text, number), DOCUMENT, 1 / (number + 1), {"rrf": 1 / (number + 1), **scores}, {"rrf": number + 1}
    )


def sentence_reranker(embedder: HashEmbedder | CachedEmbedder) -> Reranker:
    reranker = build_reranker(RerankConfig(provider="sentence"), embedder=embedder)
    assert reranker is not None
    return reranker


def test_scores_are_the_documented_sum() -> None:
    embedder = HashEmbedder()
    texts = ["Lava is hot. Tea is green.", "Ash falls.", "Ports are numbers! See 587."]
    hits = [
        hit_of(text, i, dense=d, bm25=b)
        for i, (text, d, b) in enumerate(zip(texts, (0.8, 0.7, 0.75), (3.0, 9.0, 1.0), strict=True))
    ]
    ranked = sentence_reranker(embedder).rerank("What is hot?", hits)
    query = embedder.embed(["What is hot?"], "query")[0]
    best = np.array([max(embedder.embed(sentences_of(h.chunk), "passage") @ query) for h in hits], np.float64)
    meaning, words = np.array([0.8, 0.7, 0.75]) + best, np.array([3.0, 9.0, 1.0])
    expected = (meaning - meaning.mean()) / meaning.std() + (words - words.mean()) / words.std()
    assert [h.chunk.id for h in ranked] == [f"c{i}" for i in np.argsort(-expected)]
    for rank, hit in enumerate(ranked, 1):
        i = int(hit.chunk.id[1:])
        assert hit.score == hit.scores["rerank"] == pytest.approx(expected[i], abs=1e-5)
        assert (hit.ranks["rerank"], hit.ranks["rrf"]) == (rank, i + 1)
        assert hit.signals["best_sentence"] == pytest.approx(best[i], abs=1e-6)
        assert (hit.scores["dense"], hit.signals["dense"]) == (hits[i].scores["dense"], hits[i].scores["dense"])


@given(st.lists(st.tuples(st.text(max_size=20), st.floats(-1, 1), st.none() | st.floats(0, 50)), max_size=6))
def test_every_hit_comes_back_once_with_a_finite_falling_score(rows: list[tuple[str, float, float | None]]) -> None:
    hits = [
        hit_of(text, i, dense=dense, **({} if bm25 is None else {"bm25": bm25}))
        for i, (text, dense, bm25) in enumerate(rows)
    ]
    ranked = sentence_reranker(HashEmbedder()).rerank("question", hits)
    assert sorted(h.chunk.id for h in ranked) == sorted(h.chunk.id for h in hits)
    scores = [h.score for h in ranked]
    assert np.isfinite(scores).all()
    assert scores == sorted(scores, reverse=True)


def test_equal_candidates_keep_the_fused_order() -> None:
    hits = [hit_of("same text.", i, dense=0.5, bm25=2.0) for i in range(5)]
    assert [h.chunk.id for h in sentence_reranker(HashEmbedder()).rerank("q", hits)] == ["c0", "c1", "c2", "c3", "c4"]


def test_missing_scores_are_computed_or_the_least() -> None:
    embedder = HashEmbedder()
    hits = [hit_of("alpha beta.", 0, bm25=5.0), hit_of("gamma.", 1), hit_of("delta.", 2, bm25=2.0)]
    ranked = {h.chunk.id: h for h in sentence_reranker(embedder).rerank("alpha", hits)}
    query = embedder.embed(["alpha"], "query")[0]
    for hit in hits:
        expected = float((embedder.embed([hit.chunk.embedded_text], "passage") @ query)[0])
        assert ranked[hit.chunk.id].signals["dense"] == pytest.approx(expected, abs=1e-6)
    assert "bm25" not in ranked["c1"].scores, "what a stage did not say is not invented"


def test_after_a_warm_ingest_no_passage_is_embedded(tmp_path: Path) -> None:
    inner = HashEmbedder()
    hits = [hit_of("One. Two. 三。四!", 0, dense=0.1), hit_of("五。", 1, dense=0.2)]
    with EmbeddingCache(tmp_path / "cache.db") as cache:
        embedder = CachedEmbedder(inner, cache)
        embedder.embed([sentence for hit in hits for sentence in sentences_of(hit.chunk)], "passage")
        before = len(inner.texts)
        sentence_reranker(embedder).rerank("question", hits)
    assert inner.texts[before:] == ["question"]


def test_sentences_of_a_chunk_cover_it_and_are_never_none() -> None:
    chunk = chunk_of("检索先行。Then rerank it! 最后生成")
    assert sentences_of(chunk) == ["检索先行。", "Then rerank it!", "最后生成"]
    assert sentences_of(chunk_of(" ")) == [" "]


def test_the_sentence_that_answers_lifts_its_chunk(tmp_path: Path) -> None:
    with EmbeddingCache(tmp_path / "cache.db") as cache:
        embedder = build_embedder(EmbeddingConfig(provider="local"), cache)
        filler = "The station has two platforms. Trains leave every hour. The kiosk sells newspapers. "
        texts = [
            filler * 2,
            filler + "Mount Etna last erupted in December. " + filler,
            "Volcanoes are a kind of mountain.",
        ]
        hits = [hit_of(text, i) for i, text in enumerate(texts)]
        reranker = build_reranker(RerankConfig(provider="sentence"), embedder=embedder)
        assert reranker is not None
        ranked = reranker.rerank("When did Etna erupt for the last time?", hits)
    assert max(ranked, key=lambda h: h.signals["best_sentence"]).chunk.id == "c1"
    assert ranked[-1].chunk.id == "c0"


def test_none_is_no_reranker_and_an_unknown_name_is_refused() -> None:
    assert build_reranker(RerankConfig(), embedder=HashEmbedder()) is None
    with pytest.raises(ConfigError) as caught:
        build_reranker(RerankConfig(provider="bgee"), embedder=HashEmbedder())
    assert all(name in str(caught.value) for name in ("none", *RERANKERS))
