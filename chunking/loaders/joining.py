"""Lines that were broken to fit a width -> the running text they were."""

from __future__ import annotations

import re

from chunking.loaders.pdf_characters import HYPHEN
from chunking.normalize import clean

_FULL_WIDTH_MARK = re.compile("[\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]")
_NO_SPACE = re.compile("[\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]")


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
        if tail.endswith(HYPHEN):
            glue = ""
        elif tail and line and not _joins_without_space(tail[-1], line[0]):
            glue = " "
        body = clean(line)
        parts.append(glue + body)
        starts.append(length + len(glue))
        length += len(glue) + len(body)
        tail = line or tail
    return "".join(parts), starts
