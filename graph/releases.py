"""Release notes: sections headed by versions, and which of them a question asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graph.naming import same

_HEADING = re.compile(
    r"[#\s]*\[?(?:(?:version |release |v|版本 ?)(?P<worded>\d+\.\d+(?:\.\d+)*)(?![\w.])"
    r"|(?:[a-z][\w-]* )?v?(?P<dated>\d+\.\d+(?:\.\d+)*)(?![\w.]).{0,30}?(?<!\d)(?:19|20)\d\d(?!\d)"
    r"|(?P<bare>\d+\.\d+(?:\.\d+)*)\]?\s*\Z)",
    re.IGNORECASE,
)
"""A number before words heads a section of a manual: "4.1 Scope"."""
_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)+(?![\d.]?\d)")
_AROUND = re.compile(
    r"\b(?:since|after|before|until|between|from|than|than in|upgrad\w+|updat\w+|compar\w+|differ\w*)\b"
    r"|[自从比]|之[前后]|以[前后来]|升级|更新到|区别|不同",
    re.IGNORECASE,
)
"""More releases than those that are named."""
_LATEST = re.compile(
    r"\b(?:latest|newest|most recent|current) (?:[\w-]+ )?(?:version|release)\b"
    r"|(?:最新|最近|当前|目前)的?[\w\u4e00-\u9fff]{0,6}?(?:版本|版)",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"\A\W*(?:(?:what|which)(?:['’]s| is| was)? (?:the )?)?(?:latest|newest|most recent|current) (?:[\w-]+ )?"
    r"(?:version|release)\b(?: (?:of|for) [\w .-]+)?\W*\Z"
    r"|(?:最新|最近|当前|目前)的?[\w\u4e00-\u9fff]{0,6}?(?:版本|版)[号號]?(?:是|为|為)?(?:什[么麼]|多少|哪一?[个個]?|[几幾])",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:released?|publish(?:ed)?|come out|came out|launched|shipped|release date|date of release)\b|[发發][布行]",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:date|day|year|month)\b|\bdate\b"
    r"|何[时時]|什[么麼][时時]|[哪几幾]一?[年月天日号]|日期",
    re.IGNORECASE,
)
_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def asks_latest(question: str) -> bool:
    """Whether a question asks which version is the latest, or what it brought."""
    return _LATEST.search(question) is not None


def release_named(question: str) -> bool:
    """Whether a question says which release it is about."""
    return asks_latest(question) or _NUMBER.search(question) is not None


def release(headings: Sequence[str]) -> str | None:
    """The version at the beginning of the nearest heading that has one there."""
    return next((version for heading in headings if (version := _version(heading))), None)


def out_of_release(
    question: str, texts: Sequence[str], above: Sequence[Sequence[str]], documents: Sequence[str]
) -> list[bool]:
    """Of each sentence whether it stands under another release than the one that is asked for, and does not name that.

    `above` are the headings of each, the nearest first, `documents` where it stands. A version that heads nothing is of
    something else, and where it is asked what is since or between versions no section is left out.
    """
    own = [release(headings) for headings in above]
    known = list(dict.fromkeys(each for each in own if each))
    if len(known) < 2:
        return [False] * len(texts)
    if asks_latest(question):
        latest: dict[str, str] = {}
        for document, each in zip(documents, own, strict=True):
            if each is not None:
                latest[document] = max(latest.get(document, each), each, key=_order)
        return [each is not None and each != latest[document] for document, each in zip(documents, own, strict=True)]
    asked = [each for each in _NUMBER.findall(question) if any(same(each, one) for one in known)]
    if not asked or _AROUND.search(question):
        return [False] * len(texts)
    return [
        each is not None
        and not any(same(one, each) for one in asked)
        and not any(one in _NUMBER.findall(text) for one in asked)
        for text, each in zip(texts, own, strict=True)
    ]


def tells_release(question: str, headings: Sequence[str]) -> str | None:
    """The heading that is itself the answer: which version is the latest, or when the asked one came out."""
    for heading in headings:
        if (version := _version(heading)) is None:
            continue
        if _WHICH.search(question):
            return heading
        dated = _DATE.search(heading) is not None and _DATE.search(question) is None
        named = asks_latest(question) or any(same(each, version) for each in _NUMBER.findall(question))
        return heading if dated and named and _ASKS_WHEN.search(question) and _WHEN.search(question) else None
    return None


def _version(heading: str) -> str | None:
    match = _HEADING.match(heading)
    return match and (match["worded"] or match["dated"] or match["bare"])


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
