"""Systems under evaluation that answer from a script."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from chunking.types import Chunk, Document, chunk_id
from graph.types import Answer, Citation, NodeEvent, Route, Status, Turn, Usage
from retrieval.types import DocumentInfo, Hit


def hit(document: Document, start: int, end: int, *, score: float = 1.0, tokens: int | None = None) -> Hit:
    """A passage of a document; its tokens are counted as characters unless given."""
    text = document.text[start:end]
    chunk = Chunk(
        chunk_id(document.id, start, end, text), document.id, start, end, text, len(text) if tokens is None else tokens
    )
    return Hit(chunk, DocumentInfo(document.id, document.source, document.title, document.media_type), score)


def cite(document: Document, start: int, end: int, marker: int = 1) -> Citation:
    return Citation(
        marker, document.id, document.source, document.title, None, start, end, document.text[start:end]
    )  # fmt: skip


def answer(
    question: str,
    text: str,
    *,
    hits: Sequence[Hit] = (),
    citations: Sequence[Citation] = (),
    status: Status = "grounded",
    route: Route = "correct",
    confidence: float = 0.9,
    usage: Usage | None = None,
    trace: Sequence[NodeEvent] = (),
    models: Mapping[str, str] | None = None,
) -> Answer:
    return Answer(
        question, text, status, route, confidence, tuple(citations), (), usage or Usage(),
        {"retrieve": 1.0, "total": 2.0},
        {"name": "scripted", "version": "1"}, models or {"generation": "extractive"}, tuple(hits), tuple(trace),
    )  # fmt: skip


class ScriptedSystem:
    """Answers by a handler, after `delay` seconds; keeps what it was asked."""

    def __init__(
        self,
        handler: Callable[[str], Answer],
        *,
        name: str = "scripted",
        version: str = "0123456789abcdef",
        delay: float = 0.0,
    ) -> None:
        self.name = name
        self.version = version
        self.asked: list[tuple[str, tuple[Turn, ...]]] = []
        self.most_at_once = 0
        self.readied = 0
        self._handler = handler
        self._delay = delay
        self._running = 0

    def manifest(self) -> dict[str, Any]:
        return {"pipeline": self.name}

    async def ready(self) -> dict[str, Any]:
        assert not self.asked
        self.readied += 1
        return {"chunks": 3, "mean_tokens": 41.5}

    async def ask(self, question: str, history: Sequence[Turn]) -> Answer:
        self.asked.append((question, tuple(history)))
        self._running += 1
        self.most_at_once = max(self.most_at_once, self._running)
        await asyncio.sleep(self._delay)
        self._running -= 1
        return self._handler(question)
