"""The sentence reranker's arithmetic, and its reading of text with the real default embedder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chunking.errors import ConfigError
from chunking.types import Chunk
from retrieval.config import EmbeddingConfig, RerankConfig
from retrieval.embedders import build_embedder
from retrieval.embedders.base import Embedder, token_reader
from retrieval.embedders.cache import CachedEmbedder, EmbeddingCache
from retrieval.interaction import matched_shares, under_headings
from retrieval.rerankers import RERANKERS, build_reranker
from retrieval.rerankers.base import Reranker
from retrieval.rerankers.sentence import BM25, CLOSELY, MATCHED, READ, SENTENCE, sentences_of
from retrieval.types import DocumentInfo, Hit
from tests.fakes.embedder import HashEmbedder

DOCUMENT = DocumentInfo("d", "d.md", "D", "text/markdown")


def chunk_of(text: str, number: int = 0, context: str = "") -> Chunk:
    return Chunk(f"c{number}", "d", 0, len(text), text, len(text), context=context)


def hit_of(text: str, number: int = 0, matched: float | None = None, **scores: float) -> Hit:
    fused = 1 / (number + 1)
    signals = {} if matched is None else {"matched": matched}
    return Hit(chunk_of(text, number), DOCUMENT, fused, {"rrf": fused, **scores}, {"rrf": number + 1}, signals)


def sentence_reranker(embedder: Embedder) -> Reranker:
    reranker = build_reranker(RerankConfig(provider="sentence"), embedder=embedder)
    assert reranker is not None
    return reranker


def scaled(values: Sequence[float]) -> NDArray[np.float64]:
    found = np.array(values, np.float64)
    return (found - found.min()) / (found.max() - found.min())


def test_scores_are_the_documented_mean() -> None:
    embedder = HashEmbedder()
    texts = ["Lava is hot. Tea is green.", "Ash falls.", "Ports are numbers! See 587."]
    dense, bm25, matched = (0.8, 0.7, 0.75), (3.0, 9.0, 1.0), (0.2, 0.9, 0.3)
    hits = [
        hit_of(text, i, dense=d, bm25=b, matched=m)
        for i, (text, d, b, m) in enumerate(zip(texts, dense, bm25, matched, strict=True))
    ]
    ranked = sentence_reranker(embedder).rerank("What is hot?", hits)
    query = embedder.embed(["What is hot?"], "query")[0]
    best = np.array([max(embedder.embed(sentences_of(h.chunk), "passage") @ query) for h in hits], np.float64)
    weights = (1.0, SENTENCE, BM25, MATCHED)
    terms = zip(weights, (dense, best.tolist(), bm25, matched), strict=True)
    expected = sum(weight * scaled(values) for weight, values in terms) / sum(weights)
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
    assert all(0 <= score <= 1 + 1e-9 for score in scores)
    assert scores == sorted(scores, reverse=True)


def test_equal_candidates_keep_the_fused_order() -> None:
    hits = [hit_of("same text.", i, dense=0.5, bm25=2.0) for i in range(5)]
    assert [h.chunk.id for h in sentence_reranker(HashEmbedder()).rerank("q", hits)] == ["c0", "c1", "c2", "c3", "c4"]


def test_a_heading_is_no_sentence_and_rows_count_at_least_as_much_as_their_table() -> None:
    embedder = HashEmbedder()
    asked = "default port"
    heading = hit_of("## default port\n\nSomething else is said here.", 0, dense=0.5)
    row = "| default | port |\n| --- | --- |\n| host | name |"
    hits = [heading, hit_of(row, 1, dense=0.9), hit_of("Nothing of it. At all.", 2, dense=0.1)]
    ranked = {h.chunk.id: h for h in sentence_reranker(embedder).rerank(asked, hits)}
    query = embedder.embed([asked], "query")[0]
    sentences = sentences_of(heading.chunk)
    assert sentences[0].startswith("## ")
    kept = max(embedder.embed(sentences[1:], "passage") @ query)
    assert ranked["c0"].signals["best_sentence"] == pytest.approx(kept, abs=1e-6)
    assert ranked["c1"].score == pytest.approx(1.0), "best cosine, and no sentence term below it"


@given(st.permutations(range(5)))
def test_the_order_of_the_candidates_changes_no_score(order: list[int]) -> None:
    hits = [hit_of(f"Text {i}. More of {i}.", i, dense=i * 0.1, bm25=float(i % 3), matched=i / 7) for i in range(5)]
    reranker = sentence_reranker(HashEmbedder())
    scores = {h.chunk.id: h.score for h in reranker.rerank("Text 3", hits)}
    assert {h.chunk.id: h.score for h in reranker.rerank("Text 3", [hits[i] for i in order])} == pytest.approx(scores)


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


def test_the_first_are_read_token_by_token_and_the_others_count_as_the_least_of_them(tmp_path: Path) -> None:
    asked = "Which port does the mail server listen on?"
    texts = [
        "Mail is read on port 993.",
        "The mail server listens on port 587.",
        "The web server listens on port 443.",
        "Ports are numbers.",
        "Nothing of it.",
    ]
    hits = [hit_of(text, i, dense=0.5, bm25=1.0) for i, text in enumerate(texts)]
    with EmbeddingCache(tmp_path / "cache.db") as cache:
        embedder = build_embedder(EmbeddingConfig(provider="local"), cache)
        reader = token_reader(embedder)
        assert reader is not None
        ranked = {h.chunk.id: h for h in sentence_reranker(embedder).rerank(asked, hits)}
        query = embedder.embed([asked], "query")[0]
        best = np.array(embedder.embed(texts, "passage") @ query, np.float64)
        shares = matched_shares(
            asked, [under_headings(hit, text) for hit, text in zip(hits, texts, strict=True)], reader
        )
    mean = (1 + SENTENCE * scaled(best.tolist()) + BM25) / (1 + SENTENCE + BM25)
    first = sorted(range(len(hits)), key=lambda i: -mean[i])[:READ]
    least = min(shares[i] for i in first)
    for i in range(len(hits)):
        closely = shares[i] if i in first else least
        assert ranked[f"c{i}"].score == pytest.approx((mean[i] + CLOSELY * closely) / (1 + CLOSELY), abs=1e-4)
    assert max(first, key=lambda i: shares[i]) == 1, "the one that says what is asked matches most of it"


def test_none_is_no_reranker_and_an_unknown_name_is_refused() -> None:
    assert build_reranker(RerankConfig(), embedder=HashEmbedder()) is None
    with pytest.raises(ConfigError) as caught:
        build_reranker(RerankConfig(provider="bgee"), embedder=HashEmbedder())
    assert all(name in str(caught.value) for name in ("none", *RERANKERS))
