"""Sentences that say what something is in the words it is asked in: "The annual fee is ..." for "What is the annual
fee?"."""

from __future__ import annotations

import re
from functools import lru_cache

_ASKED = re.compile(
    r"\b(?:what|how (?:much|high|large|long)) (?:is|are|was|were) (?:the |an? |its |their )?"
    r"((?:[\w/-]+ ){0,3}?[\w/-]+)(?= (?:of|in|for|at|on|per|by|under|to|between|from|with|during)\b|\W*\Z)",
    re.IGNORECASE,
)
_ASKED_ZH = re.compile(
    r"([\u3400-\u9fffA-Za-z0-9]{2,10}?)(?:是|为|為)(?:多少|多大|多[长長高重]|(?:什么|什麼|谁|誰)(?=\W*\Z))"
)
_OF_ZH = re.compile(r".*的")
_SHORTEST = 2


@lru_cache(maxsize=64)
def statement(question: str) -> re.Pattern[str] | None:
    """What a sentence begins with that says it; None for a question that asks otherwise."""
    if found := _ASKED.search(question):
        noun = r"\s+".join(map(re.escape, found[1].split()))
        return re.compile(
            rf"\b{noun}\b(?:\s*\([^()]*\))?(?:\s+(?:of|for|in)(?:\s+[\w-]+){{1,4}}?)?"
            rf"(?:\s+(?:is|are|was|were|amounts? to|amounted to|totals?|totalled|equals?)\b|\s*[:：=])",
            re.IGNORECASE,
        )
    if found := _ASKED_ZH.search(question):
        noun = _OF_ZH.sub("", found[1])
        if len(noun) >= _SHORTEST:
            return re.compile(
                rf"(?:(?<![\u3400-\u9fff])|(?<=[的其总該该本])){re.escape(noun)}(?:[（(][^（）()]*[）)])?\s*(?:[为為是达達]|共?[计計]|[:：=])"
            )
    return None


def states(question: str, sentence: str) -> bool:
    asked = statement(question)
    return asked is not None and asked.search(sentence) is not None
