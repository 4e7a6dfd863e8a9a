"""Question-answer pairs from sentence patterns: no model. Stiff, but each is answered by the sentence it came from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from pathlib import PurePosixPath
from typing import TypeVar

from chunking.sentences import split_sentences
from chunking.types import Document
from eval.drafting.absent import unanswerable
from eval.drafting.facts import PROSE, Fact, heading_name, inside_a_sentence, plain, stands_alone
from eval.drafting.pairs import asked_and_answered, spans_of_questions
from eval.drafting.quantities import asked_in_chinese, asked_in_english
from eval.drafting.tables import named_facts, table_facts
from eval.testset import KINDS, Draft, Kind, numbered, passage, shares
from eval.text import is_chinese
from graph.language import language_of

_T = TypeVar("_T")

_ASKED_THERE = ("faq", "heading")
"""Patterns of questions that the document itself asks: they come first."""
_MOST_PAIRS = 20_000
_ITEM = re.compile(r"(?:[-*+•]|(?P<number>\d{1,2}[.)、）]))\s+")
_NO_PROSE = re.compile(
    r"^\s*[-*•>#|]|^[^\s:：]{1,20}(?: [^\s:：]{1,20})?[:：]|\b(?:written|prepared|compiled) by\b|\bauthors?:"
    r"|撰写|编写[，,]|作者[：:]"
    r"|[?？]\s*$"
)
_OPENING = 8
"""Characters of a Chinese question that tell whether it points to what was said before."""
_ASKED = {"zh": asked_in_chinese, "en": asked_in_english}
_SHORTEST, _LONGEST = {"zh": 10, "en": 30}, {"zh": 160, "en": 320}


@dataclass(frozen=True)
class _Pattern:
    """`sentence` captures the subject (and what completes the question); `question` is filled with its groups."""

    name: str
    sentence: re.Pattern[str]
    question: str


def _patterns(*rows: tuple[str, str, str]) -> list[_Pattern]:
    return [_Pattern(name, re.compile(sentence), question) for name, sentence, question in rows]


_ZH_SUBJECT = r"(?P<subject>[^，。；：、！？\s的（(]{2,18}(?:的[^，。；：、！？\s（(]{2,10})?)(?:（[^）]*）)?"
_EN_SUBJECT = r"(?P<subject>(?:The |An? )?[A-Z][\w’'-]*(?: [\w’'-]+){0,5}?)(?: \([^)]*\))?"
PATTERNS = {
    "zh": _patterns(
        ("default", _ZH_SUBJECT + r"(?:的)?默认(?:值)?(?:是|为)[^。]+。", "{subject}的默认值是多少？"),
        ("place", _ZH_SUBJECT + r"位于[^。]+。", "{subject}位于哪里？"),
        ("year", _ZH_SUBJECT + r"于\d{3,4}年(?P<rest>[^，。；]{2,24})[，。；].*", "{subject}在哪一年{rest}？"),
        ("amount", _ZH_SUBJECT + r"(?:约为|达到|不超过|不少于|约)\d[^。]*。", "{subject}是多少？"),
        ("called", _ZH_SUBJECT + r"(?:又名|又称|也叫|简称)[^。]+。", "{subject}还叫什么？"),
        ("reason", r"(?:因为|由于)[^，。]{4,60}，(?:所以|因此)(?P<subject>[^，。；]{4,40})。", "为什么{subject}？"),
        (
            "definition",
            _ZH_SUBJECT + r"(?:是指|指的是|(?<![不就都也还便即只才总正要可但若])是(?![否不由为]))[^。？]{6,}。",
            "{subject}是什么？",
        ),
    ),
    "en": _patterns(
        ("default", _EN_SUBJECT + r" (?:defaults to|is by default) .+\.", "What is the default of {subject}?"),
        ("place", _EN_SUBJECT + r" (?:is located|lies|stands) (?:in|on|at|near) .+\.", "Where is {subject}?"),
        ("year", _EN_SUBJECT + r" was (?P<rest>\w+ed|built|made|begun) in \d{4}\b.*\.", "When was {subject} {rest}?"),
        ("means", _EN_SUBJECT + r" (?:means|refers to|stands for) .+\.", "What does {subject} mean?"),
        ("purpose", _EN_SUBJECT + r" is used (?:to|for) .+\.", "What is {subject} used for?"),
        ("definition", _EN_SUBJECT + r" (?:is|was) (?:an?|the) .{12,}\.", "What is {subject}?"),
        (
            "definitions",
            _EN_SUBJECT + r" are (?:an?|the|\w+|\w+ \w+) (?:that|which|of|who|used)\b.{8,}\.",
            "What are {subject}?",
        ),
    ),
}


def draft_by_patterns(
    documents: Sequence[Document], *, count: int = 24, kinds: Sequence[Kind] = KINDS, seed: int = 0
) -> list[Draft]:
    """At most `count` drafts in the articles' proportion, spread over the documents.

    What one kind lacks the facts make up for, where they are wanted; fewer come where patterns find less.
    """
    facts = _spread([fact for document in documents for fact in _facts(document)], seed)
    makers: dict[Kind, Callable[[], Iterable[Draft]]] = {
        "factual": lambda: map(_factual, facts),
        "summary": lambda: _spread_drafts([d for document in documents for d in _summaries(document)], seed),
        "multi_hop": lambda: _pairs(facts),
        "unanswerable": lambda: unanswerable(facts, documents),
    }
    found: dict[str, Draft] = {}
    for kind, wanted in shares(count, kinds).items():
        different = (draft for draft in makers[kind]() if draft.question not in found)
        found |= {draft.question: draft for draft in islice(_once(different), wanted)}
    if "factual" in kinds:
        more = (draft for draft in map(_factual, facts) if draft.question not in found)
        found |= {draft.question: draft for draft in islice(_once(more), count - len(found))}
    return numbered(sorted(found.values(), key=lambda draft: KINDS.index(draft.type)))


def _once(drafts: Iterable[Draft]) -> Iterator[Draft]:
    seen: set[str] = set()
    for draft in drafts:
        if draft.question not in seen:
            seen.add(draft.question)
            yield draft


def _facts(document: Document) -> Iterator[Fact]:
    yield from asked_and_answered(document)
    yield from table_facts(document)
    yield from named_facts(document)
    asked = spans_of_questions(document)
    for first, end in _sentences(document):
        start, sentence = first, document.text[first:end].rstrip()
        if any(opening < end and start < closing for opening, closing in asked):
            continue
        if mark := _ITEM.match(sentence):
            if mark["number"]:
                continue  # A step, which tells somebody to do something.
            start, sentence = start + mark.end(), sentence[mark.end() :]
        lang = language_of(sentence)
        if "\n" in sentence or not _SHORTEST[lang] <= len(sentence) <= _LONGEST[lang]:
            continue
        yield from _patterned(document, start, sentence, lang)
        for question, subject, answer, name in _ASKED[lang](sentence):
            opening = subject[0].upper() + subject[1:] if subject else question[:_OPENING]
            if stands_alone(opening, lang):
                yield Fact(document, start, start + len(sentence), question, name, lang, subject, answer)


def _patterned(document: Document, start: int, sentence: str, lang: str) -> Iterator[Fact]:
    """By the first of `PATTERNS` that takes the whole sentence."""
    for pattern in PATTERNS[lang]:
        match = pattern.sentence.fullmatch(sentence)
        if match is None:
            continue
        groups = {name: value.strip() for name, value in match.groupdict().items()}
        defined = pattern.name.startswith("definition")
        told = groups["subject"]
        if stands_alone(told, lang) and (not defined or (_is_one_thing(told) and _established(told, document))):
            subject = inside_a_sentence(told)
            question = pattern.question.format(**{**groups, "subject": subject})
            yield Fact(document, start, start + len(sentence), question, pattern.name, lang, subject)
        return


def _is_one_thing(subject: str) -> bool:
    """Not ``the confidence``, of which every document has its own."""
    return not subject.startswith("The ") or bool(re.search(r"[A-Z\d]| .* ", subject[4:]))


def _established(subject: str, document: Document) -> bool:
    """A thing the document is about: it is in the title, or comes up again."""
    name = re.sub(r"^(The|An?) ", "", subject).lower()
    return name in document.title.lower() or document.text.lower().count(name) > 1


def _factual(fact: Fact) -> Draft:
    span = passage(fact.document, fact.start, fact.end)
    how = f"pattern:{fact.pattern}"
    return Draft("", fact.question, fact.answer or span.text, "factual", fact.lang, True, (span,), how)


def _summaries(document: Document) -> Iterator[Draft]:
    """One for each section of at least three sentences: the first two are the reference, the section the evidence."""
    sections: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for block in document.blocks:
        if block.kind == "paragraph":
            sections.setdefault(block.heading_path, []).append((block.start, block.end))
    asked = spans_of_questions(document)
    for path, blocks in sections.items():
        # What ends in a colon leads to a list, which is not prose.
        sentences = [
            (start, end)
            for block in blocks
            for start, end in split_sentences(document.text, *block)
            if not document.text[start:end].rstrip().endswith((":", "："))
        ]
        if len(sentences) < 3 or any(_is_no_prose(document, span, asked) for span in sentences[:3]):
            continue
        lang = language_of(document.text[blocks[0][0] : blocks[0][1]])
        topic = heading_name(path[-1]) if path and path[-1] != document.title else ""
        if topic.startswith(("(", "（")) or (not topic and len(sections) > 1):
            continue  # What stands before the first heading is a date and an author.
        if topic.endswith(("?", "？")) or (not topic and document.title == PurePosixPath(document.source).stem):
            continue
        told = (plain(" ".join(document.text[start:end].split())) for start, end in sentences[:2])
        lead = ("" if is_chinese(lang) else " ").join(told)
        span = passage(document, sentences[0][0], sentences[2][1])
        question = _what_about(topic, document.title, lang)
        yield Draft("", question, lead, "summary", lang, True, (span,), "pattern:section")


def _is_no_prose(document: Document, sentence: tuple[int, int], asked: Sequence[tuple[int, int]]) -> bool:
    """A line of who wrote it and when, of who says what, or of a question and its answer."""
    start, end = sentence
    return any(first < end and start < last for first, last in asked) or bool(
        _NO_PROSE.search(document.text[start:end])
    )


def _what_about(topic: str, title: str, lang: str) -> str:
    if is_chinese(lang):
        return f"《{title}》中“{topic}”这一部分主要讲了什么？" if topic else f"《{title}》主要讲了什么？"
    return f"What does “{title}” say about “{topic}”?" if topic else f"What is “{title}” about?"


def _pairs(facts: Sequence[Fact]) -> Iterator[Draft]:
    """Two facts of one language, each used once; those that name each other's subject come first, then of one kind."""
    told = [fact for fact in facts if fact.subject]
    pairs = [
        (one, other)
        for one, other in islice(combinations(told, 2), _MOST_PAIRS)
        if one.lang == other.lang and one.subject != other.subject and _belong(one, other)
    ]
    used: set[str] = set()
    for one, other in sorted(pairs, key=lambda pair: _distance(*pair)):
        if used & {one.subject, other.subject}:
            continue
        used |= {one.subject, other.subject}
        spans = tuple(passage(fact.document, fact.start, fact.end) for fact in (one, other))
        if is_chinese(one.lang):
            question, between = f"{one.question.removesuffix('？')}，{other.question}", "；"
        else:
            second = other.question[0].lower() + other.question[1:]
            question, between = f"{one.question.removesuffix('?')}, and {second}", "; "
        reference = between.join(fact.answer or span.text for fact, span in zip((one, other), spans, strict=True))
        yield Draft("", question, reference, "multi_hop", one.lang, True, spans, "pattern:pair")


def _belong(one: Fact, other: Fact) -> bool:
    """Definitions, cells of one column, or facts of which one names the other's subject."""
    defined = {fact.pattern.startswith("definition") for fact in (one, other)} == {True}
    defined = defined and one.document.id == other.document.id
    alike = one.pattern == other.pattern and one.question == other.question.replace(other.subject, one.subject)
    return defined or alike or not _distance(one, other)[0]


def _distance(one: Fact, other: Fact) -> tuple[bool, bool, bool]:
    texts = [fact.document.text[fact.start : fact.end] for fact in (one, other)]
    named = one.subject in texts[1] or other.subject in texts[0]
    return not named, one.pattern != other.pattern, one.document.id == other.document.id


def _sentences(document: Document) -> Iterator[tuple[int, int]]:
    for block in document.blocks:
        if block.kind in PROSE:
            yield from split_sentences(document.text, block.start, block.end)


def _spread(facts: Sequence[Fact], seed: int) -> list[Fact]:
    """The documents by turns, in an order that the seed decides; one fact a place, and no question that two answer."""
    documents: dict[str, set[str]] = {}
    for fact in facts:
        documents.setdefault(fact.question, set()).add(fact.document.id)
    clear = [fact for fact in facts if len(documents[fact.question]) == 1]
    ordered = _by_turns(
        clear, lambda fact: fact.document.id, lambda fact: f"{fact.document.id}{fact.start}{fact.question}", seed
    )
    asked = sorted(ordered, key=lambda fact: fact.pattern not in _ASKED_THERE)
    return list({(fact.document.id, fact.start): fact for fact in reversed(asked)}.values())[::-1]


def _spread_drafts(drafts: Iterable[Draft], seed: int) -> list[Draft]:
    return _by_turns(drafts, lambda draft: draft.passages[0].source, lambda draft: draft.question, seed)


def _by_turns(items: Iterable[_T], place: Callable[[_T], str], name: Callable[[_T], str], seed: int) -> list[_T]:
    def order(text: str) -> bytes:
        return hashlib.sha256(f"{seed}\0{text}".encode()).digest()

    piles: dict[str, list[_T]] = {}
    for item in sorted(items, key=lambda item: order(name(item))):
        piles.setdefault(place(item), []).append(item)
    turns = sorted(piles, key=order)
    longest = max(map(len, piles.values()), default=0)
    return [piles[key][turn] for turn in range(longest) for key in turns if turn < len(piles[key])]
