"""Items of a list on pages: what begins one, and how deep each stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chunking.loaders.base import item_indent
from chunking.loaders.pdf_lines import Line

_ITEM = re.compile(
    r"(?:[•·●○▪◦‣]|[-–]\s|\d{1,2}[.)、](?!\d)|[（(]\d{1,2}[)）]|[一二三四五六七八九十]{1,3}、"
    r"|[（(][一二三四五六七八九十]{1,3}[)）]|[①-⑳]|[（(]?[a-z][)）]\s|[（(]?[ivx]{1,4}[)）.]\s)\s*\S"
)
_ANOTHER_COLUMN = 12.0  # em to the right: deeper lists are not indented so far at once
_DEEPER = 0.6  # em
_SHORT = 3.0  # em that a line may end before the others


@dataclass(frozen=True, slots=True)
class Item:
    """`breaks` are the offsets in the text at which pages begin."""

    text: str
    left: float
    em: float
    breaks: tuple[int, ...] = ()


def begins_item(line: Line) -> bool:
    return _ITEM.match(line.text) is not None


def ends_item(item: Sequence[Line], line: Line) -> bool:
    """Whether a line stands too far left to go on with the item whose lines came before."""
    first, last = item[0], item[-1]
    if len(item) > 1 and item[1].left > first.left + _DEEPER * line.size:
        return line.left < first.left + _DEEPER * line.size / 2
    right = max(other.right for other in [*item, line])
    return line.left < first.left - _DEEPER * line.size and right - last.right > _SHORT * line.size


def written(items: Sequence[Item]) -> tuple[str, list[int]]:
    """The list, a line an item, indented by their depth, and the offsets at which pages begin."""
    lines: list[str] = []
    breaks: list[int] = []
    length = 0
    open_lefts: list[float] = []
    for item in items:
        if open_lefts and not -1 < item.left - open_lefts[0] < _ANOTHER_COLUMN * item.em:
            open_lefts = []  # another column, or a list of its own
        while open_lefts and item.left < open_lefts[-1] - _DEEPER * item.em:
            open_lefts.pop()
        if not open_lefts or item.left > open_lefts[-1] + _DEEPER * item.em:
            open_lefts.append(item.left)
        indent = item_indent(len(open_lefts) - 1)
        breaks += [length + len(indent) + at for at in item.breaks]
        lines.append(indent + item.text)
        length += len(lines[-1]) + 1
    return "\n".join(lines), breaks
