"""What retrieval hands upward: `Hit`, with every stage's own score and rank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Literal

from pydantic import BaseModel, ConfigDict

from chunking.types import Chunk

Stage = Literal["dense", "bm25", "rrf", "rerank"]


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """What a hit and a citation say of their document. `url` and `date` are set for web pages."""

    id: str
    source: str
    title: str
    media_type: str
    url: str | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found. `score` is the score of the last stage that ranked it.

    `scores` and `ranks` (from 1) keep what each stage said. A stage that did not return the chunk has no rank; its
    score is there all the same where it was cheap to compute. dense: cosine; bm25: BM25 score; rrf: fused score;
    rerank: the reranker's own scale.
    `signals` are further features that grading uses, e.g. ``best_sentence`` and ``coverage``.
    """

    chunk: Chunk
    document: DocumentInfo
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)
    signals: Mapping[str, float] = field(default_factory=dict)

    def at_stage(self, stage: Stage, score: float, rank: int, **signals: float) -> Hit:
        """A copy that has passed one more stage; nothing that earlier stages said is lost."""
        return replace(
            self,
            score=score,
            scores={**self.scores, stage: score},
            ranks={**self.ranks, stage: rank},
            signals={**self.signals, **signals},
        )

    def to_dict(self, rank: int) -> dict[str, object]:
        """The shape of one entry of ``crag search --json``."""
        return {
            "rank": rank,
            "document": self.document.id,
            "source": self.document.source,
            "title": self.document.title,
            "start": self.chunk.start,
            "end": self.chunk.end,
            "text": self.chunk.text,
            "page": self.chunk.page,
            "heading_path": list(self.chunk.heading_path),
            "score": self.score,
            "scores": dict(self.scores),
            "ranks": dict(self.ranks),
        }


class Filters(BaseModel):
    """Restricts a search. Every given field must match; `source` is a glob pattern."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    documents: tuple[str, ...] | None = None
    source: str | None = None
    media_type: str | None = None

    def matches(self, document: DocumentInfo) -> bool:
        return (
            (self.documents is None or document.id in self.documents)
            and (self.source is None or fnmatchcase(document.source, self.source))
            and (self.media_type is None or document.media_type == self.media_type)
        )


@dataclass(frozen=True, slots=True)
class Degraded:
    """A stage that failed and what was done instead: never silent, always in the answer."""

    stage: str
    reason: str
    action: str

    def to_dict(self) -> dict[str, str]:
        return {"stage": self.stage, "reason": self.reason, "action": self.action}
