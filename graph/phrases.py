"""Names of two words or more that a question has: "business class", 商务舱."""

from __future__ import annotations

import re
from itertools import pairwise

from graph.support import known_words

_SEQUENCE = re.compile(r"[A-Za-z][A-Za-z]+(?:[ -][A-Za-z][A-Za-z]+)+|[\u3400-\u9fff]{3,}")
_HAN = re.compile(r"[\u3400-\u9fff]{3}")


def phrases(question: str) -> list[str]:
    """Pairs of neighbouring words, and three neighbouring Chinese characters, that are about something."""
    found: list[str] = []
    for run in (match[0].lower() for match in _SEQUENCE.finditer(question)):
        words = re.split(r"[ -]", run)
        if len(words) > 1:
            pairs = pairwise(words)
            found += [f"{one} {other}" for one, other in pairs if known_words(one) and known_words(other)]
        else:
            three = (run[i : i + 3] for i in range(len(run) - 2))
            found += [each for each in three if {each[:2], each[1:]} <= known_words(run)]
    return found


def has_phrase(text: str, phrase: str) -> bool:
    """Whether a text has it, in the plural or with a hyphen too."""
    if _HAN.fullmatch(phrase):
        return phrase in text
    one, other = phrase.split(" ")
    return re.search(rf"\b{one}[ -]{other.removesuffix('s')}s?\b", text, re.IGNORECASE) is not None
