"""A member with what counts it in the place of another: line 2 for line 1, five years for one, 2号线 for 1号线."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DIGITS_ZH = "零〇一二三四五六七八九十百千万两"
_DATE_ZH = rf"(?:\d+|[{_DIGITS_ZH}]+)月(?:\d+|[{_DIGITS_ZH}]+)(?=[日号])"
_NUMBER_ZH = rf"(?:{_DATE_ZH}|[A-Za-z]{{0,4}}-?\d+(?:\.\d+)*[A-Za-z]?|[A-Za-z]|[{_DIGITS_ZH}]+)"
_ALONE = rf"(?<![0-9A-Za-z.{_DIGITS_ZH}-])"
_MEMBER_ZH = re.compile(
    rf"\A(?P<before>[\u3400-\u9fff]{{0,3}}?)(?P<number>{_NUMBER_ZH})\s?"
    r"(?P<counter>[\u3400-\u9fff]{1,8}?|[A-Za-z%℃°]{1,4})(?P<of>的[\u3400-\u9fff\w]+)?的?\Z"
)
_RANGE_ZH = re.compile(rf"{_NUMBER_ZH}[\u3400-\u9fff]?(?:到|至|[-~—–～])\Z")
_BOUND_ZH = re.compile(r"第|满|滿|未满|不满|超过|不足|至少|最多|入职|工作")
_SMALL = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|eighteen|twenty|thirty|forty|fifty"
    r"|sixty|hundred)"
)
_PREPOSITION = (
    r"(?:up to|at least|at most|more than|less than|in|on|at|for|from|to|of|with|by|under|over|above|below|within|after"
    r"|before|during|until|since)"
)
_NAMED = re.compile(
    rf"\A(?:(?P<preposition>{_PREPOSITION}) )?(?:the )?(?P<noun>[A-Za-z]{{3,}})"
    r" (?P<number>\d[\w.-]*|[A-Z]{1,4})\Z"
)
_MEASURED = re.compile(
    rf"\A(?:(?P<preposition>{_PREPOSITION}) )?(?:the )?(?P<number>\d[\d.,]*|an?|{_SMALL})[ -]?"
    r"(?P<unit>[a-zA-Z]+?|%)s?\Z",
    re.IGNORECASE,
)
_BARE = re.compile(rf"\A(?P<preposition>{_PREPOSITION}) (?P<number>\d[\d.,]*|{_SMALL})\Z", re.IGNORECASE)
_NO_NOUN = re.compile(rf"(?:{_PREPOSITION}|the|and|any|all|one|only|{_SMALL})\Z", re.IGNORECASE)


def other_member(anchor: str, named: str) -> str | None:
    """`anchor` with the whole member that `named` is for its only other one with the same counter."""
    for pattern, find in ((_NAMED, _with_noun), (_BARE, _with_its_unit), (_MEASURED, _with_unit)):
        if member := pattern.match(named):
            return find(anchor, member)
    member = _MEMBER_ZH.match(named)
    found = None if member is None or member["of"] else _in_chinese(anchor, member)
    return None if found is None else found[0]


@dataclass(frozen=True, slots=True)
class OfMember:
    """What is asked of another member; it with what stands before it in the question, and that whole question."""

    asked: str
    about: str
    whole: str


def of_other_member(anchor: str, named: str) -> OfMember | None:
    """2号线的长度 after a question about 1号线."""
    member = _MEMBER_ZH.match(named)
    if member is None or not member["of"] or (found := _in_chinese(anchor, member)) is None:
        return None
    made, until = found
    return OfMember(member["of"].removeprefix("的"), made[:until], made)


def _in_chinese(anchor: str, member: re.Match[str]) -> tuple[str, int] | None:
    """`anchor` with another member, and where that ends."""
    there = list(re.finditer(rf"{_ALONE}{_NUMBER_ZH}(?=\s?{re.escape(member['counter'])})", anchor))
    if len({match[0] for match in there}) != 1:
        return None
    start, end = there[0].span()
    if "月" in there[0][0] and "月" not in member["number"]:
        start += there[0][0].index("月") + 1
    if series := _RANGE_ZH.search(anchor[:start]):
        start = series.start()
    said = member["before"]
    if said and not anchor[:start].endswith(said):
        if not _BOUND_ZH.fullmatch(said):
            return None
        bound = next((match[0] for match in _BOUND_ZH.finditer(anchor) if match.end() == start), "")
        start, number = start - len(bound), f"{said}{member['number']}"
    else:
        number = member["number"]
    if anchor[start:end] == number and not member["of"]:
        return None
    made = f"{anchor[:start]}{number}{anchor[end:]}"
    return made, made.index(member["counter"], start + len(number)) + len(member["counter"])


def _with_noun(anchor: str, member: re.Match[str]) -> str | None:
    noun = member["noun"]
    if _NO_NOUN.match(noun):
        return None
    there = re.search(rf"\b{noun}\b", anchor, re.IGNORECASE)
    said = f"{there[0] if there else noun} {member['number']}"
    return _put(anchor, member, rf"(?i:{noun}) (?:\d[\w.-]*\w|\d|[A-Z]{{1,4}})\b", said)


def _with_its_unit(anchor: str, member: re.Match[str]) -> str | None:
    """ "after five" of "after one year"."""
    there = re.findall(rf"\b{_PREPOSITION} (?:\d[\d.,]*|an?|{_SMALL}) ([a-z]+)", anchor, re.IGNORECASE)
    if len(there) != 1:
        return None
    unit = there[0] if there[0].endswith("s") or member["number"].lower() in ("one", "1") else f"{there[0]}s"
    measured = _MEASURED.match(f"{member[0]} {unit}")
    return None if measured is None else _with_unit(anchor, measured)


def _with_unit(anchor: str, member: re.Match[str]) -> str | None:
    unit = re.escape(member["unit"])
    said = re.sub(rf"\A(?:{_PREPOSITION} )?(?:the )?", "", member[0], flags=re.IGNORECASE)
    some = rf"\d[\d.,]*|\b{_SMALL}|\ban?(?= {unit}s?(?:\W*\Z| {_PREPOSITION}\b))"
    there = re.search(rf"{_PREPOSITION} (?:{some})[ -]?{unit}s?\b", anchor, re.IGNORECASE)
    # "for two days" is no day ticket.
    if member["preposition"] and there is None:
        return None
    return _put(anchor, member, rf"(?i:(?:{some})[ -]?{unit}s?)\b", said)


def _put(anchor: str, member: re.Match[str], alike: str, said: str) -> str | None:
    """With the preposition of `member` too, where both have one."""
    there = list(re.finditer(rf"(?<![\w.-]){alike}", anchor))
    if len({match[0] for match in there}) != 1 or there[0][0] == said:
        return None
    start, end = there[0].span()
    before = re.search(rf"\b{_PREPOSITION} (?:the )?\Z", anchor[:start], re.IGNORECASE)
    if member["preposition"] and before:
        start, said = before.start(), f"{member['preposition'].lower()} {said}"
    return f"{anchor[:start]}{said}{anchor[end:]}"
