"""Fields of minutes and forms ("Present: Ada Byron") that hold what a question asks for in other words."""

from __future__ import annotations

import re

from graph.measures import measures
from graph.questions import kinds

_NAME = re.compile(r"[\s>*•_-]*([^\s:：|。.!?！？,，][^:：|。.!?！？,，\n]{0,39}?)[ \t*_]*[:：](?![/\\])[ \t*_]*\S")
_ASKED = tuple(
    (re.compile(asks, re.IGNORECASE), re.compile(name, re.IGNORECASE))
    for asks, name in (
        (
            r"\battend|\bparticipa|\btook part\b|\b(?:was|were|is) (?:present|at|there)\b"
            r"|[参參]加|出席|[与與][会會]|到[会會场場]",
            r"present|in attendance|attend(?:ees|ance|ed|ing)?|participants?"
            r"|(?:出席|[参參]加|[参參][会會]|[与與][会會]).*",
        ),
        (
            r"\babsent\b|\bmissing\b|\bapolog|\bexcused\b|\bnot (?:present|attend)"
            r"|缺席|[请請]假|[没沒]有?(?:[来來]|[参參]加|出席)",
            r"absent|absence|absentees|apologies|excused|缺席.*|[请請]假.*|未出席.*|列席.*",
        ),
        (
            r"\bchair|\bwho (?:led|leads|presided|hosted|hosts)\b|主持|主席",
            r"chair(?:man|woman|person|ed by)?|host|led by|主持人?|主席",
        ),
    )
)


def tells(question: str, sentence: str) -> bool:
    """Whether a sentence is a field whose name stands for what is asked: "Place" for where."""
    if (field := _NAME.match(sentence)) is None:
        return False
    name = field[1].strip()
    if any(named.fullmatch(name) for asks, named in _ASKED if asks.search(question)):
        return True
    columns = [kind.columns for kind in kinds(question) if kind.columns]
    return any(each.search(name) for each in (*columns, *(measure.named for measure in measures(question))))
