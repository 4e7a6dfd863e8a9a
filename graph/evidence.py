"""Evidence for an answer: whole-sentence strips of passages, grouped into numbered sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from graph.types import Citation
from retrieval.types import Hit


@dataclass(frozen=True, slots=True)
class Strip:
    """A sentence of a passage, in the document's own offsets: ``document.text[start:end] == text``.

    `relevance` is relative to the best strip of the question, 0 to 1; `by_part` says the same of each part of a
    question that has several.
    """

    hit: Hit
    start: int
    end: int
    text: str
    relevance: float
    by_part: tuple[float, ...] = ()
    heading: str = ""
    """The nearest one above it."""


@dataclass(frozen=True, slots=True)
class Source:
    """One passage and its kept strips, in document order. `number` is what a marker refers to."""

    number: int
    hit: Hit
    strips: tuple[Strip, ...]

    @property
    def text(self) -> str:
        """The strips as one text; ``...`` stands where sentences were left out."""
        parts = [self.strips[0].text]
        for before, after in pairwise(self.strips):
            parts.append(self._between(before, after) if self.adjacent(before, after) else " ... ")
            parts.append(after.text)
        return "".join(parts)

    @property
    def gaps(self) -> tuple[str, ...]:
        """What stands in the passage before each strip, since the one before it."""
        return ("", *(self._between(before, after) for before, after in pairwise(self.strips)))

    def adjacent(self, before: Strip, after: Strip) -> bool:
        """Whether nothing was left out between two strips of this source."""
        return not self._between(before, after).strip()

    def _between(self, before: Strip, after: Strip) -> str:
        chunk = self.hit.chunk
        return chunk.text[before.end - chunk.start : after.start - chunk.start]

    def cite(self, marker: int, strips: Sequence[Strip] = ()) -> Citation:
        """The span from the first to the last of `strips` (of all strips where none is given)."""
        used = strips or self.strips
        chunk, document = self.hit.chunk, self.hit.document
        start, end = min(strip.start for strip in used), max(strip.end for strip in used)
        return Citation(
            marker=marker,
            document=document.id,
            source=document.source,
            title=document.title,
            page=chunk.page,
            start=start,
            end=end,
            quote=chunk.text[start - chunk.start : end - chunk.start],
            url=document.url,
            also_in=self.hit.also_in,
            date=document.date,
            accessed=document.accessed,
        )


def number_sources(strips: Iterable[Strip], order: Sequence[Hit]) -> tuple[Source, ...]:
    """Sources in the order of `order` (best passage first), their strips in document order."""
    by_chunk: dict[str, list[Strip]] = {}
    for strip in strips:
        by_chunk.setdefault(strip.hit.chunk.id, []).append(strip)
    kept = [hit for hit in {hit.chunk.id: hit for hit in order}.values() if hit.chunk.id in by_chunk]
    return tuple(
        Source(number, hit, tuple(sorted(by_chunk[hit.chunk.id], key=lambda strip: strip.start)))
        for number, hit in enumerate(kept, 1)
    )
