"""Chinese characters by their sound: the slips of a pinyin keyboard, and pinyin that was never converted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import product

Sounds = tuple[str, ...]
"""One syllable for each character, without the tone."""


def sounds_of(text: str) -> Sounds | None:
    """None where a character has no reading here."""
    sounds = tuple(_reading().get(character, "") for character in text)
    return sounds if all(sounds) else None


def syllables(word: str, most: int) -> list[Sounds]:
    """Every way in which a word of Latin letters is pinyin of at most so many syllables: ``xian`` is one or two."""
    if not word:
        return [()]
    if not most or len(word) > most * _LONGEST:
        return []
    return [
        (word[:length], *rest)
        for length in range(1, min(len(word), _LONGEST) + 1)
        if word[:length] in _characters()
        for rest in syllables(word[length:], most - 1)
    ]


def said_alike(sounds: Sounds, texts: Sequence[str]) -> Iterator[str]:
    """What the texts say that sounds so, in their order."""
    for text in texts:
        for match in _pattern(sounds).finditer(text):
            yield match.group(1)


def spelled(sounds: Sounds) -> Iterator[str]:
    """Every way to write two syllables, some thousand."""
    for characters in product(*(_characters()[sound] for sound in sounds)):
        yield "".join(characters)


_LONGEST = 6


@cache
def _pattern(sounds: Sounds) -> re.Pattern[str]:
    # A lookahead, so that what overlaps is found as well.
    return re.compile("(?=(" + "".join(f"[{_characters()[sound]}]" for sound in sounds) + "))")


@cache
def _characters() -> dict[str, str]:
    """By syllable, the characters of GB 2312 and of Big5's common ones: by their first reading in Unicode's Unihan
    database, as the MIT-licensed pypinyin has it, without the tone."""
    lines = (files("graph") / "pinyin.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split() for line in lines)


@cache
def _reading() -> dict[str, str]:
    return {character: syllable for syllable, characters in _characters().items() for character in characters}
