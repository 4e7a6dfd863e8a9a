"""Plain text: the text stays as it is, paragraphs and chapter lines are found in it."""

from __future__ import annotations

import re

from chunking.lines import line_spans
from chunking.loaders.base import Headings, Parsed
from chunking.normalize import decode
from chunking.types import Block

_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
_DIGITS = "一二三四五六七八九十百千零〇\\d"
# Only lines that are titles by their form, with their levels; anything looser takes short sentences for titles.
CHAPTERS = (
    (1, re.compile(rf"(?:第[{_DIGITS}]{{1,6}}[章篇部卷编編回]|(?:Chapter|CHAPTER|Part|PART)\s+[\dIVXLC]+\b)")),
    (2, re.compile(rf"第[{_DIGITS}]{{1,6}}[节節]")),
)
# These count only between blank lines: inside a paragraph they are the items of a list.
SECTIONS = (
    (2, re.compile(r"[一二三四五六七八九十]{1,3}、\s*\S")),
    (3, re.compile(r"[（(][一二三四五六七八九十]{1,3}[)）]\s*\S")),
    (2, re.compile(r"[A-Z][A-Z0-9 ,:&'/-]{3,}\Z")),
)
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,4})[.、]?\s+\S")
_UNDERLINE = re.compile(r"(?P<mark>[=\-~^*#])(?P=mark){2,}")
_UNDERLINES = "=-~^*#"
"""In the order of their depth."""
_LONGEST_TITLE = 60
_TERMINAL = re.compile(r"[。！？；.!?;:：…][”’」』）)\"']*\Z")


def load_text(data: bytes, source: str) -> Parsed:
    """A short first line without a full stop, apart from what follows, is the title."""
    text, note = decode(data, source=source)
    headings = Headings()
    blocks: list[Block] = []
    spans = _paragraphs(text)
    levels = [_title_level(text, span, alone=_is_alone(text, span)) for span in spans]
    numbered = [level if _NUMBERED.match(text, *span) else 0 for level, span in zip(levels, spans, strict=True)]
    title = ""
    if (
        len(spans) > 1
        and levels[0] in (0, 2)
        and not numbered[0]
        and may_be_title(text, spans[0])
        and _is_alone(text, spans[0])
    ):
        title = text[slice(*spans[0])]
        levels[0] = 0.5
    elif spans and levels[0] == 1 and "\n" in text[slice(*spans[0])]:
        title = text[slice(*spans[0])].partition("\n")[0].strip()
    for number, (start, end) in enumerate(spans):
        level = levels[number]
        # Numbered lines one after the other are a list that is set wide.
        neighbours = (*numbered[max(0, number - 1) : number], *numbered[number + 1 : number + 2])
        if level and not (numbered[number] and numbered[number] in neighbours):
            words = text[start:end].partition("\n")[0].strip()
            blocks.append(Block("heading", start, end, headings.enter(round(2 * level), words)))
        else:
            blocks.append(Block("paragraph", start, end, headings.path))
    return Parsed(text, tuple(blocks), title=title, notes=(note,) if note else ())


def _is_underlined(text: str, title: tuple[int, int], line: tuple[int, int]) -> bool:
    """Whether a line of one repeated mark, as long as a title, stands below it."""
    return (
        _UNDERLINE.fullmatch(text, *line) is not None
        and may_be_title(text, title)
        and title[1] - title[0] <= 2 * (line[1] - line[0]) <= 5 * (title[1] - title[0])
        and any(letter.isalnum() for letter in text[slice(*title)])
    )


def may_be_title(text: str, span: tuple[int, int]) -> bool:
    """Whether a stretch is one short line that no mark ends."""
    start, end = span
    return end - start <= _LONGEST_TITLE and "\n" not in text[start:end] and not _TERMINAL.search(text[start:end])


def _is_alone(text: str, span: tuple[int, int]) -> bool:
    """Whether blank lines (or the edges of the text) stand on both sides."""
    before, after = text[max(0, span[0] - 200) : span[0]], text[span[1] : span[1] + 200]
    gap_before, gap_after = before[len(before.rstrip()) :], after[: len(after) - len(after.lstrip())]
    return (gap_before.count("\n") > 1 or span[0] == len(gap_before)) and gap_after.count("\n") > 1


def _is_chapter(text: str, span: tuple[int, int], number_end: int) -> bool:
    """Whether a line that begins as chapters do is one where no blank lines stand around it: no sentence runs into it
    or out of it.
    """
    start, end = span
    before = text[max(0, start - 400) : start]
    written = before.rstrip()
    last = written[written.rfind("\n") + 1 :].strip()
    parted = before[len(written) :].count("\n") > 1 or len(written) == 0
    first = start <= 400 and "\n" not in written
    if not (parted or first or _TERMINAL.search(last) or _chapter(last)):
        return False
    after = text[end : end + 200].lstrip()
    rest = text[number_end:end]
    sentence = rest[:1].strip() and any(mark in rest for mark in "，,")
    return not (sentence or rest.lstrip()[:1].islower() or after[:1].islower())


def _chapter(line: str) -> tuple[int, int] | None:
    """Level of a line that begins as chapters do, and where its number ends."""
    if len(line) <= _LONGEST_TITLE and not _TERMINAL.search(line):
        for level, pattern in CHAPTERS:
            if found := pattern.match(line):
                return level, found.end()
    return None


def _title_level(text: str, span: tuple[int, int], *, alone: bool) -> float:
    """Depth of a title from 1, 0 for anything else."""
    first, _, mark = text[slice(*span)].partition("\n")
    if mark and _is_underlined(text, (span[0], span[0] + len(first)), (span[0] + len(first) + 1, span[1])):
        return 1 + _UNDERLINES.index(mark[0])
    if not may_be_title(text, span):
        return 0
    line = text[slice(*span)]
    if chapter := _chapter(line):
        level, number_end = chapter
        return level if alone or _is_chapter(text, span, span[0] + number_end) else 0
    for level, pattern in SECTIONS if alone else ():
        if pattern.match(line):
            return level
    numbered = _NUMBERED.match(line) if alone else None
    return 2 + numbered.group(1).count(".") if numbered else 0


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """Blank lines part paragraphs. So does every newline where lines are whole paragraphs, not wrapped at a width."""
    spans: list[tuple[int, int]] = []
    at = 0
    for match in [*_BLANK.finditer(text), None]:
        stop = match.start() if match else len(text)
        lines = line_spans(text, at, stop)
        if _one_a_line(text, lines):
            spans.extend(lines)
        elif lines:
            spans.extend(_with_titles_apart(text, lines))
        at = match.end() if match else stop
    return spans


def _one_a_line(text: str, lines: list[tuple[int, int]]) -> bool:
    if len(lines) < 2:
        return True
    ended = sum(bool(_TERMINAL.search(text[max(start, end - 6) : end])) for start, end in lines)
    return ended >= 0.8 * len(lines)


def _with_titles_apart(text: str, lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    joined = False
    below = None
    for (start, end), line in zip(lines, [*lines[1:], None], strict=True):
        if (start, end) == below:
            continue
        below = line if line and line[0] == end + 1 and _is_underlined(text, (start, end), line) else None
        if below or _title_level(text, (start, end), alone=False):
            spans.append((start, below[1] if below else end))
            joined = False
        elif joined:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
            joined = True
    return spans
