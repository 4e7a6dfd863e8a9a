"""FlagEmbedding's own loading and scoring, on a tiny model that this file makes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from chunking.errors import ConfigError, MissingExtraError
from retrieval import checkpoints
from retrieval.checkpoints import bge_available
from retrieval.config import EmbeddingConfig
from retrieval.embedders import build_embedder
from retrieval.embedders.base import Embedder
from retrieval.embedders.bge import query_instruction
from tests.fakes.checkpoints import tiny_encoder

pytest.importorskip("FlagEmbedding", reason="needs the extra bge")

TEXTS = ["什么是检索", "a reranker", "lava", "北京是中国的首都", "b" * 300]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_encoder(tmp_path_factory.mktemp("models") / "bge-small-zh-v1.5")


@pytest.fixture(scope="module")
def bge(folder: Path) -> Embedder:
    return build_embedder(EmbeddingConfig(provider="bge", model=str(folder), batch_size=2))


def test_vectors_are_the_first_tokens_of_the_model(bge: Embedder, folder: Path) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    vectors = bge.embed(TEXTS, "passage")
    assert (vectors.shape, vectors.dtype) == ((len(TEXTS), 32), np.float32)
    for text, vector in zip(TEXTS, vectors, strict=True):
        with torch.no_grad():
            hidden = model(**tokenizer(text, truncation=True, return_tensors="pt")).last_hidden_state[0, 0].numpy()
        assert np.allclose(vector, hidden / np.linalg.norm(hidden), atol=1e-5)


def test_a_question_gets_the_instruction_of_its_model_card(bge: Embedder) -> None:
    query = bge.embed(["什么是检索"], "query")
    assert np.allclose(query, bge.embed(["为这个句子生成表示以用于检索相关文章：什么是检索"], "passage"), atol=1e-5)
    assert not np.allclose(query, bge.embed(["什么是检索"], "passage"), atol=1e-2)


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("bge-large-en-v1.5", "Represent this sentence"),
        ("bge-base-zh", "为这个句子"),
        ("bge-m3", None),
        ("multilingual-e5-base", None),
        ("bge-multilingual-gemma2", "Given a web search query"),
        ("my-own-model", None),
    ],
)
def test_instructions_by_model_name(name: str, beginning: str | None) -> None:
    instruction = query_instruction(name)
    assert instruction is None if beginning is None else str(instruction).startswith(beginning)


def test_counts_leave_out_special_tokens_and_the_window_is_the_models(bge: Embedder) -> None:
    assert bge.count_tokens(["北京", "", "a b c"]) == [2, 0, 3]
    instruction = bge.count_tokens(["为这个句子生成表示以用于检索相关文章："])[0]
    assert bge.max_tokens == 64 - 2 - instruction
    assert bge.embed([], "passage").shape == (0, 32)


def test_dimensions_are_cut_and_normalised_again(folder: Path, bge: Embedder) -> None:
    short = build_embedder(EmbeddingConfig(provider="bge", model=str(folder), dimensions=8))
    assert short.dimension == 8
    assert short.fingerprint != bge.fingerprint
    full, cut = bge.embed(TEXTS, "passage")[:, :8], short.embed(TEXTS, "passage")
    assert np.allclose(cut, full / np.linalg.norm(full, axis=1, keepdims=True), atol=1e-5)


def test_a_model_of_bge_m3s_kind_is_loaded_with_its_heads(folder: Path, tmp_path: Path, bge: Embedder) -> None:
    import torch

    copy = tmp_path / "tuned"
    shutil.copytree(folder, copy)
    torch.save(torch.nn.Linear(32, 32).state_dict(), copy / "colbert_linear.pt")
    torch.save(torch.nn.Linear(32, 1).state_dict(), copy / "sparse_linear.pt")
    tuned = build_embedder(EmbeddingConfig(provider="bge", model=str(copy)))
    assert np.allclose(tuned.embed(TEXTS, "passage"), bge.embed(TEXTS, "passage"), atol=1e-5)
    assert tuned.fingerprint != bge.fingerprint


def test_threads_share_one_model(bge: Embedder) -> None:
    expected = bge.embed(TEXTS, "passage")
    with ThreadPoolExecutor(4) as pool:
        for vectors, counts in pool.map(lambda _: (bge.embed(TEXTS, "passage"), bge.count_tokens(TEXTS)), range(8)):
            assert np.allclose(vectors, expected, atol=1e-6)
            assert counts[:3] == [5, 9, 4]


def test_a_model_that_is_not_here_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="BAAI/bge-nowhere"):
        build_embedder(EmbeddingConfig(provider="bge", model="BAAI/bge-nowhere"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="empty"):
        build_embedder(EmbeddingConfig(provider="bge", model=str(tmp_path / "empty")))


def test_available_means_here_already(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert bge_available(str(folder))
    assert not bge_available("BAAI/bge-m3")
    snapshot = tmp_path / "models--BAAI--bge-m3" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    assert not bge_available("BAAI/bge-m3"), "a download that stopped half-way"
    (snapshot / "model.safetensors").write_bytes(b"")
    assert bge_available("BAAI/bge-m3")
    assert checkpoints.local_folder("BAAI/bge-m3") == snapshot


def test_availability_is_asked_without_loading_torch() -> None:
    code = "import sys; from retrieval.checkpoints import bge_available as b; b('x'); print('torch' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "False"


def test_without_the_extra_the_error_names_the_install_line(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setitem(sys.modules, "FlagEmbedding", None)
    assert not bge_available(str(folder))
    with pytest.raises(MissingExtraError, match=r"pip install 'agentic-crag\[bge\]'"):
        build_embedder(EmbeddingConfig(provider="bge", model=str(folder)))
