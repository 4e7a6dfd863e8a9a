"""What every vector engine promises, held by the same tests: embedded Chroma, a Chroma server, Qdrant."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from chunking.errors import StoreError
from retrieval.archive import export_workspace, import_workspace
from retrieval.config import RetrievalConfig, StoreConfig
from retrieval.embedders.base import Vectors
from retrieval.ingest import ingest
from retrieval.lexical.bm25 import BM25Index
from retrieval.lexical.tokenizer import tokenize
from retrieval.retriever import Retriever
from retrieval.types import Filters
from retrieval.vectors import VECTOR_STORES, build_store
from retrieval.vectors.base import Points, Scope, VectorStore
from retrieval.workspace import Workspace
from tests.fakes.corpus import CHUNKING
from tests.fakes.embedder import HashEmbedder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Chroma server of these tests' own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tmp_path_factory.mktemp("chroma-server")
    command = [str(Path(sys.executable).with_name("chroma")), "run", "--path", str(folder), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(600):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                assert process.poll() is None, "the Chroma server ended"
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


@pytest.fixture(params=list(VECTOR_STORES))
def config(request: pytest.FixtureRequest) -> StoreConfig:
    if request.param == "qdrant":
        pytest.importorskip("qdrant_client")
    url = request.getfixturevalue("server") if request.param == "chroma-server" else None
    return StoreConfig(provider=request.param, url=url)


@pytest.fixture
def place(config: StoreConfig, tmp_path: Path) -> Iterator[Path]:
    """A folder for the engine. Qdrant's local mode syncs the disk for each point, so its folder is in memory."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if config.provider == "qdrant" and memory.is_dir() else tmp_path) as folder:
        yield Path(folder)


@pytest.fixture
def store(config: StoreConfig, place: Path) -> Iterator[VectorStore]:
    made = build_store(config, place / "index", f"test-{place.name}0")
    yield made
    made.close()


def unit(rows: int, seed: int = 0, dimension: int = 16) -> Vectors:
    vectors = np.random.default_rng(seed).normal(size=(rows, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def fill(store: VectorStore, vectors: Vectors) -> dict[str, Vectors]:
    ids = [f"chunk{row}" for row in range(len(vectors))]
    store.upsert(Points(ids, [f"doc{row // 10}" for row in range(len(vectors))], vectors))
    return dict(zip(ids, vectors, strict=True))


def test_an_empty_store_answers_with_nothing(store: VectorStore) -> None:
    assert store.query(unit(1)[0], 5) == []
    assert store.query(unit(1)[0], 5, Scope(["doc0"], lambda: ["chunk0"])) == []
    assert (store.ids(), store.count(), store.vectors(["chunk0"])) == (set(), 0, {})
    store.delete(["chunk0"])
    store.delete([])


def test_the_nearest_come_first_by_cosine(store: VectorStore) -> None:
    stored = fill(store, unit(300))
    asked = unit(1, seed=1)[0]
    best = sorted(((float(vector @ asked), name) for name, vector in stored.items()), reverse=True)[:10]
    found = store.query(asked, 10)
    assert [name for name, _ in found] == [name for _, name in best]
    np.testing.assert_allclose([score for _, score in found], [score for score, _ in best], atol=1e-5)


def test_a_batch_of_any_size_is_written_read_and_scrolled(store: VectorStore, config: StoreConfig) -> None:
    # More than one request of each: Chroma refuses more than 5,461 rows, Qdrant is sent 500 points.
    count = 600 if config.provider == "qdrant" else 5600
    vectors = unit(count, dimension=4)
    stored = fill(store, vectors)
    assert store.count() == count
    assert store.ids() == set(stored)
    last = f"chunk{count - 1}"
    back = store.vectors(["chunk7", last, "absent"])
    assert set(back) == {"chunk7", last}
    np.testing.assert_allclose(back["chunk7"], vectors[7], atol=1e-6)


def test_what_is_written_again_is_replaced_and_what_is_deleted_is_gone(store: VectorStore) -> None:
    fill(store, unit(20))
    new = unit(1, seed=9)
    store.upsert(Points(["chunk3"], ["doc0"], new))
    assert store.count() == 20
    assert store.query(new[0], 1)[0][0] == "chunk3"
    store.delete(["chunk3", "absent"])
    assert store.count() == 19
    assert store.query(new[0], 1)[0][0] != "chunk3"


@pytest.mark.parametrize("documents", [3, 60])
def test_a_filter_leaves_only_its_documents_in_the_same_order(store: VectorStore, documents: int) -> None:
    stored = fill(store, unit(900))
    asked = unit(1, seed=2)[0]
    names = [f"doc{number}" for number in range(documents)]
    inside = [name for name in stored if int(name.removeprefix("chunk")) < documents * 10]
    best = sorted(inside, key=lambda name: -float(stored[name] @ asked))[:5]
    assert [name for name, _ in store.query(asked, 5, Scope(names, lambda: inside))] == best
    assert [name for name, _ in store.query(asked, 5, Scope(names, lambda: inside, len(stored)))] == best
    assert store.query(asked, 5, Scope([], list, len(stored))) == []


def test_a_filter_that_leaves_only_what_is_far_finds_that(store: VectorStore) -> None:
    stored = fill(store, unit(900))
    asked = unit(1, seed=3)[0]
    far = sorted(stored, key=lambda name: float(stored[name] @ asked))[:600]
    # By document is how Qdrant filters: each chunk is one of its own here.
    store.upsert(Points(list(stored), list(stored), np.stack(list(stored.values()))))
    best = sorted(far, key=lambda name: -float(stored[name] @ asked))[:5]
    assert [name for name, _ in store.query(asked, 5, Scope(far, lambda: far, len(stored)))] == best


def test_a_store_that_was_reset_is_empty_and_usable(store: VectorStore) -> None:
    fill(store, unit(20))
    store.reset()
    assert store.count() == 0
    fill(store, unit(5))
    assert store.count() == 5


def test_what_was_written_is_there_after_reopening(config: StoreConfig, place: Path) -> None:
    for count in (0, 10):
        store = build_store(config, place / "index", f"again-{place.name}0")
        assert store.count() == count
        fill(store, unit(10))
        store.close()


def test_a_reader_makes_nothing(config: StoreConfig, place: Path) -> None:
    name = f"read-{place.name}0"
    for _ in range(2):
        reader = build_store(config, place / "index", name, write=False)
        if config.url:
            with pytest.raises(StoreError, match="if it has lost its data, run crag index rebuild"):
                reader.count()
        else:
            assert (reader.count(), reader.query(unit(1)[0], 5), reader.ids()) == (0, [], set())
        reader.close()
        assert not (place / "index").exists()
    owner = build_store(config, place / "index", name)
    fill(owner, unit(10))
    owner.close()
    reader = build_store(config, place / "index", name, write=False)
    assert reader.count() == 10
    reader.close()


def test_an_engine_that_ranks_words_ranks_them_as_the_postings_do(store: VectorStore) -> None:
    texts = {
        f"t{n}": "apple " * (n % 4) + "pear 苹果 " * (n % 3) + f"word{n % 7} filler " * (1 + n % 5) for n in range(60)
    }
    lexical = BM25Index()
    counts = [lexical.encode(tokenize(text)) for text in texts.values()]
    lexical.add([(name, name, tally) for name, tally in zip(texts, counts, strict=True)])
    store.upsert(Points(list(texts), list(texts), unit(60), lexical.weights(counts) if store.ranks_words else None))
    if not store.ranks_words:
        with pytest.raises(StoreError, match="by the postings"):
            store.query_sparse(lexical.query_weights(["apple"]), 5)
        return
    for question in ("apple word3", "苹果 pear", "word1 word2 apple apple"):
        wanted = lexical.match(tokenize(question)).top(60)
        found = dict(store.query_sparse(lexical.query_weights(tokenize(question)), 60))
        assert found == pytest.approx(dict(wanted), rel=1e-5)
    some = ["t1", "t2", "t3"]
    assert set(dict(store.query_sparse(lexical.query_weights(["apple"]), 60, Scope(some, lambda: some)))) <= set(some)
    assert store.query_sparse(lexical.query_weights(["absent"]), 5) == []


QUESTIONS = ("What is Oolong tea?", "北京 首都", "email_smtp_port", "ash and lava", "nothing like it")


def test_engines_agree_on_every_ranking(config: StoreConfig, tmp_path: Path, folder: Path) -> None:
    """Both sides, fused and filtered, are ranked as embedded Chroma ranks them, also after a change."""
    retrieval = RetrievalConfig()

    def rankings(store: StoreConfig, home: Path) -> list[object]:
        embedder = HashEmbedder()
        out: list[object] = []
        with Workspace.open(home, write=True) as workspace:
            index = workspace.index(CHUNKING, embedder, store=store)
            for _ in range(2):
                ingest(workspace, index, [folder], prune=True, warm_sentences=False)
                assert index.verify()["ok"]
                for filters in (None, Filters(source="*.md")):
                    for question in QUESTIONS:
                        hits = Retriever(index, embedder, retrieval).retrieve(question, filters=filters).hits
                        out.append([(hit.chunk.id, dict(hit.ranks)) for hit in hits])
                (folder / "tea.txt").write_text("White tea is withered. Ash trees are not lava.", encoding="utf-8")
                (folder / "smtp.md").unlink(missing_ok=True)
        return out

    copy = shutil.copytree(folder, tmp_path / "copy")
    found = rankings(config, tmp_path / "one")
    shutil.rmtree(folder)
    copy.rename(folder)
    assert found == rankings(StoreConfig(), tmp_path / "other")
    assert any(found)


def test_workspaces_on_one_server_do_not_meet(config: StoreConfig, tmp_path: Path, folder: Path) -> None:
    def count(home: Path, *removed: str) -> int:
        with Workspace.open(home, write=True) as workspace:
            index = workspace.index(CHUNKING, HashEmbedder(), store=config)
            if not removed:
                ingest(workspace, index, [folder], warm_sentences=False)
            workspace.remove([workspace.registry.find(name).id for name in removed])
            index.follow()
            assert index.verify()["ok"], index.verify()
            return int(index.status()["documents"])

    one, two, moved = (tmp_path / name for name in ("one", "two", "moved"))
    assert count(one) == count(two) == 4
    export_workspace(one, tmp_path / "all.tar")
    import_workspace(tmp_path / "all.tar", moved)
    assert count(moved) == 4
    assert count(one, "notes/tea.txt") == 3
    assert count(moved) == count(two) == 4


def test_an_engine_that_is_not_there_is_named_with_the_next_step(tmp_path: Path) -> None:
    for provider in ("chroma-server", "qdrant"):
        if provider == "qdrant":
            pytest.importorskip("qdrant_client")
        store = build_store(StoreConfig(provider=provider, url="http://127.0.0.1:9", timeout=1), tmp_path, "gone")
        with pytest.raises(
            StoreError, match=r"at http://127.0.0.1:9 cannot be used .*: start it, or correct store.url"
        ):
            store.count()


@pytest.mark.parametrize(
    "values",
    [
        {"provider": "chroma-server"},
        {"url": "http://x"},
        {"shards": 2},
        {"provider": "qdrant", "shard": 2},
        {"shards": 0},
    ],
)
def test_a_store_that_cannot_be_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"store|url|shard|chroma|extra|greater"):
        StoreConfig.model_validate(values)
