from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from chunking.config import ChunkingConfig
from chunking.errors import NotFoundError, StoreError
from retrieval.index import Index
from retrieval.ingest import ingest
from retrieval.types import Filters
from retrieval.workspace import DATABASE, Workspace
from tests.fakes.corpus import CHUNKING
from tests.fakes.embedder import HashEmbedder


def test_a_second_writer_is_told_who_holds_the_workspace(tmp_path: Path) -> None:
    script = (
        "import sys; sys.argv = ['/usr/bin/crag', 'serve']\n"
        "from pathlib import Path; from retrieval.workspace import Workspace\n"
        f"w = Workspace.open(Path({str(tmp_path)!r}), write=True); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=-1, stdout=-1, text=True) as owner:
        assert owner.stdout
        assert owner.stdout.readline() == "open\n"
        with pytest.raises(StoreError, match=rf"in use by process {owner.pid} \(crag serve\): stop it or use"):
            Workspace.open(tmp_path, write=True)
        Workspace.open(tmp_path, write=False).close()
        owner.kill()
    Workspace.open(tmp_path, write=True).close()


def test_a_second_writer_in_the_same_process_is_refused_until_the_first_closes(tmp_path: Path) -> None:
    with Workspace.open(tmp_path, write=True), pytest.raises(StoreError, match="in use by this process itself"):
        Workspace.open(tmp_path, write=True)
    Workspace.open(tmp_path, write=True).close()


def test_reading_nothing_says_to_ingest(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="run crag ingest first"):
        Workspace.open(tmp_path / "nowhere", write=False)
    assert not (tmp_path / "nowhere").exists()


def test_a_reader_that_comes_before_the_first_write_says_to_ingest(tmp_path: Path) -> None:
    (tmp_path / DATABASE).touch()
    with pytest.raises(StoreError, match="run crag ingest first"):
        Workspace.open(tmp_path, write=False)


def test_reading_an_index_that_was_never_made_says_to_ingest(tmp_path: Path) -> None:
    Workspace.open(tmp_path, write=True).close()
    with Workspace.open(tmp_path, write=False) as reader, pytest.raises(StoreError, match="same --pipeline"):
        reader.index(CHUNKING, HashEmbedder())


def test_a_reader_changes_nothing(tmp_path: Path) -> None:
    Workspace.open(tmp_path, write=True).close()
    with Workspace.open(tmp_path, write=False) as reader, pytest.raises(StoreError, match="reading only"):
        reader.remove(["x"])


def test_a_file_that_is_no_database_gives_one_sentence(tmp_path: Path) -> None:
    (tmp_path / DATABASE).write_bytes(b"not a database, but long enough to be read as one" * 50)
    with pytest.raises(StoreError, match=f"{DATABASE} cannot be used"):
        Workspace.open(tmp_path, write=True)
    with pytest.raises(StoreError, match=f"{DATABASE} cannot be used"):
        Workspace.open(tmp_path, write=False)


def test_a_workspace_of_another_format_is_refused(tmp_path: Path) -> None:
    with Workspace.open(tmp_path, write=True) as workspace, workspace._database.transaction() as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="format 99"):
        Workspace.open(tmp_path, write=False)


def test_documents_are_listed_found_shown_and_removed(workspace: Workspace, index: Index, folder: Path) -> None:
    ingest(workspace, index, [folder], warm_sentences=False)
    records = workspace.registry.documents()
    assert [record.source for record in records] == sorted(record.source for record in records)
    record = workspace.registry.find("notes/tea.txt")
    assert workspace.registry.find(record.id) == workspace.registry.find(str(folder / "tea.txt")) == record
    assert json.loads(json.dumps(record.to_dict()))["characters"] == len(workspace.registry.get(record.id).text)
    assert workspace.registry.get(record.id).text.startswith("Green tea")
    assert [r.source for r in workspace.registry.documents(Filters(source="*.md"))] == [
        r.source for r in records if r.source.endswith(".md")
    ]

    assert workspace.remove([record.id, "no-such-id"]) == 1
    assert len(workspace.registry) == len(records) - 1
    assert index.match("oolong").top(5) == []
    assert index.verify()["ok"]
    with pytest.raises(NotFoundError, match="crag docs list"):
        workspace.registry.find("notes/tea.txt")
    with pytest.raises(NotFoundError, match="crag docs list"):
        workspace.registry.get(record.id)


def test_a_parsed_document_returns_as_it_went_in(workspace: Workspace, index: Index, folder: Path) -> None:
    from chunking.loaders import load_path

    ingest(workspace, index, [folder], warm_sentences=False)
    path = folder / "volcano.md"
    document = load_path(path, origin=str(path), source="notes/volcano.md")
    assert workspace.registry.get(document.id) == document


def test_pipelines_that_agree_share_an_index_and_others_do_not(workspace: Workspace) -> None:
    one = workspace.index(CHUNKING, HashEmbedder())
    assert workspace.index(CHUNKING, HashEmbedder()) is one
    others = [
        workspace.index(CHUNKING, HashEmbedder(dimension=32)),
        workspace.index(ChunkingConfig(target_tokens=41, min_tokens=10, max_tokens=80), HashEmbedder()),
    ]
    assert len({one.fingerprint, *(other.fingerprint for other in others)}) == 3
