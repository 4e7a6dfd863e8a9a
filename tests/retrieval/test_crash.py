"""Kill -9 at any moment of ingest, update and delete: nothing lost, nothing twice."""

from __future__ import annotations

import multiprocessing
import random
import signal
from collections.abc import Callable
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrieval.ingest import ingest
from retrieval.workspace import Workspace
from tests.fakes.corpus import CHUNKING
from tests.fakes.embedder import HashEmbedder
from tests.fakes.victim import ingest_folder


def write_corpus(folder: Path, version: int, numbers: range) -> None:
    folder.mkdir(exist_ok=True)
    for number in numbers:
        subject = f"item{number} version{version}"
        sections = [f"## Part {part}\n\n" + f"The {subject} has property p{part}x{number}. " * 8 for part in range(6)]
        (folder / f"doc{number:03}.md").write_text("\n\n".join(sections), encoding="utf-8")


def delete(folder: Path, number: int) -> None:
    for path in sorted(folder.iterdir())[:number]:
        path.unlink()


def contents(home: Path) -> dict[str, Any]:
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        verdict = index.verify()
        assert verdict["ok"], verdict
        assert index.status()["pending"] == 0
        vocabulary = index.chunks.vocabulary()
        ids = sorted(index.chunks.ids())
        vectors = index.vectors(ids)
        return {
            "documents": {r.origin: r.content_hash for r in workspace.registry},
            "chunks": index.chunks.get(ids),
            "vectors": np.stack([vectors[i] for i in ids]),
            "counts": {
                identifier: {vocabulary[t]: int(n) for t, n in zip(*tally, strict=True)}
                for identifier, _, tally in index.chunks.counts()
            },
            "top": index.match("property p3x7 item12").top(20),
        }


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    """Forked from a server that has imported everything and opened nothing."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.fakes.victim"])
    return context


def run_and_kill(processes: ForkServerContext, home: Path, folder: Path, delay: float) -> bool:
    """True when it was killed before it had finished."""
    ready = processes.Event()
    child = processes.Process(target=ingest_folder, args=(home, folder, ready))
    child.start()
    assert ready.wait(60)
    child.join(delay)
    child.kill()
    child.join()
    assert child.exitcode in (0, -signal.SIGKILL)
    return child.exitcode != 0


@pytest.mark.skipif("forkserver" not in multiprocessing.get_all_start_methods(), reason="needs kill -9 and fork")
def test_killed_at_random_moments_equals_never_killed(tmp_path: Path, processes: ForkServerContext) -> None:
    folder, home, clean = tmp_path / "corpus", tmp_path / "home", tmp_path / "clean"
    changes: list[Callable[[], None]] = [
        lambda: write_corpus(folder, 1, range(100)),
        lambda: write_corpus(folder, 2, range(20, 70)),
        lambda: delete(folder, 30),
    ]
    kills = 0
    for change in changes:
        change()
        # Longer each time: an ingest takes .08 s on an idle machine, and once one has finished none is left to kill.
        for longest in (0.03, 0.06, 0.12, 0.5):
            kills += run_and_kill(processes, home, folder, random.uniform(0, longest))
        for path in (home, clean):
            with Workspace.open(path, write=True) as workspace:
                index = workspace.index(CHUNKING, HashEmbedder())
                ingest(workspace, index, [folder], prune=True, warm_sentences=False)
        survived, expected = contents(home), contents(clean)
        np.testing.assert_array_equal(survived.pop("vectors"), expected.pop("vectors"))
        assert survived == expected
    assert kills >= 3
