"""Where sentences end, in Chinese, English and text that mixes them.

One regular expression finds every place where a sentence could end; a few rules decide. Each rule looks at a
bounded stretch on either side, so time is linear in the text, also for one line of a megabyte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from chunking.abbreviations import EITHER, REFERENCES, STARTERS, TITLES
from chunking.lines import line_spans

_CJK = "\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003134f"
_CLOSERS = "”’」』）】》〉〕｝\"'\\)\\]\\}»"
# A line that opens with one of these starts a unit of its own.
_MARKER = (
    r"(?:[-*+•·●○▪◦–]|\d{1,3}[.)．、)]|[（(]\d{1,3}[)）]|[（(]?[一二三四五六七八九十]{1,3}[)）、]"
    r"|[a-zA-Z][.)]|\#{1,6}|>)[ \t]|\d{1,3}[、．](?!\d)|[（(][\d一二三四五六七八九十]{1,3}[)）]"
    r"|[一二三四五六七八九十]{1,3}、|[①-⑳]|\||```|~~~|</?[a-z]"
)

_CANDIDATE = re.compile(
    rf"(?P<line>\n[ \t]*(?:\n\s*+|(?={_MARKER})))"
    rf"|(?P<full>[。！？｡；][。！？｡；!?…]*+[{_CLOSERS}]*+)"
    rf"|(?P<dots>(?:…|\.{{3}})[….。！？!?]*+[{_CLOSERS}]*+)"
    rf"|(?P<ascii>[.!?][.!?！？]*+[{_CLOSERS}*_]*+)"
)
# What every candidate begins with: a search for one of a set skips all other text at once.
_FIRST = re.compile(r"[\n。！？｡；….!?]")
_INLINE_CODE = re.compile(r"(?<!`)`(?!`)[^`\n]{1,500}+`")
_CJK_CHAR = re.compile(f"[{_CJK}]")
# What may stand between the end of a sentence and the first letter of the next.
_OPENERS = re.compile(r"[\s“‘「『（【《\"'(\[*_`~>]*+")

_LAST_TOKEN = re.compile(r"[^\s(\[（“\"'/]+\Z")
_WORD = re.compile(r"[^\W\d_]+(?:['’]\w+)?")
_ITEM_NUMBER = re.compile(r"(?:\A|\n)[ \t>]*(?:[-*+] )?[(（]?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxIVX]{1,4})\Z")

_SPEECH = re.compile(
    r"[^。！？；，,;“”「」『』\s]{0,8}?(?:说|說|问|問|道|答|喊|叫|嚷|笑|吼|想|表示|指出|认为|認為|补充|補充|写|寫|强调|強調|解释|解釋)(?=[，：。！？,:.!?道着著\s]|\Z)"
)
_GOES_ON = re.compile(r"[，、：；,:;。！？!?.…）)】」』”》]|[—–-]{1,2}|[的地之等]|这[个一种些]|這[個一種些]")


# A row by its outer pipes, or the lines around a separator row where a table has none.
_ROW = re.compile(r"^[ \t>]*+\|[^\n]*\|[ \t]*$", re.MULTILINE)
_BARE_TABLE = re.compile(
    r"^(?=[^\n]*\|)[^\n]++\n[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)++$(?:\n(?=[^\n]*\|)[^\n]++)*+",
    re.MULTILINE,
)


def split_sentences(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Spans of the sentences of ``text[start:end]``, in order, each free of outer whitespace.

    The spans tile the range up to whitespace. A table row is one span whatever its cells hold. A blank line, and a
    line that opens a list item, heading, table row or fence, always begins a new span; any other newline is
    whitespace. Linear time.
    """
    end = len(text) if end is None else end
    spans: list[tuple[int, int]] = []
    at = start
    for first, last in _rows(text, start, end):
        spans += _split_prose(text, at, first)
        _append(spans, text, first, last)
        at = last
    return spans + _split_prose(text, at, end)


def _rows(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Lines that are table rows, in order."""
    if text.find("|", start, end) < 0:
        return []
    rows = {match.span() for match in _ROW.finditer(text, start, end)}
    for table in _BARE_TABLE.finditer(text, start, end):
        rows.update(line_spans(text, *table.span()))
    ordered: list[tuple[int, int]] = []
    for row in sorted(rows):
        # A row with outer pipes inside a table without them is found twice.
        if not ordered or row[0] >= ordered[-1][1]:
            ordered.append(row)
    return ordered


def _split_prose(text: str, start: int, end: int) -> list[tuple[int, int]]:
    code = (
        [match.span() for match in _INLINE_CODE.finditer(text, start, end)] if text.find("`", start, end) >= 0 else []
    )
    spans: list[tuple[int, int]] = []
    at, inside = start, 0
    for match in _candidates(text, start, end):
        stop = match.end()
        while inside < len(code) and code[inside][1] <= match.start():
            inside += 1
        kind = match.lastgroup
        if kind != "line" and inside < len(code) and code[inside][0] < match.start():
            continue
        if kind == "line" or _ends(text, match, at, end):
            _append(spans, text, at, stop)
            at = stop
    _append(spans, text, at, end)
    return spans


def _candidates(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    at = start
    for first in _FIRST.finditer(text, start, end):
        if first.start() >= at and (match := _CANDIDATE.match(text, first.start(), end)):
            at = match.end()
            yield match


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        first = start + len(piece) - len(piece.lstrip())
        spans.append((first, first + len(stripped)))


def _ends(text: str, match: re.Match[str], at: int, end: int) -> bool:  # noqa: PLR0911
    kind, stop = match.lastgroup, match.end()
    if stop >= end:
        return True
    mark = match.group()
    following = text[stop : stop + 1]
    if kind == "full":
        return _full_stop(text, mark, max(at, match.start() - 200), stop, end)
    if kind == "dots":
        return _ellipsis(text, match.start(), stop, end)
    if not following.isspace():
        # "v2.0.1", "example.org/a?b": no. "真的?是的": yes, where the mark stands for a Chinese one.
        before = text[match.start() - 1 : match.start()]
        if mark[0] in "!?" and _CJK_CHAR.match(before) and following.isalnum():
            return True
        if not (_CJK_CHAR.match(following) and following not in "，、：；。！？…）》】"):
            return False
        return bool(_CJK_CHAR.match(before)) or mark[0] in "!?" or mark[-1] in "”’」』"
    opening = _OPENERS.match(text, stop, end)
    next_at = opening.end() if opening else stop
    if next_at >= end:
        return True
    letter = text[next_at]
    if letter.islower():
        return False
    if mark[0] != ".":
        return True
    return _period(text, at, match.start(), next_at, end)


def _full_stop(text: str, mark: str, low: int, stop: int, end: int) -> bool:
    goes_on = _GOES_ON.match(text, stop, end)
    if mark[-1] in "”’」』）】》〉〕｝\"')]}»":
        # “来吗？”他问。 and “为什么？”的问题 go on after the quotation; 他问：“来吗？” has been attributed already.
        if goes_on:
            return False
        opening = max(text.rfind(quote, low, stop) for quote in "“「『")
        if opening > low and text[opening - 1] in "：:，,":
            return True
        return not _SPEECH.match(text, stop, min(end, stop + 16))
    return not (goes_on and goes_on.group()[0] in "，、：,:")


def _ellipsis(text: str, start: int, stop: int, end: int) -> bool:
    following = text[stop]
    if following.isspace():
        opening = _OPENERS.match(text, stop, end)
        next_at = opening.end() if opening else stop
        if next_at >= end:
            return True
        word = _WORD.match(text, next_at, end)
        return not text[next_at].islower() and not (word and word.group() in ("I", "I'm", "I’m", "I'll", "I've"))
    if stop - start < 2 or not _CJK_CHAR.match(following):
        return False
    return not _GOES_ON.match(text, stop, end) and not _SPEECH.match(text, stop, min(end, stop + 16))


def _period(text: str, at: int, dot: int, next_at: int, end: int) -> bool:  # noqa: PLR0911
    low = max(at, dot - 40)
    before = text[low:dot]
    if _ITEM_NUMBER.search(before if low == at else text[low - 1 : dot]):
        return False
    token = _LAST_TOKEN.search(before)
    if not token:
        return True
    name = token.group().lstrip("*_~“‘").lower()
    following = _WORD.match(text, next_at, end)
    starter = following is not None and following.group().lower() in STARTERS
    if name in TITLES:
        return False
    if name in REFERENCES:
        label = text[next_at]
        if label.isdigit() or label in "#§[(（":
            return False
        # "Sec. A", "Vol. IV"
        return not (following and re.fullmatch(r"[A-Z]|[IVXLC]+", following.group()) and following.group() != "I")
    if name in EITHER:
        return starter or bool(_CJK_CHAR.match(text[next_at]))
    if len(name) == 1 and name.isalpha() and token.group()[-1].isupper():
        # "J. Smith" is a name, "vitamin C. The" is not.
        return starter and following is not None and following.group() not in ("A", "I")
    if re.fullmatch(r"(?:[A-Z]\.)+[A-Z]", token.group()):
        return starter
    return True
