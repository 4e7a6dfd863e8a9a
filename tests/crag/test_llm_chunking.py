"""The `llm` strategy from a pipeline file to the index, against a scripted endpoint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.errors import ConfigError
from crag.app import Crag
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.openai import chat_json, error

CATS = "Cats sleep on roofs all day long. Cats like fresh fish very much. Cats hunt mice at night. "
TIDES = "Tides follow the moon every day. Tides are higher at new moon. Tides move boats and sand."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text(f"# Notes\n\n{CATS}{TIDES}\n", encoding="utf-8")
    return docs


def _pipeline(tmp_path: Path, generation: str) -> Path:
    file = tmp_path / "marked.yaml"
    file.write_text(
        "extends: vector\n"
        "chunking: {strategy: llm, target_tokens: 24, min_tokens: 8, max_tokens: 120}\n"
        f"generation: {generation}\n",
        encoding="utf-8",
    )
    return file


def _mark(request: Request) -> Reply:
    lines = request.body["messages"][-1]["content"].split("\n")
    first = next(i for i, line in enumerate(lines, 1) if "Tides follow" in line)
    return chat_json({"boundaries": [{"sentence": first, "opening": "Tides follow the moon"}]})


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(_mark) as running:
        yield running


def _texts(app: Crag, pipeline: Path) -> list[str]:
    hits, _ = app.search("cats and tides", pipeline=pipeline, top_k=10)
    return sorted(hit.chunk.text for hit in hits)


def test_the_model_decides_where_chunks_end(tmp_path: Path, folder: Path, server: ScriptedServer) -> None:
    pipeline = _pipeline(tmp_path, f"{{provider: openai, model: scripted, base_url: '{server.url}/v1'}}")
    with Crag.open(tmp_path / "home", write=True) as app:
        report = app.ingest([folder], pipeline=pipeline)
        assert not report.notes
        assert _texts(app, pipeline) == [f"# Notes\n\n{CATS.strip()}", TIDES]
    sent = server.requests[0].body
    assert "Cats sleep on roofs" in sent["messages"][1]["content"]
    assert sent["response_format"]["json_schema"]["schema"]["required"] == ["boundaries"]


def test_a_model_that_fails_is_named_in_the_report(tmp_path: Path, folder: Path, server: ScriptedServer) -> None:
    pipeline = _pipeline(tmp_path, f"{{provider: openai, model: scripted, base_url: '{server.url}/v1'}}")
    server.enqueue(error(401, "no such key"))
    with Crag.open(tmp_path / "home", write=True) as app:
        report = app.ingest([folder], pipeline=pipeline)
        assert len(_texts(app, pipeline)) > 1
    (note,) = (note for notes in report.notes.values() for note in notes)
    assert note.startswith("Cut as hybrid: ")
    assert "key" in note


def test_without_a_model_ingest_says_what_to_do(tmp_path: Path, folder: Path) -> None:
    pipeline = _pipeline(tmp_path, "{provider: extractive}")
    with Crag.open(tmp_path / "home", write=True) as app, pytest.raises(ConfigError, match="needs a language model"):
        app.ingest([folder], pipeline=pipeline)
