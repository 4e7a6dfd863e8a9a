"""A deputy for the head, and the head for a deputy: 副主任 where the passages name the 主任.

Where it is asked who is in office, whoever was before is none either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

TITLES_ZH = (
    r"(?:总经理|董事长|秘书长|主席团|主任|校长|院长|组长|处长|局长|部长|经理|总裁|主席|会长|馆长|书记|队长|所长|科长|市长"
    r"|省长|县长|总监|主编|站长|班长|店长|厂长|行长|总统|总理|首相|社长|园长|教授|主管)"
)
TITLES = (
    r"(?:head|director|manager|chair(?:man|woman|person)?|president|principal|minister|leader|editor|mayor|chancellor"
    r"|secretary|treasurer|captain|commander|governor|dean|rector|superintendent|headteacher|headmaster|ceo|cfo|cto)"
)
BELOW_ZH = r"(?:副|代理|助理|候任|名誉)"
BELOW = r"(?:deputy|vice|assistant|acting|associate|interim|honorary)"
# A title in Latin letters may stand among Chinese characters, so that letters alone bound it: 公司CEO, 代理CEO.
_WORD = rf"(?<![a-z]){TITLES}(?![a-z])"
_DEPUTY = re.compile(
    rf"{BELOW_ZH}(?:{TITLES_ZH}|{TITLES}(?![a-z]))|(?<![a-z]){BELOW}[ -](?:\w+ )?{TITLES}(?![a-z])",
    re.IGNORECASE,
)
_TITLE = re.compile(rf"{TITLES_ZH}|{_WORD}", re.IGNORECASE)
_RANK = re.compile(rf"{BELOW_ZH}|(?<![a-z]){BELOW}[ -]", re.IGNORECASE)
_BEFORE = r"(?:former|previous|retired|ex)"
_BEFORE_ZH = r"(?:(?:前任|原任|离任的?|卸任的?)[\u4e00-\u9fff]{0,4}?|(?<![目当以之先日提])前|(?<![高草平中])原)"
_IN_OFFICE = re.compile(
    r"\bwho(?:['’]s| is| are)(?: (?:now|currently))? (?:the |its |their |our |your )?(?P<office>[a-z][\w' -]*)"
    r"|是谁|谁是|谁担任",
    re.IGNORECASE,
)
_HEADS = re.compile(r"\bwho (?:currently )?(?:heads|leads|directs)\b", re.IGNORECASE)
_HEADED = re.compile(
    r"\b(?:heads|headed|leads|led|directs|directed|runs|chairs|manages|managed|in charge)\b", re.IGNORECASE
)
_LONGEST_OFFICE = 60
_NAMES_OFFICE = re.compile(r"(?<![\w-])[a-z]{4,}(?![\w-])")


def other_ranks(question: str, passages: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The title that `question` asks for and no passage has, with what the passages have: the same title of another
    rank."""
    for deputy in _found(_DEPUTY, question):
        title = _RANK.sub("", deputy)
        if not _met(deputy, passages) and _alone(title, passages):
            yield deputy, [title]
    for title in _found(_TITLE, _DEPUTY.sub(" ", question)):
        deputies = [
            deputy for text in passages for deputy in _found(_DEPUTY, text) if deputy.lower().endswith(title.lower())
        ]
        if deputies and not _alone(title, passages):
            yield title, list(dict.fromkeys(deputies))
            return
    yield from _out_of_office(question, passages)


def _out_of_office(question: str, passages: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The office whose holder is asked for, of which the passages have an assistant's or a former holder alone."""
    asked = _IN_OFFICE.search(question)
    if _HEADS.search(question):
        held = any(_TITLE.search(_DEPUTY.sub(" ", text)) or _HEADED.search(text) for text in passages)
        deputies = [deputy for text in passages for deputy in _found(_DEPUTY, text)]
        if deputies and not held:
            yield "head", list(dict.fromkeys(deputies))
    if asked is None:
        return
    if asked["office"] is None:
        for title in _found(_TITLE, _DEPUTY.sub(" ", question)):
            ranks = rf"{_BEFORE_ZH}{re.escape(title)}"
            if not re.search(ranks, question):
                yield from _other_holders(title, ranks, passages)
        return
    # "Who is the curator of maps?" asks for a curator.
    office = re.split(r" (?:of|at|in|for|on|to|by|from|with|that|who|and|or) ", asked["office"][:_LONGEST_OFFICE])[0]
    words = _NAMES_OFFICE.findall(office.lower())
    if words and not re.match(rf"(?:{BELOW}|{_BEFORE})\b", office.lower()):
        ranks = rf"(?<![a-z])(?:{BELOW}|{_BEFORE})[ -](?:\w+ )?{words[-1]}(?![a-z])"
        yield from _other_holders(words[-1], ranks, passages)


def _other_holders(title: str, ranks: str, passages: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    pattern = re.compile(ranks, re.IGNORECASE)
    others = [other for text in passages for other in _found(pattern, text)]
    if others and not any(_met(title, [pattern.sub(" ", text)]) for text in passages):
        yield title, list(dict.fromkeys(others))


def _found(pattern: re.Pattern[str], text: str) -> list[str]:
    return list(dict.fromkeys(match[0] for match in pattern.finditer(text)))


def _met(name: str, passages: Sequence[str]) -> bool:
    pattern = re.compile(re.escape(name).replace(r"\ ", "[ -]"), re.IGNORECASE)
    return any(pattern.search(text) for text in passages)


def _alone(title: str, passages: Sequence[str]) -> bool:
    """Whether a passage has the title itself, and not a deputy's alone."""
    return any(_met(title, [_DEPUTY.sub(" ", text)]) for text in passages)
