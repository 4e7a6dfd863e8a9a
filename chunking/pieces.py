"""Cuts a single unit that alone exceeds the cap, at the least bad places."""

from __future__ import annotations

import itertools
import re
import unicodedata

from chunking.types import TokenCounter

_PIECE = 96
"""Characters of a first cut: small beside any cap, so that packing stays tight."""
_WEAK = re.compile(r"[，、；：,;:|/\\]\s*|\s+")
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


def cut_pieces(text: str, start: int, end: int, limit: int, count_tokens: TokenCounter) -> list[tuple[int, int, int]]:
    """(start, end, tokens) of pieces that tile the span, each of at most `limit` tokens where a user-perceived
    character allows it. Cuts fall after punctuation or whitespace where some is near. Linear time.
    """
    spans = slices(text, start, end, _PIECE)
    done: dict[tuple[int, int], int] = {}
    waiting = spans
    while waiting:
        counts = count_tokens([text[a:b] for a, b in waiting])
        halved: list[tuple[int, int]] = []
        for (a, b), count in zip(waiting, counts, strict=True):
            if count <= limit or b - a < 2:
                done[a, b] = count
            else:
                middle = safe_cut(text, a, b, (a + b) // 2)
                halved += [(a, middle), (middle, b)]
        waiting = halved
    return [(a, b, tokens) for (a, b), tokens in sorted(done.items())]


def slices(text: str, start: int, end: int, width: int) -> list[tuple[int, int]]:
    """Spans of at most `width` characters that tile the range, cut after punctuation or whitespace if near."""
    spans = []
    while end - start > width:
        weak = [match.end() for match in _WEAK.finditer(text, start + width // 2, start + width)]
        stop = weak[-1] if weak else safe_cut(text, start, end, start + width)
        spans.append((start, stop))
        start = stop
    spans.append((start, end))
    return spans


def safe_cut(text: str, low: int, high: int, at: int) -> int:
    """The place nearest before `at` (else after it) that parts no combining sequence, joined emoji or flag."""
    for place in itertools.chain(range(at, max(low, at - 32), -1), range(at + 1, min(high, at + 32))):
        if low < place < high and not _joined(text[place - 1], text[place]):
            return place
    return min(max(at, low + 1), high - 1)


def _joined(before: str, after: str) -> bool:
    return (
        unicodedata.combining(after) != 0
        or after in _JOINERS
        or before == "\u200d"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or ("\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff")
        or unicodedata.category(after) in ("Mn", "Me", "Mc")
    )
