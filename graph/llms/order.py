"""In which order the quoted sentences of an answer are read: the best first, or as their document tells them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graph.cuts import refers_back
from graph.evidence import Source, Strip
from graph.members import asks_yes_or_no
from graph.phrases import has_phrase, phrases
from graph.questions import asks_whole, extreme

_COURSE = re.compile(
    r"\bwhat (?:happens|happened|comes?|came)\b|\bwhat (?:if|now)\b|[会會]怎[么麼样樣]|[后後]果", re.IGNORECASE
)
"""What asks for a course of things rather than for one of them."""

BEFORE, BEFORE_SURE = 2 / 3, 0.9
"""Of the relevance of the best sentence, what one before it must have to be told before it; the second where it is
asked whether something is so, which the best alone may say. Set."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Sentences of one source that are told together, for the sake of `strip`; `before` and `behind` complete it."""

    source: Source
    strip: Strip
    said: Sequence[str]
    """The strip as it is told, last, and before it the sentences that it refers to."""
    before: Sequence[Strip] = ()
    behind: Sequence[Strip] = ()
    heading: str | None = None
    """What is told before it."""
    line: bool = False

    @property
    def place(self) -> tuple[str, str]:
        """The section it is of."""
        return self.strip.hit.document.id, self.strip.heading

    @property
    def end(self) -> int:
        """Where in the document it ends."""
        return max(one.end for one in (self.strip, *self.behind))


def in_order(question: str, units: Sequence[Unit]) -> list[Unit]:
    """Units, the best first, as they are read: by sections, and within a section as the document has them.

    The best one goes before the others of its section, with those behind it that refer back to it, unless the question
    asks for all of them, for a course of things, or whether something is so: there each adds to the others.
    """
    if not units:
        return []
    places = {unit.place: number for number, unit in reversed(list(enumerate(units)))}
    ordered = sorted(units, key=lambda unit: (places[unit.place], unit.strip.start))
    first = ordered.index(units[0])
    if (least := _worth_before(question)) is not None:
        start = first
        for i, unit in enumerate(ordered[:first]):
            if not _goes_before(question, unit, units[0], least):
                start = start if start < i and _leans_on(unit, ordered[i - 1]) else first
            elif start == first:
                start = i
        section = sum(unit.place == units[0].place for unit in units)
        return [*ordered[start:section], *ordered[:start], *ordered[section:]]
    last = first + 1
    while last < len(ordered) and _leans_on(ordered[last], ordered[last - 1]):
        last += 1
    return [*ordered[first:last], *ordered[:first], *ordered[last:]]


def _worth_before(question: str) -> float | None:
    """What a sentence must be worth to be told before the best one; None where the best one goes first."""
    if asks_yes_or_no(question):
        return BEFORE_SURE
    course = _COURSE.search(question) is not None
    return BEFORE if course or (asks_whole(question) and not extreme(question)) else None


def _goes_before(question: str, unit: Unit, best: Unit, least: float) -> bool:
    """Whether a unit is worth enough; of two, that goes first which has more names of the question whole where it
    is asked whether something is so."""
    if asks_yes_or_no(question):
        own, other = (sum(has_phrase(" ".join(one.said), each) for each in phrases(question)) for one in (unit, best))
        if own != other:
            return own > other
    return unit.strip.relevance >= least * best.strip.relevance


def _leans_on(unit: Unit, before: Unit) -> bool:
    """Whether a unit opens with a word that points at the one before it, right behind which it stands."""
    chunk = unit.strip.hit.chunk
    start = min(one.start for one in (unit.strip, *unit.before))
    between = chunk.text[max(before.end - chunk.start, 0) : max(start - chunk.start, 0)]
    follows = before.strip.hit.chunk.id == chunk.id and before.end <= start and not between.strip()
    return follows and len(unit.said) == 1 and refers_back(unit.said[0])
