"""Lines of pages -> paragraphs, headings, lists and tables with their pages, for PDF files and recognised pictures."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from chunking.loaders.base import TextBuilder
from chunking.loaders.joining import join_lines
from chunking.loaders.pdf_lines import Line
from chunking.loaders.pdf_tables import find_tables

_EDGE_LINES = 2
_REPEATS = 3
_APART = 1.6  # line heights between a running line and the next
_LARGE = 1.15  # of the body's size: headings are at least this
_PAGE_NUMBER = re.compile(
    r"[\W_]*(?:page|p\.|第)?\s*(?:\d{1,4}|[ivxlc]{1,6})\s*(?:页|頁|(?:of|/|／|共)\s*\d{1,4}\s*[页頁]?)?[\W_]*", re.I
)
_TERMINAL = re.compile(r"[。！？；.!?:：…][”’」』）)\"']*\Z")
_ITEM = re.compile(
    r"(?:[•·●○▪◦‣]|-\s|\d{1,2}[.)、](?!\d)|[（(]\d{1,2}[)）]|[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十]{1,3}[)）])\s*\S"
)


def compose_pages(pages: list[list[Line]]) -> tuple[TextBuilder, tuple[int, ...], int]:
    """Text and blocks, the offsets at which pages begin, and how many running lines were removed from `pages`."""
    body = _body_size(pages)
    dropped = _drop_running_lines(pages, body)
    builder, page_starts = _compose(pages, body)
    return builder, page_starts, dropped


def page_ranges(numbers: list[int]) -> str:
    """Page numbers in order, neighbours as a range: ``1-3, 7``."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def _drop_running_lines(pages: list[list[Line]], body: float) -> int:
    """Removes what repeats at page edges, digits aside, on three pages or more; returns the number of lines.

    A running line stands apart from what follows it inwards, and it is never set in large print.
    """
    by_height = [sorted(lines, key=lambda line: -line.top) for lines in pages]
    keys: Counter[str] = Counter()
    for lines in by_height:
        keys.update({_running_key(line.text) for line in (*lines[:_EDGE_LINES], *lines[-_EDGE_LINES:])})
    dropped = 0
    for number, lines in enumerate(by_height):
        running = {id(line) for side in (lines, lines[::-1]) for line in _running(side, keys, body)}
        pages[number] = [line for line in pages[number] if id(line) not in running]
        dropped += len(running)
    return dropped


def _running(lines: list[Line], keys: Counter[str], body: float) -> list[Line]:
    """The running lines of one page edge; `lines` go from the edge inwards."""
    count = 0
    while (
        count < min(_EDGE_LINES, len(lines))
        and keys[_running_key(lines[count].text)] >= _REPEATS
        and not _is_large(lines[count], body)
    ):
        count += 1
    while count and count < len(lines):
        outer, inner = lines[count - 1], lines[count]
        if abs(outer.bottom - inner.bottom) >= _APART * outer.size:
            break
        count -= 1
    return lines[:count]


def _running_key(text: str) -> str:
    return "#" if _PAGE_NUMBER.fullmatch(text.strip()) else re.sub(r"\d+", "#", text.strip())


def _size(line: Line) -> float:
    return round(line.size * 2) / 2


def _body_size(pages: list[list[Line]]) -> float:
    """The size that most characters have."""
    sizes: Counter[float] = Counter()
    for line in (line for lines in pages for line in lines):
        sizes[_size(line)] += len(line.text)
    return sizes.most_common(1)[0][0]


def _is_large(line: Line, body: float) -> bool:
    return _size(line) >= _LARGE * body


def _compose(pages: list[list[Line]], body: float) -> tuple[TextBuilder, tuple[int, ...]]:
    every = [line for lines in pages for line in lines]
    bold = sum(len(line.text) for line in every if line.bold) * 2 < sum(len(line.text) for line in every)
    large = sorted({_size(line) for line in every if _is_large(line, body) or (bold and line.bold)}, reverse=True)
    large = [size for size in large if size >= 0.95 * body]
    builder = TextBuilder()
    page_starts: list[int] = []
    # A paragraph that runs over a page break begins on the earlier page and holds the later page's first lines.
    pending: list[Line] = []
    pending_page = 1
    breaks: list[tuple[int, int]] = []  # (index into pending, page) of page breaks inside the paragraph

    def flush() -> None:
        if not pending:
            return
        at = builder.next_start
        level = _level(pending, large, body)
        text, line_starts = join_lines([line.text for line in pending])
        before = len(builder.blocks)
        if _is_list(pending):
            builder.add("list", text, page=pending_page)
        elif level:
            builder.add("heading", text, level=level, page=pending_page)
        else:
            builder.add("paragraph", text, page=pending_page)
        if len(builder.blocks) > before:
            page_starts.extend(at + line_starts[index] for index, _ in breaks)
        pending.clear()
        breaks.clear()

    for number, lines in enumerate(pages, start=1):
        tables = find_tables(lines)
        if pending and lines and 0 not in tables and _same_paragraph(pending[-1], lines[0], pending, new_page=True):
            breaks.append((len(pending), number))
        else:
            flush()
            page_starts.append(builder.next_start)
        pitch = _pitch(lines)
        inside = 0
        for index, line in enumerate(lines):
            if index < inside:
                continue
            if index in tables:
                flush()
                inside, table = tables[index]
                builder.add("table", table, page=number)
                continue
            if pending and index and not _same_paragraph(pending[-1], line, pending, pitch=pitch):
                flush()
            if not pending:
                pending_page = number
            pending.append(line)
    flush()
    return builder, tuple(page_starts)


def _level(lines: list[Line], large: list[float], body: float) -> int:
    """Depth by size where lines are set in large print, or bold and short; else 0."""
    size = _size(lines[0])
    words = sum(len(line.text) for line in lines)
    if len(lines) > 3 or size not in large or words > 200:
        return 0
    if not _is_large(lines[0], body):
        short = len(lines) <= 2 and words <= 100 and not _TERMINAL.search(lines[-1].text)
        if not (short and all(line.bold and not line.cells for line in lines)):
            return 0
    return min(6, large.index(size) + 1)


def _is_list(lines: list[Line]) -> bool:
    return bool(_ITEM.match(lines[0].text))


def _pitch(lines: list[Line]) -> float:
    """The usual distance from line to line on a page, in points."""
    gaps = sorted(
        above.bottom - below.bottom
        for above, below in pairwise(lines)
        if 0 < above.bottom - below.bottom < 5 * below.size
    )
    return gaps[len(gaps) // 2] if gaps else 0.0


def _same_paragraph(
    last: Line, line: Line, paragraph: list[Line], *, pitch: float = 0.0, new_page: bool = False
) -> bool:
    # A bold line is a heading; a bold word inside a line does not make the line bold.
    weight = last.bold != line.bold and all(other.bold == last.bold for other in paragraph) and not new_page
    if weight or last.turned or line.turned or abs(last.size - line.size) > 0.08 * max(last.size, line.size):
        return False
    if _ITEM.match(line.text) and (_TERMINAL.search(last.text) or _ITEM.match(paragraph[0].text)):
        return False
    if new_page or line.bottom >= last.top:
        # Another page or column: the paragraph goes on only where its sentence does.
        return not _TERMINAL.search(last.text) and len(paragraph[0].text) > 12 and not _ITEM.match(line.text)
    if pitch and last.bottom - line.bottom > max(1.35 * pitch, 1.1 * line.size):
        return False
    em = line.size
    indented = line.left - min(other.left for other in paragraph[-3:])
    if len(paragraph) > 1 and em < indented < 5 * em and _TERMINAL.search(last.text):
        return False
    # A last line ends short of the edge.
    right = max(other.right for other in [*paragraph, line])
    return not (_TERMINAL.search(last.text) and right - last.right > 3 * em)
