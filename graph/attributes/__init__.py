"""Attributes of a question that no passage tells: who designed it, of a data sheet that has power and weight alone.

To the signals of a search whatever else is said of a thing looks like the answer: the rows near it share its name, and
so does the sentence about another attribute.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from graph.attributes import goods_en, goods_zh, people_en, people_zh, places_en, places_zh
from graph.attributes.words import Words
from graph.beside import folded
from graph.language import FUNCTION_WORDS, has_han
from graph.named import said
from graph.support import content_words
from retrieval.lexical.tokenizer import comparable, words
from retrieval.types import Hit

NOT_TOLD = 0.02
"""What the odds of evidence are multiplied by that tells nothing of an attribute which the question asks for."""
ABOUT = 0.5
"""Of the weight of the question's other words that the best document has: what one must have to be about the same."""

_NAMED = re.compile(r"(?<=[a-z0-9,;'’\"“(] )[A-Z][\w-]*|(?<![\w-])(?=[A-Za-z_-]*[\d_])[A-Za-z][\w-]*|《[^》]+》")
"""Capitalised where no sentence begins, with a digit or an underscore, or a Chinese title."""
_NAMED_IN_CHINESE = re.compile(r"[A-Za-z][\w.-]*|《[^》]+》")
_NAME_OF = re.compile(r"\bnames? of\b|'s (?:full |first |last )?name\b|的(?:名字|姓名)")
_NESTED = re.compile(
    r"\bof\b.*\bof\b|\w.*\b(?:which|that|who|whom|whose|where)\b|['’]s\b.*(?:['’]s|\bof)\b|\bof\b.*['’]s\b|的.*的",
    re.IGNORECASE,
)
"""The sibling of the performer of Decade: what tells it need not know Decade."""


@dataclass(frozen=True, slots=True)
class Attribute:
    name: str
    asks: re.Pattern[str]
    tells: re.Pattern[str]
    others: re.Pattern[str] | None

    def told(self, text: str) -> bool:
        return self.tells.search(self.others.sub(" ", text) if self.others else text) is not None


@cache
def _attributes(chinese: bool) -> tuple[Attribute, ...]:
    rooms = (people_zh, goods_zh, places_zh) if chinese else (people_en, goods_en, places_en)
    return tuple(_compiled(each) for room in rooms for each in room.ATTRIBUTES)


def _compiled(each: Words) -> Attribute:
    asks, tells, others = (re.compile(one, re.IGNORECASE) for one in (each.asks, each.tells, each.others))
    return Attribute(each.name, asks, tells, others if each.others else None)


def untold(question: str, hits: Sequence[Hit]) -> tuple[str, ...]:
    """The attributes that `question` asks for and that no hit about the same tells in any words; none for most.

    A document is about the same where its passages have most of what the question names beside. Nothing where the
    question and the best hit are in different languages.
    """
    plain = folded(question)
    asked = [each for each in _attributes(has_han(plain)) if each.asks.search(plain)]
    if not asked or not hits or not comparable(plain, hits[0].chunk.text):
        return ()
    texts = [folded(said(hit)) for hit in hits]
    silent = [each for each in asked if not any(map(each.told, texts))]
    if len(silent) < len(asked) and not _NESTED.search(_NAME_OF.sub(" ", plain)):
        documents: dict[str, list[str]] = {}
        for hit, text in zip(hits, texts, strict=True):
            documents.setdefault(hit.chunk.document_id, []).append(text)
        if len(documents) > 1:
            found = [("\n".join(own), content_words("\n".join(own))) for own in documents.values()]
            silent = [each for each in asked if not any(map(each.told, _about(plain, each, found)))]
    return tuple(each.name for each in silent)


def _about(question: str, attribute: Attribute, documents: Sequence[tuple[str, set[str]]]) -> list[str]:
    """The texts of the documents that are about what `question` asks the attribute of."""
    known = set().union(*(own for _, own in documents))
    asked = _subject(question, attribute) & known
    names = (_NAMED_IN_CHINESE if has_han(question) else _NAMED).findall(question)
    if named := asked & content_words(" ".join(names)):
        return [text for text, own in documents if own & named]
    count = Counter(word for _, own in documents for word in own & asked)
    weight = {word: math.log1p(len(documents) / number) for word, number in count.items()}
    scores = [sum(weight[word] for word in own & asked) for _, own in documents]
    return [text for (text, _), score in zip(documents, scores, strict=True) if score >= ABOUT * max(scores)]


def _subject(question: str, attribute: Attribute) -> set[str]:
    """The question's words without those that ask for the attribute."""
    if has_han(question):
        return content_words(attribute.asks.sub(" ", question)) - FUNCTION_WORDS
    return {word for word in words(question) if not attribute.tells.search(word)} - FUNCTION_WORDS
