"""What was found about that of which an attribute is asked: the price of a pump is none of a filter's."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from graph.attributes.words import Attribute
from graph.beside import Read, folded, read
from graph.composed import nested
from graph.language import FUNCTION_WORDS, has_han
from graph.support import content_words
from retrieval.lexical.tokenizer import words
from retrieval.types import Hit

ABOUT = 0.5
"""Of the weight of the question's other words: what a document must have to be about the same, where one has all."""
NEAR = 2
"""Sentences before and behind one that names a thing in which something may be said of it. With none 2 of 978 answers
of eight public sets would be lost, with one or more none."""

_NAMED = re.compile(r"(?<=[a-z0-9,;'’\"“(] )[A-Z][\w-]*|(?<![\w-])(?=[A-Za-z_-]*[\d_])[A-Za-z][\w-]*")
"""Capitalised where no sentence begins, or with a digit or an underscore."""
_NAMED_IN_CHINESE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*|《[^》]+》")
_OWNER = re.compile(r"\A([^，。,?？的是有在由\s]{2,10})的")
_CALLED = re.compile(
    r"[\"“(]the [A-Z]?\w+[\"”)]|\bhereinafter\b|\b(?:short|called)\b|以下[简合]?称|[简下]称|[甲乙丙]方", re.IGNORECASE
)
"""Where a thing is given another name, by which all else is told of it."""
_BEGINS, _ENDS = r"(?<![a-z0-9])", r"(?!\d)"
"""Behind a Chinese character too; with any ending."""
_HYPHEN = re.compile(r"(?<=[A-Za-z])(?:\\-|_)?(?=\d)")
"""TX-60, of which `re.escape` makes TX\\-60, is written TX60 and TX 60 too."""


class Found:
    """Passages by their documents; `texts` are what each says."""

    def __init__(self, hits: Sequence[Hit], texts: Sequence[str]) -> None:
        self._texts = texts
        self._documents: dict[str, list[tuple[Hit, str]]] = {}
        for hit, text in zip(hits, texts, strict=True):
            self._documents.setdefault(hit.chunk.document_id, []).append((hit, text))

    def about(self, question: str, attribute: Attribute) -> Sequence[str]:
        """What is said of that of which `question` asks the attribute; all, where what that is is not plain."""
        if nested(question):
            return self._texts
        owner = _OWNER.match(question)
        asked = _subject(question, attribute)
        names = (_NAMED_IN_CHINESE if has_han(question) else _NAMED).findall(question)
        for named in ([owner[1]] if owner else [], [name for name in names if content_words(name) & asked]):
            pattern = _any_of(named)
            if named and any(map(pattern.search, self._texts)):
                return [part for own in self._documents.values() for part in _said_of(own, pattern)]
        return self._alike(asked)

    def _alike(self, asked: set[str]) -> Sequence[str]:
        patterns = {word: _any_of([word]) for word in asked}
        known = {
            key: {word for word, pattern in patterns.items() if any(pattern.search(text) for _, text in own)}
            for key, own in self._documents.items()
        }
        if asked not in known.values():
            return self._texts
        count = Counter(word for own in known.values() for word in own)
        weight = {word: math.log1p(len(known) / number) for word, number in count.items()}
        least = ABOUT * sum(weight.values())
        enough = [key for key, own in known.items() if sum(weight[word] for word in own) >= least]
        return [text for key in enough for _, text in self._documents[key]]


def _any_of(names: Sequence[str]) -> re.Pattern[str]:
    return re.compile(
        "|".join(_BEGINS + _HYPHEN.sub("[-_ ]?", re.escape(name.removesuffix("s"))) + _ENDS for name in names),
        re.IGNORECASE,
    )


def _said_of(passages: Sequence[tuple[Hit, str]], names: re.Pattern[str]) -> list[str]:
    """What passages of one document say of a thing: all, where its title or first passage names it or where it has
    another name, else the sentences near those that name it or that stand under its heading."""
    parts: list[str] = []
    for hit, text in passages:
        if not names.search(text):
            continue
        sentences = read(hit)
        there = [n for n, each in enumerate(sentences) if names.search(each.all)]
        title = folded(f"{hit.document.title}\n{hit.document.source}")
        called = any(_CALLED.search(sentences[n].text) for n in there)
        if hit.chunk.start == 0 or called or names.search(title):
            return [text for _, text in passages]
        near = sorted({m for n in there for m in _around(sentences, n)})
        if near:
            parts.append("\n".join((hit.chunk.context, *(sentences[m].all for m in near))))
    return parts


def _around(sentences: Sequence[Read], at: int) -> range:
    # The next row of a table is about another thing.
    reach = 0 if sentences[at].text.startswith("|") else NEAR
    return range(max(0, at - reach), min(len(sentences), at + reach + 1))


def _subject(question: str, attribute: Attribute) -> set[str]:
    """The question's words without those that ask for the attribute."""
    if has_han(question):
        return content_words(attribute.asks.sub(" ", question)) - FUNCTION_WORDS
    return {word for word in words(question) if not attribute.tells.search(word)} - FUNCTION_WORDS
