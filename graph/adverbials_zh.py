"""Places, times and conditions of a Chinese question, and which of them takes the place of which."""

from __future__ import annotations

import re
from collections.abc import Iterator

from retrieval.lexical.tokenizer import simplified

_PLACE = re.compile(
    r"在?(?:国内|國內|国外|國外|海外|境内|境外|省内|省外|市内|市外|校内|校外|院内|院外|室内|室外|户外|线上|线下|本地|异地"
    r"|外地|城里|城外|市区|郊区|农村|家里)|在家"
)
_KINDS = {
    "place": _PLACE,
    "day": re.compile(r"平时|平日|平常|周末|週末|工作日|法定节假日|节假日"),
    "season": re.compile(r"假期|寒假|暑假|淡季|旺季"),
    "hour": re.compile(r"白天|夜间|夜里|晚上|早上|上午|下午|中午|凌晨"),
    "time": re.compile(r"试用期(?![是有多几要])"),
}
_ENDS = re.compile(r"(?:之?后|以后|之?前|以前|期间|期間|以?内|以?外|之?时|的时候|後|內|時)\Z")
_WITHIN = re.compile(r"(?:以?[内外內])\Z")
_PERIOD = re.compile(r"(?:期|年|月|天|日|周|小时|分钟|季)\Z")
_BOUND = re.compile(r"(?:满|未满|不满|超过|如果|若|要是|没有|有)\S")
_LONGEST = 10
_EXTENDS = re.compile(r"[vmtqa]")


def placed(anchor: str, named: str) -> tuple[str, bool] | None:
    """`anchor` with the place, time or condition that `named` is in the place of its only like, and whether that is
    sure; before all else where there is none. None where `named` is none."""
    kind = _kind(named)
    if not kind:
        return None
    if named == "试用期" and "的" in anchor and not any(found == kind for found, _ in _phrases(anchor)):
        return None
    there = {span for found, span in _phrases(anchor) if found == kind}
    if len(there) == 1:
        start, end = there.pop()
        return f"{anchor[:start]}{named}{anchor[end:]}", True
    return f"{named}{anchor}", False


def _kind(named: str) -> str:
    for kind, pattern in _KINDS.items():
        if pattern.fullmatch(named):
            return kind
    if _BOUND.match(named):
        return "time"
    until = max((end for _, (_, end) in _ended(named)), default=0)
    return _by_its_end(named) if until == len(named) <= _LONGEST else ""


def _by_its_end(said: str) -> str:
    end = _ENDS.search(said)
    if end is None or not end.start():
        return ""
    within = _WITHIN.match(end[0]) and not _PERIOD.search(said[: end.start()])
    return "place" if within else "time"


def _phrases(anchor: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for kind, pattern in _KINDS.items():
        for match in pattern.finditer(anchor):
            if not _ENDS.match(anchor[match.end() : match.end() + 1]):
                yield kind, match.span()
    yield from _ended(anchor)


def _ended(anchor: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Phrases that 后, 前, 内 or the like ends as a word."""
    import rjieba

    plain = simplified(anchor)
    if len(plain) != len(anchor):
        return
    at, before = 0, list[tuple[int, str]]()
    for word, tag in rjieba.tag(plain):
        if before and (_ENDS.fullmatch(word) or (len(word) > 1 and _ENDS.search(word) and tag in ("f", "t"))):
            start = before[-1][0]
            for begins, earlier in reversed(before[:-1]):
                if not _EXTENDS.match(earlier):
                    break
                start = begins
            end = at + len(word)
            if kind := _by_its_end(plain[start:end]):
                yield kind, (start, end)
        if tag in ("x", "uj", "r"):
            before.clear()
        else:
            before.append((at, tag))
        at += len(word)
