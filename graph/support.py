"""Whether a sentence is supported by what it cites: numbers, names and negations exactly, the rest by its words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from chunking.sentences import split_sentences
from graph.language import STOPWORDS, has_han
from retrieval.lexical.tokenizer import tokenize

COVERAGE = 0.5
"""Share of a sentence's new content words (those not in the question) that its sources must contain."""
ATTRIBUTION = 0.6
"""The same for a sentence that cites nothing, or the wrong source, and is given one."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_IDENTIFIER = re.compile(r"(?<![A-Za-z])(?:[A-Za-z][A-Za-z0-9]*(?:[_.\-/][A-Za-z0-9]+)+|[A-Za-z]+\d[A-Za-z0-9]*)")
"""Begins where a run of letters does: tried at each letter, a long run would take its length squared."""
_NAME = re.compile(r"(?<=[a-z0-9,;)’'\]] )[A-Z][a-z]{2,}")
"""Capitalised where no sentence, quotation or list item begins."""
_LATIN = re.compile(r"[a-z]{3,}")
_CALENDAR = re.compile(
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
)
"""A date is written in many ways; its numbers are checked."""
_IDIOMS = re.compile(
    "不同|不仅|不僅|不但|不只|不过|不過|不断|不斷|不少|不管|不论|不論|不久|不错|不錯|不得不|差不多|非常|无论|無論|无线|無線|未来|未來"
    r"|\bnot only\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot)\b|n['’]t\b|[不没沒无無未非勿]", re.IGNORECASE
)
NEAR_COPY = 0.8
"""Share of a sentence's content words that a sentence of the source has, from which the two are about the same thing:
then one of them may not deny what the other says."""
_ENUMERATOR = re.compile(r"\A\s*(?:[-*•#>|]+\s*)*(?:[(（]?\d{1,2}[.)、）．]\s+)?")
_ENDS = str.maketrans("：，", "  ")
_WORDS_EN = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_NUMBER_WORDS = {word: str(value) for value, word in enumerate(_WORDS_EN)}
_NUMBER_WORDS |= {word: str(value) for value, word in enumerate("零一二三四五六七八九十")} | {"两": "2", "兩": "2"}


def content_words(text: str) -> set[str]:
    return {word for word in tokenize(text) if word not in STOPWORDS}


def numbers(text: str) -> set[str]:
    """Numbers written in digits, without thousands separators and trailing zeros; list numbering is left out."""
    return {_plain(match) for match in _NUMBER.findall(_fold(_ENUMERATOR.sub("", text)))}


def stated_numbers(text: str) -> set[str]:
    """Numbers that a source states, in digits or in words up to twelve; parts of dates and versions included."""
    folded = _fold(text)
    found = _NUMBER.findall(folded)
    stated = {_plain(number) for number in found} | {part for number in found for part in re.split(r"[.:,]", number)}
    return stated | {value for word, value in _NUMBER_WORDS.items() if word in folded}


def identifiers(text: str) -> set[str]:
    """Words that are names in code or of products: ``top_k``, ``bge-m3``, ``v2.1``, ``BM25``."""
    return set(_IDENTIFIER.findall(_fold(text)))


def coverage(sentence: str, evidence: str) -> float:
    """Share of the sentence's content words that the evidence contains; 1 for a sentence without any."""
    words = content_words(sentence)
    return len(words & content_words(evidence)) / len(words) if words else 1.0


def supported(sentence: str, evidence: Iterable[str], question: str, *, bar: float = COVERAGE) -> bool:
    """Whether `evidence` (texts of the cited sources) bears the sentence, which carries no markers.

    Words of the question count as known: a sentence may repeat them. Where sentence and evidence are in
    different scripts, words cannot be compared, and numbers and identifiers alone decide.
    """
    text = "\n".join(evidence)
    if not text or not exact_parts_hold(sentence, f"{text}\n{question}"):
        return False
    if has_han(sentence) != has_han(text):
        return True
    own, there = content_words(sentence), content_words(text)
    new = own - content_words(question)
    if own and not (bool(own & there) and len(new & there) >= bar * len(new)):
        return False
    return _names_hold(sentence, f"{text}\n{question}") and not _denies(sentence, own, text)


def latin_words_hold(sentence: str, evidence: str) -> bool:
    """Whether the evidence has the Latin words of a Chinese sentence, which are names there; endings may differ."""
    return not has_han(sentence) or _borne(_LATIN.findall(_fold(sentence)), evidence)


def exact_parts_hold(sentence: str, evidence: str) -> bool:
    """Whether `evidence` has every number and identifier of the sentence, whatever language either is in."""
    folded = _fold(evidence)
    return numbers(sentence) <= stated_numbers(evidence) and all(name in folded for name in identifiers(sentence))


def _names_hold(sentence: str, evidence: str) -> bool:
    return _borne([name.lower() for name in _NAME.findall(sentence)], evidence)


def _borne(names: Iterable[str], evidence: str) -> bool:
    """An ending may differ: "English" is borne by "England"."""
    folded = _fold(evidence)
    return all(_CALENDAR.fullmatch(name) or name[: max(4, len(name) - 3)] in folded for name in names)


def _denies(sentence: str, own: set[str], evidence: str) -> bool:
    """Whether all that the evidence says of the same thing is the contrary: "is supported" of "is not supported"."""
    if not own:
        return False
    said = [
        evidence[start:end]
        for start, end in split_sentences(evidence)
        if len(own & content_words(evidence[start:end])) >= NEAR_COPY * len(own)
    ]
    return bool(said) and all(_negated(each) != _negated(sentence) for each in said)


def _negated(text: str) -> bool:
    return _NEGATION.search(_IDIOMS.sub(" ", text)) is not None


def _fold(text: str) -> str:
    # A full-width comma or colon ends a number, a narrow one may stand inside it: "召回率@5：0.85，" is no 5:0.85.
    return unicodedata.normalize("NFKC", text.translate(_ENDS)).lower()


def _plain(number: str) -> str:
    number = number.replace(",", "")
    return number.rstrip("0").rstrip(".") if number.count(".") == 1 else number
