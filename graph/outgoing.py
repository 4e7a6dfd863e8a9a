"""What of a conversation may leave the machine with a web search: the terms that a follow-up takes over, no more."""

from __future__ import annotations

import re
from collections.abc import Iterable

from graph.followups import own_question
from graph.keywords import keywords
from graph.language import has_han
from graph.types import Turn

_CLAUSE_END = re.compile(r"[,;:!?]\s+|[.](?=\s|\Z)\s*|[，。；：！？\n]+|\s+[-–—]+\s+|\s+(?:and|but|so)\s+")
_ASKS = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how)\b"
    r"|\A\W*(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|may|must|explain|describe|list|compare"
    r"|tell|show|summari[sz]e)\b"
    r"|什么|什麼|多少|[几幾]|谁|誰|哪|如何|怎|为何|為何|是否|吗|嗎|多[大长長高久远遠快]|何时|何時|能否|可否|有没有|是不是|呢",
    re.IGNORECASE,
)
_FRAME = re.compile(r"\A\W*(?:(?:for|on|in|at|with|of|about|regarding)\s|关于|对于|在)", re.IGNORECASE)
_OF_THE_SPEAKER = re.compile(r"\b(?:my|mine|our|ours|i|we|i['’]\w+|me|us)\b|[我咱]", re.IGNORECASE)
_ASKING_WORD = re.compile(r"\b(?:what|which|who|whose|when|where|why|how)\b", re.IGNORECASE)


def outgoing(query: str, question: str, history: Iterable[Turn], known: Iterable[str] = ()) -> str:
    """`query` without what earlier turns say beside their questions ("My password is ..., what does E07 mean?").

    A query that repeats an earlier question gives its terms and the words of `question`, one that leans on none stays
    as it is. What stands in `known` texts (passages of the index) is the subject, whoever said it.
    """
    earlier = [own_question(text.strip()) for role, text in history if role == "user" and text.strip()]
    if not earlier:
        return query
    asking, told = [question], list[str]()
    for text in earlier:
        for clause in _clauses(text):
            (asking if _ASKS.search(clause) or _may_frame(clause) else told).append(clause)
    allowed = _terms(" ".join(asking))
    indexed = " ".join(known).lower()
    hidden = {
        term
        for clause in told
        for term in _terms(clause)
        if term not in allowed and (_OF_THE_SPEAKER.search(clause) or term not in indexed)
    }
    repeats = any(text.rstrip(" ?？.。!！") in query for text in earlier if text != question)
    if not repeats and not hidden & _terms(query):
        return query
    terms = [term for term in keywords(query) if not hidden & {term.lower(), *_terms(term)}]
    return " ".join(terms) or question


def _clauses(text: str) -> list[str]:
    found = []
    for clause in _CLAUSE_END.split(text):
        asks = _ASKING_WORD.search(clause)
        # "My name is Ann what does E07 mean": who asks is no part of what is asked.
        if asks and asks.start() and _OF_THE_SPEAKER.search(clause[: asks.start()]):
            found += [clause[: asks.start()], clause[asks.start() :]]
        else:
            found.append(clause)
    return [clause for clause in found if clause.strip()]


def _may_frame(clause: str) -> bool:
    return _FRAME.match(clause) is not None and not _OF_THE_SPEAKER.search(clause)


def _terms(text: str) -> set[str]:
    whole = {term.lower() for term in keywords(text)}
    return whole | {part for term in whole if not has_han(term) for part in re.findall(r"\w+", term)}
