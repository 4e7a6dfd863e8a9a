"""Which of the things that a question names a sentence is about: the product, error code or version that is asked
for, or another of the same kind."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graph.language import STOPWORDS
from graph.support import identifiers

_VERSION = re.compile(r"(?:([a-z]+|版)本? ?)?(?<![0-9.])(\d+(?:\.(?:\d+|x))+)(?![a-z0-9])(?: ?(版))?")
_DIGITS = re.compile(r"\d+")
_HYPHEN = re.compile(r"(?<=[a-z])[-_](?=\d)")
"""Written or not: HX-200 is HX200."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name and what it shares with others of its kind: hx200 and "hx#", 2.x and the "kustore" before it."""

    text: str
    kind: str


@lru_cache(maxsize=4096)
def names(text: str) -> frozenset[Name]:
    """Identifiers and versions. Those of one kind differ in their digits alone, or follow the same word."""
    plain = _plain(text)
    found = {Name(name, _DIGITS.sub("#", name)) for name in identifiers(plain)}
    for before, version, after in _VERSION.findall(plain):
        found |= {Name(version, kind) for kind in (before, after) if kind and kind not in STOPWORDS}
    return frozenset(found)


def naming(question: str, sentences: Sequence[str], above: Sequence[Sequence[str]]) -> list[tuple[float, float]]:
    """For each sentence two shares of the question's names: those it is about, and those instead of which it is about
    another of their kind.

    The sentence decides, then what stands `above` it (headings, title), nearest first. A name that no sentence is
    about speaks against none.
    """
    asked: dict[str, set[str]] = {}
    for name in names(question):
        asked.setdefault(name.text, set()).add(name.kind)
    read = [(sentence, *over) for sentence, over in zip(sentences, above, strict=True)] if asked else []
    verdicts = [[_about(name, asked, texts) for name in asked] for texts in read]
    met = [any(values) for values in zip(*((value == 1 for value in verdict) for verdict in verdicts), strict=True)]
    return [
        (
            sum(value == 1 for value in verdict) / len(asked),
            sum(value == -1 and known for value, known in zip(verdict, met, strict=True)) / len(asked),
        )
        for verdict in verdicts
    ] or [(0.0, 0.0)] * len(sentences)


def _about(name: str, asked: dict[str, set[str]], texts: Sequence[str]) -> int:
    """1 where the name is met first, -1 where another of its kind is that is not asked for, 0 where neither is."""
    for text in texts:
        found = names(text)
        if any(_same(name, own.text) for own in found) or _written(name, text):
            return 1
        if any(own.kind in asked[name] and not _among(asked, own.text) for own in found):
            return -1
    return 0


def _among(asked: Collection[str], name: str) -> bool:
    return any(_same(each, name) for each in asked)


def _same(one: str, other: str) -> bool:
    """Whether two names may mean one thing: 2.x is 2.3, and 3.0 is 3.0.1."""
    return f"{one}.".startswith(_stem(other)) or f"{other}.".startswith(_stem(one))


def _stem(name: str) -> str:
    return name[:-1] if name.endswith(".x") else f"{name}."


def _written(name: str, text: str) -> bool:
    """Also inside a longer word: two HX-200s."""
    return not name[0].isdigit() and re.search(rf"{re.escape(name)}(?!\d)", _plain(text)) is not None


def _plain(text: str) -> str:
    return _HYPHEN.sub("", text.lower())
