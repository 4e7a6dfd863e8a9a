"""The cache never embeds twice, never lies and never fails."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.errors import ProviderError
from retrieval.embedders.cache import CachedEmbedder, EmbeddingCache
from tests.fakes.embedder import HashEmbedder


def test_a_text_is_embedded_once_across_batches_and_restarts(tmp_path: Path) -> None:
    inner = HashEmbedder()
    with EmbeddingCache(tmp_path / "cache.db") as cache:
        embedder = CachedEmbedder(inner, cache)
        first = embedder.embed(["a", "b", "a", "c"], "passage")
        assert inner.texts == ["a", "b", "c"]
        assert np.array_equal(first[0], first[2])
    with EmbeddingCache(tmp_path / "cache.db") as cache:
        again = CachedEmbedder(inner, cache).embed(["c", "d", "b", "a"], "passage")
    assert inner.texts == ["a", "b", "c", "d"]
    assert np.array_equal(again[[3, 2, 0]], first[[0, 1, 3]])
    assert again.dtype == np.float32


@settings(max_examples=30)
@given(st.lists(st.lists(st.text(max_size=5), min_size=1, max_size=8), max_size=5))
def test_a_cached_embedder_equals_its_embedder(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[str]]
) -> None:
    plain = HashEmbedder(8)
    with EmbeddingCache(tmp_path_factory.mktemp("cache") / "cache.db") as cache:
        cached = CachedEmbedder(HashEmbedder(8), cache)
        for texts in batches:
            for role in ("passage", "query"):
                assert np.array_equal(cached.embed(texts, role), plain.embed(texts, role))  # type: ignore[arg-type]


def test_queries_stay_in_memory_and_apart_from_passages(tmp_path: Path) -> None:
    inner = HashEmbedder()
    with EmbeddingCache(tmp_path / "cache.db") as cache:
        embedder = CachedEmbedder(inner, cache)
        embedder.embed(["q"], "query")
        embedder.embed(["q", "q"], "query")
        assert inner.calls == 1
        assert cache.get([EmbeddingCache.key(inner.fingerprint, "query", "q")]) == {}
        embedder.embed(["q"], "passage")
        assert inner.calls == 2
        embedder.forget_queries()
        embedder.embed(["q"], "query")
        embedder.embed(["q"], "passage")
        assert inner.calls == 3


def test_embedders_do_not_see_each_others_vectors(tmp_path: Path) -> None:
    with EmbeddingCache(tmp_path / "cache.db") as cache:
        small, large = CachedEmbedder(HashEmbedder(8), cache), CachedEmbedder(HashEmbedder(16), cache)
        assert small.embed(["x"], "passage").shape == (1, 8)
        assert large.embed(["x"], "passage").shape == (1, 16)


@pytest.mark.parametrize("damage", ["junk", "middle", "deleted", "folder gone"])
def test_a_damaged_or_missing_file_is_rebuilt(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "sub" / "cache.db"
    texts = [f"text {i}" for i in range(200)]
    with EmbeddingCache(path) as cache:
        expected = CachedEmbedder(HashEmbedder(), cache).embed(texts, "passage")
    if damage == "junk":
        path.write_bytes(b"this is not a database" * 100)
    elif damage == "middle":
        content = bytearray(path.read_bytes())
        content[4096:] = b"\xff" * (len(content) - 4096)
        path.write_bytes(content)
    else:
        for file in path.parent.iterdir():
            file.unlink()
        if damage == "folder gone":
            path.parent.rmdir()
    with EmbeddingCache(path) as cache:
        embedder = CachedEmbedder(HashEmbedder(), cache)
        assert np.array_equal(embedder.embed(texts, "passage"), expected)
    inner = HashEmbedder()
    with EmbeddingCache(path) as cache:
        assert np.array_equal(CachedEmbedder(inner, cache).embed(texts, "passage"), expected)
    assert inner.calls == 0, "the rebuilt file holds the vectors"


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        b"odd",
        b"\0" * 256,
        np.full(64, np.nan, np.float32).tobytes(),
        np.ones(64, np.float32).tobytes(),
        "text",
        None,
    ],
)
def test_a_row_that_no_embedder_gave_is_embedded_again(tmp_path: Path, stored: object) -> None:
    path, inner = tmp_path / "cache.db", HashEmbedder()
    with EmbeddingCache(path) as cache:
        expected = CachedEmbedder(inner, cache).embed(["text"], "passage")
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE vectors")
        connection.execute("CREATE TABLE vectors (key BLOB NOT NULL UNIQUE, vector)")
        key = EmbeddingCache.key(inner.fingerprint, "passage", "text")
        connection.execute("INSERT INTO vectors VALUES (?, ?)", (key, stored))
    with EmbeddingCache(path) as cache:
        assert np.array_equal(CachedEmbedder(inner, cache).embed(["text"], "passage"), expected)
    assert inner.calls == 2


def test_an_unusable_place_means_no_cache_and_no_failure(tmp_path: Path) -> None:
    (tmp_path / "cache.db").mkdir()
    inner = HashEmbedder()
    with EmbeddingCache(tmp_path / "cache.db") as cache:
        embedder = CachedEmbedder(inner, cache)
        first = embedder.embed(["a"], "passage")
        assert np.array_equal(embedder.embed(["a"], "passage"), first)
    assert inner.calls == 2


def test_a_file_in_the_folders_place_means_no_cache_and_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with EmbeddingCache(tmp_path / "file" / "cache.db") as cache:
        assert CachedEmbedder(HashEmbedder(), cache).embed(["a"], "passage").shape == (1, 64)


def test_a_writer_that_holds_the_file_does_not_stop_readers(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    inner = HashEmbedder()
    with EmbeddingCache(path) as cache:
        embedder = CachedEmbedder(inner, cache)
        expected = embedder.embed(["a"], "passage")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        try:
            assert np.array_equal(embedder.embed(["a"], "passage"), expected)
        finally:
            other.execute("ROLLBACK")
            other.close()
    assert inner.calls == 1


def test_another_process_reads_what_this_one_wrote(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with EmbeddingCache(path) as cache:
        vectors = CachedEmbedder(HashEmbedder(), cache).embed(["a"], "passage")
        code = (
            "import sys; from pathlib import Path; from retrieval.embedders.cache import EmbeddingCache as C;"
            "key = C.key('hash-64', 'passage', 'a'); print(*C(Path(sys.argv[1])).get([key])[key])"
        )
        printed = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert np.allclose([float(x) for x in printed.stdout.split()], vectors[0])


def test_the_oldest_make_room(tmp_path: Path) -> None:
    limit = 400_000
    with EmbeddingCache(tmp_path / "cache.db", max_bytes=limit) as cache:
        embedder = CachedEmbedder(HashEmbedder(256), cache)
        for start in range(0, 1000, 50):
            embedder.embed([f"text {i}" for i in range(start, start + 50)], "passage")
        key = EmbeddingCache.key
        assert cache.get([key("hash-256", "passage", "text 0")]) == {}
        assert len(cache.get([key("hash-256", "passage", f"text {i}") for i in range(950, 1000)])) == 50
    assert (tmp_path / "cache.db").stat().st_size < 1.5 * limit


def test_what_a_failing_provider_did_finish_is_kept_and_nothing_else(tmp_path: Path) -> None:
    def fail_late(texts: object) -> None:
        if inner.calls == 2:
            raise ProviderError("down", provider="hash")

    inner = HashEmbedder(before=fail_late)
    texts = [f"text {i}" for i in range(1000)]
    with EmbeddingCache(tmp_path / "cache.db") as cache:
        with pytest.raises(ProviderError):
            CachedEmbedder(inner, cache).embed(texts, "passage")
        found = cache.get([EmbeddingCache.key(inner.fingerprint, "passage", text) for text in texts])
    assert len(found) == len(inner.texts)
    assert 0 < len(found) < len(texts)


def test_threads_share_one_cache(tmp_path: Path) -> None:
    plain = HashEmbedder()
    with EmbeddingCache(tmp_path / "cache.db") as cache:
        embedder = CachedEmbedder(HashEmbedder(), cache)

        def work(start: int) -> bool:
            texts = [f"text {i}" for i in range(start, start + 60)]
            return np.array_equal(embedder.embed(texts, "passage"), plain.embed(texts, "passage"))

        with ThreadPoolExecutor(6) as pool:
            assert all(pool.map(work, range(0, 300, 10)))
