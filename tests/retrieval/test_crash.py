"""Kill -9 at any moment of ingest, update and delete: nothing lost, nothing twice."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from retrieval.ingest import ingest
from retrieval.workspace import Workspace
from tests.fakes.corpus import CHUNKING
from tests.fakes.embedder import HashEmbedder

SCRIPT = """
import sys
from pathlib import Path
from retrieval.ingest import ingest
from retrieval.workspace import Workspace
from tests.fakes.embedder import HashEmbedder
from tests.fakes.corpus import CHUNKING
with Workspace.open(Path(sys.argv[1]), write=True) as workspace:
    index = workspace.index(CHUNKING, HashEmbedder())
    index.dense(HashEmbedder().embed(["warm"], "query")[0], 1)
    print("ready", flush=True)
    ingest(workspace, index, [Path(sys.argv[2])], prune=True, warm_sentences=False)
"""


def write_corpus(folder: Path, version: int, numbers: range) -> None:
    folder.mkdir(exist_ok=True)
    for number in numbers:
        subject = f"item{number} version{version}"
        sections = [f"## Part {part}\n\n" + f"The {subject} has property p{part}x{number}. " * 8 for part in range(6)]
        (folder / f"doc{number:03}.md").write_text("\n\n".join(sections), encoding="utf-8")


def contents(home: Path, repair: bool) -> dict[str, Any]:
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        if repair:
            index.dense(HashEmbedder().embed(["any"], "query")[0], 1)
        verdict = index.verify()
        assert verdict["ok"], verdict
        assert index.status()["pending"] == 0
        vocabulary = index.chunks.vocabulary()
        ids = sorted(index.chunks.ids())
        vectors = index.vectors(ids)
        return {
            "documents": {r.origin: r.content_hash for r in workspace.registry},
            "chunks": [index.chunks.get(ids)[i] for i in ids],
            "vectors": np.stack([vectors[i] for i in ids]),
            "counts": {
                identifier: {vocabulary[t]: int(n) for t, n in zip(*tally, strict=True)}
                for identifier, _, tally in index.chunks.counts()
            },
            "top": index.match("property p3x7 item12").top(20),
        }


def run_and_kill(home: Path, folder: Path, delay: float) -> bool:
    """True when it was killed before it had finished."""
    with subprocess.Popen([sys.executable, "-c", SCRIPT, str(home), str(folder)], stdout=subprocess.PIPE) as child:
        assert child.stdout
        assert child.stdout.readline() == b"ready\n"
        time.sleep(delay)
        if child.poll() is not None:
            assert child.returncode == 0
            return False
        child.kill()
    return True


def test_killed_at_random_moments_equals_never_killed(tmp_path: Path) -> None:
    random.seed(time.time_ns())
    folder, home = tmp_path / "corpus", tmp_path / "home"
    changes: list[Callable[[], None]] = [
        lambda: write_corpus(folder, 1, range(100)),
        lambda: write_corpus(folder, 2, range(20, 70)),
        lambda: [path.unlink() for path in sorted(folder.iterdir())[:30]] and None,
    ]
    kills = 0
    for change in changes:
        change()
        for _ in range(2):
            kills += run_and_kill(home, folder, random.uniform(0, 0.5))
        with Workspace.open(home, write=True) as workspace:
            ingest(workspace, workspace.index(CHUNKING, HashEmbedder()), [folder], prune=True, warm_sentences=False)
        clean = tmp_path / "clean"
        with Workspace.open(clean, write=True) as workspace:
            ingest(workspace, workspace.index(CHUNKING, HashEmbedder()), [folder], prune=True, warm_sentences=False)
        survived, expected = contents(home, repair=False), contents(clean, repair=False)
        np.testing.assert_array_equal(survived.pop("vectors"), expected.pop("vectors"))
        assert survived == expected
    assert kills
