"""A document's sentence as a person reads it in an answer: no Markdown marks, table rows as column and value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, takewhile, zip_longest

from graph.columns import asked_columns
from graph.evidence import Source, Strip
from graph.language import has_han
from graph.neutral import neutralise

_LINE_START = re.compile(r"\A(?:\s*(?:[-*•>]|#{1,6}|\d{1,2}[.)])\s+)+")
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+")
SHORT = 120
"""Tokens of a passage that would have taken one row more: a table at its end ends there."""
_CJK = r"\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef"
_WRAPPED = re.compile(rf"(?<=[{_CJK}])[ \t]*\n[ \t]*(?=[{_CJK}])|(?<=[a-z]-)[ \t]*\n[ \t]*(?=[a-z])")
_LEFT_OVER = re.compile(r"\A(?:\*\*|__)\s+")
"""Closes the emphasis of the sentence before."""
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)([^\n]+?)(?<!`)\1(?!`)")
# "2 * 3 * 4", "*args" and "a_b_c" are no emphasis.
_EMPHASIS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\*\*(?=[^\s*])([^\n]*?[^\s*])\*\*",
        r"~~(?=[^\s~])([^\n]*?[^\s~])~~",
        r"(?<![A-Za-z0-9_])__(?=[^\s_])([^_\n]*[\s\u3400-\u9fff][^_\n]*[^\s_])__(?![A-Za-z0-9_])",
        r"(?<![A-Za-z0-9_*\\/])\*(?=[^\s*])([^*\n]*?[^\s*])\*(?![A-Za-z0-9_*/])",
        r"(?<![\w_\\/])_(?=[^\s_])([^_\n]*?[^\s_])_(?![\w_/])",
    )
)
_RUN = re.compile(r"((?:[^\w\s|`]|_)[ \t]?)\1{9,}")
"""A line to sign on, or leader dots."""
_SHORT_RUN = 3
_RULE = re.compile(r"\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?")
# A pipe in code or after a backslash separates nothing.
_CELL_END = re.compile(r"(?<!\\)\|(?=(?:[^`]*`[^`]*`)*[^`]*\Z)")


def quoted(text: str, header: str | None = None, parts: Sequence[str] = ()) -> str:
    """The sentence on one line, without list, heading, emphasis and code marks; items one after the other.

    A table row becomes ``column: value`` pairs where its `header` row is known, of the columns that the `parts` of a
    question ask for (`graph.columns`), else its cells in order.
    """
    text = _RUN.sub(lambda run: run[1] * _SHORT_RUN, text)
    if text.lstrip().startswith("|"):
        return _row(text, header, parts)
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and all(_ITEM.match(line) for line in lines):
        text = ("、" if has_han(text) else ", ").join(_ITEM.sub("", line).strip() for line in lines)
    return one_line(plain(_LINE_START.sub("", _LEFT_OVER.sub("", one_line(neutralise(_FENCE.sub("", text)))))))


def plain(text: str) -> str:
    """The text without the marks of emphasis and inline code; what stands in code is left as it is."""
    code = [match[2].strip() for match in _CODE.finditer(text)]
    # Code steps aside while emphasis goes: "**`a*b*c`**". The control character is in no text that was loaded.
    bare = _CODE.sub("\x00", text.replace("\x00", ""))
    for pattern in _EMPHASIS:
        bare = pattern.sub(r"\1", bare)
    kept = iter(code)
    return re.sub("\x00", lambda match: next(kept), bare)


def header_of(source: Source, strip: Strip) -> Strip | None:
    """The header of the table whose row `strip` is, if it was kept with the row."""
    table = _table_above(strip)
    if table is None or len(table) < 2 or not _RULE.fullmatch(table[1].strip()):
        return None
    header = table[0].strip()
    return next((one for one in source.strips if one.start < strip.start and one.text.strip() == header), None)


def header_line(source: Source, strip: Strip) -> str | None:
    """The text of a row's header: of `header_of`, or of the passage's context where the table began before it."""
    if (kept := header_of(source, strip)) is not None:
        return kept.text
    table, chunk = _table_above(strip), strip.hit.chunk
    goes_on = table is not None and chunk.text[: strip.start - chunk.start].strip() == "\n".join(table).strip()
    return carried_header(chunk.context) if goes_on else None


def carried_header(context: str) -> str | None:
    """The table header with which the context of a passage ends that begins inside the table."""
    lines = context.split("\n")
    carried = len(lines) > 1 and lines[-2].lstrip().startswith("|") and _RULE.fullmatch(lines[-1].strip())
    return lines[-2].strip() if carried else None


def rows_under(text: str, header: str) -> list[str]:
    """The rows of all tables of a document that have this header, in order."""
    lines = [line.strip() for line in text.split("\n")]
    found: list[str] = []
    inside = False
    for above, line in pairwise(lines):
        if above == header and _RULE.fullmatch(line):
            inside = True
        elif inside and line.startswith("|"):
            found.append(line)
        else:
            inside = False
    return found


def table_rows(source: Source, strip: Strip) -> tuple[list[Strip], bool]:
    """The kept rows of the table that `strip` is of, and whether they are all that it has.

    It may go on in another passage where nothing stands between it and the end of one that is not short.
    """
    table, chunk = _table_above(strip), strip.hit.chunk
    if table is None or len(table) < 2 or not _RULE.fullmatch(table[1].strip()):
        return [], False
    above = chunk.text[: strip.start - chunk.start].rstrip().split("\n")
    rest = chunk.text[strip.end - chunk.start :].lstrip("\n").split("\n")
    below = list(takewhile(lambda line: line.lstrip().startswith("|"), rest))
    first = chunk.start + len("\n".join(above[: len(above) - len(table) + 2]))
    last = strip.end + sum(len(line) + 1 for line in below)
    rows = [one for one in source.strips if first <= one.start < last]
    ends = chunk.tokens <= SHORT or any(map(str.strip, rest[len(below) :]))
    return rows, ends and len(rows) == len(table) - 1 + len(below)


def _table_above(strip: Strip) -> list[str] | None:
    """The lines of the table above the row `strip`; None where it is no row."""
    if not strip.text.lstrip().startswith("|"):
        return None
    chunk = strip.hit.chunk
    above = chunk.text[: strip.start - chunk.start].rstrip().split("\n")
    first = len(above)
    while first and above[first - 1].lstrip().startswith("|"):
        first -= 1
    return above[first:]


def in_fence(strip: Strip) -> bool:
    """Whether a strip is of a fenced block of code."""
    chunk = strip.hit.chunk
    before = chunk.text[: strip.start - chunk.start]
    return _FENCE.match(strip.text) is not None or len(_FENCE.findall(before)) % 2 == 1


def _row(text: str, header: str | None, parts: Sequence[str]) -> str:
    values = cells(text)
    if header is None:
        return ("，" if has_han(text) else " · ").join(value for value in values if value)
    chinese = has_han(header)
    names = cells(header)
    shown = asked_columns(parts, names, values)
    pairs = [
        value if not name else f"{name}：{value}" if chinese else f"{name}: {value}"
        for number, (name, value) in enumerate(zip_longest(names, values, fillvalue=""))
        if value and (number in shown or not parts)
    ]
    return ("，" if chinese else ", ").join(pairs)


def cells(row: str) -> list[str]:
    """What stands in the cells of a table row, without marks."""
    return list(_cells(row))


# A row is read by each of those that ask what it is about.
@lru_cache(maxsize=4096)
def _cells(row: str) -> tuple[str, ...]:
    line = _BREAK.sub(" ", one_line(neutralise(row))).removeprefix("|")
    line = line[:-1] if line.endswith("|") and not line.endswith("\\|") else line
    return tuple(one_line(plain(cell).replace("\\|", "|")) for cell in _CELL_END.split(line))


def one_line(text: str) -> str:
    """The text as if never wrapped: Chinese goes on without a space, and so does a word parted at its hyphen."""
    return re.sub(r"\s+", " ", _WRAPPED.sub("", text)).strip()
