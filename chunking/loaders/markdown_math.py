"""Displayed formulas in Markdown: a block rule, as a line of ``=`` or ``- b`` inside one is no heading and no list."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock

_OPENING = re.compile(r"\$\$|\\\[|\\begin\{([A-Za-z]{1,20}\*?)\}")
_CLOSINGS = {"$$": "$$", "\\[": "\\]"}
_ENDING = re.compile(r"(?:\$\$|\\\]|\\end\{[A-Za-z]{1,20}\*?\})\Z")
_LONGEST_ENDING = 40
_MOST_LINES = 200
"""Of a formula."""


def use_math(parser: MarkdownIt) -> None:
    """Formulas between ``$$``, ``\\[`` and ``\\]``, or of an environment become tokens ``math_block``.

    Both marks stand at the ends of their lines. A formula that begins on the line of its mark holds no blank line.
    """
    parser.block.ruler.before("fence", "math", _math, {"alt": ["paragraph", "reference", "blockquote", "list"]})


def _math(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.is_code_block(start_line):
        return False
    first = _line(state, start_line)
    opening = _OPENING.match(first)
    if opening is None:
        return False
    closing = f"\\end{{{opening.group(1)}}}" if opening.group(1) else _CLOSINGS[opening.group()]
    alone = opening.end() == len(first)
    last = start_line
    if not first[opening.end() :].endswith(closing):
        ends = _endings(state).get(closing, [])
        place = bisect_right(ends, start_line)
        last = ends[place] if place < len(ends) else end_line
        if last >= min(end_line, start_line + _MOST_LINES):
            return False
    for number in range(start_line + 1, last + 1):
        line = _line(state, number)
        if (not line and not alone) or (line and state.sCount[number] < state.blkIndent):
            return False
    if not silent:
        state.line = last + 1
        token = state.push("math_block", "math", 0)
        token.map = [start_line, state.line]
    return True


def _endings(state: StateBlock) -> dict[str, list[int]]:
    """The lines that each closing mark ends. Found once: marks that never close would be looked for from each."""
    found: dict[str, list[int]] | None = state.env.get("math")
    if found is None:
        found = state.env["math"] = {}
        for number, end in enumerate(state.eMarks):
            if mark := _ENDING.search(state.src[max(0, end - _LONGEST_ENDING) : end].rstrip()):
                found.setdefault(mark.group(), []).append(number)
    return found


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip()
