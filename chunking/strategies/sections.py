"""Which blocks and units belong together before any size is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunking.strategies.assembly import Assembler, Measured, Span
from chunking.types import Block
from chunking.units import INSIDE_CODE, REFERS_BACK

_SHARED = 2
"""Sections are packed together when they share a heading path of this depth. The document's title and its chapters
stay apart, so that a new chapter never changes the chunks of those before it."""


@dataclass(frozen=True, slots=True)
class Group:
    """Atoms that may be packed together: `ranges` of units that no cut may part, with tokens, cut costs and the tokens
    of a repeated table header. `cap` bounds the text of a chunk.
    """

    ranges: list[tuple[int, int]]
    tokens: list[int]
    costs: list[float]
    extra: list[int]
    cap: int


def group_units(assembler: Assembler, measured: Measured, *, target: int, coalesce: bool = True) -> list[Group]:
    """Groups in document order. With `coalesce`, tiny neighbours of one block are one atom, which bounds the work of
    packing.
    """
    blocks = assembler.blocks
    groups: list[Group] = []
    first = 0
    units = measured.units
    content: Block | None = None
    last = -1
    for i, (_, _, number, _, _) in enumerate(units):
        if number == last:
            continue
        last = number
        block = blocks[number]
        apart = content is not None and not together(content.heading_path, block.heading_path)
        # Nor may a chunk reach over text that is kept out of the index.
        if i > first and (apart or not assembler.follows(number)):
            groups.append(_group(assembler, measured, (first, i), target, coalesce))
            first, content = i, None
        if block.kind != "heading":
            content = block
    if units:
        groups.append(_group(assembler, measured, (first, len(units)), target, coalesce))
    return groups


def keep_antecedents(
    chosen: Sequence[tuple[int, int]], measured: Measured, group: Group, *, minimum: int
) -> list[tuple[int, int]]:
    """Moves a cut one sentence back where the chunk after it would open on a word that points back, room permitting."""
    ranges = list(chosen)
    for number in range(1, len(ranges)):
        (before, start), (_, end) = ranges[number - 1], ranges[number]
        moved = start - 1
        if not REFERS_BACK <= group.costs[start] < INSIDE_CODE:
            continue
        size = sum(group.tokens[moved:end]) + group.extra[moved]
        if (
            moved > before
            and measured.units[group.ranges[moved][0]].kind == "sentence"
            and group.costs[moved] < REFERS_BACK
            and size <= group.cap
            and sum(group.tokens[before:moved]) >= minimum
        ):
            ranges[number - 1], ranges[number] = (before, moved), (moved, end)
    return ranges


@dataclass(slots=True)
class Piece:
    """Units `first` to `last` (not included) of a chunk to be; `room` is what its tokens may still grow by."""

    first: int
    last: int
    size: int
    room: int


def pieces(measured: Measured, group: Group, chosen: Sequence[tuple[int, int]], *, overlap: int = 0) -> list[Piece]:
    """Pieces of ranges of atoms. With `overlap` a piece begins that many sentences earlier where they fit and no
    heading lies between.
    """
    found = []
    for number, (a, b) in enumerate(chosen):
        start, stop = group.ranges[a][0], group.ranges[b - 1][1]
        size = sum(group.tokens[a:b])
        floor = group.ranges[chosen[number - 1][0]][0] if number else start
        for _ in range(overlap):
            before = start - 1
            if before <= floor or measured.units[before].kind != "sentence" or measured.units[start].kind != "sentence":
                break
            if size + measured.tokens[before] > group.cap:
                break
            size += measured.tokens[before]
            start = before
        found.append(Piece(start, stop, size, group.cap - size - group.extra[a]))
    return found


def join_sections(assembler: Assembler, measured: Measured, found: Sequence[Piece], *, minimum: int) -> list[Span]:
    """Spans of the pieces. A whole section below the minimum joins the chunk before it, an opening below the minimum
    the chunk after it, where both stand under one heading and there is room.

    Looking back only keeps the chunks of earlier sections as they are when a section of lawful size is appended.
    """
    joined: list[Piece] = []

    def opens() -> bool:
        """Whether the last piece is the first under its heading."""
        return len(joined) < 2 or not _near(assembler, measured, joined[-2], joined[-1])

    for piece in found:
        last = joined[-1] if joined else None
        if (
            last is not None
            and (piece.size < minimum or (last.size < minimum and opens()))
            and _near(assembler, measured, last, piece)
            and piece.size <= last.room
            and last.size <= piece.room
        ):
            size = last.size + piece.size
            joined[-1] = Piece(last.first, piece.last, size, min(last.room - piece.size, piece.room - last.size))
        else:
            joined.append(piece)
    return [measured.span(piece.first, piece.last) for piece in joined]


def _near(assembler: Assembler, measured: Measured, before: Piece, after: Piece) -> bool:
    """Whether two pieces share their outermost heading and nothing that is kept out lies between them."""
    last, first, content = measured.units[before.last - 1], measured.units[after.first], measured.units[after.last - 1]
    paths = [assembler.blocks[unit.block].heading_path[:1] for unit in (last, content)]
    adjacent = first.block <= last.block or assembler.follows(first.block)
    return adjacent and bool(paths[0]) and paths[0] == paths[1]


def together(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether texts under these heading paths may share a chunk."""
    return a == b or (len(a) >= _SHARED and a[:_SHARED] == b[:_SHARED])


def _group(assembler: Assembler, measured: Measured, span: tuple[int, int], target: int, coalesce: bool) -> Group:
    first, last = span
    units, tokens = measured.units, measured.tokens
    cap = max(1, min(assembler.rooms[block] for block in {unit.block for unit in units[first:last]}))
    ranges, sizes, costs = [], [], []
    at = first
    while at < last:
        # What must not be parted: a heading and what it announces, a code block, a table's header and first row.
        stop, size = at + 1, tokens[at]
        while size <= cap and stop < last and units[stop].cost >= INSIDE_CODE:
            size += tokens[stop]
            stop += 1
        if size > cap:
            stop, size = _shorten(measured, at, stop, cap, target)
        elif coalesce and stop == at + 1:
            stop, size = _coalesce(measured, at, last, target)
        ranges.append((at, stop))
        sizes.append(size)
        costs.append(units[at].cost)
        at = stop
    return Group(ranges, sizes, costs, [measured.extra[at] for at, _ in ranges], cap)


def _shorten(measured: Measured, at: int, stop: int, cap: int, target: int) -> tuple[int, int]:
    """Part of a run that is too long as a whole: headings keep their follower, lines gather to a quarter target.

    A heading keeps it above the cap too: that is halved in the end, which cuts the follower.
    """
    size = measured.tokens[at]
    for i in range(at + 1, stop):
        glued = measured.units[i - 1].kind in ("heading", "row")
        if measured.units[i - 1].kind == "heading" != measured.units[i].kind:
            size += measured.tokens[i]
            continue
        if size + measured.tokens[i] > cap or (not glued and size + measured.tokens[i] > target // 4):
            return i, size
        size += measured.tokens[i]
    return stop, size


def _coalesce(measured: Measured, at: int, last: int, target: int) -> tuple[int, int]:
    units, tokens = measured.units, measured.tokens
    stop, size = at + 1, tokens[at]
    while (
        stop < last
        and units[stop].block == units[at].block
        and units[stop].cost < INSIDE_CODE
        and size + tokens[stop] <= target // 10
        and (stop + 1 == last or units[stop + 1].cost < INSIDE_CODE)
    ):
        size += tokens[stop]
        stop += 1
    return stop, size
