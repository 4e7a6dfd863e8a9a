"""Identifiers and proper names of a question that its evidence lacks: a QM-500 that no document knows has no warranty.

To the signals of a search a near miss looks like the answer: a question about the QM-500 shares every word but one with
the page of the QM-300, and one about ``read_timeout`` with the row of ``write_timeout``. Of the 1,284 answerable
questions of the public sets 95 name one, and no answer to them lacks it; where one is lacking it is taken for what it
says.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from graph.language import has_han
from graph.spelling import slips
from retrieval.lexical.tokenizer import comparable
from retrieval.types import Hit

UNNAMED = 0.05
"""The most that evidence counts for which lacks an identifier of the question."""

UNHEARD = 0.1
"""What the odds of evidence are multiplied by that never says a proper name of the question. On seven public sets 11 of
350 near misses that were answered lack one so, and one of 961 answers (a bridge of two hops)."""

_IDENTIFIER = re.compile(
    r"(?<![A-Za-z0-9._/-])[A-Za-z](?=[A-Za-z0-9._/-]*\d)[A-Za-z0-9]*(?:[._/-][A-Za-z0-9]+)*"
    r"|(?<![A-Za-z0-9._/-])[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z][A-Za-z0-9-]*)*(?:_[A-Za-z0-9._-]*[A-Za-z0-9])"
    r"|(?<![A-Za-z0-9._/-])[a-z][a-z-]*(?:\.[a-z][a-z-]*){2,}(?![A-Za-z0-9._/-])"
    r"|(?<![\w./-])(?:19|20)\d\d[-/]\d{3}(?![\w/-])"
)
"""A letter and digits; what an underscore joins; three lower-case words that dots join; a year and a running number."""
_TOLD_APART = re.compile(r"[A-Z]|[._/-]")
"""In lower case and one piece it is as often a name or a word: user42, python3."""
_SHORTEST = 3
_JOINTS = re.compile(r"[\s._/\\-]+")
_VERSION = re.compile(r"^v(?=\d)")
_PROPER = re.compile(r"(?<=[a-z0-9,;'’)] )[A-Z][a-zA-Z]*[a-z](?: [A-Z][a-zA-Z]*[a-z])*")
"""Capitalised where no sentence begins. Of several words the last one is the name: "Middle East", "Wilhelm Scheele"."""
_PROPER_IN_CHINESE = re.compile(r"(?<![A-Za-z0-9._-])[A-Z]+[a-z]+[A-Z][a-zA-Z]*(?![A-Za-z0-9._-])")
"""Only those that nobody translates: a passage about Harvard calls it 哈佛, and KuCache KuCache."""
CALENDAR = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|english|chinese",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]+")
_LONG = 6
"""Letters from which a name may be two slips away from how a passage spells it; shorter ones may be one."""


def lacking(question: str, hits: Sequence[Hit]) -> tuple[str, ...]:
    """The identifiers of `question`, as it writes them, that no hit mentions; spelling them apart does not matter."""
    named = [found for found in _IDENTIFIER.findall(unicodedata.normalize("NFKC", question)) if _is_identifier(found)]
    if not named or not hits:
        return ()
    plain = _plain("\n".join(map(said, hits)))
    return tuple(dict.fromkeys(one for one in named if _VERSION.sub("", _plain(one)) not in plain))


def unheard(question: str, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Proper names of `question` that no hit mentions, not even with another ending or misspelt; of a Chinese question
    those alone that have a capital inside.

    Nothing where question and best hit are in different languages, or where every word begins with a capital.
    """
    text = unicodedata.normalize("NFKC", question)
    found = (_PROPER_IN_CHINESE if has_han(text) else _PROPER).findall(text)
    named = [
        name
        for name in dict.fromkeys(found)
        if len(last := name.rpartition(" ")[2]) > _SHORTEST and not CALENDAR.fullmatch(last)
    ]
    if not named or not hits or not (has_han(text) or comparable(text, hits[0].chunk.text)) or _in_capitals(text):
        return ()
    words = set(_WORD.findall("\n".join(map(said, hits)).casefold()))
    return tuple(name for name in named if not _heard(name.rpartition(" ")[2].lower(), words))


def _in_capitals(question: str) -> bool:
    words = [word for word in question.split() if word[0].isalpha()]
    return not has_han(question) and 2 * sum(word[0].isupper() for word in words) > len(words)


def _heard(name: str, words: set[str]) -> bool:
    limit, stem = 2 if len(name) >= _LONG else 1, name[: max(4, len(name) - 3)]
    return any(
        word.startswith(stem) or (abs(len(word) - len(name)) <= limit and slips(name, word) <= limit) for word in words
    )


def said(hit: Hit) -> str:
    """All that a passage says: its document's name and place, its headings, what it was given as context, its text."""
    document, chunk = hit.document, hit.chunk
    return unicodedata.normalize(
        "NFKC", "\n".join((document.title, document.source, *chunk.heading_path, chunk.context, chunk.text))
    )


def _is_identifier(text: str) -> bool:
    return len(text) >= _SHORTEST and _TOLD_APART.search(text) is not None


def _plain(text: str) -> str:
    return _JOINTS.sub("", unicodedata.normalize("NFKC", text).casefold())
