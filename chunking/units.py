"""What a chunk may be made of: sentences, table rows, code lines, headings. Each unit knows what a cut before it costs.

Costs are on the scale of `chunking.strategies.packing`: a chunk of half the target size costs 0.25.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from chunking.lines import line_spans
from chunking.sentences import split_sentences
from chunking.types import Block

UnitKind = Literal["heading", "sentence", "row", "line"]

AFTER_HEADING = 1e6
AFTER_TABLE_HEAD = 1e5
INSIDE_CODE = 1e4
REFERS_BACK = 1.5
"""Before a sentence that points at the one before it; comes on top of what the place costs."""
INSIDE_ITEM = 0.6
BETWEEN_ITEMS = 0.4
AFTER_LEAD_IN = 0.5
"""Between "as follows:" and what follows."""
INSIDE_WORD = 0.3
INSIDE_PARAGRAPH = 0.15
BETWEEN_ROWS = 0.05
BETWEEN_BLOCKS = 0.0

# What opens a fence may be the first line of an item; what closes it stands alone.
_FENCE = re.compile(r"[ \t>]*((?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}(?![^\n]*`)|~{3,})")
_FENCE_END = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*\Z")
_ROW = re.compile(r"[ \t>]*\|.*\|[ \t]*\Z")
_SEPARATOR_ROW = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_ITEM = re.compile(r"(?:[-*+•·●○▪◦–‣]|[（(]?(?:\d{1,3}|[a-zA-Z]|[一二三四五六七八九十]{1,3})[.)）、．])")
_POINTS_BACK = re.compile(
    # The letters that every one of the words begins with, so that other sentences fail at once.
    r"[\s“\"'*_（(]*(?=[上以前该該这這此后後如ts])(?:上述|以上|前述|该|該|这|這|此(?!外|后|後)|前者|后者|後者|如下"
    r"|(?:this|these|such|the (?:above|former|latter|same))\b)",
    re.IGNORECASE,
)
_MAY_POINT_BACK = frozenset("“\"'*_（(上以前该該這这此后後如tTsSſ")
"""What any match of `_POINTS_BACK` begins with: most sentences are told apart by it."""
_LEAD_IN = re.compile(r"[:：][*_”\"]*\Z")


class Unit(NamedTuple):
    """``text[start:end]``, inside block number `block`; `cost` is that of a cut right before it.

    A tuple: a document has thousands, and a frozen dataclass takes three times as long to make.
    """

    start: int
    end: int
    block: int
    kind: UnitKind
    cost: float


def split_units(text: str, blocks: Sequence[Block]) -> list[Unit]:
    """Units of the blocks in order; together they cover each block up to whitespace."""
    units: list[Unit] = []
    for number, block in enumerate(blocks):
        first = BETWEEN_BLOCKS
        if units:
            last = units[-1]
            if last.kind == "heading":
                first = AFTER_HEADING
            elif block.kind != "heading" and _LEAD_IN.search(text, max(0, last.end - 4), last.end):
                first = AFTER_LEAD_IN
            elif block.kind == "other" and blocks[last.block].heading_path == block.heading_path:
                first = INSIDE_PARAGRAPH
        units.extend(_block_units(text, block, number, first))
    return units


def table_head(text: str, block: Block) -> tuple[int, int]:
    """Span of the header row of a table, with its separator row where it has one."""
    lines = line_spans(text, block.start, block.end)
    last = 1 if len(lines) > 2 and _SEPARATOR_ROW.match(text, *lines[1]) and "-" in text[slice(*lines[1])] else 0
    return lines[0][0], lines[last][1]


def _block_units(text: str, block: Block, number: int, first: float) -> list[Unit]:
    if block.kind in ("heading", "math"):
        return [Unit(block.start, block.end, number, "heading" if block.kind == "heading" else "sentence", first)]
    if block.kind == "code":
        spans = line_spans(text, block.start, block.end)
        return [Unit(*span, number, "line", INSIDE_CODE if i else first) for i, span in enumerate(spans)]
    if block.kind == "table":
        return _row_units(text, block, number, first)
    if block.kind == "list" or _holds_fence(text, block):
        return _list_units(text, block, number, first)
    units = []
    cost = first
    for start, end in split_sentences(text, block.start, block.end):
        if text[start] in _MAY_POINT_BACK and cost < REFERS_BACK and _POINTS_BACK.match(text, start, end):
            cost += REFERS_BACK
        units.append((start, end, number, "sentence", cost))
        cost = INSIDE_PARAGRAPH
    return [*map(Unit._make, units)]  # half the time of calls by name


def _holds_fence(text: str, block: Block) -> bool:
    return text.find("```", block.start, block.end) >= 0 or text.find("~~~", block.start, block.end) >= 0


def _row_units(text: str, block: Block, number: int, first: float) -> list[Unit]:
    head_end = table_head(text, block)[1]
    units: list[Unit] = []
    in_body = 0
    for start, end in line_spans(text, block.start, block.end):
        in_body += start >= head_end
        # The first row stays with the header: a header alone says nothing.
        cost = BETWEEN_ROWS if in_body > 1 else AFTER_TABLE_HEAD
        units.append(Unit(start, end, number, "row", cost if units else first))
    return units


def _list_units(text: str, block: Block, number: int, first: float) -> list[Unit]:
    """Items by sentences; fenced code and table rows inside items stay whole."""
    units: list[Unit] = []
    margin: int | None = None
    prose_start: int | None = None
    fence = ""

    def add(span: tuple[int, int], kind: UnitKind, cost: float) -> None:
        units.append(Unit(*span, number, kind, cost if units else first))

    def item_cost(start: int) -> float:
        nonlocal margin
        indent = start - (text.rfind("\n", 0, start) + 1)
        if margin is None:
            margin = indent
        return BETWEEN_ITEMS if indent <= margin and _ITEM.match(text, start) else INSIDE_ITEM

    def prose(until: int) -> None:
        if prose_start is None:
            return
        for span in split_sentences(text, prose_start, until):
            add(span, "sentence", item_cost(span[0]))

    in_table = False
    for start, end in line_spans(text, block.start, block.end):
        line = text[start:end]
        if fence:
            add((start, end), "line", INSIDE_CODE)
            if (closing := _FENCE_END.match(line)) and closing.group(1).startswith(fence):
                fence = ""
        elif mark := _FENCE.match(line):
            prose(start)
            prose_start, in_table = None, False
            fence = mark.group(2)
            add((start, end), "line", item_cost(start) if mark.group(1) else INSIDE_ITEM)
        elif _ROW.match(line):
            prose(start)
            prose_start = None
            add((start, end), "row", BETWEEN_ROWS if in_table else INSIDE_ITEM)
            in_table = True
        elif prose_start is None:
            prose_start, in_table = start, False
    prose(block.end)
    return units
