"""What is written down of each answer: one line of JSON, the figures for `/metrics`, and the answer for feedback.

A line of ``HOME/answers.log`` (turned over at 10 MB, five kept)::

    {"time": ISO 8601 UTC, "request", "answer": id, "key": name of the key or null, "user": as the client said, "model",
     "version", "stream": bool, "question", "outcome": "answered"|"left"|"error", "status", "route", "confidence",
     "citations": number, "degraded": [stage], "usage": {...}, "first_text_ms", "total_ms", "error": type or null}
"""

from __future__ import annotations

import logging
import logging.handlers
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crag.api.errors import error_parts, to_json
from crag.api.feedback import Answers
from crag.api.telemetry import Metrics, request_id
from crag.pipeline import Pipeline
from graph.types import Answer

FILE = "answers.log"
_LINES = 10_000_000, 5


@dataclass
class Asked:
    """A question on its way, from the request to its outcome."""

    id: str
    question: str
    pipeline: Pipeline
    stream: bool
    user: str | None
    key: str | None
    started: float = field(default_factory=time.perf_counter)
    first_text: float | None = None
    """Seconds to the first text."""

    def text_began(self) -> None:
        if self.first_text is None:
            self.first_text = time.perf_counter() - self.started


class Records:
    """Each question ends in exactly one of `answered`, `left` and `failed`."""

    def __init__(self, home: Path, metrics: Metrics, answers: Answers, *, questions: bool) -> None:
        """`questions` says whether the log holds what was asked."""
        self._metrics = metrics
        self._answers = answers
        self._questions = questions
        self._log = logging.Logger("crag.answers")
        size, files = _LINES
        self._log.addHandler(
            logging.handlers.RotatingFileHandler(
                home / FILE, maxBytes=size, backupCount=files, encoding="utf-8", delay=True
            )
        )

    def answered(self, asked: Asked, answer: Answer) -> None:
        self._metrics.answered(answer, asked.first_text)
        self._answers.keep(asked.id, answer.to_dict(trace=True))
        self._write(
            asked,
            outcome="answered",
            status=answer.status,
            route=answer.route,
            confidence=answer.confidence,
            citations=len(answer.citations),
            degraded=[entry.stage for entry in answer.degraded],
            usage=answer.usage.to_dict(),
        )

    def left(self, asked: Asked) -> None:
        """The client closed its connection first."""
        self._metrics.failed.labels(asked.pipeline.name, "left").inc()
        self._write(asked, outcome="left")

    def failed(self, asked: Asked, error: Exception) -> dict[str, Any]:
        """The body that tells the client."""
        _, body = error_parts(error)
        self._metrics.failed.labels(asked.pipeline.name, "error").inc()
        self._write(asked, outcome="error", error=body["error"]["type"])
        return body

    def close(self) -> None:
        for handler in self._log.handlers:
            handler.close()

    def _write(self, asked: Asked, **outcome: Any) -> None:
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "request": request_id(),
            "answer": asked.id,
            "key": asked.key,
            "user": asked.user,
            "model": asked.pipeline.name,
            "version": asked.pipeline.version,
            "stream": asked.stream,
            **({"question": asked.question} if self._questions else {}),
            **outcome,
            "first_text_ms": None if asked.first_text is None else round(1000 * asked.first_text, 1),
            "total_ms": round(1000 * (time.perf_counter() - asked.started), 1),
        }
        self._log.info(to_json(line))
