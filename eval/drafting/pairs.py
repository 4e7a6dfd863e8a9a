"""Questions that a document asks and answers itself: the ideal drafts, used as they stand.

Marked lines (``Q: ... A: ...``, ``**问：...** 答：...``), a heading, a bold line or a paragraph that asks with the
paragraph below it, and the rows of a table of questions and answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from chunking.loaders.joining import join_lines
from chunking.types import Block, Document
from eval.drafting.facts import PROSE, Fact, heading_name, plain
from eval.drafting.tables import read_table
from graph.language import has_han, language_of

_LEAD = r"^[ \t]*(?:[-*+•>][ \t]+|#{1,6}[ \t]+|\d+[.)、][ \t]*)?(?:\*\*|__)?[ \t]*"
_ASKS = r"(?:Q(?:uestion)?|问题?|問題?|提问)[ \t]*\d{0,3}(?:\*\*|__)?[ \t]*[:：.、][ \t]*"
_ANSWERS = r"(?:\*\*|__)?[ \t]*(?:A(?:nswer)?|答案?|回答|解答)[ \t]*\d{0,3}(?:\*\*|__)?[ \t]*[:：.、][ \t]*"
_MARKED = re.compile(
    rf"{_LEAD}{_ASKS}(?P<question>[^\n]{{3,200}}?)(?:\s{{0,4}}|[ \t]*\n\s{{0,4}}(?:[-*+•>#]+[ \t]+)?){_ANSWERS}"
    rf"(?P<answer>\S[^\n]*(?:\n(?![ \t]*\n|{_LEAD[1:]}{_ASKS})[^\n]+)*)",
    re.MULTILINE,
)
_BOLD = re.compile(
    r"^[ \t]*(?:\*\*|__)(?P<question>[^*_\n]{3,200}[?？])(?:\*\*|__)[ \t]*(?:\n[ \t]*){0,2}"
    r"(?P<answer>[^\s#|*][^\n]*(?:\n(?![ \t]*\n|[ \t]*\*\*)[^\n]+)*)",
    re.MULTILINE,
)
_MARK = re.compile(rf"{_LEAD}{_ASKS}")
_COLUMNS = (
    re.compile(r"q|question|questions|问|问题|提问|常见问题", re.IGNORECASE),
    re.compile(r"a|answer|answers|答|答案|回答|解答", re.IGNORECASE),
)
_LEANING = re.compile(
    r"^(?:[这那该此其他她]|而|那么|为什么$|为何$|怎么办$|怎么做$|如何$|哪里$|多少$|什么$)|它"
    r"|\b(?:it|they|them|these|those)\b|\bthis$|^(?:and|but|so|or)\b"
    r"|^(?:why|how|when|where|who|what|which)(?: (?:so|not|then|else))?$",
    re.IGNORECASE,
)
"""What leans on a question before it, or is too short to be one alone."""
_IMPERSONAL = re.compile(
    r"\b(?:is|was) it (?:possible|safe|necessary|allowed|true)\b"
    r"|\b(?:does|will|would) it (?:take|cost|matter) (?:to|if|for)\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)、）])\s")
_QUESTION = re.compile(r"[^\n?？.。:：]{4,120}[?？]")
_SHORTEST = {"zh": 5, "en": 10}
_LONGEST_ANSWER = 600


def asked_and_answered(document: Document) -> Iterator[Fact]:
    """`subject` stays empty: nothing else is to be asked about what such a question is about."""
    taken: list[tuple[int, int]] = []
    for pattern in (_MARKED, _BOLD):
        for found in pattern.finditer(document.text):
            if any(start < found.end() and found.start() < end for start, end in taken):
                continue
            taken.append(found.span())
            place = found.start("question"), found.end()
            if fact := _fact(document, place, found["question"], found["answer"]):
                yield fact
    for block in document.blocks:
        if block.kind == "table":
            yield from _rows(document, block)
    yield from _headings(document, taken)
    lines = [*_lines(document, taken)]
    if len(lines) + len(taken) > 1:  # One may be rhetorical.
        yield from lines


def spans_of_questions(document: Document) -> list[tuple[int, int]]:
    """Where questions and their answers stand; a sentence there may lean on its question."""
    return [found.span() for pattern in (_MARKED, _BOLD) for found in pattern.finditer(document.text)]


def _fact(document: Document, place: tuple[int, int], question: str, answer: str, name: str = "faq") -> Fact | None:
    asked, lines = plain(question), plain(answer).split("\n")
    told = "\n".join(lines) if any(map(_ITEM.match, lines)) else join_lines(lines)[0]
    lang = language_of(asked)
    if not asked.endswith(("?", "？")):
        asked = f"{asked.rstrip('。.:：')}{'？' if has_han(asked) else '?'}"
    leaning = _LEANING.search(asked.rstrip("?？ ")) and not _IMPERSONAL.search(asked)
    if len(asked) < _SHORTEST[lang] or leaning or not told or told.endswith((":", "：", "?", "？")):
        return None
    if len(told) > _LONGEST_ANSWER:
        return None
    return Fact(document, *place, asked, name, lang, "", told)


def _headings(document: Document, taken: list[tuple[int, int]]) -> Iterator[Fact]:
    """A heading that asks, and the paragraph below it."""
    seen: set[tuple[str, ...]] = set()
    for block in document.blocks:
        asked = heading_name(block.heading_path[-1]) if block.heading_path else ""
        if block.kind not in PROSE or not asked.endswith(("?", "？")) or block.heading_path in seen:
            continue
        seen.add(block.heading_path)
        if any(start < block.end and block.start < end for start, end in taken):
            continue
        answer = document.text[block.start : block.end]
        if fact := _fact(document, (block.start, block.end), _MARK.sub("", asked), answer, "heading"):
            yield fact


def _lines(document: Document, taken: list[tuple[int, int]]) -> Iterator[Fact]:
    """Paragraphs that are one question, each with the paragraph below it."""
    for block, below in pairwise(document.blocks):
        question, answer = (document.text[each.start : each.end].strip() for each in (block, below))
        if {block.kind, below.kind} != {"paragraph"} or not _QUESTION.fullmatch(question):
            continue
        if any(start < below.end and block.start < end for start, end in taken):
            continue
        if fact := _fact(document, (block.start, below.end), question, answer):
            yield fact


def _rows(document: Document, block: Block) -> Iterator[Fact]:
    header, rows = read_table(document, block)
    places = [next((n for n, cell in enumerate(header) if column.fullmatch(cell)), None) for column in _COLUMNS]
    if places[0] is None or places[1] is None:
        return
    for start, end, row in rows:
        if len(row) != len(header):
            continue
        if fact := _fact(document, (start, end), row[places[0]], row[places[1]]):
            yield fact
