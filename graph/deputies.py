"""A deputy for the head, and the head for a deputy: 副主任 where the passages name the 主任."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_TITLES_ZH = (
    r"(?:总经理|董事长|秘书长|主任|校长|院长|组长|处长|局长|部长|经理|总裁|主席|会长|馆长|书记|队长|所长|科长|市长|省长"
    r"|县长|总监|主编|站长|班长|店长|厂长|行长|总统|总理|首相|社长|园长|教授|主管|主席团?)"
)
_TITLES = (
    r"(?:head|director|manager|chair(?:man|woman|person)?|president|principal|minister|leader|editor|mayor|chancellor"
    r"|secretary|treasurer|captain|commander|governor|dean|rector|superintendent|headteacher|headmaster|ceo|cfo|cto)"
)
_BELOW_ZH = r"(?:副|代理|助理|候任|名誉)"
_BELOW = r"(?:deputy|vice|assistant|acting|associate|interim|honorary)"
_DEPUTY = re.compile(rf"{_BELOW_ZH}{_TITLES_ZH}|\b{_BELOW}[ -](?:\w+ )?{_TITLES}\b", re.IGNORECASE)
_TITLE = re.compile(rf"{_TITLES_ZH}|\b{_TITLES}\b", re.IGNORECASE)
_RANK = re.compile(rf"{_BELOW_ZH}|\b{_BELOW}[ -]", re.IGNORECASE)


def other_ranks(question: str, passages: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The title that `question` asks for and no passage has, with what the passages have: the same title of another
    rank."""
    for deputy in dict.fromkeys(match[0] for match in _DEPUTY.finditer(question)):
        title = _RANK.sub("", deputy)
        if not _met(deputy, passages) and _alone(title, passages):
            yield deputy, [title]
    for title in dict.fromkeys(match[0] for match in _TITLE.finditer(_DEPUTY.sub(" ", question))):
        deputies = [found[0] for text in passages for found in _DEPUTY.finditer(text) if found[0].endswith(title)]
        if deputies and not _alone(title, passages):
            yield title, deputies


def _met(name: str, passages: Sequence[str]) -> bool:
    pattern = re.compile(re.escape(name).replace(r"\ ", "[ -]"), re.IGNORECASE)
    return any(pattern.search(text) for text in passages)


def _alone(title: str, passages: Sequence[str]) -> bool:
    """Whether a passage has the title itself, and not a deputy's alone."""
    return any(_met(title, [_DEPUTY.sub(" ", text)]) for text in passages)
