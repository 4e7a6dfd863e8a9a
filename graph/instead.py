"""What the evidence speaks of instead of what is asked: version 4.1 where 4.2 is, another day's outage, the Go client.

A near miss shares all words but the one that tells things of a kind apart, and to a search it is the answer. So each
thing of a question that has its kind beside it (a version, a level, a date, an edition, "the Rust client") is looked
for in the passages. It is told only where none has it while another of its kind stands where the answer would: a thing
whose kind is nowhere may go by another name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from graph.beside import HYPHEN, Found, Read, folded, other_members, other_models, read, stand_beside
from graph.cuts import cut
from graph.deputies import other_ranks
from graph.han_words import ending, han_words, placed, rest_of_word
from graph.kindred import may_name, other_kindred, other_rows
from graph.language import FUNCTION_WORDS
from graph.members import asks_yes_or_no, qualifiers
from graph.named import CALENDAR, said
from graph.naming import apart, names, same
from graph.opposites import other_events
from graph.quantities import Day, dates, stated
from graph.questions import Expected
from graph.strips import relevances
from graph.support import content_words
from retrieval.lexical.tokenizer import simplified
from retrieval.types import Hit

NEAREST = 3
"""Sentences in which another of the kind counts: those that share most of the question's words."""
SHOWN = 3
"""Things found instead that are told, at most."""

LONGEST = 60
"""Characters of such a thing that are told: they are a document's."""

_NUMERAL = r"[零〇一二三四五六七八九十百]{1,4}|\d{1,4}"
_COUNTED = re.compile(
    rf"(?<![零〇一二三四五六七八九十百千万0-9.])(?:第({_NUMERAL})(?!季度|[楼层])([\u4e00-\u9fff])"
    rf"|({_NUMERAL})(级|届|号|期|章|节|条款|版|型|轮|等|卷|册|类|阶段))"
)
_ENGLISH_COUNTED = re.compile(
    r"\b(level|phase|type|class|grade|chapter|section|part|series|generation|volume|season|stage|tier|step|appendix"
    r"|article|rule|group|category|line|route|terminal|gate|room|building|floor|ward|zone|district|episode|tower"
    r"|platform|batch|release|edition|priority|severity|option|plan|unit|module|mode) (\d{1,4}|[ivx]{1,4})\b",
    re.IGNORECASE,
)
_NAMED_NUMBER = re.compile(r"(?<![.\w])([A-Z][a-z]+) (\d{1,3})(?![\w%]|[.,:]\d)")
"""Apollo 11, Windows 10, Super Bowl 50."""
_YEAR = re.compile(
    r"(?<![\d.,])(1[0-9]{3}|20\d\d)(?![.,]?\d|'?s\b)"
    r"(?! ?(?:(?:k[mgw]|[mgt]b|[mc]?m|ms|kwh|people|square)\b|[%°人元米]|公里|平方))"
)
_COUNTED_BEHIND = re.compile(r" (?:[a-z]+ )?[a-z]{2,}s\b(?! (?:of|in) the year)|\s?[个個次台件名人份条條万千多]")
_SINCE = re.compile(
    r"\b(?:in|since|until|from|during|by|year|FY|before|after|for)(?: the year)? ?\Z|[在于自从至到]\s?\Z", re.IGNORECASE
)
_MODERN = 1500
_LATER = re.compile(
    r"以[后後]每|其[后後]|此[后後]|之[后後]每|起每"
    r"|\b(?:thereafter|onwards?|(?:every|each) (?:further|additional|later))\b"
)
"""Of what is told once for all that follow."""
_RELEASE = re.compile(r"\s*(?:version |release )?[vV]?(\d+\.\d+(?:\.\d+)*)\b")
"""A heading that begins with a version."""
_NUMBERS = re.compile(r"(?<![\d.])\d+(?:\.\d+)+(?![\d.]\d)")
_OPEN = re.compile(
    r"\b(?:since|until|till|before|after|by|through)\b[\w ,]{0,14}\d{4}"
    r"|\b(?:onwards?|century|centuries|ago|decades?)\b|\d0s|\d年?[\u4e00-\u9fff]{0,8}[前后起]|以来|至今|世纪|年代",
    re.IGNORECASE,
)
"""A sentence with one of these speaks of more time than lies between the years that it names."""
_COMPARED = re.compile(
    r"\bfrom\b.*\bto\b|\b(?:fell|rose|grew|gained|lost|(?:in|de)creased?|compared"
    r"|than|previous(?:ly)?|last year|year before|so far)\b"
    r"|同比|环比|[上去前往]年|增[长加]|下[降滑]|历年",
    re.IGNORECASE,
)
"""So does one that tells of a change."""
_DATE = re.compile(
    r"(?:1[0-9]|20)\d\d(?:年(?:\d{1,2}月(?:\d{1,2}[日号])?)?)?|\b\d{1,2} [A-Z][a-z]{2,8}\b|\b[A-Z][a-z]{2,8} \d{1,2}\b"
)
_ASKS_TIME = re.compile(
    r"\bwhen\b|\bwhich (?:year|month)\b|\bhow long\b|何时|什么时候|哪[一年月天]|多久", re.IGNORECASE
)
"""Of what is asked about a year this may be told in another: opened in 2006 the school that was planned in 2001."""
_EDITION = re.compile(r"[\u4e00-\u9fff]{2,4}[版级型]")
_MODIFIED = re.compile(r"(?<=[a-z0-9,;] )([A-Z][A-Za-z]*[a-z]) ([a-z]{4,})\b")
_CODE = re.compile(r"(?![QqHh]\d)([A-Za-z]{1,4})[ -]?(\d{1,6})")
"""Of quarters and halves the members are told apart sentence by sentence (`graph.members`)."""
_ASKING = re.compile(r"[什哪几多谁何怎每各]")


@dataclass(frozen=True, slots=True)
class Instead:
    """`asked` as the question has it, and what the passages have in its place, at most `SHOWN`."""

    asked: str
    found: tuple[str, ...]


def instead(question: str, hits: Sequence[Hit]) -> tuple[Instead, ...]:
    """What of `question` no hit has while others of its kind are there; nothing for most questions."""
    if not hits:
        return ()
    evidence = _Evidence(question, hits)
    finders = (
        _versions, _releases, _counted, _days, _years, _editions, _places, _modified, _together, _members, _models,
        _kindred, _ranks, _events,
    )  # fmt: skip
    plain = folded(question)
    told = {
        thing: found
        for find in finders
        for thing, found in find(plain, evidence)
        if found and not _between(thing, evidence.whole)
    }
    return tuple(
        Instead(
            _as_written(thing, plain),
            tuple(_as_written(other, evidence.whole) for other in dict.fromkeys(found))[:SHOWN],
        )
        for thing, found in told.items()
    )


def _between(thing: str, text: str) -> bool:
    """Whether a range of codes holds one: P6 stands in P5–P7."""
    if (code := _CODE.fullmatch(thing)) is None:
        return False
    letters, number = code[1], int(code[2])
    name = re.escape(letters)
    ends = rf"(?<![a-z0-9]){name}(\d{{1,6}})\s?(?:[-–—~～至到]|to)\s?{name}(\d{{1,6}})(?!\d)"
    return any(int(low) <= number <= int(high) for low, high in re.findall(ends, text, re.IGNORECASE))


class _Evidence:
    def __init__(self, question: str, hits: Sequence[Hit]) -> None:
        self._question, self._hits = question, hits

    @cached_property
    def passages(self) -> list[str]:
        return [simplified(said(hit)) for hit in self._hits]

    @cached_property
    def whole(self) -> str:
        return "\n".join(self.passages)

    @cached_property
    def _ranked(self) -> list[tuple[float, int, str, tuple[str, ...]]]:
        cuts = [cut(hit, 0.0) for hit in self._hits]
        found = [
            (
                score,
                number,
                made.text(i),
                (made.headings[i], *reversed(made.hit.chunk.heading_path), made.hit.document.title),
            )
            for number, (made, scores) in enumerate(zip(cuts, relevances(self._question, cuts, None), strict=True))
            for i, score in enumerate(scores)
        ]
        return sorted(found, key=lambda each: -each[0])

    @cached_property
    def sentences(self) -> list[tuple[str, tuple[str, ...]]]:
        """Each with what stands above it, those that share most words with the question first."""
        return [(text, above) for _, _, text, above in self._ranked]

    @cached_property
    def read(self) -> list[list[Read]]:
        """The sentences of each passage in their order."""
        return [read(hit) for hit in self._hits]

    @cached_property
    def near(self) -> list[str]:
        return [folded(text) for text, _ in self.sentences[:NEAREST]]

    @cached_property
    def above(self) -> list[str]:
        """The headings and titles of the nearest sentences."""
        return list(dict.fromkeys(folded(text) for _, above in self.sentences[:NEAREST] for text in above))

    @cached_property
    def headings(self) -> list[tuple[str, ...]]:
        """Of every sentence, without the document's title."""
        return [above[:-1] for _, above in self.sentences]

    @property
    def titled(self) -> list[tuple[str, str]]:
        """Passages behind the titles of their documents."""
        return list(zip((folded(hit.document.title) for hit in self._hits), self.passages, strict=True))

    @cached_property
    def around(self) -> str:
        """The passages of the nearest sentences."""
        return "\n".join(self.passages[number] for number in sorted({each[1] for each in self._ranked[:NEAREST]}))


def _versions(question: str, evidence: _Evidence) -> Found:
    for name in sorted(names(question), key=lambda each: (each.text, each.kind)):
        if not name.text[0].isdigit():
            continue
        others: list[str] = []
        for passage in evidence.passages:
            there = names(passage)
            # Beside its word or apart from it: "KuStore release notes. Version 4.0".
            if name.kind in passage.lower() and any(same(name.text, each.text) for each in there):
                break
            others += sorted(each.text for each in there if each.kind == name.kind)
        else:
            yield name.text, [f"{name.kind} {other}" for other in others]


def _releases(question: str, evidence: _Evidence) -> Found:
    """ "New in Lumen Sync 4.3" over release notes, whose headings are versions and nothing else."""
    for name in sorted(names(question), key=lambda each: (each.text, each.kind)):
        own = [text for title, text in evidence.titled if name.kind in title.lower()]
        if not name.text[0].isdigit() or not own or any(_says_version(name.text, each) for each in own):
            continue
        there = [match for headings in evidence.headings for heading in headings if (match := _RELEASE.match(heading))]
        if len({match[1] for match in there}) < 2:
            return
        yield f"{name.kind} {name.text}", [match[1] for match in there]


def _says_version(version: str, passage: str) -> bool:
    return any(same(version, each) for each in _NUMBERS.findall(passage))


def _counted(question: str, evidence: _Evidence) -> Found:
    for pattern, before in ((_COUNTED, False), (_ENGLISH_COUNTED, True), (_NAMED_NUMBER, True)):
        asked = _numbered(pattern, question, before=before)
        there = _numbered(pattern, evidence.around, before=before) if asked else {}
        for (kind, number), written in asked.items():
            if (kind, number) not in there and not any(_LATER.search(text) for text in evidence.near):
                near = _numbered(pattern, "\n".join(evidence.near), before=before)
                yield written, [text for (other, _), text in near.items() if other == kind]


def _numbered(pattern: re.Pattern[str], text: str, *, before: bool) -> dict[tuple[str, str], str]:
    found = {}
    for match in pattern.finditer(text):
        first, second = (group for group in match.groups() if group is not None)
        kind, number = (first, second) if before else (second, first)
        if CALENDAR.fullmatch(kind):
            continue
        values = stated(number).quantities
        word, noun = ("", "") if before else rest_of_word(text, match.end())
        found[kind.lower() + word, str(values[0].value) if values else number.lower()] = match[0] + word + noun
    return found


def _days(question: str, evidence: _Evidence) -> Found:
    asked = [(day, written) for day, written in dates(question) if day.day is not None]
    said = stated(evidence.whole).days if asked else []
    for day, written in asked:
        if any(_may_be(day, other) for other in said if other.day is not None):
            continue
        rest = content_words(question.replace(written, " "))
        there = [
            (len(rest & content_words(text)), other, said_there)
            for text in (*evidence.above, *(folded(text) for text, _ in evidence.sentences))
            for other, said_there in dates(text)
        ]
        most = max((shared for shared, other, _ in there if other.day is not None), default=0)
        # "In March" may be the eleventh where it stands by what is asked.
        if not any(shared >= max(most, 1) and _may_be(day, other) for shared, other, _ in there):
            yield written, [name for shared, other, name in there if shared == most and other.day is not None]


def _may_be(day: Day, other: Day) -> bool:
    return (None in (day.year, other.year) or day.year == other.year) and (day.month, day.day) == (
        other.month,
        other.day or day.day,
    )


def _years(question: str, evidence: _Evidence) -> Found:
    asked = list(dict.fromkeys(match[1] for match in _YEAR.finditer(question) if _is_year(question, match)))
    if not asked or not evidence.near:
        return
    if any(year in evidence.around for year in asked):
        yield from _years_of_documents(question, asked, evidence)
        yield from _years_of_sentences(question, asked, evidence)
        return
    dated = next((text for text in evidence.near if _YEAR.search(text)), "")
    there = _YEAR.findall(dated)
    if there and not _OPEN.search(dated):
        yield from ((year, there) for year in asked if not min(there) < year < max(there))


def _years_of_documents(question: str, asked: Sequence[str], evidence: _Evidence) -> Found:
    """Sold in 2024, of a report whose title says 2025, in a sentence that says no year."""

    def met(text: str) -> bool:
        return any(year in text for year in asked) or any(more.search(text) for more in (_OPEN, _COMPARED))

    def others(read: Read) -> list[str]:
        if _YEAR.search(read.text) or _YEAR.search(read.header):
            return []
        return _YEAR.findall("\n".join((*read.headings, read.title)))

    if len(asked) == 1 and not asks_yes_or_no(question):
        yield asked[0], stand_beside(_without_year(question, asked[0]), evidence.read, met, others)


def _years_of_sentences(question: str, asked: Sequence[str], evidence: _Evidence) -> Found:
    """The revenue of 2022, where the sentence about revenue is of 2023 and 2022 is that of another matter."""

    def met(text: str) -> bool:
        return any(year in text for year in asked) or any(more.search(text) for more in (_OPEN, _COMPARED))

    def others(read: Read) -> list[str]:
        return _YEAR.findall(read.text)

    if len(asked) != 1 or asks_yes_or_no(question) or _ASKS_TIME.search(question):
        return
    # "2022 saw 95,100." says no word of what is asked, and tells it.
    expected = Expected(question)
    if not any(met(text) and expected.share(_DATE.sub(" ", text)) for text, _ in evidence.sentences):
        yield asked[0], stand_beside(_without_year(question, asked[0]), evidence.read, met, others)


def _without_year(question: str, year: str) -> str:
    """Without what counts it either: 年时 and the next word would be joined to others of the passages."""
    return re.sub(rf"{year}(?:\s?年[时间]?)?", " ", question)


def _is_year(question: str, match: re.Match[str]) -> bool:
    """1000 requests are no year."""
    counted = _COUNTED_BEHIND.match(question, match.end()) is not None
    return _SINCE.search(question[max(0, match.start() - 24) : match.start()]) is not None or (
        not counted and int(match[1]) >= _MODERN
    )


def _editions(question: str, evidence: _Evidence) -> Found:
    for word in han_words(question):
        if _EDITION.fullmatch(word) and not _ASKING.search(word) and word not in evidence.whole:
            yield word, [each for text in evidence.near for each in ending(text, word[-1], len(word))]


def _places(question: str, evidence: _Evidence) -> Found:
    """ "上海研发中心" where there is one in another city."""
    for place, of in placed(question):
        if place not in evidence.whole:
            others = [other for text in evidence.near for other, behind in placed(text) if behind == of]
            # 滿州 and 滿洲 are two spellings of one.
            if not any(set(other) & set(place) for other in others):
                yield place + of, [other + of for other in others]


def _modified(question: str, evidence: _Evidence) -> Found:
    """ "the Rust client" where there are others."""
    for name, noun in _MODIFIED.findall(question):
        if name.lower() not in evidence.whole.lower() and not CALENDAR.fullmatch(name):
            alike = re.compile(rf"(?<=[a-z0-9,;] )([A-Z]\w*) {noun}\b")
            others = alike.findall(evidence.whole)
            yield f"{name} {noun}", [f"{other} {noun}" for other in others if other.lower() not in FUNCTION_WORDS]


def _together(question: str, evidence: _Evidence) -> Found:
    """Two names that are both known, but the one only to what is about another of the other's kind."""
    if len({name.text for name in names(question)}) > 1:
        texts, above = zip(*evidence.sentences, strict=True) if evidence.sentences else ((), ())
        yield from apart(question, texts, above)


def _members(question: str, evidence: _Evidence) -> Found:
    """The third floor, March, 5 m, dinner, where all else is said of another."""
    return other_members(question, evidence.read) if qualifiers(question) else ()


def _models(question: str, evidence: _Evidence) -> Found:
    """The HX-30, known elsewhere, where what is asked is told of the HX-40."""
    return other_models(question, evidence.read) if names(question) else ()


def _kindred(question: str, evidence: _Evidence) -> Found:
    """Benelux, a row elsewhere, where the managers of its neighbours are told."""
    if may_name(question, evidence.passages):
        yield from other_kindred(question, evidence.read)
        yield from other_rows(question, evidence.read)


def _ranks(question: str, evidence: _Evidence) -> Found:
    """The deputy head where only the head is named."""
    return other_ranks(question, evidence.passages)


def _events(question: str, evidence: _Evidence) -> Found:
    """The year it closed where it is told when it opened."""
    return other_events(question, evidence.read)


def _as_written(thing: str, text: str) -> str:
    """With the case and the hyphens of `text`: names are compared without."""
    return " + ".join(
        found[0] if (found := re.search(HYPHEN.sub("[-_]?", re.escape(part)), text, re.IGNORECASE)) else part
        for part in thing[:LONGEST].split(" + ")
    )
