"""Where sentences end, in Chinese, English and text that mixes them.

One regular expression finds every place where a sentence could end; a few rules decide. Each rule looks at a
bounded stretch on either side, so time is linear in the text, also for one line of a megabyte.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product

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


_LAST = 3
_MAY_BE_SHORT = frozenset(name[-_LAST:] for name in TITLES | REFERENCES | EITHER if len(name) >= _LAST) | frozenset(
    map("".join, product("ivx", repeat=_LAST))
)
"""How abbreviations end, and numbers of items; any other word of three letters or more ends its sentence."""

_NOTES = r"(?:\[\d{1,3}(?:[,，–-] ?\d{1,3})*+\])*+"
"""References that stand after a mark belong to its sentence."""

# It begins with one character of a set, so that a search skips all other text at once; what follows depends on which.
# Most sentences are `sure` to end there; the other names are those of a rule.
_CANDIDATE = re.compile(
    rf"[\n。！？｡；….!?](?:"
    rf"(?P<word>(?<=[a-z]{{{_LAST}}}[.!?]){_NOTES}(?=\s[A-Z]|\Z))"
    rf"|(?P<line>(?<=\n)[ \t]*(?:\n\s*+|(?={_MARKER})))"
    rf"|(?P<sure>(?<=[。！？｡；])[。！？｡；!?…]*+{_NOTES}(?![{_CLOSERS}，、：,:])"
    rf"|(?=\s[A-Z]|\Z)(?:(?<=[)%\]\"”][.!?])|(?<=\d{{4}}[.!?])))"
    rf"|(?P<closed>(?<=[。！？｡；])[。！？｡；!?…]*+[{_CLOSERS}]++)"
    rf"|(?P<dots>(?:(?<=…)|(?<=\.)\.\.)[….。！？!?]*+[{_CLOSERS}]*+)"
    # None inside of a number, an address or "e.g.", nor where a sentence goes on.
    rf"|(?P<ascii>(?<=[.!?])(?!(?<=\.)[0-9A-Za-z]|[,;:]|\s[a-z])[.!?！？]*+[{_CLOSERS}*_]*+{_NOTES}))"
)
_INLINE_CODE = re.compile(r"(?<!`)`(?!`)[^`\n]{1,500}+`")
_CJK_CHAR = re.compile(f"[{_CJK}]")
# What may stand between the end of a sentence and the first letter of the next.
_OPENERS = re.compile(r"[\s“‘「『（【《\"'(\[*_`~>]*+")

_OPENED = re.compile(r"[(\[（“\"'/]")
_INITIALS = re.compile(r"(?:[A-Z]\.)+[A-Z]")
_SECTION = re.compile(r"[A-Z]|[IVXLC]+")
_WORD = re.compile(r"[^\W\d_]+(?:['’]\w+)?")
_NUMBER = r"[(（]?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxIVX]{1,4})\Z"
_LIKE_NUMBER = re.compile(rf">*{_NUMBER}")
_ITEM_NUMBER = re.compile(rf"(?:\A|\n)[ \t>]*(?:[-*+] )?{_NUMBER}")

_OPENING = dict(zip("）】〕", "（【〔", strict=True))
_SHORT_SUBJECT = 8
_CLAUSE_MARK = re.compile("[，、：；。！？,\n]")
_NEXT_SUBJECT = "它他她牠我你您咱这這那该該此其但而因所如若当當然另首最"
"""What a sentence often begins with, rather than that one goes on with it."""
_SHORT_QUOTE = 12
_CJK_LETTER = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_SAYS = re.compile(r"[说說问問道答喊叫嚷笑吼想示出为為充写寫调調释釋][道着著了]?\Z")
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
    if text.find("|", start, end) < 0:
        return _split_prose(text, start, end)
    spans: list[tuple[int, int]] = []
    at = start
    for first, last in _rows(text, start, end):
        spans += _split_prose(text, at, first)
        _append(spans, text, first, last)
        at = last
    return spans + _split_prose(text, at, end)


def _rows(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Lines that are table rows, in order."""
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
    at, inside = _past_space(text, start, end), 0
    for match in _CANDIDATE.finditer(text, start, end):
        kind = match.lastgroup
        begin, stop = match.span()
        if code and kind != "line":
            while inside < len(code) and code[inside][1] <= begin:
                inside += 1
            if inside < len(code) and code[inside][0] < begin:
                continue
        if kind == "word" and text[begin - _LAST : begin] not in _MAY_BE_SHORT:
            spans.append((at, stop))
            at = stop + 1
            continue
        if kind == "line":
            _append(spans, text, at, stop)
        elif kind == "sure" or stop == end or _RULES[kind](text, at, begin, stop, end):
            spans.append((at, stop))
        else:
            continue
        at = _past_space(text, stop, end)
    if at < end:
        _append(spans, text, at, end)
    return spans


def _past_space(text: str, at: int, end: int) -> int:
    while at < end and text[at].isspace():
        at += 1
    return at


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end].strip()
    if piece:
        first = text.index(piece[0], start)
        spans.append((first, first + len(piece)))


# Each rule is given where the sentence began, where its mark begins and stops (before the end of the range), and the
# end of the range; it tells whether the sentence ends there.


def _ascii_stop(text: str, at: int, begin: int, stop: int, end: int) -> bool:
    if not text[stop].isspace():
        return _ends_unspaced(text, begin, stop)
    next_at = _next_letter(text, stop, end)
    if next_at >= end:
        return True
    if text[next_at].islower():
        return False
    return text[begin] != "." or _period(text, at, begin, next_at, end)


def _ends_unspaced(text: str, begin: int, stop: int) -> bool:
    """ "v2.0.1", "example.org/a?b": no. "真的?是的": yes, where the mark stands for a Chinese one."""
    before, first, last, following = text[begin - 1 : begin], text[begin], text[stop - 1], text[stop]
    chinese = _CJK_CHAR.match(before) is not None
    if first in "!?" and chinese and following.isalnum():
        return True
    if not _CJK_CHAR.match(following) or following in "，、：；。！？…）》】":
        return False
    return chinese or first in "!?" or last in "”’」』"


def _closed(text: str, at: int, begin: int, stop: int, end: int) -> bool:
    # “来吗？”他问。 and “为什么？”的问题 go on after the quotation; 他问：“来吗？” has been attributed already.
    if _GOES_ON.match(text, stop, end):
        return False
    low = max(at, begin - 200)
    if text[stop - 1] in _OPENING and text[stop] not in _NEXT_SUBJECT and not text[stop].isspace():
        # 小明（男，5岁。）来了。 goes on after a bracket on its subject.
        opening = _opened(text, low, begin, text[stop - 1])
        clause = text[max(low, opening - _SHORT_SUBJECT - 1) : opening] if opening > low else ""
        if clause and (len(clause) <= _SHORT_SUBJECT or _CLAUSE_MARK.search(clause)):
            return False
    opening = max(text.rfind(quote, low, stop) for quote in "“「『")
    if opening > low and text[opening - 1] in "：:，,":
        return True
    if opening > low and text[begin] in "？！" and begin - opening <= _SHORT_QUOTE and not text[stop].isspace():
        # 输入“是/否？”后继续。 quotes a word; 他问“来吗？”我说来。 quotes speech.
        return not (_CJK_LETTER.match(text, opening - 1) and not _SAYS.search(text, max(low, opening - 3), opening))
    return not _SPEECH.match(text, stop, min(end, stop + 16))


def _opened(text: str, low: int, at: int, closing: str) -> int:
    """Where the bracket that `closing` closes was opened, not before `low`; else -1."""
    depth = 0
    for place in range(at - 1, low - 1, -1):
        if text[place] == closing:
            depth += 1
        elif text[place] == _OPENING[closing]:
            if not depth:
                return place
            depth -= 1
    return -1


def _ellipsis(text: str, at: int, begin: int, stop: int, end: int) -> bool:
    following = text[stop]
    if following.isspace():
        next_at = _next_letter(text, stop, end)
        if next_at >= end:
            return True
        return not text[next_at].islower() and _next_word(text, next_at, end) not in ("I", "I'm", "I’m", "I'll", "I've")
    if stop - begin < 2 or not _CJK_CHAR.match(following):
        return False
    return not _GOES_ON.match(text, stop, end) and not _SPEECH.match(text, stop, min(end, stop + 16))


_RULES: dict[str | None, Callable[[str, int, int, int, int], bool]] = {
    "ascii": _ascii_stop,
    "word": _ascii_stop,
    "closed": _closed,
    "dots": _ellipsis,
}


def _next_letter(text: str, stop: int, end: int) -> int:
    """Past whitespace, opening quotes and brackets."""
    if stop + 1 < end and text[stop + 1].isalpha():
        return stop + 1
    opening = _OPENERS.match(text, stop, end)
    return opening.end() if opening else stop


def _next_word(text: str, at: int, end: int) -> str:
    word = _WORD.match(text, at, end)
    return word.group() if word else ""


def _period(text: str, at: int, dot: int, next_at: int, end: int) -> bool:  # noqa: PLR0911 - a return for each rule, in order
    low = max(at, dot - 40)
    if dot == low or not text[dot - 1].isalnum():
        return True
    last = text[low:dot].rsplit(None, 1)[-1]
    if _LIKE_NUMBER.match(last) and _ITEM_NUMBER.search(text[low if low == at else low - 1 : dot]):
        return False
    token = last if last.isalnum() else _OPENED.split(last)[-1]
    name = token.lstrip("*_~“‘").lower()
    if name in TITLES:
        return False
    if name in REFERENCES:
        label = text[next_at]
        if label.isdigit() or label in "#§[(（":
            return False
        # "Sec. A", "Vol. IV"
        following = _next_word(text, next_at, end)
        return following == "I" or not _SECTION.fullmatch(following)
    if name in EITHER:
        return _opens(text, next_at, end) or _CJK_CHAR.match(text[next_at]) is not None
    if len(name) == 1 and name.isalpha() and token[-1].isupper():
        # "J. Smith" is a name, "vitamin C. The" is not.
        return _opens(text, next_at, end) and _next_word(text, next_at, end) not in ("A", "I")
    if "." in token and _INITIALS.fullmatch(token):
        return _opens(text, next_at, end)
    return True


def _opens(text: str, at: int, end: int) -> bool:
    """Whether the word there often opens a sentence."""
    return _next_word(text, at, end).lower() in STARTERS
