"""The postings file: used while it is true, passed over when it is old, damaged or gone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from retrieval.index import Index
from retrieval.ingest import catch_up, ingest
from retrieval.lexical.snapshot import load_snapshot, snapshot_file
from retrieval.workspace import Workspace
from tests.fakes.corpus import CHUNKING
from tests.fakes.embedder import HashEmbedder

QUESTION = "basalt is the darkest 玄武岩"


def taken_in(home: Path, folder: Path, **texts: str) -> tuple[Path, list[tuple[str, float]]]:
    """The postings file, and what the owner ranks before it closes."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        ingest(workspace, index, [folder], warm_sentences=False, prune=True)
        return snapshot_file(index._folder), ranked(index)


def ranked(index: Index) -> list[tuple[str, float]]:
    return index.match(QUESTION).top(10)


def opened(home: Path) -> list[tuple[str, float]]:
    with Workspace.open(home, write=False) as workspace:
        return ranked(workspace.index(CHUNKING, HashEmbedder()))


def loads(home: Path, file: Path) -> bool:
    with Workspace.open(home, write=False) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        return load_snapshot(file, index.chunks.vocabulary(), index.chunks.generation()) is not None


TEXTS = {
    "basalt": "Basalt is dark and dense.",
    "stone": "玄武岩是黑色的。",
    "tea": "Oolong tea is half oxidised.",
    "ash": "Ash grounds aeroplanes, and so do strikes.",
}


def test_an_index_opens_from_the_file_with_equal_scores_and_goes_on(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "notes"
    file, expected = taken_in(home, folder, **TEXTS)
    assert expected
    assert loads(home, file)
    assert opened(home) == expected
    (folder / "tea.md").unlink()
    _, after = taken_in(home, folder, more="The darkest of stones is basalt.")
    assert after != expected
    assert loads(home, file)
    assert opened(home) == after
    file.unlink()
    assert opened(home) == after


@pytest.mark.parametrize("kind", ["old", "cut", "flipped", "empty", "gone", "folder"])
def test_a_file_that_is_not_the_index_is_passed_over_and_written_anew(tmp_path: Path, kind: str) -> None:
    home, folder = tmp_path / "home", tmp_path / "notes"
    file, _ = taken_in(home, folder, tea=TEXTS["tea"])
    shutil.copy(file, tmp_path / "old")
    taken_in(home, folder, **TEXTS)
    whole = bytearray(file.read_bytes())
    file.unlink()
    expected = opened(home)
    if kind == "old":
        shutil.copy(tmp_path / "old", file)
    elif kind == "folder":
        file.mkdir()
    elif kind != "gone":
        whole[whole.index(b"slots.npy") + 160] ^= 1
        file.write_bytes({"cut": whole[: len(whole) // 2], "flipped": whole, "empty": b""}[kind])
    assert not loads(home, file)
    assert opened(home) == expected
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        assert ranked(index) == expected
        assert index.verify()["ok"]
    assert kind == "folder" or loads(home, file)


def test_a_killed_owner_leaves_the_file_of_its_last_ingest(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "notes"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        file = snapshot_file(index._folder)
        ingest(workspace, index, [folder], warm_sentences=False)
        assert loads(home, file)  # Nothing is closed yet: this is what a kill would leave.
        workspace.remove([record.id for record in workspace.registry if record.source.endswith("ash.md")])
        assert loads(home, file)
        other = workspace.index(CHUNKING, HashEmbedder(dimension=32))
        catch_up(workspace, other, warm_sentences=False)
        with Workspace.open(home, write=False) as reader:
            theirs = reader.index(CHUNKING, HashEmbedder(dimension=32))
            kept = load_snapshot(snapshot_file(other._folder), theirs.chunks.vocabulary(), theirs.chunks.generation())
            assert kept is not None
    file.unlink()
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        assert ranked(index)
        assert loads(home, file)  # Written anew by the first search, not only when this owner closes.


def test_what_a_killed_owner_committed_and_did_not_follow_is_found(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "notes"
    file, _ = taken_in(home, folder, **TEXTS)
    with Workspace.open(home, write=True) as workspace:
        with workspace.registry._database.transaction() as connection:
            connection.execute("DELETE FROM documents WHERE source LIKE '%basalt.md'")
        index = workspace.index(CHUNKING, HashEmbedder())
        assert index.chunks.pending()
        assert loads(home, file)
        assert {identifier for identifier, _ in ranked(index)} <= index.chunks.ids()
