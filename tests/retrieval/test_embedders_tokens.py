"""The default embedder reads texts token by token: states in context, and how rare each token is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from retrieval.config import EmbeddingConfig
from retrieval.embedders import build_embedder
from retrieval.embedders.base import Embedder, TokenReader, TokenStates, token_reader
from retrieval.embedders.cache import EmbeddingCache
from tests.fakes.graph import HashEmbedder


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    folder: Path = tmp_path_factory.mktemp("tokens")
    return build_embedder(EmbeddingConfig(provider="local"), EmbeddingCache(folder / "embeddings.sqlite3"))


@pytest.fixture(scope="module")
def reader(embedder: Embedder) -> TokenReader:
    found = token_reader(embedder)
    assert found is not None
    return found


def best(asked: TokenStates, read: TokenStates) -> float:
    return float((asked.states @ read.states.T).max(axis=1).mean())


def test_states_are_unit_rows_one_for_each_token(embedder: Embedder, reader: TokenReader) -> None:
    texts = ["谁发明了电话？", "Who invented the telephone?", "", "\ud800 lone"]
    for role in ("query", "passage"):
        read = reader.token_states(texts, role)  # type: ignore[arg-type]
        assert [len(one.states) for one in read] == [len(one.information) for one in read]
        # The prefix's space joins the first word: one token more or less.
        assert all(abs(len(one.states) - n) <= 1 for one, n in zip(read, embedder.count_tokens(texts), strict=True))
        norms = np.concatenate([np.linalg.norm(one.states, axis=1) for one in read])
        assert norms == pytest.approx(np.ones(len(norms)), abs=1e-4)


def test_rare_words_inform_more_than_common_ones(reader: TokenReader) -> None:
    (read,) = reader.token_states(["the observatory"], "query")
    assert read.information.min() < 8
    assert read.information.max() > 10


def test_a_near_miss_meets_the_question_less(reader: TokenReader) -> None:
    asked, held, near = (
        reader.token_states([text], role)[0]  # type: ignore[arg-type]
        for text, role in (
            ("Who invented the telephone?", "query"),
            ("The telephone was invented by Alexander Graham Bell.", "passage"),
            ("The telephone was sold in shops from 1880 on.", "passage"),
        )
    )
    assert best(asked, held) > best(asked, near) + 0.05


def test_a_text_is_read_the_same_whatever_else_is_in_the_call(reader: TokenReader) -> None:
    alone = reader.token_states(["一个句子。"], "passage")[0]
    many = reader.token_states([*(f"another {n}" for n in range(600)), "一个句子。", "一个句子。"], "passage")
    assert np.array_equal(alone.states, many[-1].states)
    assert many[-1].states is many[-2].states


def test_an_embedder_of_vectors_alone_has_no_reader() -> None:
    assert token_reader(HashEmbedder()) is None
