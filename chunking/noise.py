"""Blocks that would only be found by mistake are kept out of the index, and named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunking.config import ChunkingConfig
from chunking.types import Block, Document


@dataclass(frozen=True, slots=True)
class Noise:
    """Blocks `first` to `last` (not included) of a document and what they are."""

    first: int
    last: int
    reason: str


def find_noise(document: Document) -> list[Noise]:
    """Stretches of noise in document order. Empty where nothing else would remain."""
    blocks = document.blocks
    found: list[Noise] = []
    tail = len(blocks)
    while tail and blocks[tail - 1].kind == "heading":
        tail -= 1
    if tail < len(blocks):
        found.append(Noise(tail, len(blocks), "heading without content"))
    return found if sum(noise.last - noise.first for noise in found) < len(blocks) else []


def kept_blocks(document: Document, config: ChunkingConfig) -> Sequence[Block]:
    """The blocks that chunks are made of."""
    if config.keep_noise:
        return document.blocks
    dropped = {number for noise in find_noise(document) for number in range(noise.first, noise.last)}
    return [block for number, block in enumerate(document.blocks) if number not in dropped]
