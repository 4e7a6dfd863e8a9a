from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.embedders.cache import CachedEmbedder
from retrieval.index import Index
from retrieval.workspace import Workspace
from tests.fakes.corpus import CHUNKING, TEXTS
from tests.fakes.embedder import HashEmbedder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of four small documents, two of them Chinese or with identifiers."""
    for name, text in TEXTS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "notes"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path / "home", write=True) as workspace:
        yield workspace


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()


@pytest.fixture
def index(workspace: Workspace, embedder: HashEmbedder) -> Index:
    return workspace.index(CHUNKING, CachedEmbedder(embedder, workspace.cache))
