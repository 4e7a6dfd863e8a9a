"""The data that flows: bytes -> `Document` -> `Chunk`. All offsets are Python code points."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "quote", "math", "other"]

TokenCounter = Callable[[Sequence[str]], list[int]]
"""Token counts of each text, in the tokens of the pipeline's embedder, special tokens left out."""


@dataclass(frozen=True, slots=True)
class Block:
    """A structural unit of a document: ``document.text[start:end]``.

    Blocks are sorted and disjoint; the text between them is whitespace. `heading_path` is the
    headings above the block, outermost first (a heading block's own title is its last entry).
    `page` counts from 1 and is None where the format has no pages.
    """

    kind: BlockKind
    start: int
    end: int
    heading_path: tuple[str, ...] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file. `id` is stable for an origin (see `document_id`), `source` is what a reader is
    shown (a path relative to the ingested folder, or a URL), `content_hash` is the SHA-256 hex digest
    of the original bytes, `text` is normalised text that every offset refers to.
    """

    id: str
    source: str
    title: str
    media_type: str
    content_hash: str
    text: str
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()
    """What the reader should know: the encoding that was guessed, pages without text, noise left out."""
    page_starts: tuple[int, ...] = ()
    """Offsets at which pages 1, 2, ... begin; empty where the format has no pages."""

    def page_at(self, offset: int) -> int | None:
        """The page, from 1, that an offset lies on."""
        return max(1, bisect_right(self.page_starts, offset)) if self.page_starts else None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A retrievable span: ``text == document.text[start:end]``.

    `tokens` counts `text`; `embedded_text` (context and text) is what is embedded and indexed, and
    never exceeds the chunker's cap unless `forced`: a single unit (sentence, row, line) above the cap
    that had to be cut.
    """

    id: str
    document_id: str
    start: int
    end: int
    text: str
    tokens: int
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    parent_id: str | None = None
    forced: bool = False
    context: str = ""
    note: str = ""
    """What the reader of an ingest report should know of the cut: a model's boundaries that were refused."""

    @property
    def embedded_text(self) -> str:
        return f"{self.context}\n{self.text}" if self.context else self.text


def document_id(origin: str) -> str:
    """16 hex digits of the SHA-256 of an origin (absolute path or URL)."""
    return hashlib.sha256(origin.encode()).hexdigest()[:16]


def chunk_id(document_id: str, start: int, end: int, text: str) -> str:
    """24 hex digits that identify a span of a document by place and content."""
    return hashlib.sha256(f"{document_id}\0{start}\0{end}\0{text}".encode()).hexdigest()[:24]
