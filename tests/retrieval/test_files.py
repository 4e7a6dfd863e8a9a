from __future__ import annotations

import os
from pathlib import Path

import pytest

from retrieval.files import find_files
from retrieval.index import Index
from retrieval.ingest import ingest
from retrieval.workspace import Workspace


def test_what_is_no_readable_file_is_named_with_its_reason(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("Tea.", encoding="utf-8")
    (folder / ".hidden.txt").write_text("no", encoding="utf-8")
    (folder / "lost.txt").symlink_to(tmp_path / "nowhere")
    (folder / "again").symlink_to(folder)
    os.mkfifo(folder / "pipe.txt")
    Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff.txt")).write_text("x", encoding="utf-8")
    found = find_files([folder, tmp_path / "absent", tmp_path / ("n" * 300), folder / "pipe.txt"])
    assert list(found.files.values()) == ["docs/a.txt"]
    reasons = {Path(path).name: reason for path, reason in found.skipped}
    assert reasons["lost.txt"] == "is a link that leads nowhere"
    assert reasons["pipe.txt"] == "is not a regular file"
    assert reasons["bad\ufffd.txt"] == "its name is not UTF-8: rename it"
    assert reasons["absent"] == "no such file or folder"
    assert len(reasons) == 5


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may list every folder")
def test_a_folder_that_cannot_be_listed_is_unknown_not_empty(tmp_path: Path) -> None:
    closed = tmp_path / "docs" / "closed"
    closed.mkdir(parents=True)
    closed.chmod(0)
    try:
        found = find_files([tmp_path / "docs"])
        assert [path for path, _ in found.skipped] == [str(closed)]
        assert found.may_hold(str(closed / "a.txt"))
    finally:
        closed.chmod(0o700)


def test_prune_keeps_what_may_still_be_there(workspace: Workspace, index: Index, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    for name in ("a.txt", "sub/b.txt", "sub/c.txt"):
        (folder / name).write_text(f"Text of {name}, long enough to be kept.", encoding="utf-8")
    assert ingest(workspace, index, [folder], warm_sentences=False).added == 3
    (folder / "a.txt").unlink()
    (folder / "sub").rename(tmp_path / "away")
    # As a mount point whose disk is gone looks.
    (folder / "sub").symlink_to(tmp_path / "nowhere")
    report = ingest(workspace, index, [folder], prune=True, warm_sentences=False)
    assert report.removed == 1
    assert [Path(entry.path).name for entry in report.skipped] == ["sub"]
    assert len(workspace.registry) == 2


def test_a_file_that_became_unreadable_keeps_its_last_version_and_says_so(
    workspace: Workspace, index: Index, tmp_path: Path
) -> None:
    file = tmp_path / "a.txt"
    file.write_text("Green tea is not fermented.", encoding="utf-8")
    ingest(workspace, index, [file], warm_sentences=False)
    file.write_text("", encoding="utf-8")
    report = ingest(workspace, index, [file], prune=True, warm_sentences=False)
    assert report.skipped[0].reason.endswith("; the version taken in before stays")
    (record,) = workspace.registry.documents()
    assert "not fermented" in workspace.registry.get(record.info.id).text
