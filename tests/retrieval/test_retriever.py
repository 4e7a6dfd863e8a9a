from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from chunking.errors import ProviderError, StoreError
from chunking.loaders import load_bytes
from retrieval.config import RetrievalConfig
from retrieval.embedders.cache import CachedEmbedder
from retrieval.ephemeral import rank_documents
from retrieval.fusion import convex_combination, reciprocal_rank_fusion
from retrieval.index import Index
from retrieval.ingest import ingest
from retrieval.retriever import Retriever
from retrieval.types import DocumentInfo, Filters
from retrieval.workspace import Workspace
from tests.fakes.corpus import CHUNKING, TEXTS
from tests.fakes.embedder import HashEmbedder

QUESTION = "Which tea is half oxidised, oolong or green?"


@pytest.fixture
def filled(workspace: Workspace, index: Index, folder: Path) -> Index:
    for number in range(6):
        (folder / f"filler{number}.txt").write_text(f"Filler text {number} speaks of stones, rain and roads.", "utf-8")
    ingest(workspace, index, [folder], warm_sentences=False)
    return index


def retriever(index: Index, **settings: object) -> Retriever:
    return Retriever(index, index.embedder, RetrievalConfig.model_validate(settings))


def test_hits_carry_every_stage(filled: Index) -> None:
    retrieval = retriever(filled).retrieve(QUESTION)
    assert retrieval.degraded == ()
    best = retrieval.hits[0]
    assert best.document.source == "notes/tea.txt"
    assert set(best.scores) == {"dense", "bm25", "rrf", "convex"}
    assert best.scores["rrf"] == pytest.approx(1 / (60 + best.ranks["dense"]) + 1 / (60 + best.ranks["bm25"]))
    assert best.score == best.scores["convex"]
    assert [hit.ranks["convex"] for hit in retrieval.hits] == list(range(1, len(retrieval.hits) + 1))
    assert 0 < best.signals["coverage"] == best.signals["matched"] <= 1
    by_rank = retriever(filled, fusion="rrf").retrieve(QUESTION).hits
    assert all(hit.score == hit.scores["rrf"] and "convex" not in hit.scores for hit in by_rank)
    assert [hit.ranks["rrf"] for hit in by_rank] == list(range(1, len(by_rank) + 1))
    json.dumps(best.to_dict(1))


def test_words_are_told_of_the_whole_index_only(workspace: Workspace, filled: Index, folder: Path) -> None:
    lexicon = retriever(filled).lexicon()
    assert lexicon is not None
    assert lexicon.frequency("filler") == 6
    assert lexicon.frequency("unheard") == 0
    assert {"filler", "oolong"} < set(lexicon.vocabulary)
    assert retriever(filled).lexicon(Filters(source="*tea*")) is None
    ingest(workspace, filled, [folder / "filler0.txt"], collection="stones", warm_sentences=False)
    assert retriever(filled).lexicon() is None
    assert retriever(filled).lexicon(Filters(collection="*")) is lexicon
    # A text that is gone takes its words along.
    workspace.remove([one.id for one in workspace.registry.documents(Filters(source="*filler*", collection="*"))])
    assert lexicon.frequency("filler") == 0


def test_fused_order_is_that_of_the_two_sides(filled: Index) -> None:
    vector = filled.embedder.embed([QUESTION], "query")[0]
    sides = [[i for i, _ in filled.dense(vector, 50)], [i for i, _ in filled.match(QUESTION).top(50)]]
    hits = retriever(filled, top_k=50, fusion="rrf").retrieve(QUESTION).hits
    assert [(hit.chunk.id, hit.score) for hit in hits] == reciprocal_rank_fusion(sides)
    weighted = retriever(filled, top_k=50, fusion="rrf", rrf_k=10, lexical_weight=3).retrieve(QUESTION).hits
    assert [(h.chunk.id, h.score) for h in weighted] == reciprocal_rank_fusion(sides, 10, [1, 3])


def test_combined_order_is_that_of_both_scores_of_every_candidate(filled: Index) -> None:
    vector = filled.embedder.embed([QUESTION], "query")[0]
    matches = filled.match(QUESTION)
    sides = [[i for i, _ in filled.dense(vector, 3)], [i for i, _ in matches.top(3)]]
    ids = [identifier for identifier, _ in reciprocal_rank_fusion(sides)]
    stored = filled.vectors(ids)
    scores = [{i: float(stored[i] @ vector) for i in ids}, {i: matches.score(i) for i in ids}]
    for weights in ((1.0, 1.0), (1.0, 3.0)):
        settings = {"candidates": 3, "dense_weight": weights[0], "lexical_weight": weights[1]}
        hits = retriever(filled, top_k=3, **settings).retrieve(QUESTION).hits
        expected = convex_combination(scores, weights)[:3]
        assert [hit.chunk.id for hit in hits] == [identifier for identifier, _ in expected]
        assert [hit.score for hit in hits] == pytest.approx([score for _, score in expected], abs=1e-5)


def test_a_chunk_that_one_side_missed_has_its_score_but_no_rank_there(filled: Index) -> None:
    hits = retriever(filled, candidates=1, top_k=1).retrieve("filler").hits
    hits = retriever(filled, candidates=2, top_k=2).retrieve("oolong stones").hits
    vector = filled.embedder.embed(["oolong stones"], "query")[0]
    stored = filled.vectors([hit.chunk.id for hit in hits])
    for hit in hits:
        assert hit.scores["dense"] == pytest.approx(float(stored[hit.chunk.id] @ vector), abs=1e-5)
        assert hit.scores["bm25"] == pytest.approx(filled.match("oolong stones").score(hit.chunk.id))
    everything = retriever(filled, candidates=3, top_k=6).retrieve("oolong stones").hits
    assert any("dense" not in hit.ranks or "bm25" not in hit.ranks for hit in everything)


def test_one_side_alone_keeps_its_own_order_and_score(filled: Index) -> None:
    vector = filled.embedder.embed([QUESTION], "query")[0]
    dense = retriever(filled, lexical=False, top_k=5).retrieve(QUESTION).hits
    assert [(h.chunk.id, h.score) for h in dense] == filled.dense(vector, 50)[:5]
    assert all(set(h.scores) == set(h.ranks) == {"dense"} and "coverage" in h.signals for h in dense)
    lexical = retriever(filled, dense=False, top_k=5).retrieve(QUESTION).hits
    assert [(h.chunk.id, h.score) for h in lexical] == filled.match(QUESTION).top(5)
    assert all(set(h.scores) == set(h.ranks) == {"bm25"} for h in lexical)


def test_the_question_is_embedded_once(filled: Index, embedder: HashEmbedder) -> None:
    calls = embedder.calls
    retriever(filled).retrieve(QUESTION)
    assert embedder.calls == calls + 1


@pytest.mark.parametrize(
    ("filters", "sources"),
    [
        (Filters(source="notes/*.md"), {"notes/volcano.md", "notes/smtp.md", "notes/deep/城市.md"}),
        (Filters(media_type="text/plain", source="*tea*"), {"notes/tea.txt"}),
        (Filters(documents=()), set()),
        (Filters(source="nothing/*"), set()),
    ],
)
def test_filters_restrict_both_sides(filled: Index, filters: Filters, sources: set[str]) -> None:
    question = "tea lava port 北京 email_smtp_port oolong"
    for sides in ({}, {"lexical": False}, {"dense": False}):
        hits = retriever(filled, top_k=50, **sides).retrieve(question, filters=filters).hits
        assert {hit.document.source for hit in hits} == sources


def test_a_filter_by_document_finds_it_however_far_down_it_ranks(filled: Index) -> None:
    (document,) = {d.id for _, d in filled.chunks.get(filled.chunks.ids()).values() if d.source == "notes/smtp.md"}
    hits = retriever(filled, candidates=1).retrieve("oolong", filters=Filters(documents=(document,))).hits
    assert {hit.document.id for hit in hits} == {document}


def test_top_k_of_the_call_wins(filled: Index) -> None:
    assert len(retriever(filled, candidates=2, top_k=1).retrieve(QUESTION, top_k=4).hits) == 4


def test_an_embedder_that_fails_leaves_bm25_and_says_so(filled: Index) -> None:
    def fail(texts: object) -> None:
        raise ProviderError("The endpoint is gone.", provider="hash")

    broken = HashEmbedder(before=fail)
    retrieval = Retriever(filled, broken, RetrievalConfig(top_k=3)).retrieve(QUESTION)
    assert [h.chunk.id for h in retrieval.hits] == [i for i, _ in filled.match(QUESTION).top(3)]
    (entry,) = retrieval.degraded
    assert (entry.stage, entry.reason, entry.action) == ("dense", "The endpoint is gone.", "ranked by BM25 alone")
    with pytest.raises(ProviderError):
        Retriever(filled, broken, RetrievalConfig(lexical=False)).retrieve(QUESTION)


def test_a_damaged_chroma_leaves_bm25_and_names_the_repair(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    with Workspace.open(home, write=True) as workspace:
        ingest(workspace, workspace.index(CHUNKING, HashEmbedder()), [folder], warm_sentences=False)
    for path in (home / "indexes").rglob("*"):
        if path.is_file():
            path.write_bytes(b"damaged" * 1000)
    with Workspace.open(home, write=False) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        retrieval = retriever(index).retrieve("email_smtp_port")
        assert retrieval.hits[0].document.source == "notes/smtp.md"
        assert "crag index rebuild" in retrieval.degraded[0].reason
        with pytest.raises(StoreError):
            retriever(index, lexical=False).retrieve("email_smtp_port")


def test_an_empty_index_finds_nothing(index: Index) -> None:
    assert retriever(index).retrieve("anything").hits == []


def test_a_question_of_stop_words_alone_is_answered_by_vectors(filled: Index) -> None:
    retrieval = retriever(filled, top_k=3).retrieve("What is the")
    assert len(retrieval.hits) == 3
    assert all("bm25" not in hit.ranks for hit in retrieval.hits)


def test_ephemeral_documents_rank_as_stored_ones(filled: Index, embedder: HashEmbedder) -> None:
    documents = []
    for name, text in TEXTS.items():
        document = load_bytes(text.encode(), source=name)
        documents.append(
            (document, DocumentInfo(document.id, name, document.title, document.media_type, url="http://x"))
        )
    config = RetrievalConfig(top_k=3)
    hits = rank_documents(QUESTION, documents, chunker=filled.chunker, embedder=filled.embedder, config=config)
    assert hits[0].document.source == "notes/tea.txt"
    assert hits[0].document.url == "http://x"
    assert set(hits[0].scores) == {"dense", "bm25", "rrf", "convex"}
    assert len(hits) == 3
    assert rank_documents(QUESTION, [], chunker=filled.chunker, embedder=embedder, config=config) == []


def test_ephemeral_ranking_equals_a_stored_index_of_the_same_documents(
    tmp_path: Path, folder: Path, workspace: Workspace
) -> None:
    index = workspace.index(CHUNKING, CachedEmbedder(HashEmbedder(), workspace.cache))
    ingest(workspace, index, [folder], warm_sentences=False)
    documents = [(workspace.registry.get(r.id), r.info) for r in workspace.registry]
    config = RetrievalConfig(top_k=20)
    for question in (QUESTION, "北京 首都", "email_smtp_port", "nothing at all"):
        stored = Retriever(index, index.embedder, config).retrieve(question).hits
        passing = rank_documents(question, documents, chunker=index.chunker, embedder=index.embedder, config=config)
        assert [(h.chunk.id, h.ranks) for h in stored] == [(h.chunk.id, h.ranks) for h in passing]
        # Chroma's distances are of single precision.
        np.testing.assert_allclose([h.score for h in stored], [h.score for h in passing], atol=1e-5)
