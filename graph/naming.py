"""Which of the things that a question names a sentence is about: the product, error code or version that is asked
for, or another of the same kind."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graph.language import STOPWORDS
from graph.support import identifiers

# The word begins where its letters do: tried at each of them, a long run would take its length squared.
_VERSION = re.compile(r"(?:((?<![a-z])[a-z]+|版)本? ?)?(?<![0-9.])(\d+(?:\.(?:\d+|x))+)(?![a-z0-9])(?: ?(版))?")
_ONE = r"(?:[a-z]+[a-z0-9]*[-_.]?\d[a-z0-9]*|\d+(?:\.(?:\d+|x))+)"
_BETWEEN = r"[,、/和与與跟及比]|以及|还是|還是|and\b|or\b|vs\b\.?|versus\b"
_TWO = re.compile(
    rf"(?<![\w.])({_ONE}) ?(?:{_BETWEEN}) ?(?:the )?({_ONE})(?!\w|\.\w)",
    re.ASCII | re.IGNORECASE,
)
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
    # "How does 2.x differ from 3.0?": without a word of its own 3.0 is still asked for.
    known = {*asked, *(version for _, version, _ in _VERSION.findall(_plain(question)))}
    read = [(sentence, *over) for sentence, over in zip(sentences, above, strict=True)] if asked else []
    verdicts = [[_about(name, kinds, known, texts) for name, kinds in asked.items()] for texts in read]
    met = [any(values) for values in zip(*((value == 1 for value in verdict) for verdict in verdicts), strict=True)]
    return [
        (
            sum(value == 1 for value in verdict) / len(asked),
            sum(value == -1 and there for value, there in zip(verdict, met, strict=True)) / len(asked),
        )
        for verdict in verdicts
    ] or [(0.0, 0.0)] * len(sentences)


def sides(question: str) -> tuple[str, ...]:
    """The question asked of each of two things of one kind that it names together, or nothing.

    "Which refrigerant do the HX-200 and the HX-300 use?" gives it with the HX-200 alone and with the HX-300 alone.
    """
    two = _TWO.search(question)
    if two is None or same(_plain(two[1]), _plain(two[2])):
        return ()
    if len({_DIGITS.sub("#", _plain(name).replace(".x", ".0")) for name in two.groups()}) > 1:
        return ()
    # A bare 2.5 is an amount: a version follows a word of its own.
    if not any(same(_plain(two[1]), known.text) for known in names(question)):
        return ()
    return tuple(f"{question[: two.start()]}{one}{question[two.end() :]}" for one in two.groups())


def apart(question: str, sentences: Sequence[str], above: Sequence[Sequence[str]]) -> list[tuple[str, list[str]]]:
    """Where all that is said of one name of the question is about others of another name's kind: both, and the others.

    "E12 on the HX-300" where E12 is only told of the HX-200: ``[("e12 + hx300", ["e12 + hx200"])]``.
    """
    asked: dict[str, set[str]] = {}
    for name in sorted(names(question), key=lambda each: each.text):
        asked.setdefault(name.text, set()).add(name.kind)
    # "Do the HX-200 and the HX-300 know E12?" may be answered by what is said of one of them.
    if any(asked[one] & asked[other] for one in asked for other in asked if one != other):
        return []
    texts = [(sentence, *over) for sentence, over in zip(sentences, above, strict=True)]
    told = {own: [each for each in texts if _about(own, kinds, asked, each) == 1] for own, kinds in asked.items()}
    # What least is said of is what is asked.
    for own in sorted((own for own in asked if told[own]), key=lambda own: len(told[own])):
        for other, kinds in asked.items():
            if other != own and all(_about(other, kinds, asked, each) == -1 for each in told[own]):
                there = {name.text for each in told[own] for text in each for name in names(text) if name.kind in kinds}
                return [(f"{own} + {other}", [f"{own} + {each}" for each in sorted(there)])]
    return []


def _about(name: str, kinds: Collection[str], asked: Collection[str], texts: Sequence[str]) -> int:
    """1 where the name is met first, -1 where another of its kind is that is not asked for, 0 where neither is."""
    for text in texts:
        found = names(text)
        if any(same(name, own.text) for own in found) or _written(name, text):
            return 1
        if any(own.kind in kinds and not any(same(each, own.text) for each in asked) for own in found):
            return -1
    return 0


def same(one: str, other: str) -> bool:
    """Whether two names may mean one thing: 2.x is 2.3, and 3.0 is 3.0.1."""
    return f"{one}.".startswith(_stem(other)) or f"{other}.".startswith(_stem(one))


def _stem(name: str) -> str:
    return name[:-1] if name.endswith(".x") else f"{name}."


def _written(name: str, text: str) -> bool:
    """Also inside a longer word: two HX-200s."""
    return not name[0].isdigit() and re.search(rf"{re.escape(name)}(?!\d)", _plain(text)) is not None


def _plain(text: str) -> str:
    return _HYPHEN.sub("", text.lower())
