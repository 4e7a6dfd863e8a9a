"""Question-answer pairs from sentence patterns: no model. Stiff, but each is answered by the sentence it came from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import TypeVar

from chunking.sentences import split_sentences
from chunking.types import Document
from eval.testset import KINDS, Draft, Kind, numbered, passage, shares
from eval.text import is_chinese
from graph.language import language_of

_T = TypeVar("_T")

_PROSE = {"paragraph", "list", "quote"}
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
# A subject that points elsewhere, or that is none, cannot stand in a question of its own.
_DEPENDENT = {
    "zh": re.compile(
        r"[这那此该其它他她牠您我你本]|如果|即使|不论|无论|但|因为|由于|所以|而|并|也|又|上述|前者|后者|就|都|第|每|最|目前|现在|当时|之后"
        r"|原因|结果|问题|主要|同时|尤其|关键|重点|.*(?:是否|不论|无论|主要|目前|还|们)"
    ),
    "en": re.compile(
        r"(?:It|This|That|These|Those|They|He|She|We|You|I|There|Here|If|When|While|What|Which|Who|Why|How|In|On|At|For"
        r"|And|But|So|As|Both|Each|Every|One|Some|Such|Any|All|Most|More|Many|Few|Several|Other|Another|Its|Their|Our"
        r"|Your|His|Her|To|With|After|Before|Since|Because|Although|Like|Likewise|However"
        r"|The (?:same|other|result|first|second|third|last|former|latter|fact|main|only|most))\b"
        r"|.*\b(?:that|which|who|there|they|it|while|is|are|was|were)\b"
    ),
}
_ABSENT = {
    "zh": (
        ("发明", "{subject}是谁发明的？"),
        ("价格", "{subject}的价格是多少？"),
        ("电话", "{subject}的联系电话是多少？"),
    ),
    "en": (
        ("invent", "Who invented {subject}?"),
        ("price", "What is the price of {subject}?"),
        ("phone", "Which phone number belongs to {subject}?"),
    ),
}
"""What documents seldom tell: a word that the answer would need, and the question."""


@dataclass(frozen=True)
class _Fact:
    document: Document
    start: int
    end: int
    subject: str
    question: str
    pattern: str
    lang: str


def draft_by_patterns(
    documents: Sequence[Document], *, count: int = 24, kinds: Sequence[Kind] = KINDS, seed: int = 0
) -> list[Draft]:
    """At most `count` drafts in the articles' proportion, spread over the documents; fewer where patterns find less."""
    facts = _spread([fact for document in documents for fact in _facts(document)], seed)
    makers: dict[Kind, Callable[[], Iterable[Draft]]] = {
        "factual": lambda: map(_factual, facts),
        "summary": lambda: _spread_drafts([d for document in documents for d in _summaries(document)], seed),
        "multi_hop": lambda: _pairs(facts),
        "unanswerable": lambda: _unanswerable(facts, documents),
    }
    found: list[Draft] = []
    for kind, wanted in shares(count, kinds).items():
        different = {draft.question: draft for draft in makers[kind]()}
        found += islice(different.values(), wanted)
    return numbered(found)


def _facts(document: Document) -> Iterator[_Fact]:
    for start, end in _sentences(document):
        sentence = document.text[start:end]
        lang = language_of(sentence)
        if "\n" in sentence or not _SHORTEST[lang] <= len(sentence) <= _LONGEST[lang]:
            continue
        for pattern in PATTERNS[lang]:
            match = pattern.sentence.fullmatch(sentence)
            if match is None:
                continue
            groups = {name: value.strip() for name, value in match.groupdict().items()}
            defined = pattern.name.startswith("definition")
            if not _DEPENDENT[lang].match(groups["subject"]) and (
                not defined or _established(groups["subject"], document)
            ):
                subject = _inside_a_sentence(groups["subject"])
                question = pattern.question.format(**{**groups, "subject": subject})
                yield _Fact(document, start, end, subject, question, pattern.name, lang)
            break


def _established(subject: str, document: Document) -> bool:
    """A thing the document is about: it is in the title, or comes up again."""
    name = re.sub(r"^(The|An?) ", "", subject).lower()
    return name in document.title.lower() or document.text.lower().count(name) > 1


def _inside_a_sentence(subject: str) -> str:
    return re.sub(r"^(The|An?) ", lambda article: article.group(0).lower(), subject)


def _factual(fact: _Fact) -> Draft:
    span = passage(fact.document, fact.start, fact.end)
    return Draft("", fact.question, span.text, "factual", fact.lang, True, (span,), f"pattern:{fact.pattern}")


def _summaries(document: Document) -> Iterator[Draft]:
    """One for each section of at least three sentences: the first two are the reference, the section the evidence."""
    sections: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for block in document.blocks:
        if block.kind in _PROSE:
            sections.setdefault(block.heading_path, []).append((block.start, block.end))
    for path, blocks in sections.items():
        # What ends in a colon leads to a list, which is not prose.
        sentences = [
            (start, end)
            for block in blocks
            for start, end in split_sentences(document.text, *block)
            if not document.text[start:end].rstrip().endswith((":", "："))
        ]
        if len(sentences) < 3:
            continue
        lang = language_of(document.text[blocks[0][0] : blocks[0][1]])
        topic = path[-1] if path else document.title
        question = (
            f"《{document.title}》中“{topic}”这一部分主要讲了什么？"
            if is_chinese(lang)
            else f"What does the part “{topic}” of {document.title} say?"
        )
        lead = ("" if is_chinese(lang) else " ").join(document.text[start:end] for start, end in sentences[:2])
        span = passage(document, sentences[0][0], sentences[2][1])
        yield Draft("", question, lead, "summary", lang, True, (span,), "pattern:section")


def _pairs(facts: Sequence[_Fact]) -> Iterator[Draft]:
    """Two definitions of one language, each used once; those that name each other's subject come first."""
    defined = {fact.subject: fact for fact in facts if fact.pattern.startswith("definition")}
    pairs = [(one, other) for one, other in combinations(defined.values(), 2) if one.lang == other.lang]
    used: set[str] = set()
    for one, other in sorted(pairs, key=lambda pair: not _related(*pair)):
        if used & {one.subject, other.subject}:
            continue
        used |= {one.subject, other.subject}
        spans = tuple(passage(fact.document, fact.start, fact.end) for fact in (one, other))
        if is_chinese(one.lang):
            question, between = f"{one.subject}和{other.subject}分别是什么？", ""
        else:
            second = other.question[0].lower() + other.question[1:]
            question, between = f"{one.question.removesuffix('?')}, and {second}", " "
        reference = between.join(span.text for span in spans)
        yield Draft("", question, reference, "multi_hop", one.lang, True, spans, "pattern:pair")


def _related(one: _Fact, other: _Fact) -> bool:
    texts = [fact.document.text[fact.start : fact.end] for fact in (one, other)]
    return one.subject in texts[1] or other.subject in texts[0]


def _unanswerable(facts: Sequence[_Fact], documents: Sequence[Document]) -> Iterator[Draft]:
    """A thing the documents define, asked for what none of them mentions near it."""
    used: set[str] = set()
    for number, fact in enumerate(facts):
        word, question = _ABSENT[fact.lang][number % len(_ABSENT[fact.lang])]
        if fact.subject in used or not fact.pattern.startswith("definition"):
            continue
        if any(
            word in text and fact.subject.lower() in text for document in documents for text in _paragraphs(document)
        ):
            continue
        used.add(fact.subject)
        span = passage(fact.document, fact.start, fact.end)
        asked = question.format(subject=fact.subject)
        yield Draft("", asked, "", "unanswerable", fact.lang, False, (span,), f"pattern:absent-{word}")


def _sentences(document: Document) -> Iterator[tuple[int, int]]:
    for block in document.blocks:
        if block.kind in _PROSE:
            yield from split_sentences(document.text, block.start, block.end)


def _paragraphs(document: Document) -> Iterator[str]:
    for block in document.blocks:
        yield document.text[block.start : block.end].lower()


def _spread(facts: Iterable[_Fact], seed: int) -> list[_Fact]:
    """The documents by turns, in an order that the seed decides."""
    return _by_turns(facts, lambda fact: fact.document.id, lambda fact: f"{fact.document.id}{fact.start}", seed)


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
