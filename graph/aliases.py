"""Parties of a contract, who are named once and then called by their part in it: Fennmoor Foods plc ("Client")."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache

from graph.support import content_words

LEAST = 0.5
"""Share of a name's words that a question must have to mean it, or the first of them."""

_QUOTES = "\"“”„'‘’「」『』"
_CALLED = re.compile(
    r"[(（]\s*(?:(?:hereinafter|hereafter|together|referred to as|called|the|以下|下文)[\s,]*)*"
    r"(?:均?[简簡下统統合]?[称稱][为為]?)?"
    rf"[\s:：]*(?:the )?[{_QUOTES}]([^{_QUOTES}()（）\n]{{1,24}})[{_QUOTES}]\s*[)）]",
    re.IGNORECASE,
)
_PARTY = re.compile(
    r"^[ \t]*([甲乙丙丁]方)(?:[（(][^（）()\n]{0,12}[)）])?\s*[:：]\s*([^\s，。；,;（(]{2,40})", re.MULTILINE
)
_BEGINS = re.compile(r"(?:\bbetween|\band|\bby|[.;；。\n:：])\s+|[和与與由]|\A", re.IGNORECASE)
_LONGEST = 160
"""Characters before the word that a party is called by, in which its name and address are."""


@dataclass(frozen=True, slots=True)
class Alias:
    word: str
    name: str

    def means(self, words: Set[str]) -> bool:
        """Whether words of a question name the party."""
        own = content_words(self.name)
        return len(own & words) >= LEAST * len(own) or bool(content_words(self.name.split(" ", maxsplit=1)[0]) & words)

    def written_in(self, text: str) -> bool:
        return _pattern(self.word).search(text) is not None


@lru_cache(maxsize=1024)
def aliases(text: str) -> tuple[Alias, ...]:
    """Those that a text defines."""
    found = [Alias(word, name) for word, name in _PARTY.findall(text)]
    ends = 0
    for match in _CALLED.finditer(text):
        before = text[max(ends, match.start() - _LONGEST) : match.start()]
        begins = [each.end() for each in _BEGINS.finditer(before) if before[each.end() :].strip()]
        name = before[begins[-1] :] if begins else before
        name = re.split(r"[,，(（]", name.strip(), maxsplit=1)[0].strip()
        if len(name) > 1 and content_words(name):
            found.append(Alias(match[1].strip(), name))
        ends = match.end()
    return tuple(found)


def spelt_with_names(text: str, known: tuple[Alias, ...]) -> str:
    """The text with the names behind the words that stand for them; all above it where it has none of these words, as
    the contract is between them."""
    spelt = text
    for alias in known:
        if alias.name not in text:
            spelt = _pattern(alias.word).sub(rf"\g<0> ({alias.name.replace(chr(92), '')})", spelt)
    return spelt if spelt != text or not known else f"{', '.join(alias.name for alias in known)}\n{text}"


@lru_cache(maxsize=256)
def _pattern(word: str) -> re.Pattern[str]:
    edge = r"(?<!\w){}(?!\w)" if word.isascii() else "{}"
    return re.compile(edge.format(re.escape(word)))
