"""Line breaks that mean something: headings and fields of plain text, which hard-wrapped sentences have beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator

HEADING_SHARE = 0.6
"""A first line this much shorter than the next one was not broken for want of room."""
HEADING_LENGTH = 60
"""Characters of a heading at most."""

_FIELD = re.compile(
    r"[ \t]*(?!\d)[^\s:：|。.!?！？,，]{1,20}(?: [^\s:：|。.!?！？,，]{1,20}){0,3}[ \t]*[:：][ \t]*(?![/\\:])\S"
)
_ENDS = re.compile(r"[.。!！?？,，;；:：、…)）】\]\"”’-][ \t]*\Z")
_LINE = re.compile(r"\S(?:[^\n]*\S)?")
_BEGINS = re.compile(r"[ \t]*[^\Wa-z_]")
_NUMBERED = re.compile(r"\s*(\d{1,2})(?:\.\d{1,2})*[.)、．]?[ \t]+\S")
_ARTICLE = re.compile(r"\s*第[一二三四五六七八九十百零\d]{1,5}[章节節条條款篇部]")


def pieces(text: str, start: int, end: int, unmarked: bool) -> Iterator[tuple[int, int, bool]]:
    """``text[start:end]``, one sentence, parted where a heading or a field ends: spans, and whether each is a heading.

    Headings are looked for where they are `unmarked`. A line break inside a sentence that was only wrapped parts
    nothing.
    """
    lines = _lines(text, start, end)
    at_line_start = not text[text.rfind("\n", 0, start) + 1 : start].strip()
    if unmarked and len(lines) > 1 and at_line_start and _heads(text, lines[0], lines[1]):
        yield (*lines[0], True)
        lines = lines[1:]
    if len(lines) < 2:
        yield from ((*line, False) for line in lines)
        return
    fields = [_FIELD.match(text, *line) is not None for line in lines]
    if not at_line_start or sum(fields) < 2:
        yield (lines[0][0], lines[-1][1], False)
        return
    begins = fields.index(True)
    if begins:
        yield (lines[0][0], lines[begins - 1][1], False)
    lines, fields = lines[begins:], fields[begins:]
    first = lines[0][0]
    for (_, stop), (begin, _), field in zip(lines, lines[1:], fields[1:], strict=False):
        if field:
            yield (first, stop, False)
            first = begin
    yield (first, lines[-1][1], False)


def is_field(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` is a field on lines of its own: "Present: Ada Byron"."""
    alone = not text[text.rfind("\n", 0, start) + 1 : start].strip() and not text[end:].partition("\n")[0].strip()
    return alone and _FIELD.match(text, start, end) is not None


def is_numbered_heading(before: str, sentence: str, after: str) -> bool:
    """Whether "3. Procedure" is a heading: no number goes before it or after it, as in a list."""
    mark = _NUMBERED.match(sentence)
    if mark is None or len(sentence) > HEADING_LENGTH or _ENDS.search(sentence) or "\n" in sentence.strip():
        return False
    number = int(mark[1])
    return _number(after) != number + 1 and _number(before) != number - 1


def _number(sentence: str) -> int | None:
    mark = _NUMBERED.match(sentence)
    return int(mark[1]) if mark else None


def _heads(text: str, line: tuple[int, int], following: tuple[int, int]) -> bool:
    said, after = text[slice(*line)], text[slice(*following)]
    if len(said) > HEADING_LENGTH or _ENDS.search(said) or _FIELD.match(said) or not _BEGINS.match(after):
        return False
    return _ARTICLE.match(said) is not None or len(said) < HEADING_SHARE * len(after)


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    return [match.span() for match in _LINE.finditer(text, start, end)]
