"""Names of two words or more that a question has: "business class", 商务舱."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from graph.support import known_words

_SEQUENCE = re.compile(r"[A-Za-z]{2,}(?:[ -][A-Za-z]{2,})+|[\u3400-\u9fff]{3,}")
_HAN = re.compile(r"[\u3400-\u9fff]{3}")


@lru_cache(maxsize=256)
def phrases(question: str) -> tuple[str, ...]:
    """Pairs of neighbouring words, and three neighbouring Chinese characters, that are about something."""
    found: list[str] = []
    for run in (match[0].lower() for match in _SEQUENCE.finditer(question)):
        if _HAN.match(run):
            known = known_words(run)
            three = (run[i : i + 3] for i in range(len(run) - 2))
            found += [each for each in three if {each[:2], each[1:]} <= known]
        else:
            pairs = pairwise(re.split(r"[ -]", run))
            found += [f"{one} {other}" for one, other in pairs if known_words(one) and known_words(other)]
    return tuple(dict.fromkeys(found))


def has_phrase(text: str, phrase: str) -> bool:
    """Whether a text has it, in the plural or with a hyphen too."""
    return phrase in text if _HAN.fullmatch(phrase) else phrase.removesuffix("s") in _pairs(text)


@lru_cache(maxsize=4096)
def _pairs(text: str) -> frozenset[str]:
    """The pairs of neighbouring words, the second in the singular."""
    runs = (re.split(r"[ -]", match[0].lower()) for match in _SEQUENCE.finditer(text))
    return frozenset(f"{one} {other}".removesuffix("s") for words in runs for one, other in pairwise(words))
