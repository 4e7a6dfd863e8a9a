"""What happened instead of what is asked: opened where it is asked when it closed, retired for joined."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from graph.beside import Found, Read, stand_beside

_WHEN = re.compile(
    r"\b(?:when|(?:in )?(?:which|what) (?:year|month)) (?:did|was|were|had)\b|(?:何时|什么时候|哪一?[年月天日]|几月)"
)
_PAIRS = tuple(
    (re.compile(one, re.IGNORECASE), re.compile(other, re.IGNORECASE))
    for one, other in (
        (
            r"\bopen(?:ed)?\b(?! up)|\breopen(?:ed)?\b|开业|开馆|开园",
            r"\b(?:clos(?:e|ed|ure)|shut)\b|关闭|停业|闭馆|倒闭",
        ),
        (
            r"\b(?:join(?:ed)?|hired|start(?:ed)?|beg[au]n|appointed|enter(?:ed)?|came|moved)\b|入职|加入|就任|上任|接任|进入",
            r"\b(?:retired?|left|leave|resign(?:ed)?|quit|dismissed|stepped down)\b|退休|离职|辞职|卸任|离任|离开",
        ),
        (r"\bborn\b|\bbirth\b|出生|诞生|生于", r"\b(?:die[sd]?|death|buried|killed)\b|去世|逝世|病逝|卒于|死于|死亡"),
        (
            r"\b(?:found(?:ed)?|establish(?:ed)?|set up|creat(?:ed?|ion))\b|成立|创办|创立|建立",
            r"\b(?:dissolved?|disbanded?|abolished?|bankrupt(?:cy)?|liquidated?)\b|解散|撤销|破产|倒闭",
        ),
    )
)
_BOUNDS = re.compile(r"\b(?:until|till|from|since|between|through)\b|[–—~至到直自从]", re.IGNORECASE)
"""A span of time tells both its ends."""


def other_events(question: str, passages: Sequence[Sequence[Read]]) -> Found:
    """The event that is asked for, where what is said of its subject is the opposite one."""
    if not _WHEN.search(question.lower()):
        return
    for pair in _PAIRS:
        for own, opposite in (pair, pair[::-1]):
            asked = own.search(question)
            if asked is None or opposite.search(question):
                continue

            def met(text: str, own: re.Pattern[str] = own) -> bool:
                return own.search(text) is not None

            def others(read: Read, own: re.Pattern[str] = own, opposite: re.Pattern[str] = opposite) -> list[str]:
                told = not own.search(read.text) and not _BOUNDS.search(read.text)
                return [found[0] for found in opposite.finditer(read.text)] if told else []

            # "It opened in 2005. It shut in 2019." tells both of one subject.
            if not any(others(one) and met(behind.text) for passage in passages for one, behind in pairwise(passage)):
                yield asked[0], stand_beside(own.sub(" ", question), passages, met, others)
