"""Lines that were broken to fit a width -> the running text they were."""

from __future__ import annotations

import re

from chunking.loaders.pdf_characters import HYPHEN
from chunking.normalize import clean

_FULL_WIDTH_MARK = re.compile("[\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]")
_NO_SPACE = re.compile("[\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]")
_LONGEST_WORD = 80
_LETTERS = re.compile(r"[^\W\d_]+")
_LAST_PART = re.compile(r"(?<![\w./:@\\])[^\W\d_]+\Z")
"""Letters alone; parts of addresses, paths and versions keep their hyphens."""
_SUSPENDED = frozenset({"and", "or", "und", "oder"})
"""After the hyphen of "pre- and postconditions"."""
# Words of hyphens of their own: "self-contained", "state-of-the-art", "rule-based".
_FIRST_PARTS = frozenset({"self", "well", "half", "cross", "quasi", "high", "low", "long", "short"})
_SUFFIXES = frozenset({"ish", "less", "ness", "ing", "ings", "ed", "er", "ers", "est", "ly", "age", "light", "way"})
_INNER_PARTS = frozenset({"the", "of", "to", "in", "and", "or", "by", "on", "for", "as", "at", "up", "out", "off"})
_LAST_PARTS = frozenset({"based", "oriented", "specific", "aware", "driven", "friendly", "level"})


def _joins_without_space(before: str, after: str) -> bool:
    if _FULL_WIDTH_MARK.match(before) or _FULL_WIDTH_MARK.match(after):
        return True
    return bool(_NO_SPACE.match(before) and _NO_SPACE.match(after))


def join_lines(lines: list[str]) -> tuple[str, list[int]]:
    """A paragraph of its lines and the offset of each: a space between words, none between Chinese characters,
    broken words mended.
    """
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    tail = ""
    for raw in lines:
        line = raw.strip()
        glue = ""
        if tail.endswith((HYPHEN, "-")) and line:
            if tail.endswith("-"):
                # Whether it broke a word, pdfium tells only where the next line follows in the stream.
                parts[-1] = parts[-1].removesuffix("-")
                length -= 1
            glue = _hyphen(tail[:-1], line)
        elif tail and line and not _joins_without_space(tail[-1], line[0]):
            glue = " "
        body = clean(line)
        parts.append(glue + body)
        starts.append(length + len(glue))
        length += len(glue) + len(body)
        tail = line or tail
    return "".join(parts), starts


def _hyphen(before: str, after: str) -> str:
    """What stands between two lines of which a hyphen ends the first: nothing where it broke a word."""
    token = before[-_LONGEST_WORD:].rsplit(None, 1)[-1] if before and not before[-1].isspace() else ""
    word = _LETTERS.match(after)
    if not token or (word and word.group() in _SUSPENDED):
        return "- "
    part = _LAST_PART.search(token)
    if word is None or part is None:
        return "-" if token[-1].isalnum() and after[0].isalnum() else "- "
    first, second = part.group(), word.group()
    compound = "-" in token[: part.start()]
    if second[0].isupper():
        broken = len(first) > 3 and first.isupper() and second.isupper()
    else:
        broken = not (
            len(first) == 1
            or (compound and first in _INNER_PARTS)
            or (first.lower() in _FIRST_PARTS and second not in _SUFFIXES)
            or (second in _LAST_PARTS and len(first) > 3)
        )
    return "" if broken else "-"
