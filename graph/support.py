"""Whether a sentence is supported by what it cites: numbers and identifiers exactly, the rest by its words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from graph.language import STOPWORDS, has_han
from retrieval.lexical.tokenizer import tokenize

COVERAGE = 0.5
"""Share of a sentence's new content words (those not in the question) that its sources must contain."""
ATTRIBUTION = 0.6
"""The same for a sentence that cites nothing, or the wrong source, and is given one."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_IDENTIFIER = re.compile(r"(?<![A-Za-z])(?:[A-Za-z][A-Za-z0-9]*(?:[_.\-/][A-Za-z0-9]+)+|[A-Za-z]+\d[A-Za-z0-9]*)")
"""Begins where a run of letters does: tried at each letter, a long run would take its length squared."""
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
    if not text or not _exact_parts_hold(sentence, f"{text}\n{question}"):
        return False
    if has_han(sentence) != has_han(text):
        return True
    own, there = content_words(sentence), content_words(text)
    new = own - content_words(question)
    return not own or (bool(own & there) and len(new & there) >= bar * len(new))


def _exact_parts_hold(sentence: str, evidence: str) -> bool:
    folded = _fold(evidence)
    return numbers(sentence) <= stated_numbers(evidence) and all(name in folded for name in identifiers(sentence))


def _fold(text: str) -> str:
    # A full-width comma or colon ends a number, a narrow one may stand inside it: "召回率@5：0.85，" is no 5:0.85.
    return unicodedata.normalize("NFKC", text.translate(_ENDS)).lower()


def _plain(number: str) -> str:
    number = number.replace(",", "")
    return number.rstrip("0").rstrip(".") if number.count(".") == 1 else number
