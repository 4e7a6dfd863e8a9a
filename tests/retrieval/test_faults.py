"""A full disk, and an index switch that is killed: nothing lost, nothing twice, one clear instruction."""

from __future__ import annotations

import multiprocessing
import random
import subprocess
import sys
from pathlib import Path

import pytest

from retrieval.ingest import catch_up, ingest
from retrieval.workspace import Workspace
from tests.fakes.corpus import CHUNKING
from tests.fakes.embedder import HashEmbedder
from tests.fakes.victim import switch_index


def corpus(folder: Path, count: int) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(count):
        body = "\n\n".join(f"## Part {part}\n\n" + f"Item {number} has property p{part}. " * 8 for part in range(5))
        (folder / f"doc{number:03}.md").write_text(body, encoding="utf-8")


@pytest.mark.skipif("forkserver" not in multiprocessing.get_all_start_methods(), reason="needs kill -9 and fork")
def test_a_switch_killed_at_random_moments_is_resumed_while_the_earlier_index_answers(tmp_path: Path) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.fakes.victim"])
    folder, home = tmp_path / "corpus", tmp_path / "home"
    corpus(folder, 80)
    with Workspace.open(home, write=True) as workspace:
        old = workspace.index(CHUNKING, HashEmbedder())
        ingest(workspace, old, [folder], warm_sentences=False)
        assert workspace.switch("mine", old)
        expected = old.match("property p3 12").top(10)
    kills = 0
    for longest in (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5):
        ready = context.Event()
        child = context.Process(target=switch_index, args=(home, ready))
        child.start()
        assert ready.wait(60)
        child.join(random.uniform(0, longest))
        child.kill()
        child.join()
        kills += child.exitcode != 0
        with Workspace.open(home, write=False) as reader:
            found = reader.index(CHUNKING, HashEmbedder())
            assert found.match("property p3 12").top(10) == expected
            # One index answers, the old or the new, and it is whole.
            (answering,) = [each for each in reader.indexes() if each.pipelines]
            assert not answering.missing
    assert kills >= 2
    with Workspace.open(home, write=True) as workspace:
        new = workspace.index(CHUNKING, HashEmbedder(dimension=32))
        catch_up(workspace, new, warm_sentences=False)
        assert workspace.switch("mine", new)
        for index in (workspace.index(CHUNKING, HashEmbedder()), new):
            assert index.verify()["ok"], index.verify()
        assert new.status()["documents"] == 80


FILL = """
import resource, signal, sys
from pathlib import Path
from chunking.errors import CragError
from retrieval.ingest import ingest
from retrieval.workspace import Workspace
from tests.fakes.corpus import CHUNKING
from tests.fakes.embedder import HashEmbedder
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
home, folder, limit = sys.argv[1:]
try:
    with Workspace.open(Path(home), write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        index.match("load what has to be read")
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))
        ingest(workspace, index, [Path(folder)], warm_sentences=False)
except CragError as error:
    print(error)
    sys.exit(1)
"""


@pytest.mark.parametrize("limit", [60_000, 300_000])
def test_a_disk_that_is_full_gives_one_sentence_and_costs_nothing(tmp_path: Path, limit: int) -> None:
    """The system refuses every file that would grow over the limit, as a full disk refuses all."""
    folder, home = tmp_path / "corpus", tmp_path / "home"
    corpus(folder, 120)
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        (tmp_path / "first.txt").write_text("Basalt is dark.")
        ingest(workspace, index, [tmp_path / "first.txt"], warm_sentences=False)
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(home), str(folder), str(limit)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert ":" in done.stdout
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        assert workspace.registry.find("first.txt").characters == 15
        ingest(workspace, index, [folder], warm_sentences=False)
        assert len(workspace.registry) == 121
        assert index.verify()["ok"], index.verify()
