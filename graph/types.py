"""What the graph hands upward: an `Answer`, and the events on the way to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from retrieval.types import Copy, Degraded, Hit

Status = Literal["grounded", "partial", "abstained"]
Route = Literal["correct", "ambiguous", "incorrect"]
Language = Literal["zh", "en"]
Sought = Literal["person", "thing", "either"]
"""What a pronoun may mean."""


@dataclass(frozen=True, slots=True)
class Citation:
    """Marker ``[marker]`` of the answer: ``document.text[start:end] == quote``. `url` is set for web pages.

    `date` is an ISO day: when a file was last modified, or a web page published, None where nobody says. `accessed` is
    the day on which a web page was found.
    `also_in` are the places of passages that say the same and were found too.
    """

    marker: int
    document: str
    source: str
    title: str
    page: int | None
    start: int
    end: int
    quote: str
    url: str | None = None
    also_in: tuple[Copy, ...] = ()
    date: str | None = None
    accessed: str | None = None

    def to_dict(self) -> dict[str, Any]:
        shape = {name: getattr(self, name) for name in self.__slots__}
        return {**shape, "also_in": [copy.to_dict() for copy in self.also_in]}


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of all model calls of one answer, and their number."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    model_calls: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.model_calls + other.model_calls,
        )

    def to_dict(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Answer:
    """The last word on a question.

    `confidence` is the calibrated probability that the evidence holds the answer. `timings` are
    milliseconds by node, summed over loops, and ``total``. `hits` is the final evidence, best first;
    `trace` lists the node events in order. Both stay out of the default JSON.
    """

    question: str
    text: str
    status: Status
    route: Route
    confidence: float
    citations: tuple[Citation, ...] = ()
    degraded: tuple[Degraded, ...] = ()
    usage: Usage = Usage()
    timings: Mapping[str, float] = field(default_factory=dict)
    pipeline: Mapping[str, str] = field(default_factory=dict)
    """``name`` and ``version``."""
    models: Mapping[str, str] = field(default_factory=dict)
    """Provider in use by role: embedding, rerank, generation, web."""
    hits: tuple[Hit, ...] = ()
    trace: tuple[NodeEvent, ...] = ()

    def to_dict(self, *, trace: bool = False) -> dict[str, Any]:
        """The shape of ``crag ask --json`` and of the API's `crag` extension."""
        shape: dict[str, Any] = {
            "question": self.question,
            "text": self.text,
            "status": self.status,
            "route": self.route,
            "confidence": self.confidence,
            "citations": [citation.to_dict() for citation in self.citations],
            "degraded": [entry.to_dict() for entry in self.degraded],
            "usage": self.usage.to_dict(),
            "timings": dict(self.timings),
            "pipeline": dict(self.pipeline),
            "models": dict(self.models),
        }
        if trace:
            shape["trace"] = [event.to_dict() for event in self.trace]
            shape["hits"] = [hit.to_dict(rank) for rank, hit in enumerate(self.hits, 1)]
        return shape


@dataclass(frozen=True, slots=True)
class NodeEvent:
    """A node finished: what it decided, and how long it took in milliseconds."""

    node: str
    milliseconds: float
    detail: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {"node": self.node, "milliseconds": self.milliseconds, "detail": dict(self.detail)}


@dataclass(frozen=True, slots=True)
class NodeStarted:
    node: str


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer, already verified: the deltas join to exactly `Answer.text`."""

    text: str


@dataclass(frozen=True, slots=True)
class AnswerReady:
    answer: Answer


Event = NodeStarted | NodeEvent | TextDelta | AnswerReady

Turn = tuple[Literal["user", "assistant", "system"], str]
"""One earlier turn of a conversation."""
