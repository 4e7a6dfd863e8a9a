"""Vectors that are lost, not written yet or unreadable: the words still find what they name, and the answer says so."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pydantic import ValidationError

from chunking.errors import ProviderError, StoreError
from retrieval.config import EmbeddingConfig, RetrievalConfig
from retrieval.embedders import build_embedder
from retrieval.embedders.base import Vectors
from retrieval.index import Index
from retrieval.ingest import ingest
from retrieval.retriever import Retrieval, Retriever
from retrieval.vectors.base import Points
from retrieval.vectors.chroma import ChromaStore
from retrieval.workspace import DATABASE, Workspace
from tests.fakes.corpus import CHUNKING
from tests.fakes.embedder import HashEmbedder
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.openai import embeddings

QUESTION = "Which tea is half oxidised, oolong or green?"


@pytest.fixture
def home(tmp_path: Path, folder: Path) -> Path:
    """A closed workspace that holds the folder."""
    with Workspace.open(tmp_path / "home", write=True) as workspace:
        ingest(workspace, workspace.index(CHUNKING, HashEmbedder()), [folder], warm_sentences=False)
    return tmp_path / "home"


def asked(home: Path, question: str = QUESTION, *, write: bool = False, **settings: object) -> Retrieval:
    with Workspace.open(home, write=write) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        return Retriever(index, index.embedder, RetrievalConfig.model_validate(settings)).retrieve(question)


def empty(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


@pytest.mark.parametrize(
    "damage",
    [
        shutil.rmtree,
        empty,
        lambda folder: (folder / "chroma.sqlite3").unlink(),
        lambda folder: (folder / "chroma.sqlite3").write_bytes(b""),
    ],
)
@pytest.mark.parametrize("fusion", ["convex", "rrf"])
def test_without_any_vector_the_words_answer(home: Path, damage: Callable[[Path], object], fusion: str) -> None:
    (folder,) = (home / "indexes").iterdir()
    damage(folder)
    left = sorted(home.glob("indexes/**"))
    found = asked(home, fusion=fusion)
    assert sorted(home.glob("indexes/**")) == left
    assert found.hits[0].document.source == "notes/tea.txt"
    assert [hit.chunk.id for hit in found.hits] == [hit.chunk.id for hit in asked(home, dense=False).hits]
    (entry,) = found.degraded
    assert (entry.stage, entry.action) == ("dense", "ranked by BM25 alone")
    assert entry.reason.startswith("None of the")
    assert "crag index rebuild" in entry.reason
    with pytest.raises(StoreError, match="crag index rebuild"):
        asked(home, lexical=False)
    # The owner makes it good by itself.
    assert asked(home, write=True).degraded == asked(home).degraded == ()


@pytest.mark.parametrize("fusion", ["convex", "rrf"])
def test_passages_that_an_ingest_was_killed_before_giving_a_vector_are_found(home: Path, fusion: str) -> None:
    (folder,) = (home / "indexes").iterdir()
    whole = asked(home)
    victim = whole.hits[0].chunk.id
    store = ChromaStore(folder, f"crag-{folder.name}")
    store.delete([victim])
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        with workspace._database.transaction() as connection:
            index.chunks.mark(connection, [victim])
        total = len(index.chunks)
    store.close()
    found = asked(home, fusion=fusion)
    hit = next(hit for hit in found.hits if hit.chunk.id == victim)
    assert "dense" not in hit.scores
    assert hit.scores["bm25"] > 0
    (entry,) = found.degraded
    assert entry.reason.startswith(f"1 of {total} passages have no vector yet")
    # Also where one too many hides that one lacks.
    store.upsert(Points(["stranger"], ["d"], HashEmbedder().embed(["stranger"], "passage")))
    store.close()
    assert asked(home).degraded == (entry,)
    assert asked(home, write=True).degraded == ()


def test_a_question_in_another_dimension_names_the_endpoint_and_leaves_the_words(tmp_path: Path, folder: Path) -> None:
    size = 4

    def answer(request: Request) -> Reply:
        return embeddings([[float(len(text)), *([1.0] * (size - 1))] for text in request.body["input"]])

    def ask(**settings: object) -> Retrieval:
        config = EmbeddingConfig(provider="openai", base_url=f"{server.url}/v1", model="tiny")
        with Workspace.open(tmp_path / "home", write=True) as workspace:
            index = workspace.index(CHUNKING, build_embedder(config, workspace.cache))
            ingest(workspace, index, [folder], warm_sentences=False)
            found = Retriever(index, index.embedder, RetrievalConfig.model_validate(settings)).retrieve(QUESTION)
            assert index.verify()["ok"]
            return found

    with ScriptedServer(answer) as server:
        assert ask().degraded == ()
        size = 3
        found = ask()
        assert found.hits[0].document.source == "notes/tea.txt"
        (entry,) = found.degraded
        assert entry.action == "ranked by BM25 alone"
        told = (
            rf"The embedding endpoint {server.url}/v1, openai \(tiny\), gives vectors of 3 dimensions, .* of 4: serve"
        )
        assert re.match(told, entry.reason)
        with pytest.raises(ProviderError, match=told):
            ask(lexical=False)


class Unreadable(ChromaStore):
    """As Chroma is where the folder of its segment is gone: what it has in memory can be searched."""

    def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        raise StoreError("Error reading the segment: run crag index rebuild.")


def test_vectors_that_can_be_searched_and_not_read_leave_the_words(home: Path) -> None:
    (folder,) = (home / "indexes").iterdir()
    with Workspace.open(home, write=False) as workspace:
        whole = workspace.index(CHUNKING, HashEmbedder())
        index = Index(
            database=workspace._database,
            number=1,
            fingerprint=whole.fingerprint,
            folder=folder,
            store=Unreadable(folder, f"crag-{folder.name}"),
            chunking=CHUNKING,
            embedder=HashEmbedder(),
        )
        asks = [f"{one} {two}" for one in ("oolong", "port", "volcano") for two in ("tea", "city", "basalt", "mail")]
        # The two sides differ, so that a vector has to be read.
        question = next(
            each
            for each in asks
            if index.match(each).top(1)[0][0] != index.dense(HashEmbedder().embed([each], "query")[0], 1)[0][0]
        )
        found = Retriever(index, index.embedder, RetrievalConfig(candidates=1, top_k=1)).retrieve(question)
        words = Retriever(whole, whole.embedder, RetrievalConfig(dense=False, candidates=1, top_k=1)).retrieve(question)
        index.close()
    assert [hit.chunk.id for hit in found.hits] == [hit.chunk.id for hit in words.hits] != []
    (entry,) = found.degraded
    assert (entry.stage, entry.action) == ("dense", "ranked by BM25 alone")
    assert "crag index rebuild" in entry.reason


def test_a_search_of_nothing_is_refused() -> None:
    with pytest.raises(ValidationError, match="both off"):
        RetrievalConfig(dense=False, lexical=False)


def test_a_file_in_the_place_of_the_vectors_is_replaced_by_a_rebuild(home: Path) -> None:
    (folder,) = (home / "indexes").iterdir()
    shutil.rmtree(folder)
    folder.write_text("no folder")
    found = asked(home)
    assert found.hits[0].document.source == "notes/tea.txt"
    assert "crag index rebuild" in found.degraded[0].reason
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        index.rebuild()
        assert index.verify()["ok"]


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("what", ["empty", "missing"])
def test_a_lost_database_beside_indexes_is_not_begun_anew(home: Path, write: bool, what: str) -> None:
    for suffix in ("-wal", "-shm", ""):
        (home / f"{DATABASE}{suffix}").unlink(missing_ok=True)
    if what == "empty":
        (home / DATABASE).touch()
    with pytest.raises(StoreError, match=rf"is {what} while .* restore it from a copy"):
        Workspace.open(home, write=write)
    assert not (home / DATABASE).exists() or not (home / DATABASE).stat().st_size
