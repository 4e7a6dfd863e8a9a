"""A workspace whose index another release wrote: it was cut into other words, or embedded otherwise."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from chunking.errors import StoreError
from crag.app import Crag
from retrieval.ingest import ingest
from retrieval.workspace import DATABASE

THEIRS = "0" * 16
"""A fingerprint that this release gives no index."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "cats.txt").write_text("Cats sleep on roofs all day long.", encoding="utf-8")
    with Crag.open(tmp_path / "home", "hybrid", write=True) as app:
        pipeline = app.resolved().pipeline
        index = app.workspace.index(pipeline.chunking, app.embedder(), pipeline.embedding, fingerprint=THEIRS)
        ingest(app.workspace, index, [tmp_path / "cats.txt"], warm_sentences=False)
        assert app.workspace.switch("hybrid", index)
    return tmp_path / "home"


def test_it_answers_until_the_index_of_this_release_is_whole(home: Path) -> None:
    with Crag.open(home, "hybrid") as app:
        app.require_index()
        hits, degraded = app.search("Where do cats sleep?")
        assert ([hit.document.title for hit in hits], [each.stage for each in degraded]) == (["cats"], ["index"])
    with Crag.open(home, "hybrid", write=True) as app:
        app.catch_up()
        assert app.search("Where do cats sleep?")[1] == ()
        assert app.verify_index()["ok"]
        assert [each["fingerprint"] for each in app.prune_indexes()] == [THEIRS]


def test_vectors_of_another_embedder_answer_no_question(home: Path) -> None:
    with sqlite3.connect(home / DATABASE) as connection:
        connection.execute("UPDATE indexes SET embedder = 'local-of-another-release'")
    connection.close()
    with Crag.open(home, "hybrid") as app, pytest.raises(StoreError, match="run crag index rebuild"):
        app.require_index()
