"""Numbers that a page sets small above or below the line: 10 to the 6th is no 106.

pdfium ends a line behind many of them; what goes on at the height of the line is joined again.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field

from chunking.loaders.pdf_characters import Box, Boxes
from chunking.loaders.scripts import lowered, raised

_WITH_DIGIT = re.compile(r"[^\s\0\ufffe]*\d[^\s\0\ufffe]*")
_DIGITS = re.compile(r"\d+")
_SMALL = 0.85  # of the size of what it belongs to
_OFF = 0.08  # of that size, from middle to middle
_NEAR = 1.5  # em to what goes on behind it
_BEFORE = 24
"""Characters that tell what is raised."""


@dataclass(slots=True)
class Scripts:
    """`written` maps the index of a raised or lowered stretch to its end and what to write for it; `joined` are the
    line ends behind one that are none.
    """

    written: dict[int, tuple[int, str]] = field(default_factory=dict)
    joined: set[int] = field(default_factory=set)
    _places: list[int] = field(default_factory=list)  # of both, in order

    def write(self, start: int, end: int, words: str) -> None:
        self.written[start] = end, words
        self._places.append(start)

    def join(self, index: int) -> None:
        self.joined.add(index)
        self._places.append(index)

    def text(self, text: str, start: int, end: int) -> str:
        """A stretch of the page's text as it is to be read."""
        parts: list[str] = []
        at = start
        for place in self._places[bisect_left(self._places, start) :]:
            if place >= end:
                break
            parts.append(text[at:place])
            at, words = self.written.get(place, (place + 2, ""))
            parts.append(words)
        return "".join([*parts, text[at:end]])


def find_scripts(text: str, boxes: Boxes) -> Scripts:
    """Looks at words with digits only, and at their digits: asking for a size costs a microsecond."""
    found = Scripts()
    base: tuple[float, Box] | None = None
    for run in _WITH_DIGIT.finditer(text):
        first, after = run.span()
        if not (base and first - 2 in found.joined):
            base = None
        if after - first == 1 and base is None:
            continue
        size = base[0] if base else boxes.size(first)
        if size <= 0 or not any(
            boxes.size(index) < _SMALL * size
            for digits in _DIGITS.finditer(text, first, after)
            for index in {digits.start(), digits.end() - 1} - ({first} if base is None else set())
        ):
            continue
        base = _take(text, (first, after), boxes, found, base)
        if base and _goes_on(text, after, boxes, base):
            found.join(after)
    return found


def _take(
    text: str, run: tuple[int, int], boxes: Boxes, found: Scripts, base: tuple[float, Box] | None
) -> tuple[float, Box] | None:
    """Adds the stretches of a word; returns what its last characters belong to where these are raised or lowered."""
    first, after = run
    at = first
    last = False
    while at < after:
        size, box = boxes.size(at), boxes.box(at)
        if base is None or box is None or size >= _SMALL * base[0]:
            base = (size, box) if box else None
            last = False
            at += 1
            continue
        stop = at + 1
        while stop < after and boxes.size(stop) < _SMALL * base[0]:
            stop += 1
        higher = (box[2] + box[3] - base[1][2] - base[1][3]) / 2
        if abs(higher) > _OFF * base[0]:
            before = found.text(text, max(0, at - _BEFORE), at)
            write = raised if higher > 0 else lowered
            found.write(at, stop, write(text[at:stop], before, text[stop : stop + 3]))
        last = True
        at = stop
    return base if last else None


def _goes_on(text: str, after: int, boxes: Boxes, base: tuple[float, Box]) -> bool:
    """Whether the line goes on behind a line end."""
    if not text.startswith("\r\n", after):
        return False
    here, there = boxes.box(after - 1), boxes.box(after + 2)
    if here is None or there is None:
        return False
    size, (_, _, low, high) = base
    return low - size / 2 < (there[2] + there[3]) / 2 < high + size / 2 and -1 < there[0] - here[1] < _NEAR * size
