"""Children to match, parents to read: neighbouring chunks of a section share the id of the stretch that holds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from chunking.strategies.base import Chunker
from chunking.strategies.packing import pack
from chunking.strategies.sections import together
from chunking.types import Chunk, Document, chunk_id

_INSIDE_SECTION = 0.3
"""Cost of a parent that ends within a section, on the scale of `packing.pack`."""


class ParentChunker:
    """Gives the chunks of another strategy a `parent_id`. A parent has at most `parent_tokens` tokens (the sum of its
    children) and is the document's text from its first child's start to its last child's end.
    """

    def __init__(self, children: Chunker, parent_tokens: int) -> None:
        self._children = children
        self._tokens = parent_tokens

    def chunk(self, document: Document) -> list[Chunk]:
        found: list[Chunk] = []
        for run in _runs(document, self._children.chunk(document)):
            for first, last in self._pack(run):
                siblings = run[first:last]
                start, end = siblings[0].start, siblings[-1].end
                parent = chunk_id(document.id, start, end, document.text[start:end])
                found.extend(replace(chunk, parent_id=parent) for chunk in siblings)
        return found

    def _pack(self, run: Sequence[Chunk]) -> list[tuple[int, int]]:
        same = [a.heading_path == b.heading_path for a, b in pairwise(run)]
        return pack(
            [chunk.tokens for chunk in run],
            [0.0, *(_INSIDE_SECTION if inside else 0.0 for inside in same)],
            target=max(1, self._tokens * 2 // 3),
            minimum=0,
            cap=self._tokens,
            extra=[0] * len(run),
        )


def _runs(document: Document, chunks: Sequence[Chunk]) -> list[list[Chunk]]:
    """Chunks of one chapter with nothing but whitespace between them."""
    runs: list[list[Chunk]] = []
    for chunk in chunks:
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and together(last.heading_path, chunk.heading_path)
            and not document.text[last.end : chunk.start].strip()
        ):
            runs[-1].append(chunk)
        else:
            runs.append([chunk])
    return runs
