"""FlagReranker's own loading and scoring, on a tiny cross-encoder that this file makes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from chunking.errors import ConfigError, ProviderError
from chunking.types import Chunk
from retrieval.config import RerankConfig
from retrieval.rerankers import build_reranker
from retrieval.rerankers.base import Reranker
from retrieval.types import DocumentInfo, Hit
from tests.fakes.checkpoints import tiny_cross_encoder
from tests.fakes.embedder import HashEmbedder

pytest.importorskip("FlagEmbedding", reason="needs the extra bge")

QUESTION = "什么是检索?"
TEXTS = ["检索增强生成", "lava erupts", "北京是中国的首都", "a b c", "重排模型如何打分" * 30]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_cross_encoder(tmp_path_factory.mktemp("models") / "reranker")


@pytest.fixture(scope="module")
def bge(folder: Path) -> Reranker:
    return built(folder)


def built(folder: Path) -> Reranker:
    reranker = build_reranker(RerankConfig(provider="bge", model=str(folder)), embedder=HashEmbedder())
    assert reranker is not None
    return reranker


def hits_of(texts: list[str], context: str = "") -> list[Hit]:
    document = DocumentInfo("d", "d.md", "D", "text/markdown")
    return [
        Hit(Chunk(f"c{i}", "d", 0, len(text), text, 1, context=context), document, 0.5, {"rrf": 0.5}, {"rrf": i + 1})
        for i, text in enumerate(texts)
    ]


def test_scores_are_the_models_sigmoid(bge: Reranker, folder: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    ranked = bge.rerank(QUESTION, hits_of(TEXTS))
    assert [h.score for h in ranked] == sorted((h.score for h in ranked), reverse=True)
    assert [h.ranks["rerank"] for h in ranked] == [1, 2, 3, 4, 5]
    for hit in ranked:
        with torch.no_grad():
            inputs = tokenizer(QUESTION, hit.chunk.text, truncation="only_second", max_length=64, return_tensors="pt")
            expected = float(torch.sigmoid(model(**inputs).logits[0, 0]))
        assert hit.scores["rerank"] == pytest.approx(expected, abs=1e-4)
        assert hit.scores["rrf"] == 0.5


def test_the_heading_path_is_read_with_the_text(bge: Reranker) -> None:
    plain, headed = (bge.rerank(QUESTION, hits_of(["检索"], context))[0].score for context in ("", "火山喷发"))
    assert plain != pytest.approx(headed, abs=1e-4)


def test_a_long_question_leaves_room_for_the_passage(bge: Reranker) -> None:
    scores = {h.chunk.text: h.score for h in bge.rerank("什么是检索" * 100, hits_of(["北京", "lava"]))}
    assert scores["北京"] != pytest.approx(scores["lava"], abs=1e-6)


def test_more_passages_than_a_batch(bge: Reranker) -> None:
    texts = [f"{'ab' * (i % 7)} {i}" for i in range(75)]
    ranked = bge.rerank(QUESTION, hits_of(texts))
    alone = {text: bge.rerank(QUESTION, hits_of([text]))[0].score for text in texts[::25]}
    assert len({h.chunk.id for h in ranked}) == 75
    for hit in ranked:
        if hit.chunk.text in alone:
            assert hit.score == pytest.approx(alone[hit.chunk.text], abs=1e-4)
    assert bge.rerank(QUESTION, []) == []


def test_hostile_texts_are_scored(bge: Reranker) -> None:
    ranked = bge.rerank("\ud800", hits_of(["", "\ud800", "🎉" * 500]))
    assert np.isfinite([h.score for h in ranked]).all()


def test_threads_share_one_model(bge: Reranker) -> None:
    expected = [h.score for h in bge.rerank(QUESTION, hits_of(TEXTS))]
    with ThreadPoolExecutor(4) as pool:
        for ranked in pool.map(lambda _: bge.rerank(QUESTION, hits_of(TEXTS)), range(8)):
            assert [h.score for h in ranked] == pytest.approx(expected, abs=1e-6)


def test_a_model_that_yields_nan_is_an_error_not_an_order(folder: Path, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(folder)
    with torch.no_grad():
        model.classifier.bias.fill_(float("nan"))
    model.save_pretrained(tmp_path / "broken")
    AutoTokenizer.from_pretrained(folder).save_pretrained(tmp_path / "broken")
    with pytest.raises(ProviderError, match=r"finite.*rerank\.model"):
        built(tmp_path / "broken").rerank(QUESTION, hits_of(TEXTS))


def test_a_model_that_is_not_here_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nowhere"):
        built(tmp_path / "nowhere")
