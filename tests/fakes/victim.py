"""An ingest in a process of its own, to be killed at any moment. Importing this warms what every such process needs."""

from __future__ import annotations

import resource
import signal
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path

import chromadb  # noqa: F401 - a second of import time that each process would spend before it can be killed

from chunking.errors import CragError
from retrieval.ingest import catch_up, ingest
from retrieval.lexical.tokenizer import tokenize
from retrieval.workspace import Workspace
from tests.fakes.corpus import CHUNKING
from tests.fakes.embedder import HashEmbedder

tokenize("预热词典 warm")


def ingest_folder(home: Path, folder: Path, ready: Event) -> None:
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        ready.set()
        ingest(workspace, index, [folder], prune=True, warm_sentences=False)


def switch_index(home: Path, ready: Event) -> None:
    """Build the index of another embedder beside the first one, and switch."""
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder(dimension=32))
        ready.set()
        catch_up(workspace, index, warm_sentences=False)
        workspace.switch("mine", index)


def rebuild_often(home: Path, times: int, ready: Event) -> None:
    with Workspace.open(home, write=True) as workspace:
        index = workspace.index(CHUNKING, HashEmbedder())
        ready.set()
        for _ in range(times):
            index.rebuild()
            index.status()


def ingest_until_full(home: Path, folder: Path, limit: int, told: Connection) -> None:
    """Ingest where no file may grow over `limit` bytes, and tell what that gave: a sentence, or that all went in."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with Workspace.open(home, write=True) as workspace:
            index = workspace.index(CHUNKING, HashEmbedder())
            index.match("load what has to be read")
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            ingest(workspace, index, [folder], warm_sentences=False)
    except CragError as error:
        told.send(str(error))
    else:
        told.send("all went in")
