"""Chinese words and their kinds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from graph.language import has_han

_EMPTY_WORDS = frozenset("pcudrfy") | {"uj", "ul", "uz", "ug", "ud"}
"""Tags of prepositions, conjunctions, particles, adverbs, pronouns: a name of an edition begins with none."""
_HAN_ONLY = re.compile(r"[\u4e00-\u9fff]+")
_CLAUSE_END = re.compile(r"[^\u4e00-\u9fff]")
_COUNTERS = frozenset("条章节款项页号期届级类种个次天年月日周轮批卷册版型讲课步座台楼层季")
"""No word goes on behind these, whatever they may begin."""
_WORD_REACH = 10
"""Characters behind a number within which the word ends that it counts."""


@lru_cache(maxsize=1024)
def tagged(text: str) -> tuple[tuple[str, str], ...]:
    import rjieba

    return tuple(rjieba.tag(text))


def han_words(text: str) -> list[str]:
    """None of a text without Chinese."""
    return [word for word, _ in tagged(text)] if has_han(text) else []


def ending(text: str, last: str, length: int) -> Iterator[str]:
    """What has `length` characters, ends with `last` and begins with a word that is no preposition: not 由年级."""
    at = 0
    for word, tag in tagged(text):
        run = text[at : at + length]
        if tag not in _EMPTY_WORDS and len(run) == length and run[-1] == last and _HAN_ONLY.fullmatch(run):
            yield run
        at += len(word)


def placed(text: str) -> list[tuple[str, str]]:
    """Places and the word of two characters and more behind each."""
    if not has_han(text):
        return []
    pairs = zip(tagged(text), tagged(text)[1:], strict=False)
    return [
        (place, of) for (place, tag), (of, _) in pairs if tag == "ns" and len(of) > 1 and has_han(of) and len(place) > 1
    ]


def rest_of_word(text: str, at: int) -> tuple[str, str]:
    """How the word goes on that the character before `at` begins, and the noun behind it: 第三人 is of 第三人民医院."""
    if text[at - 1] in _COUNTERS:
        return "", ""
    words = tagged(_CLAUSE_END.split(text[at - 1 : at + _WORD_REACH], maxsplit=1)[0])
    if not words or len(words[0][0]) < 2:
        return "", ""
    noun = next((word for word, tag in words[1:2] if tag == "n"), "")
    return words[0][0][1:], noun
