"""Lines of a stretch of text, as spans."""

from __future__ import annotations


def line_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Non-blank lines without outer whitespace; a code line's indentation belongs to the gap before it."""
    spans = []
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        line = text[start:stop]
        if stripped := line.strip():
            begin = start + len(line) - len(line.lstrip())
            spans.append((begin, begin + len(stripped)))
        start = stop + 1
    return spans
