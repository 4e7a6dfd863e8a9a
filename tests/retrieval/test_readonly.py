"""A workspace where nothing can be written: it can be asked, and nothing in it changes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from retrieval.index import Index
from retrieval.ingest import ingest
from retrieval.workspace import Workspace
from tests.fakes.corpus import CHUNKING
from tests.fakes.embedder import HashEmbedder

SCRIPT = f"""
import json, sys
from pathlib import Path
from {__name__} import asked
print(json.dumps(asked(Path(sys.argv[1]))))
"""
QUESTION = "Which tea is half oxidised, oolong or green?"


def asked(home: Path) -> dict[str, Any]:
    """What a search of `home` gives, and whether it verifies."""
    from chunking.errors import StoreError
    from retrieval.config import RetrievalConfig
    from retrieval.embedders.cache import CachedEmbedder
    from retrieval.retriever import Retriever

    try:
        with Workspace.open(home, write=False) as workspace:
            embedder = HashEmbedder()
            index = workspace.index(CHUNKING, CachedEmbedder(embedder, workspace.cache))
            found = Retriever(index, index.embedder, RetrievalConfig()).retrieve(QUESTION)
            calls = embedder.calls
            index.embedder.embed([hit.chunk.embedded_text for hit in found.hits], "passage")
            return {
                "hits": [(hit.chunk.id, dict(hit.ranks)) for hit in found.hits],
                "degraded": [entry.to_dict() for entry in found.degraded],
                "ok": index.verify()["ok"],
                "embedded_again": embedder.calls - calls,
            }
    except StoreError as error:
        return {"error": str(error)}


def asked_read_only(home: Path) -> dict[str, Any]:
    """The same from a process to which `home` is read-only."""
    command = [sys.executable, "-c", SCRIPT, str(home)]
    if os.geteuid() == 0:
        # Root writes whatever the modes say: only a mount stops it.
        mount = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
        if shutil.which("unshare") is None or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
            pytest.skip("root without the right to mount cannot make a folder read-only")
        command = ["unshare", "-m", "sh", "-c", mount, "sh", str(home), *command]
    root = Path(__file__).parents[2]
    _writable(home, False)
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    finally:
        _writable(home, True)
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def _writable(home: Path, yes: bool) -> None:
    for path in (home, *home.rglob("*")):
        path.chmod((0o755 if path.is_dir() else 0o644) if yes else (0o555 if path.is_dir() else 0o444))


def state(home: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in home.rglob("*") if path.is_file()}


def test_a_read_only_home_is_asked_as_any_other_and_left_as_it_is(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    with Workspace.open(home, write=True) as workspace:
        from retrieval.embedders.cache import CachedEmbedder

        index = workspace.index(CHUNKING, CachedEmbedder(HashEmbedder(), workspace.cache))
        ingest(workspace, index, [folder], warm_sentences=False)
    expected = json.loads(json.dumps(asked(home)))
    assert expected["hits"]
    assert expected["ok"]
    before = state(home)
    assert asked_read_only(home) == expected | {"degraded": []}
    assert state(home) == before


def test_one_that_was_not_closed_says_what_to_do(
    tmp_path: Path, workspace: Workspace, index: Index, folder: Path
) -> None:
    ingest(workspace, index, [folder], warm_sentences=False)
    shutil.copytree(workspace.home, tmp_path / "copy", ignore=shutil.ignore_patterns("*-shm", "lock"))
    error = asked_read_only(tmp_path / "copy")["error"]
    assert "is read-only, and what wrote it was not closed: open it once where it can be written" in error
