from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from chunking.errors import ProviderError, StoreError
from retrieval.index import Index
from retrieval.ingest import ingest
from retrieval.vectors.base import Points
from retrieval.vectors.chroma import ChromaStore
from retrieval.workspace import Workspace
from tests.fakes.corpus import CHUNKING, TEXTS
from tests.fakes.embedder import HashEmbedder


@pytest.fixture
def home(tmp_path: Path, folder: Path) -> Path:
    """A closed workspace that holds the folder."""
    with Workspace.open(tmp_path / "home", write=True) as workspace:
        ingest(workspace, workspace.index(CHUNKING, HashEmbedder()), [folder], warm_sentences=False)
    return tmp_path / "home"


def chroma_of(home: Path) -> tuple[Path, ChromaStore]:
    (folder,) = (home / "indexes").iterdir()
    return folder, ChromaStore(folder, f"crag-{folder.name}")


def vector(text: str) -> np.ndarray:
    return HashEmbedder().embed([text], "query")[0]


def test_what_was_ingested_is_found_after_reopening(home: Path) -> None:
    embedder = HashEmbedder()
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, embedder)
        asked = vector("Oolong tea is half oxidised.")
        (identifier, cosine), *_ = index.dense(asked, 3)
        chunk, document = index.chunks.get([identifier])[identifier]
        assert document.source == "notes/tea.txt"
        assert workspace.registry.get(document.id).text[chunk.start : chunk.end] == chunk.text
        assert cosine == pytest.approx(float(index.vectors([identifier])[identifier] @ asked), abs=1e-5)
        assert index.match("oolong").top(1)[0][0] == identifier
        assert index.verify()["ok"]
    assert embedder.calls == 0


def test_status_counts(home: Path) -> None:
    with Workspace.open(home, write=False) as workspace:
        status = workspace.index(CHUNKING, HashEmbedder()).status()
    assert status["documents"] == len(TEXTS)
    assert status["chunks"] == status["vectors"] > 0
    assert (status["pending"], status["missing"]) == (0, 0)
    assert status["vector_bytes"] > 0


def test_a_deleted_chroma_folder_is_made_good(home: Path) -> None:
    folder, _ = chroma_of(home)
    shutil.rmtree(folder)
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        assert len(index.dense(vector("tea"), 50)) == len(index.chunks)
        assert index.verify()["ok"]


def test_vectors_lost_or_left_over_are_made_good(home: Path) -> None:
    _, store = chroma_of(home)
    store.delete(sorted(store.ids())[:2])
    store.upsert(Points(["stranger"], ["d"], vector("stranger")[None]))
    store.close()
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        assert index.verify()["missing_vectors"] == 2
        assert index.verify()["extra_vectors"] == 1
        found = [identifier for identifier, _ in index.dense(vector("tea"), 50)]
        assert set(found) == index.chunks.ids()
        assert index.verify()["ok"]


def test_a_change_whose_vectors_were_not_written_is_made_good(home: Path) -> None:
    _, store = chroma_of(home)
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        # As after a kill between the two: SQLite has the outbox entry, Chroma has a wrong vector.
        victim = min(index.chunks.ids())
        with workspace._database.transaction() as connection:
            index.chunks.mark(connection, [victim])
    store.upsert(Points([victim], ["d"], vector("something else")[None]))
    store.close()
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        text = index.chunks.get([victim])[victim][0].embedded_text
        assert index.dense(vector(text), 1)[0][0] == victim
        assert index.status()["pending"] == 0


def test_a_damaged_chroma_gives_one_instruction_and_rebuild_follows_it(home: Path) -> None:
    folder, _ = chroma_of(home)
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(b"damaged" * 1000)
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        with pytest.raises(StoreError, match="run crag index rebuild"):
            index.dense(vector("tea"), 5)
        assert index.match("oolong").top(1)
        index.rebuild()
        assert len(index.dense(vector("tea"), 50)) == len(index.chunks)
        assert index.verify()["ok"]


def test_verify_sees_tampering_and_rebuild_repairs_it(home: Path) -> None:
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        victim = min(index.chunks.ids())
        terms = index.lexicon().vocabulary
        with workspace._database.transaction() as connection:
            index.chunks.replace_counts(connection, [(victim, (np.array([0], np.int32), np.array([7], np.int32)))])
            index.chunks.add_terms(connection, terms)
            connection.execute("UPDATE chunks SET text = 'tampered' WHERE id <> ?", (victim,))
        verdict = index.verify()
        assert verdict["wrong_offsets"] == len(index.chunks) - 1
        assert verdict["wrong_postings"] > 0
        assert not verdict["ok"]


def test_rebuild_restores_wrong_term_counts(home: Path) -> None:
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        with workspace._database.transaction() as connection:
            empty = np.empty(0, np.int32)
            index.chunks.replace_counts(connection, [(identifier, (empty, empty)) for identifier in index.chunks.ids()])
        assert index.match("oolong").top(1) == []
        assert index.verify()["wrong_postings"] == len(index.chunks)
        index.rebuild()
        assert index.match("oolong").top(1)
        assert index.verify()["ok"]


def test_a_reader_sees_what_the_owner_writes_meanwhile(home: Path, folder: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from retrieval.ingest import ingest\n"
        "from retrieval.workspace import Workspace; from tests.fakes.embedder import HashEmbedder\n"
        "from tests.fakes.corpus import CHUNKING\n"
        f"with Workspace.open(Path({str(home)!r}), write=True) as w:\n"
        "    i = w.index(CHUNKING, HashEmbedder())\n"
        "    for line in sys.stdin:\n"
        f"        report = ingest(w, i, [Path({str(folder)!r})], prune=True, warm_sentences=False)\n"
        "        print(report.added, flush=True)\n"
    )
    with (
        Workspace.open(home, write=False) as reader,
        subprocess.Popen([sys.executable, "-c", script], stdin=-1, stdout=-1, text=True) as owner,
    ):
        assert owner.stdin
        assert owner.stdout
        index = reader.index(CHUNKING, HashEmbedder())
        question = "Obsidian is volcanic glass."
        assert index.match("obsidian").top(5) == []
        before = {identifier for identifier, _ in index.dense(vector(question), 50)}
        (folder / "obsidian.txt").write_text(question, encoding="utf-8")
        (folder / "tea.txt").unlink()
        owner.stdin.write("go\n")
        owner.stdin.flush()
        assert owner.stdout.readline() == "1\n"
        ((new, _),) = index.match("obsidian").top(5)
        assert index.dense(vector(question), 1)[0][0] == new
        assert index.match("oolong").top(5) == []
        assert before - {identifier for identifier, _ in index.dense(vector(question), 50)}
        owner.stdin.close()
        assert owner.wait() == 0


def test_searches_go_on_while_documents_are_taken_in(workspace: Workspace, index: Index, folder: Path) -> None:
    ingest(workspace, index, [folder], warm_sentences=False)
    stop, failures, searches = threading.Event(), list[Exception](), [0]

    def search() -> None:
        while not stop.is_set():
            try:
                found = index.dense(vector("Oolong tea is half oxidised."), 3) + index.match("oolong tea").top(3)
                assert index.chunks.get([identifier for identifier, _ in found])
                searches[0] += 1
            except Exception as error:
                failures.append(error)

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(12):
        (folder / f"more{number % 4}.txt").write_text(f"More text, round {number}.", encoding="utf-8")
        ingest(workspace, index, [folder], warm_sentences=False)
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures
    assert searches[0] > 0
    assert index.verify()["ok"]


@pytest.mark.parametrize(
    "broken",
    [
        lambda texts: np.full((len(texts), 64), np.nan, np.float32),
        lambda texts: np.ones((len(texts), 32), np.float32),
        lambda texts: np.ones((max(0, len(texts) - 1), 64), np.float32),
    ],
)
def test_misshapen_vectors_are_refused_and_nothing_is_stored(workspace: Workspace, folder: Path, broken) -> None:  # type: ignore[no-untyped-def]
    class Broken(HashEmbedder):
        def embed(self, texts, role):  # type: ignore[no-untyped-def]
            return broken(texts)

    index = workspace.index(CHUNKING, Broken())
    with pytest.raises(ProviderError, match="embedder hash returned vectors"):
        ingest(workspace, index, [folder], warm_sentences=False)
    assert len(index.chunks) == len(workspace.registry) == 0
    assert index.status()["vectors"] == 0


def test_a_failed_write_is_made_good_by_the_next_search(workspace: Workspace, folder: Path) -> None:
    index = workspace.index(CHUNKING, HashEmbedder())
    index.dense(vector("opened"), 1)
    # A file where Chroma wants its folder: the disk fails in the middle of a write.
    index._store.close()
    shutil.rmtree(index._folder)
    index._folder.write_bytes(b"in the way")
    with pytest.raises(StoreError, match="run crag index rebuild"):
        ingest(workspace, index, [folder], warm_sentences=False)
    assert len(index.chunks) > 0
    index._folder.unlink()
    assert len(index.dense(vector("tea"), 50)) == len(index.chunks)
    assert index.verify()["ok"]


def test_searches_do_not_wait_for_an_embedder_that_rebuilds(home: Path) -> None:
    entered, release = threading.Event(), threading.Event()

    def wait(texts: object) -> None:
        entered.set()
        assert release.wait(30)

    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder(before=wait))
        assert index.match("oolong").top(1)
        assert index.dense(vector("tea"), 1)
        with workspace._database.transaction() as connection:
            index.chunks.mark(connection, index.chunks.ids())
        thread = threading.Thread(target=index.follow)
        thread.start()
        assert entered.wait(30)
        assert index.match("oolong").top(1)
        assert index.dense(vector("tea"), 1)
        release.set()
        thread.join()
        assert index.verify()["ok"]


def test_an_embedder_whose_dimension_has_changed_writes_nothing(home: Path, folder: Path) -> None:
    changed = HashEmbedder(dimension=32)
    changed.fingerprint = HashEmbedder().fingerprint  # As an endpoint does that serves another model by the old name.
    (folder / "new.txt").write_text("Gneiss is banded.", "utf-8")
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, changed)
        with pytest.raises(ProviderError, match=r"32 dimensions, the index holds vectors of 64: .*embedding\.model"):
            ingest(workspace, index, [folder], warm_sentences=False)
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        assert index.verify()["ok"]
        assert ingest(workspace, index, [folder], warm_sentences=False).added == 1
        assert index.verify()["ok"]
