"""Citation markers as models write them: ``[1]``, ``[1, 2]``, ``【1】``, ``[[1]]``, ``[^1]``, ``[source 1``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from graph.neutral import CLOSING, OPENING

# What is optional is taken for good (`*+`, `?+`): "[source [source [source" took exponential time.
_OPEN, _CLOSE = f"[{re.escape(OPENING)}]", f"[{re.escape(CLOSING)}]"
_NOUN = r"(?>sources?|src|references?|refs?|documents?|docs?|passages?|id|来源|资料|文档|引用|出处|文献|第)"
_LABEL = rf"(?:{_NOUN}\s*+[:：=#]?+\s*+[\"']?+\s*+)?+"
_AND = r"\s*+(?:[,，、;；&|/\-–—~]|\band\b|和|及|与)\s*+"
_NUMBERS = rf"\^?+{_LABEL}\d{{1,9}}[\"']?(?:{_AND}\^?+{_LABEL}\d{{1,9}}[\"']?)*"
_NEVER_CLOSED = rf"(?![^\n{re.escape(OPENING + CLOSING)}]{{0,40}}{_CLOSE})"
"""What is closed later is no marker but text in brackets."""
_TRAILING = rf"[,，、]\s*+(?!\d){_NEVER_CLOSED}"
"""A list of numbers that breaks off."""
_BEHIND_END = rf"(?:(?<=[.!?。！？])|(?<=[.!?。！？]\s)){_OPEN}\s*+{_NUMBERS}(?=\s){_NEVER_CLOSED}"
"""Left open right behind a sentence, and the next one follows."""
_STOP = r"[,，、]?\s*+[.。!！?？;；](?!\d)"
_OPENINGS = rf"(?:{_OPEN}\s*+{_LABEL})++"
_TAIL = rf"(?:\s*+[†:：][^\n{re.escape(OPENING + CLOSING)}]{{0,30}})?"
_LINKED = r"(?:\((?:[^)\s]{0,2000}+\)|[^)\s]{2000,}+\)?))?"
"""The address of a marker that is a link; a long one is one without its end too."""
# A marker may be nested, left open, or made a link of; a daggered tail is some models' line reference.
MARKER = re.compile(
    rf"{_OPENINGS}{_NUMBERS}{_TAIL}"
    rf"(?:\s*+(?:{_CLOSE}(?:\s*+{_CLOSE})*+{_LINKED}|(?={_OPEN}|{_STOP}|\Z)|{_TRAILING})|[^\S\n]*+(?=\n))|{_BEHIND_END}",
    re.IGNORECASE,
)
_MARKER_OR_OPENINGS = re.compile(rf"(?P<marker>{MARKER.pattern})|{_OPENINGS}", re.IGNORECASE)
"""Openings that begin no marker are passed over at once: from none of them does another one begin."""
_MARKERS = re.compile(rf"(?:\s*+(?>{MARKER.pattern}))+", re.IGNORECASE)
_ENDS_MARKED = re.compile(rf"[.!?。！？](?:{_MARKERS.pattern}(?=\s+\S)|(?={_OPEN}\s))", re.IGNORECASE)
_PARTIAL = re.compile(rf"{_OPEN}[^\n{re.escape(CLOSING)}]{{0,60}}\Z")
_LEFT_OPEN = re.compile(rf"{_OPEN}(?=\s*+\^?+{_LABEL}\d)", re.IGNORECASE)
# Also by reference, whose address stands elsewhere; "312![1][2]" is a sentence and its markers.
_IMAGE = re.compile(
    rf"!\[[^\]\n]*+\]\([^)\n]*+\)?|!\[(?!\s*+\^?+{_LABEL}\d)[^\]\n]*+\]\[[^\]\n]*+\]|(?P<text>!\[[^\]\n]*+)",
    re.IGNORECASE,
)
"""Or what begins like one and is `text`: another that begins within it ends at the same bracket."""
_MAY_BE_IMAGE = re.compile(rf"!(?=\[(?!\s*+\^?+{_LABEL}\d))", re.IGNORECASE)
_ACTIVE_HTML = re.compile(
    r"</?\s*(?:img|script|iframe|object|embed|link|style|svg|form|input|video|audio)\b[^>\n]*>?", re.I
)
_DIGITS = re.compile(r"\d+")
_RANGE_LIMIT = 10


def numbers_of(marker: str) -> list[int]:
    """The source numbers that a marker names, ranges spelled out, in order and once each."""
    marker = marker.split("†", maxsplit=1)[0]
    found = [(int(match[0]), match.start(), match.end()) for match in _DIGITS.finditer(marker)]
    numbers = [number for number, _, _ in found[:1]]
    for (before, _, left), (number, right, _) in pairwise(found):
        if re.fullmatch(r"\s*[\-–—~]\s*", marker[left:right]) and before < number <= before + _RANGE_LIMIT:
            numbers.extend(range(before + 1, number))
        numbers.append(number)
    return list(dict.fromkeys(numbers))


def cited(sentence: str) -> list[int]:
    """All source numbers that a sentence names, in order and once each."""
    return list(dict.fromkeys(number for match in _markers(sentence) for number in numbers_of(match[0])))


def without_markers(sentence: str) -> str:
    """The sentence's own words: no markers, and nothing that a page would load or run."""
    return replace_markers(sentence, lambda numbers: "")


def replace_markers(sentence: str, write: Callable[[Sequence[int]], str]) -> str:
    """`sentence` with each marker written anew by `write`, and nothing left that looks like one."""
    sentence = _MAY_BE_IMAGE.sub("! ", _ACTIVE_HTML.sub("", _IMAGE.sub(_text_of, sentence)))
    parts, at = [], 0
    for match in _markers(sentence):
        text, written = _LEFT_OPEN.sub("(", sentence[at : match.start()]), write(numbers_of(match[0]))
        parts += [text if written else text.rstrip(" "), written]
        at = match.end()
    parts.append(_LEFT_OPEN.sub("(", sentence[at:]))
    return "".join(parts).strip()


def opens_with_marker(text: str) -> re.Match[str] | None:
    """Markers at the start of `text`: they belong to the sentence before."""
    return _MARKERS.match(text)


def ends_behind_markers(text: str) -> list[int]:
    """Where sentences of `text` end behind which a marker, or a bare bracket, stands without a space.

    "It has 312.[1] It was" ends before " It".
    """
    return [match.end() for match in _ENDS_MARKED.finditer(text)]


def may_open_marker(text: str) -> bool:
    """Whether `text` could be the beginning of a marker that has not arrived whole."""
    return not text.strip() or _PARTIAL.fullmatch(text.strip()) is not None


def _markers(text: str) -> Iterator[re.Match[str]]:
    return (match for match in _MARKER_OR_OPENINGS.finditer(text) if match["marker"] is not None)


def _text_of(match: re.Match[str]) -> str:
    return match["text"] or ""
