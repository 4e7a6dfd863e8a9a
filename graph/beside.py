"""Where the sentence that says all else of a question speaks of another of a kind: the second floor for the third.

Only such a sentence counts, and only where none that says about as much speaks of what is asked: it may stand there in
other words, in a range, or in the sentence or the heading before.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from graph.cuts import cut, refers_back
from graph.exchanges import is_question
from graph.member_kinds import is_word
from graph.members import AMOUNT, Member, covers, members, qualifiers, written
from graph.naming import Name, names, same
from graph.questions import Expected
from graph.quotes import cells
from graph.support import content_words
from retrieval.lexical.tokenizer import simplified
from retrieval.types import Hit

CARRIED = 2
"""Sentences, its own among them, that a thing is taken to be spoken of in unless another of its kind comes first."""
SHARED, PLACED = 0.6, 0.95
"""Of the weight of the question's other words that the best sentence has: what a sentence about the thing itself must
have, and one about another."""

KNOWN = 1 / 3
"""Share of those words that the passages must have at all."""

ANSWERING = 0.8
"""Of what an answer should contain, what a sentence about the thing itself has: of sick leave the days may be told in
fewer of the question's words than those of annual leave."""

HYPHEN = re.compile(r"(?<=[a-z])(?=\d)")
"""Where names are written with a hyphen or without."""
_DATED = re.compile(
    r"\d{1,2}(?:st|nd|rd|th)? (?:of )?[A-Z][a-z]{2,8}\.?,? \d{4}|[A-Z][a-z]{2,8} \d{1,2},? \d{4}|\d{1,2}月\d{1,2}[日号]"
)
"""The day that a document was written on, in its title: it is not about that month."""

LINE = "号线"
_NETWORK = re.compile(r"[\u4e00-\u9fff]+\Z")

Found = Iterable[tuple[str, Sequence[str]]]
"""What is asked, and the others."""


@dataclass(frozen=True, slots=True)
class Read:
    """A sentence with what stands above it."""

    text: str
    header: str
    headings: tuple[str, ...]
    title: str

    @property
    def above(self) -> str:
        """What its page, section or row is about."""
        row = self.text.split("|")[1] if self.text.startswith("|") and self.text.count("|") > 1 else ""
        return "\n".join((self.title, *self.headings, self.header, row))

    @property
    def entry(self) -> str:
        """What its row is about, by the name of the first column: "Starter plan", "Floor 3"."""
        if not (self.header and self.text.startswith("|")):
            return ""
        name, cell = cells(self.header)[0], cells(self.text)[0]
        return f"of {cell} {name.lower()}\n{name} {cell}"

    @property
    def all(self) -> str:
        return "\n".join((self.title, *self.headings, self.header, self.entry, self.text))


def read(hit: Hit) -> list[Read]:
    """The sentences of a passage in their order."""
    made = cut(hit, 0.0)
    title = _DATED.sub(" ", folded(hit.document.title))
    found = []
    for i in range(len(made.spans)):
        if i not in made.headers:
            named = folded(made.header_text(i) or "")
            headings = (made.headings[i], *reversed(hit.chunk.heading_path))
            found.append(Read(folded(made.text(i)), named, tuple(map(folded, headings)), title))
    return found


def folded(text: str) -> str:
    """In narrow forms and simplified characters."""
    return simplified(unicodedata.normalize("NFKC", text))


def other_members(question: str, passages: Sequence[Sequence[Read]]) -> Found:
    """The third floor, March, 5 m, dinner: of a kind that the sentence about all else has another of."""
    by_kind: dict[str, list[Member]] = {}
    found, expected = qualifiers(question), Expected(question)
    for member in found:
        by_kind.setdefault(member.kind, []).append(member)
    for kind, own in by_kind.items():

        def met(text: str, own: Sequence[Member] = own) -> bool:
            return any(covers(text, each) for each in own)

        def named(text: str, kind: str = kind, own: Sequence[Member] = own) -> bool:
            return any(each.kind == kind and each.value in {one.value for one in own} for each in members(text))

        if is_word(kind) and any(
            named(read.text) and expected.share(read.text) >= ANSWERING for passage in passages for read in passage
        ):
            continue

        def others(read: Read, kind: str = kind) -> list[str]:
            for text in (read.text, read.entry, read.header, *read.headings):
                if found := [written(text, each) for each in members(text) if each.kind == kind]:
                    return found
            return []

        yield written(question, own[0]), stand_beside(_without(question, found), passages, met, others)


def other_models(question: str, passages: Sequence[Sequence[Read]]) -> Found:
    """The HX-30, known elsewhere, where what is asked is told of the HX-40."""
    known = sorted(name for name in {each.text for each in names(question)} if not name[0].isdigit())
    written = re.search(HYPHEN.sub("[-_ ]?", re.escape(known[0])), question, re.IGNORECASE) if len(known) == 1 else None
    if not written or members(written[0]):  # Q3 and 32G are no models.
        return
    for name in (each for each in names(question) if each.text == known[0] and "#" in each.kind):

        def met(text: str, name: Name = name) -> bool:
            return any(same(name.text, each.text) for each in names(text))

        def others(read: Read, name: Name = name) -> list[str]:
            for text in (read.text, read.header, *read.headings, read.title):
                if found := sorted(each.text for each in names(text) if each.kind == name.kind):
                    return found
            return []

        # What a page or a row is about may be told there in any words.
        if any(met(read.above) for passage in passages for read in passage):
            continue
        rest = f"{question[: written.start()]} {question[written.end() :]}"
        yield name.text, stand_beside(rest, passages, met, others)


def _without(question: str, found: Sequence[Member]) -> str:
    """Without what tells one of a kind from another; the noun behind stays: it is what is asked."""
    for each in sorted(found, key=lambda each: -each.start):
        written = question[each.start : each.end]
        kept = "" if each.kind.startswith(AMOUNT) else written.partition(" ")[2]
        # Of 云岭地铁2号线 the sentence after may only say 2号线.
        before = _NETWORK.sub(" ", question[: each.start]) if each.kind == LINE else question[: each.start]
        question = f"{before} {kept} {question[each.end :]}"
    return question


def _goes_on(sentence: str) -> bool:
    """Whether it leaves to the one before what it is about: "In March it was 7." """
    said = content_words(_without(sentence, members(sentence)))
    return refers_back(sentence) or not any(len(word) > 1 and not word[0].isdigit() for word in said)


def stand_beside(
    rest: str, passages: Sequence[Sequence[Read]], met: Callable[[str], bool], others: Callable[[Read], list[str]]
) -> list[str]:
    """The others that stand where most of `rest` of the question does, unless about as much of it stands by what is
    asked: in its sentence, in one below it in its passage, or under its heading."""
    wanted = content_words(rest)
    words = [[content_words(read.all) & wanted for read in passage] for passage in passages]
    found = Counter(word for passage in words for own in passage for word in own)
    if KNOWN * len(wanted) > len(found):  # In another language, or about something else.
        return []
    count = sum(map(len, words))
    weight = {word: math.log1p(count / number) for word, number in found.items()}
    told: list[tuple[float, list[str]]] = []
    top = ours = 0.0
    for passage, shared in zip(passages, words, strict=True):
        since, before = CARRIED, 0.0
        for read, own in zip(passage, shared, strict=True):
            score = sum(weight[word] for word in own)
            there, instead = met(read.all), others(read)
            # A list of questions goes on to something else.
            since = 0 if there else CARRIED if instead or is_question(read.text) else since + 1
            if there and _goes_on(read.text):
                score = max(score, before)
            if since < CARRIED:
                ours = max(ours, score)
            elif instead:
                told.append((score, instead))
            top, before = max(top, score), score
    if ours >= SHARED * top or top < SHARED * sum(weight.values()):
        return []
    return [
        other
        for score, instead in sorted(told, key=lambda each: -each[0])
        if score >= PLACED * top
        for other in instead
    ]
