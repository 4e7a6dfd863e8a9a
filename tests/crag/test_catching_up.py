"""A server whose pipeline has another chunking than before starts at once and builds the new index beside."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from crag.app import Crag
from tests.crag.serving import serving
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.openai import chat_json

TEXT = "Cats sleep on roofs all day long. Cats like fresh fish very much. Cats hunt mice at night. "


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Until it is set, the model that marks the boundaries of the new chunks does not answer."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def model(gate: threading.Event) -> Iterator[ScriptedServer]:
    def mark(request: Request) -> Reply:
        gate.wait()
        return chat_json({"boundaries": [{"sentence": 2, "opening": "Cats like fresh fish"}]})

    with ScriptedServer(mark) as running:
        yield running
        gate.set()


def search(url: str, top_k: int = 10) -> tuple[list[str], list[str]]:
    """The texts that are found, and the stages that degraded."""
    body = json.dumps({"question": "What do cats like?", "pipeline": "notes", "top_k": top_k}).encode()
    request = urllib.request.Request(f"{url}/v1/search", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        found = json.load(reply)
    return [hit["text"] for hit in found["hits"]], [entry["stage"] for entry in found["degraded"]]


def test_the_index_before_answers_while_the_new_one_is_built(
    tmp_path: Path, gate: threading.Event, model: ScriptedServer
) -> None:
    home, file, source = tmp_path / "home", tmp_path / "notes.yaml", tmp_path / "cats.txt"
    source.write_text(TEXT, encoding="utf-8")
    file.write_text("extends: vector\nchunking: {strategy: sentence}\n", encoding="utf-8")
    with Crag.open(home, file, write=True) as app:
        app.ingest([source])
    file.write_text(
        "extends: vector\n"
        "chunking: {strategy: llm, only: all, target_tokens: 16, min_tokens: 8, max_tokens: 120}\n"
        f"generation: {{provider: openai, model: scripted, base_url: '{model.url}/v1', timeout: 600}}\n",
        encoding="utf-8",
    )
    with serving(home, "--pipeline", str(file)) as server:
        assert "being built for notes" in server.banner
        assert search(server.url) == ([TEXT.strip()], ["index"])
        gate.set()
        for _ in range(1200):
            texts, degraded = search(server.url)
            if not degraded:
                break
            time.sleep(0.1)
        assert degraded == []
        assert len(texts) > 1
