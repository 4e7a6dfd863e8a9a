"""One verb: a `Loader` turns the bytes of one format into text and blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from chunking.types import Block, BlockKind

MAX_TEXT_BYTES = 20_000_000
"""Largest text, Markdown, HTML or LaTeX file: some 7 million Chinese characters, far beyond any one document."""
MAX_BINARY_BYTES = 200_000_000
"""Largest PDF or DOCX file, pictures included; what a DOCX unpacks to is held to the same bound."""
_DEEPEST_ITEM = 12


def item_indent(depth: int) -> str:
    """What stands before a list item at a depth from 0. Deeper than Word, HTML or LaTeX sets lists, all stand alike:
    indentation that grows with thousands of levels would square the length of a text.
    """
    return "  " * min(depth, _DEEPEST_ITEM)


@dataclass(frozen=True, slots=True)
class Parsed:
    """Blocks are sorted and disjoint. `title` is empty where the format names none. `page_starts` are the offsets
    at which pages begin, empty where the format has no pages.
    """

    text: str
    blocks: tuple[Block, ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    page_starts: tuple[int, ...] = ()


class Loader(Protocol):
    def __call__(self, data: bytes, source: str) -> Parsed:
        """Raises DocumentError; `source` is the name that its message gives the file."""
        ...


class Headings:
    """The headings that are open at a point of a document."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._open)

    def leave(self, level: int) -> None:
        """Closes what is as deep or deeper."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()

    def enter(self, level: int, title: str) -> tuple[str, ...]:
        """Closes what is as deep or deeper; the path then ends with `title`."""
        self.leave(level)
        self._open.append((level, title))
        return self.path


class TextBuilder:
    """Text and blocks side by side, for formats whose text has to be composed. A blank line parts the blocks."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._headings = Headings()
        self.blocks: list[Block] = []

    @property
    def text(self) -> str:
        return "".join(self._parts)

    @property
    def next_start(self) -> int:
        """Where a block that is added now would begin."""
        return self._length + 2 if self._parts else 0

    def close_headings(self) -> None:
        """What follows (a chapter, a slide) stands under none of the headings so far."""
        self._headings = Headings()

    def leave(self, level: int) -> None:
        """What follows stands under no heading of this level or below."""
        self._headings.leave(level)

    def add(self, kind: BlockKind, text: str, *, level: int = 0, page: int | None = None) -> None:
        """Outer whitespace goes, an empty block is not added; `level` counts for headings, from 1."""
        text = text.strip("\n").rstrip() if kind == "code" else text.strip()
        if not text.strip():
            return
        path = self._headings.enter(level, " ".join(text.split())) if kind == "heading" else self._headings.path
        if self._parts:
            self._parts.append("\n\n")
            self._length += 2
        self.blocks.append(Block(kind, self._length, self._length + len(text), path, page))
        self._parts.append(text)
        self._length += len(text)
