"""Plain text: the text stays as it is, paragraphs and chapter lines are found in it."""

from __future__ import annotations

import re

from chunking.loaders.base import Headings, Parsed
from chunking.normalize import decode
from chunking.types import Block

_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
_DIGITS = "一二三四五六七八九十百千零〇\\d"
# Only lines that are chapter titles by their form; anything looser takes short sentences for titles.
_TITLES = (
    (1, re.compile(rf"(?:第[{_DIGITS}]{{1,6}}[章篇部卷编編回]|(?:Chapter|CHAPTER|Part|PART)\s+[\dIVXLC]+\b)")),
    (2, re.compile(rf"第[{_DIGITS}]{{1,6}}[节節]")),
)
_TERMINAL = re.compile(r"[。！？；.!?;:：…][”’」』）)\"']*\Z")


def load_text(data: bytes, source: str) -> Parsed:
    text, note = decode(data, source=source)
    headings = Headings()
    blocks: list[Block] = []
    for start, end in _paragraphs(text):
        level = _title_level(text[start : min(end, start + 61)]) if end - start <= 60 else 0
        if level:
            blocks.append(Block("heading", start, end, headings.enter(level, text[start:end])))
        else:
            blocks.append(Block("paragraph", start, end, headings.path))
    return Parsed(text, tuple(blocks), notes=(note,) if note else ())


def _title_level(line: str) -> int:
    if "\n" in line or _TERMINAL.search(line):
        return 0
    return next((level for level, pattern in _TITLES if pattern.match(line)), 0)


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """Blank lines part paragraphs. So does every newline where lines are whole paragraphs, not wrapped at a width."""
    spans: list[tuple[int, int]] = []
    at = 0
    for match in [*_BLANK.finditer(text), None]:
        stop = match.start() if match else len(text)
        lines = _lines(text, at, stop)
        if _one_a_line(text, lines):
            spans.extend(lines)
        elif lines:
            spans.extend(_with_titles_apart(text, lines))
        at = match.end() if match else stop
    return spans


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    spans = []
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        line = text[start:stop]
        if stripped := line.strip():
            first = start + len(line) - len(line.lstrip())
            spans.append((first, first + len(stripped)))
        start = stop + 1
    return spans


def _one_a_line(text: str, lines: list[tuple[int, int]]) -> bool:
    if len(lines) < 2:
        return True
    ended = sum(bool(_TERMINAL.search(text[max(start, end - 6) : end])) for start, end in lines)
    return ended >= 0.8 * len(lines)


def _with_titles_apart(text: str, lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    joined = False
    for start, end in lines:
        if end - start <= 60 and _title_level(text[start:end]):
            spans.append((start, end))
            joined = False
        elif joined:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
            joined = True
    return spans
