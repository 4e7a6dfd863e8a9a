"""What retrieval hands upward: `Hit`, with every stage's own score and rank."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from fnmatch import fnmatchcase
from typing import Literal

from pydantic import BaseModel, ConfigDict

from chunking.errors import ConfigError
from chunking.types import Chunk

Stage = Literal["dense", "bm25", "rrf", "convex", "rerank"]

DEFAULT_COLLECTION = "default"
"""Where documents go, and where questions look, when no collection is named."""
_COLLECTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def check_collection(name: str) -> str:
    """The name of a collection, unchanged. Raises ConfigError for one that cannot be."""
    if not _COLLECTION.fullmatch(name):
        raise ConfigError(
            f"{name[:80]!r} cannot name a collection: use up to 64 letters, digits, dots, dashes and underscores, "
            "beginning with a letter or digit."
        )
    return name


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """What a hit and a citation say of their document. `url` is set for web pages.

    `date` is an ISO day: of a file, when it was last modified; of a web page, when it was published, where the search
    engine says so. `accessed` is the day on which a web page was found.
    """

    id: str
    source: str
    title: str
    media_type: str
    url: str | None = None
    date: str | None = None
    collection: str = DEFAULT_COLLECTION
    accessed: str | None = None


@dataclass(frozen=True, slots=True)
class Copy:
    """Where else the passage of a hit stands: ``document.text[start:end]`` says nothing that the hit does not."""

    start: int
    end: int
    page: int | None
    document: DocumentInfo

    def to_dict(self) -> dict[str, object]:
        """One entry of ``also_in``, of a hit and of a citation."""
        return {
            "document": self.document.id,
            "source": self.document.source,
            "title": self.document.title,
            "page": self.page,
            "start": self.start,
            "end": self.end,
            "url": self.document.url,
        }


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found. `score` is the score of the last stage that ranked it.

    `scores` and `ranks` (from 1) keep what each stage said. A stage that did not return the chunk has no rank; its
    score is there all the same where it was cheap to compute. dense: cosine; bm25: BM25 score; rrf and convex: fused
    scores; rerank: the reranker's own scale.
    `signals` are further features that grading uses, e.g. ``best_sentence`` and ``coverage``. `also_in` are the places
    of passages that were found too and are copies of this one.
    """

    chunk: Chunk
    document: DocumentInfo
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)
    signals: Mapping[str, float] = field(default_factory=dict)
    also_in: tuple[Copy, ...] = ()

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
            "also_in": [copy.to_dict() for copy in self.also_in],
        }


class Filters(BaseModel):
    """Restricts a search. Every given field must match.

    `collection`, `source` and `title` are glob patterns; a title's case is ignored, and one without a wildcard may
    stand anywhere in it. Dates are inclusive. No `collection` means the default one, unless `documents` are named.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    collection: str | None = None
    documents: tuple[str, ...] | None = None
    source: str | None = None
    title: str | None = None
    media_type: str | None = None
    date_from: date | None = None
    date_to: date | None = None

    @property
    def title_pattern(self) -> str | None:
        """Lower case, with the wildcards that a plain title is given."""
        title = self.title
        return None if title is None else title.lower() if set(title) & set("*?[") else f"*{title.lower()}*"

    def matches(self, document: DocumentInfo, default: str = DEFAULT_COLLECTION) -> bool:
        collection = self.collection or (None if self.documents is not None else default)
        day = document.date or ""
        return (
            (collection is None or fnmatchcase(document.collection, collection))
            and (self.documents is None or document.id in self.documents)
            and (self.source is None or fnmatchcase(document.source, self.source))
            and (self.title_pattern is None or fnmatchcase(document.title.lower(), self.title_pattern))
            and (self.media_type is None or document.media_type == self.media_type)
            and (self.date_from is None or day >= self.date_from.isoformat())
            and (self.date_to is None or "" < day <= self.date_to.isoformat())
        )


@dataclass(frozen=True, slots=True)
class Degraded:
    """A stage that failed and what was done instead: never silent, always in the answer."""

    stage: str
    reason: str
    action: str
    code: str = ""
    """Of the error behind `reason`, see `CragError`."""

    def to_dict(self) -> dict[str, str]:
        return {"stage": self.stage, "reason": self.reason, "action": self.action, "code": self.code}
