"""Settings files in fences: each setting is a sentence of its own, with the comments above it."""

from __future__ import annotations

import re
from functools import lru_cache

from graph.evidence import Strip

_FENCED = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n(.*?)(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_SETTING = re.compile(
    r"[ \t]*(?:[#;]?[A-Za-z][\w.-]*|[#;] [A-Za-z][\w-]*(?:[._-][\w-]+)+|[#;] [\w.-]+(?=[ \t]*=))[ \t]*(?:=|:(?=\s|\Z))"
)
"""Also one that is commented out; what is behind it must not read as a sentence that a comment opens with "Note:"."""
_COMMENT = re.compile(r"[ \t]*(?:[#;]|//|--(?=\s|\Z)|\[[^\]\n]+\][ \t]*\Z)")
"""The name of a section too."""


# A passage is asked for each of its strips.
@lru_cache(maxsize=256)
def listed_settings(text: str) -> tuple[tuple[int, int], ...]:
    """The settings of the fenced blocks of a passage that hold two and more and nothing but settings and comments."""
    if "```" not in text and "~~~" not in text:
        return ()
    found: list[tuple[int, int]] = []
    for block in _FENCED.finditer(text):
        lines = _lines(text, *block.span(2))
        settings = [_SETTING.match(text[start:end]) is not None for start, end in lines]
        if sum(settings) < 2 or not all(
            own or start == end or _COMMENT.match(text[start:end])
            for own, (start, end) in zip(settings, lines, strict=True)
        ):
            continue
        first: int | None = None
        for own, (start, end) in zip(settings, lines, strict=True):
            if start == end:
                first = None
                continue
            first = start if first is None else first
            if own:
                found.append((first, end))
                first = None
    return tuple(found)


def is_setting(strip: Strip) -> bool:
    """Whether a strip is one of `listed_settings`: code that says what it sets."""
    begin = strip.hit.chunk.start
    return (strip.start - begin, strip.end - begin) in listed_settings(strip.hit.chunk.text)


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Without the space around them; those between have no length."""
    found: list[tuple[int, int]] = []
    at = start
    for line in text[start:end].splitlines(keepends=True):
        bare = line.strip()
        begin = at + (line.index(bare) if bare else 0)
        found.append((begin, begin + len(bare)))
        at += len(line)
    return found
