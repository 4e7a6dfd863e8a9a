"""A full disk, and an index switch that is killed: nothing lost, nothing twice, one clear instruction."""

from __future__ import annotations

import multiprocessing
import random
import shutil
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from retrieval.config import RetrievalConfig
from retrieval.ingest import catch_up, ingest
from retrieval.retriever import Retriever
from retrieval.workspace import Workspace
from tests.fakes.corpus import CHUNKING
from tests.fakes.embedder import HashEmbedder
from tests.fakes.victim import ingest_until_full, rebuild_often, switch_index


def corpus(folder: Path, count: int) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(count):
        body = "\n\n".join(f"## Part {part}\n\n" + f"Item {number} has property p{part}. " * 8 for part in range(5))
        (folder / f"doc{number:03}.md").write_text(body, encoding="utf-8")


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    """Forked from a server that has imported everything and opened nothing."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        pytest.skip("needs fork, kill -9 and limits on files")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.fakes.victim"])
    return context


def test_a_switch_killed_at_random_moments_is_resumed_while_the_earlier_index_answers(
    tmp_path: Path, processes: ForkServerContext
) -> None:
    folder, home = tmp_path / "corpus", tmp_path / "home"
    corpus(folder, 80)
    with Workspace.open(home, write=True) as workspace:
        old = workspace.index(CHUNKING, HashEmbedder())
        ingest(workspace, old, [folder], warm_sentences=False)
        assert workspace.switch("mine", old)
        expected = old.match("property p3 12").top(10)
    kills = 0
    for longest in (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5):
        ready = processes.Event()
        child = processes.Process(target=switch_index, args=(home, ready))
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
            assert not answering.awaiting
    assert kills >= 2
    with Workspace.open(home, write=True) as workspace:
        new = workspace.index(CHUNKING, HashEmbedder(dimension=32))
        catch_up(workspace, new, warm_sentences=False)
        assert workspace.switch("mine", new)
        for index in (workspace.index(CHUNKING, HashEmbedder()), new):
            assert index.verify()["ok"], index.verify()
        assert new.status()["documents"] == 80


def test_rebuilds_beside_a_reader_that_asks_on_and_on(tmp_path: Path, processes: ForkServerContext) -> None:
    folder, home = tmp_path / "corpus", tmp_path / "home"
    corpus(folder, 10)
    with Workspace.open(home, write=True) as workspace:
        ingest(workspace, workspace.index(CHUNKING, HashEmbedder()), [folder], warm_sentences=False)
    (index,) = (home / "indexes").iterdir()
    for name in ("partial", "gone"):  # As a process leaves them that was killed.
        shutil.copytree(index, index.with_name(f"{index.name}.{name}"))
    ready = processes.Event()
    child = processes.Process(target=rebuild_often, args=(home, 4, ready))
    child.start()
    with Workspace.open(home, write=False) as workspace:
        read = workspace.index(CHUNKING, HashEmbedder())
        retriever = Retriever(read, read.embedder, RetrievalConfig())
        while child.exitcode is None:
            assert retriever.retrieve("property p3 of item 7").hits
        assert child.exitcode == 0
        assert retriever.retrieve("property p3 of item 7").degraded == ()
        assert read.verify()["ok"]
    assert list((home / "indexes").iterdir()) == [index]


@pytest.mark.parametrize("limit", [60_000, 300_000])
def test_a_disk_that_is_full_gives_one_sentence_and_costs_nothing(
    tmp_path: Path, processes: ForkServerContext, limit: int
) -> None:
    """The system refuses every file that would grow over the limit, as a full disk refuses all."""
    folder, home = tmp_path / "corpus", tmp_path / "home"
    corpus(folder, 60)
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        (tmp_path / "first.txt").write_text("Basalt is dark.")
        ingest(workspace, index, [tmp_path / "first.txt"], warm_sentences=False)
    receive, send = processes.Pipe(duplex=False)
    child = processes.Process(target=ingest_until_full, args=(home, folder, limit, send))
    child.start()
    send.close()
    said = receive.recv()
    child.join()
    assert child.exitcode == 0
    # An error of the project's own, which says what to do next.
    assert ": " in said, said
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        assert workspace.registry.find("first.txt").characters == 15
        ingest(workspace, index, [folder], warm_sentences=False)
        assert len(workspace.registry) == 61
        assert index.verify()["ok"], index.verify()
