"""Lines of pages -> paragraphs, headings, lists and tables with their pages, for PDF files and recognised pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from chunking.loaders.base import TextBuilder
from chunking.loaders.joining import join_lines
from chunking.loaders.pdf_bands import Rows
from chunking.loaders.pdf_code import CODE_APART, code_text, is_code
from chunking.loaders.pdf_lines import Line
from chunking.loaders.pdf_lists import Item, begins_item, ends_item, written
from chunking.loaders.pdf_running import drop_running_lines
from chunking.loaders.pdf_sizes import body_size, is_large, pitch_of, size_of
from chunking.loaders.pdf_tables import find_tables
from chunking.loaders.tables import is_header, table_text

_TERMINAL = re.compile(r"[。！？；.!?:：…][”’」』）)\"']*\Z")


def compose_pages(pages: list[list[Line]]) -> tuple[TextBuilder, tuple[int, ...], int]:
    """Text and blocks, the offsets at which pages begin, and how many running lines were removed from `pages`."""
    body = body_size(pages)
    dropped = drop_running_lines(pages, body)
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


def _compose(pages: list[list[Line]], body: float) -> tuple[TextBuilder, tuple[int, ...]]:
    every = [line for lines in pages for line in lines]
    composer = _Composer(_heading_sizes(every, body), body, code=not _mostly(every, lambda line: line.mono))
    for number, lines in enumerate(pages, start=1):
        composer.take(number, lines)
    composer.close()
    return composer.builder, tuple(composer.page_starts)


def _heading_sizes(lines: list[Line], body: float) -> list[float]:
    bold = not _mostly(lines, lambda line: line.bold)
    large = {size_of(line) for line in lines if is_large(line, body) or (bold and line.bold)}
    return sorted((size for size in large if size >= 0.95 * body), reverse=True)


def _mostly(lines: list[Line], holds: Callable[[Line], bool]) -> bool:
    """Whether it holds for half of the text."""
    return sum(len(line.text) for line in lines if holds(line)) * 2 >= sum(len(line.text) for line in lines)


class _Composer:
    """A paragraph or a table that runs over a page break begins on the earlier page and holds the later one's first
    lines.
    """

    def __init__(self, large: list[float], body: float, *, code: bool) -> None:
        self.builder = TextBuilder()
        self.page_starts: list[int] = []
        self._large = large
        self._body = body
        self._code = code  # whether lines of a font of one width are code
        self._page = 1  # of what is open
        self._list_page = 1
        self._lines: list[Line] = []
        self._rows: list[Sequence[str]] = []
        self._items: list[Item] = []
        self._breaks: list[int] = []  # where in the open lines or rows a page begins

    def take(self, number: int, lines: list[Line]) -> None:
        tables = find_tables(lines)
        after = self._begin_page(number, lines, tables)
        pitch = pitch_of(lines)
        for index, line in enumerate(lines):
            if index < after:
                continue
            if index in tables:
                self.flush()
                after, rows = tables[index]
                self._rows.extend(rows)
                self._page = number
                continue
            new_page = index == 0
            if self._rows or (self._lines and not new_page and not self._goes_on(line, pitch)):
                self.flush()
            if not self._lines:
                self._page = number
            self._lines.append(line)

    def _begin_page(self, number: int, lines: list[Line], tables: dict[int, tuple[int, Rows]]) -> int:
        """Closes what does not go on; returns the line to go on with."""
        stop, rows = tables.get(0, (0, ()))
        if self._lines and lines and not rows and self._goes_on(lines[0], new_page=True):
            self._breaks.append(len(self._lines))
            return 0
        if self._rows and rows and (more := _continued(self._rows, rows)):
            self._breaks.append(len(self._rows))
            self._rows.extend(more)
            return stop
        self.close()
        self.page_starts.append(self.builder.next_start)
        return 0

    def _goes_on(self, line: Line, pitch: float = 0.0, *, new_page: bool = False) -> bool:
        last = self._lines[-1]
        if self._code and (last.mono or line.mono):
            below = 0 < last.bottom - line.bottom <= CODE_APART * line.size
            return last.mono and line.mono and below and not new_page
        return _same_paragraph(self._lines, line, pitch=pitch, new_page=new_page)

    def close(self) -> None:
        """Adds what is open, a list too."""
        self.flush()
        self._end_list()

    def flush(self) -> None:
        """Adds the lines or rows that are open; an item joins the list, which waits for the next one."""
        if self._rows:
            self._end_list()
            at = self.builder.next_start
            header = is_header(self._rows[0]) and all(self._rows[0])
            self.builder.add("table", table_text(self._rows, header=header), page=self._page)
            starts = [len(table_text(self._rows[:index], header=header)) + 1 for index in self._breaks]
            self.page_starts.extend(at + start for start in starts)
        elif self._code and self._lines and is_code(self._lines) and not _level(self._lines, self._large, self._body):
            self._end_list()
            self.builder.add("code", code_text(self._lines), page=self._page)
        elif self._lines:
            self._add_words()
        self._rows.clear()
        self._lines.clear()
        self._breaks.clear()

    def _add_words(self) -> None:
        text, line_starts = join_lines([line.text for line in self._lines])
        breaks = tuple(line_starts[index] for index in self._breaks)
        first = self._lines[0]
        level = _level(self._lines, self._large, self._body)
        # "一、总则" in large print is no item; a bold one may be.
        if text and begins_item(first) and not (level and is_large(first, self._body)):
            if not self._items:
                self._list_page = self._page
            self._items.append(Item(text, first.left, first.size, breaks))
            return
        self._end_list()
        at, before = self.builder.next_start, len(self.builder.blocks)
        self.builder.add("heading" if level else "paragraph", text, level=level, page=self._page)
        if len(self.builder.blocks) > before:
            self.page_starts.extend(at + start for start in breaks)

    def _end_list(self) -> None:
        if self._items:
            at = self.builder.next_start
            text, breaks = written(self._items)
            self.builder.add("list", text, page=self._list_page)
            self.page_starts.extend(at + start for start in breaks)
            self._items.clear()


def _continued(rows: Sequence[Sequence[str]], more: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """What a table at the top of a page adds to the one at the end of the page before; nothing where it is another.

    A header that is repeated is left out.
    """
    if len(more[0]) != len(rows[0]):
        return ()
    if more[0] == rows[0]:
        return more[1:]
    return () if is_header(more[0]) and is_header(rows[0]) and all(more[0]) else more


def _level(lines: list[Line], large: list[float], body: float) -> int:
    """Depth by size where lines are set in large print, or bold and short; else 0."""
    size = size_of(lines[0])
    words = sum(len(line.text) for line in lines)
    if len(lines) > 3 or size not in large or words > 200:
        return 0
    if not is_large(lines[0], body):
        short = len(lines) <= 2 and words <= 100 and not _TERMINAL.search(lines[-1].text)
        if not (short and all(line.bold and not line.cells for line in lines)):
            return 0
    return min(6, large.index(size) + 1)


def _same_paragraph(paragraph: list[Line], line: Line, *, pitch: float = 0.0, new_page: bool = False) -> bool:
    last = paragraph[-1]
    # A bold line is a heading; a bold word inside a line does not make the line bold.
    weight = last.bold != line.bold and all(other.bold == last.bold for other in paragraph) and not new_page
    if weight or last.turned or line.turned or abs(last.size - line.size) > 0.08 * max(last.size, line.size):
        return False
    in_item = begins_item(paragraph[0])
    another = begins_item(line) and (in_item or _TERMINAL.search(last.text) is not None)
    if another or (in_item and not new_page and line.bottom < last.top and ends_item(paragraph, line)):
        return False
    if new_page or line.bottom >= last.top:
        # Another page or column: the paragraph goes on only where its sentence does.
        return not _TERMINAL.search(last.text) and len(paragraph[0].text) > 12 and not begins_item(line)
    if pitch and last.bottom - line.bottom > max(1.35 * pitch, 1.1 * line.size):
        return False
    em = line.size
    indented = line.left - min(other.left for other in paragraph[-3:])
    if len(paragraph) > 1 and em < indented < 5 * em and _TERMINAL.search(last.text):
        return False
    # A last line ends short of the edge.
    right = max(other.right for other in [*paragraph, line])
    return not (_TERMINAL.search(last.text) and right - last.right > 3 * em)
