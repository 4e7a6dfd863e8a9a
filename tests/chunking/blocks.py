"""What tests of loaders look at."""

from __future__ import annotations

from chunking.types import Document


def kinds(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def covered(document: Document) -> bool:
    """Blocks are sorted and disjoint, and only whitespace lies between them."""
    at = 0
    for block in document.blocks:
        if document.text[at : block.start].strip():
            return False
        at = block.end
    return not document.text[at:].strip()
