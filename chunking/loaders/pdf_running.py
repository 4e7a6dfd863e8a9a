"""Running headers and footers and the numbers of pages: what repeats at the edges of pages."""

from __future__ import annotations

import re
from collections import Counter

from chunking.loaders.pdf_lines import Line
from chunking.loaders.pdf_sizes import is_large, pitch_of, size_of

_EDGE_LINES = 2
_REPEATS = 3
_NUMBERS = 2
"""Pages that say their own numbers alone: that is no chance."""
_OWN_NUMBER = "# of its page"
_RUNNING_ROWS = 2
"""Of a ruled table: letterheads have one or two, and records that differ in numbers alone are no letterhead."""
_APART = 1.6  # line heights between a running line and the next
_PITCHES_APART = 1.05  # and more than from line to line, where that is wide
_SMALL = 0.95  # of the body's size: what is smaller is no part of it
_PAGE_NUMBER = re.compile(
    r"[\W_]*(?:page|p\.|第)?\s*(?P<number>\d{1,4}|[ivxlc]{1,6})\s*(?:页|頁|(?:of|/|／|共)\s*\d{1,4}\s*[页頁]?)?[\W_]*",
    re.I,
)
_NAMED_NUMBER = re.compile(
    r"(?<![^\W_])(?:page|p\.)\s*\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?(?!\d)|第\s*\d{1,4}\s*[页頁](?:\s*[/／]?\s*共\s*\d{1,4}\s*[页頁])?",
    re.I,
)
_NUMBER_APART = re.compile(
    r"(?P<first>\d{1,4})(?:\s*[|·•–—]\s*|\s+-\s+)(?=\D)|(?:\s*[|·•–—]\s*|\s-\s+)(?P<last>\d{1,4})\Z"
)
_NUMBER_AT_END = re.compile(r"(?P<first>\d{1,4})\s+(?=\D)|(?<=\D)\s+(?P<last>\d{1,4})\Z")


def drop_running_lines(pages: list[list[Line]], body: float) -> int:
    """Removes what repeats at page edges, the page's number aside, on three pages or more, and numbers of pages on two;
    returns the number of lines.

    A running line stands apart from what follows it inwards, and it is never set in large print.
    """
    by_height = [sorted(lines, key=lambda line: -line.top) for lines in pages]
    apart = _PITCHES_APART * pitch_of([line for lines in pages for line in lines])
    keys: Counter[str] = Counter()
    for page, lines in enumerate(by_height):
        keys.update({_running_key(line, page, body) for line in (*lines[:_EDGE_LINES], *lines[-_EDGE_LINES:])})
    dropped = 0
    for page, lines in enumerate(by_height):
        running = {id(line) for side in (lines, lines[::-1]) for line in _running(side, page, keys, body, apart)}
        pages[page] = [line for line in pages[page] if id(line) not in running]
        dropped += len(running)
    return dropped


def _running(lines: list[Line], page: int, keys: Counter[str], body: float, apart: float) -> list[Line]:
    """The running lines of one page edge, `apart` points or more from the text; `lines` go from the edge inwards."""
    count = 0
    while (
        count < min(_EDGE_LINES, len(lines))
        and keys[key := _running_key(lines[count], page, body)] >= (_NUMBERS if key == _OWN_NUMBER else _REPEATS)
        and not is_large(lines[count], body)
        and len(lines[count].rows) <= _RUNNING_ROWS
    ):
        count += 1
    while count and count < len(lines):
        outer, inner = lines[count - 1], lines[count]
        if abs(outer.bottom - inner.bottom) >= max(apart, _APART * outer.size):
            break
        count -= 1
    return lines[:count]


def _running_key(line: Line, page: int, body: float) -> str:
    """What is the same on other pages: all but the number of the page.

    That is a line of its own, or says that it is one ("page 3"), or it counts up with the pages and is set apart from
    the rest: by white or a mark, or with it in smaller print. "Question 3" is none: it counts up, and it is text.
    """
    text = line.text.strip()
    if found := _PAGE_NUMBER.fullmatch(text):
        return _OWN_NUMBER if found["number"] == str(page + 1) else "#"
    if _NAMED_NUMBER.search(text):
        return _NAMED_NUMBER.sub("#", text)
    apart = bool(line.cells) or size_of(line) < _SMALL * body
    found = _NUMBER_APART.search(text) or (_NUMBER_AT_END.search(text) if apart else None)
    if found is None or (found["first"] and found.start()):
        return text
    number = int(found["first"] or found["last"])
    return f"{text[: found.start()]}#{number - page}#{text[found.end() :]}"
