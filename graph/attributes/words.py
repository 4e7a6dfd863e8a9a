"""What a language has for one attribute."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Words(NamedTuple):
    """Regular expressions, read without case. `name` is what a refusal calls the attribute."""

    name: str
    asks: str
    """Met in questions that ask for it, not in those that only mention it."""
    tells: str
    """Met in every passage that may tell it: rather one that does not than none that does."""


@dataclass(frozen=True, slots=True)
class Attribute:
    name: str
    asks: re.Pattern[str]
    tells: re.Pattern[str]

    def told(self, texts: Iterable[str]) -> bool:
        return any(self.tells.search(text) for text in texts)


def compiled(words: Words) -> Attribute:
    return Attribute(words.name, re.compile(words.asks, re.IGNORECASE), re.compile(words.tells, re.IGNORECASE))
