"""Notices of a real file system."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from retrieval.files import linked
from retrieval.watch import changes


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    (tmp_path / "outside" / "inner").mkdir(parents=True)
    (tmp_path / "outside" / "file.md").write_text("one")
    return tmp_path / "outside"


def test_what_links_lead_to_is_followed_as_they_come(tmp_path: Path, outside: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    stop = threading.Event()
    steps = changes([folder], stop)
    assert next(steps)
    (folder / "file.md").symlink_to(outside / "file.md")
    (folder / "inner").symlink_to(outside / "inner")
    (folder / "loop").symlink_to(folder)
    assert linked([folder]) == ({outside / "inner"}, {outside / "file.md"})
    assert next(steps)
    (outside / "file.md").write_text("two")
    assert next(steps)
    (outside / "inner" / "new.md").write_text("new")
    assert next(steps)
    stop.set()
    assert list(steps) == []


def test_a_folder_that_is_made_anew_is_followed_again(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    stop = threading.Event()
    steps = changes([folder], stop)
    assert next(steps)
    shutil.rmtree(folder)
    assert next(steps)
    folder.mkdir()
    assert next(steps)
    (folder / "a.md").write_text("a")
    assert next(steps)
    stop.set()
    steps.close()


def test_now_and_then_without_a_change(tmp_path: Path) -> None:
    steps = changes([tmp_path], again=0.1)
    assert [next(steps), next(steps)] == [True, False]
    steps.close()
