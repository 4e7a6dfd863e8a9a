"""Attributes of a question that no passage tells: who designed it, of a data sheet that has power and weight alone.

To the signals of a search whatever else is said of a thing looks like the answer: the rows near it share its name, and
so does the sentence about another attribute. What asks for each attribute and all that tells it are lists of words: a
question that no list knows is left as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from graph.attributes import goods_en, goods_zh, people_en, people_zh, places_en, places_zh
from graph.attributes.subject import Found
from graph.attributes.words import Attribute, compiled
from graph.beside import folded
from graph.language import has_han
from graph.named import said
from retrieval.lexical.tokenizer import comparable
from retrieval.types import Hit

NOT_TOLD = 0.02
"""What the odds of evidence are multiplied by that tells nothing of an attribute which the question asks for. Of 970
questions of eight public sets that are answered none loses its odds so."""

LONGEST = 500
"""Characters at the end of a question that are read: before them a longer one tells, and does not ask."""


@cache
def _attributes(chinese: bool) -> tuple[Attribute, ...]:
    rooms = (people_zh, goods_zh, places_zh) if chinese else (people_en, goods_en, places_en)
    return tuple(compiled(words) for room in rooms for words in room.ATTRIBUTES)


def _asked(plain: str) -> list[Attribute]:
    return [each for each in _attributes(has_han(plain)) if each.asks.search(plain)]


def told_of_others(question: str, hits: Sequence[Hit], silent: Collection[str]) -> tuple[str, ...]:
    """Of the attributes that `untold` names, which `silent` holds, those that a hit tells: then of another thing."""
    if not silent:
        return ()
    texts = [folded(said(hit)) for hit in hits]
    asked = [each for each in _asked(folded(question[-LONGEST:])) if each.name in silent]
    return tuple(each.name for each in asked if each.told(texts))


def untold(question: str, hits: Sequence[Hit]) -> tuple[str, ...]:
    """The attributes that `question` asks for and that nothing found about the same tells in any words; none for most.

    Nothing where the question and the best hit are in different languages.
    """
    plain = folded(question[-LONGEST:])
    asked = _asked(plain)
    if not asked or not hits or not comparable(plain, hits[0].chunk.text):
        return ()
    texts = [folded(said(hit)) for hit in hits]
    silent = [each for each in asked if not each.told(texts)]
    if len(silent) < len(asked):
        found = Found(hits, texts)
        silent = [each for each in asked if not each.told(found.about(plain, each))]
    return tuple(each.name for each in silent)
