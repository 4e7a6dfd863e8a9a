"""Sizes and distances of lines on pages, in points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from chunking.loaders.pdf_lines import Line

_LARGE = 1.15  # of the body's size: headings are at least this


def size_of(line: Line) -> float:
    return round(line.size * 2) / 2


def body_size(pages: Sequence[Sequence[Line]]) -> float:
    """The size that most characters have."""
    sizes: Counter[float] = Counter()
    for line in (line for lines in pages for line in lines):
        sizes[size_of(line)] += len(line.text)
    return sizes.most_common(1)[0][0]


def is_large(line: Line, body: float) -> bool:
    return size_of(line) >= _LARGE * body


def pitch_of(lines: Sequence[Line]) -> float:
    """The usual distance from line to line on a page, in points."""
    gaps = sorted(
        above.bottom - below.bottom
        for above, below in pairwise(lines)
        if 0 < above.bottom - below.bottom < 5 * below.size
    )
    # Of two in the middle the smaller: a page of few lines has as many gaps between paragraphs as inside them.
    return gaps[(len(gaps) - 1) // 2] if gaps else 0.0
