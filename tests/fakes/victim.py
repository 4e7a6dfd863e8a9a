"""An ingest in a process of its own, to be killed at any moment. Importing this warms what every such process needs."""

from __future__ import annotations

from multiprocessing.synchronize import Event
from pathlib import Path

import chromadb  # noqa: F401 - a second of import time that each process would spend before it can be killed

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
