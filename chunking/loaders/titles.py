"""Titles that are told by their looks alone: most notices and contracts are written without heading styles.

Only documents without headings are looked at, but for one above all the rest. A title is a short line without a full
stop, bold or with the number of a section, that something else follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from chunking.loaders.base import Headings
from chunking.loaders.text import CHAPTERS, SECTIONS, may_be_title
from chunking.types import Block

_TOP, _PLAIN = 1, 5
_ARTICLE = re.compile(r"第[一二三四五六七八九十百零\d]{1,5}条\s*\S")
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,3})(?:[.、．]\s*|\s+)(?=[^\W\d])")
_FEWEST = 2


def with_titles(text: str, blocks: Sequence[Block], bold: AbstractSet[int]) -> tuple[Block, ...]:
    """The blocks, paragraphs that are titles as headings; `bold` are the numbers of those that are bold throughout.

    Text and offsets stay as they are.
    """
    headings = [number for number, block in enumerate(blocks) if block.kind == "heading"]
    if len(headings) > 1 or headings not in ([], [0]):
        return tuple(blocks)
    levels = _followed([_level(text, block, number in bold) for number, block in enumerate(blocks)])
    found = [number for number, level in enumerate(levels) if level]
    if len(found) < _FEWEST:
        return tuple(blocks)
    if not headings and levels[found[0]] == _PLAIN and levels[found[1]] < _PLAIN:
        levels[found[0]] = _TOP
    path = Headings()
    titled: list[Block] = []
    for block, level in zip(blocks, levels, strict=True):
        if block.kind == "heading" or level:
            words = " ".join(text[block.start : block.end].split())
            above = path.enter(level or _TOP, words)
            titled.append(replace(block, kind="heading", heading_path=above))
        else:
            titled.append(replace(block, heading_path=path.path))
    return tuple(titled)


def _level(text: str, block: Block, bold: bool) -> int:
    """From 1, 0 where the block is no title; the numbers of sections count without bold print as well."""
    if block.kind not in ("paragraph", "list") or not may_be_title(text, (block.start, block.end)):
        return 0
    line = text[block.start : block.end]
    for level, form in (*CHAPTERS, *SECTIONS[:2], (2, _ARTICLE)):
        if form.match(line):
            return level + 1
    if not bold:
        return 0
    numbered = _NUMBERED.match(line)
    return 3 + numbered.group(1).count(".") if numbered else _PLAIN


def _followed(levels: Sequence[int]) -> list[int]:
    """The levels of what has text or deeper titles below it: titles side by side are a list."""
    kept = list(levels)
    below = 0
    for number in range(len(levels) - 1, -1, -1):
        last = number == len(levels) - 1
        if levels[number] and (last or (levels[number + 1] and not (below and below > levels[number]))):
            kept[number] = 0
        below = kept[number]
    return kept
