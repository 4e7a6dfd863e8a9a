"""Clauses that a question asks for by their number: 第二十一条, "clause 4.2", "§ 7"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graph.quantities import stated

_HAN = "〇零一二三四五六七八九十百千两"
_LABEL = re.compile(
    rf"第\s*([{_HAN}\d]+)\s*[条條]|(?:\b(?:article|clause|section|paragraph|para\.|art\.|sec\.)|§)\s*(\d+(?:\.\d+)*)",
    re.IGNORECASE,
)
_BEGINS = re.compile(rf"[\s#*>]*(?:{_LABEL.pattern}|(\d+(?:\.\d+)+)(?=[\s.)]))", re.IGNORECASE)
_CONTENT = re.compile(
    r"规定|規定|内容|內容|[说說写寫讲講]了?[什啥]|\bsays?\b|\bstates?\b|\bregulates?\b|\bstipulates?\b|\bcontains?\b|\babout\b"
    r"|\bprovides?\b|\bcovers?\b",
    re.IGNORECASE,
)
_BROKEN = re.compile(r"违反|違反|\bbreach|\bviolat|\binfring", re.IGNORECASE)
"""What follows from breaking a clause stands in another."""


def asked_clauses(question: str) -> frozenset[str]:
    """The numbers of the clauses whose content is asked for."""
    if _BROKEN.search(question) or not _CONTENT.search(question):
        return frozenset()
    return frozenset(_number(han or latin) for han, latin in _LABEL.findall(question))


def clause_shares(asked: frozenset[str], sentences: Sequence[str], headings: Sequence[str]) -> list[int]:
    """For each sentence of a passage 1 where it is of an asked clause, -1 where of another, 0 where of none.

    A clause goes on until the next one, or the next heading.
    """
    found: list[int] = []
    of, under = "", None
    for sentence, heading in zip(sentences, headings, strict=True):
        if heading != under:
            of, under = _own(heading), heading
        of = _own(sentence) or of
        found.append(0 if not of else 1 if any(of == one or of.startswith(f"{one}.") for one in asked) else -1)
    return found


def _own(text: str) -> str:
    begins = _BEGINS.match(text)
    return "" if begins is None else _number(next(filter(None, begins.groups())))


def _number(written: str) -> str:
    if written[0].isdigit():
        return written
    said = stated(written).quantities
    return str(said[-1].value) if said else written
