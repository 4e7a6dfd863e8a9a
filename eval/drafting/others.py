"""Questions about another member than the documents have: another city, department, plan, leave, year or month."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence

from chunking.types import Document
from eval.drafting.facts import PROSE, Fact
from eval.drafting.kinds import KINDS, Kind
from eval.testset import Draft, passage

_IN_PROSE = ("place", "time", "leave", "meal", "system")
"""Kinds whose members are told from other words in any sentence; others at the head of a row."""
_PLAN = re.compile(r"\b(?:plan|edition|tier|version|licen[cs]e|subscription)\b|版|套餐", re.IGNORECASE)
_MOST_ALIKE = 2
"""Drafts of one kind from one document."""
_NEAR = 6
"""Years from the one that is told: nobody asks a report of 2025 about 1961."""


def other_members(facts: Sequence[Fact], documents: Sequence[Document]) -> Iterator[Draft]:
    """The question of a fact with another member in place of the one that it names."""
    made: Counter[tuple[str, str]] = Counter()
    for fact in facts:
        for kind in KINDS:
            key = fact.document.id, kind.name
            if made[key] >= _MOST_ALIKE:
                continue
            if question := _other(fact, kind, documents):
                made[key] += 1
                span = passage(fact.document, fact.start, fact.end)
                yield Draft("", question, "", "unanswerable", fact.lang, False, (span,), f"pattern:absent-{kind.name}")
                break


def _other(fact: Fact, kind: Kind, documents: Sequence[Document]) -> str:
    """The question about another member; empty where it names none, or several, or another may be told."""
    named = list(kind.named(fact.question, fact.lang))
    if len(named) != 1 or kind.covers.search(_beside(fact, kind)):
        return ""
    start, end, number = named[0]
    if not _stands_for_itself(fact, kind, start, end):
        return ""
    if any(found != number for _, _, found in kind.named(fact.document.text[fact.start : fact.end], fact.lang)):
        return ""  # "From March to June", "in Oslo and Bergen".
    rest = _words(fact.question[:start] + fact.question[end:])
    for other in _order(kind, number, fact.question):
        word = kind.word(other, fact.lang)
        if not word or any(_may_tell(kind, other, rest, fact, document) for document in documents):
            continue
        plural = "s" if fact.lang == "en" and fact.question[start:end] == f"{kind.word(number, 'en')}s" else ""
        return _articled(fact.question[:start], word) + word + plural + fact.question[end:]
    return ""


def _order(kind: Kind, number: int, question: str) -> list[int]:
    """The other members, beginning at one that the question decides; of years those nearby alone."""
    count = len(kind.members)
    first = zlib.crc32(question.encode()) % count
    others = [(first + step) % count for step in range(count)]
    near = [other for other in others if kind.name != "time" or abs(other - number) <= _NEAR]
    return [other for other in near if other != number]


def _may_tell(kind: Kind, member: int, rest: set[str], fact: Fact, document: Document) -> bool:
    """Whether a document names the member; of times, which many name: this one, or where it says what is asked."""
    if not kind.timed or document.id == fact.document.id:
        return kind.says(member, document.text)
    blocks = (document.text[block.start : block.end] for block in document.blocks)
    return any(kind.says(member, text) and len(rest & _words(text)) * 2 >= len(rest) for text in blocks)


def _stands_for_itself(fact: Fact, kind: Kind, start: int, end: int) -> bool:
    """At the head of a row, no word of its column; in a sentence told from other words: ``the Sales department``."""
    if fact.pattern == "table":
        head = fact.question.find(fact.subject)
        # Of 志愿者假 and of a team dinner it is a part.
        whole = kind.name != "role" or fact.question[end : end + 1] in ("”", " ", "?")
        called = kind.name != "plan" or bool(_PLAN.search(fact.question))
        return head <= start and end <= head + len(fact.subject) and whole and called
    if kind.name == "role":  # Who it is said of, no part of a name: "a director", no "manager portal".
        opens = start == 0 if fact.lang == "zh" else fact.subject.endswith(f" {fact.question[start:end]}")
        return opens and fact.subject.count(" ") < 2
    if kind.name == "group":
        return fact.lang == "zh" or bool(re.match(r" (?:department|team|group|unit)\b", fact.question[end:]))
    return kind.name in _IN_PROSE


def _beside(fact: Fact, kind: Kind) -> str:
    """Where another member may be told too: what stands under the fact's heading; of times, its block alone."""
    blocks = fact.document.blocks
    own = next((block for block in blocks if block.start <= fact.start < block.end), None)
    if own is None:
        return fact.document.text
    alike = [block for block in blocks if block.heading_path == own.heading_path and block.kind in {*PROSE, "table"}]
    near = [own] if kind.timed else alike
    return "\n".join(fact.document.text[block.start : block.end] for block in near)


def _words(text: str) -> set[str]:
    from retrieval.lexical.tokenizer import words

    return set(words(text))


def _articled(told: str, word: str) -> str:
    """``a manager`` becomes ``an intern``."""
    if found := re.search(r"\b([Aa])n? $", told):
        return f"{told[: found.start()]}{found[1]}{'n' if word[0] in 'aeiouAEIOU' else ''} "
    return told
