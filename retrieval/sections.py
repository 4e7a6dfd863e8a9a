"""Small chunks are matched, their section is read: siblings among the hits give way to the stretch that holds them.

Chunks have a parent where `chunking.parent_tokens` gives them one. The section takes the place of its best chunk, with
that chunk's scores and ranks, so that a reranker, the grade and the answer read it whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from chunking.types import Chunk
from retrieval.types import Hit


@dataclass(frozen=True, slots=True)
class Section:
    """A parent as a passage, and the number of chunks that it was cut into."""

    passage: Chunk
    chunks: int


def merge_siblings(
    hits: Sequence[Hit],
    *,
    best: int,
    share: float,
    sections: Callable[[Collection[str]], Mapping[str, Section]],
) -> list[Hit]:
    """The hits, best first, where a section stands for its chunks if at least `share` of them are among the `best`.

    One chunk among the best is always needed, and with a share of 0 it is enough. Chunks of a merged section further
    down are dropped, as they are in it. `sections` looks parents up by id.
    """
    among = Counter(parent for hit in hits[:best] if (parent := hit.chunk.parent_id) is not None)
    if not among:
        return list(hits)
    merged = {
        parent: section
        for parent, section in sections(among).items()
        if section.chunks > 1 and among[parent] >= share * section.chunks
    }
    siblings: dict[str, list[Hit]] = {}
    for hit in hits:
        if hit.chunk.parent_id in merged:
            siblings.setdefault(hit.chunk.parent_id, []).append(hit)
    kept: list[Hit] = []
    for hit in hits:
        own = siblings.get(hit.chunk.parent_id or "")
        if own is None:
            kept.append(hit)
        elif own[0] is hit:
            kept.append(_joined(own, merged[hit.chunk.parent_id or ""].passage))
    return kept


def _joined(siblings: Sequence[Hit], passage: Chunk) -> Hit:
    """Signals are the greatest of any, for the passage holds them all."""
    signals: dict[str, float] = {}
    for hit in siblings:
        for name, value in hit.signals.items():
            signals[name] = max(value, signals.get(name, value))
    places = tuple(dict.fromkeys(place for hit in siblings for place in hit.also_in))
    return replace(siblings[0], chunk=passage, signals=signals, also_in=places)
