"""Misspelt words of a question, put right by the words of the passages that it found.

A vector finds the passage in spite of a slip; word by word the two then do not agree, and grading refuses. Only what no
passage says is ever replaced, and only by what one of them does say: a word of Latin letters by one at most two
slips away (optimal string alignment: Damerau 1964), Chinese characters by others of the same sound, which is how a
pinyin keyboard errs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files

from graph.language import FUNCTION_WORDS, has_han
from retrieval.types import Hit

Known = Callable[[str], bool]
"""Whether a word of Latin letters is a word, whatever the passages say."""

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)*")
_HAN_RUN = re.compile(r"[\u3400-\u9fff]{2,}")
_LONG = 8
"""Letters from which a word may have two slips; shorter ones may have one."""
_LEAST = 4
"""Letters below which a word is let alone: too many others are near it."""
_SIZES = (4, 3, 2)
"""Chinese characters that are compared at once, longest first."""
_GRAMMAR = frozenset("的是了吗呢吧在和与有为这那哪谁什么多少几个一不也都就从到把被")


def respelled(question: str, hits: Sequence[Hit], candidates: Sequence[Hit], known: Known) -> str:
    """The question with its slips put right; the question itself where there are none.

    `hits` are the best passages, whose words come first; a word that one of the `candidates` says is right as it is.
    """
    texts = [_text(hit) for hit in hits]
    said = "\n".join((*texts, *(_text(hit) for hit in candidates)))
    words = dict.fromkeys(_WORD.findall(said.lower()))
    made = _WORD.sub(lambda match: _latin(match.group(), words, known), question)
    return _HAN_RUN.sub(lambda match: _chinese(match.group(), texts, said), made) if has_han(made) else made


def _text(hit: Hit) -> str:
    return "\n".join((hit.document.title, *hit.chunk.heading_path, hit.chunk.text))


def _latin(word: str, words: Mapping[str, None], known: Known) -> str:
    # With a capital it is a name: Johnston is no misspelt Johnson.
    if len(word) < _LEAST or word != word.lower() or word in FUNCTION_WORDS or word in words or known(word):
        return word
    limit = 2 if len(word) >= _LONG else 1
    best, least = word, (limit + 1, 0)
    for other in words:
        # A short word with another letter is another word: a mouse is no house. In a long one it is the graver slip.
        lacking = len(set(word) - set(other))
        if abs(len(other) - len(word)) <= limit and lacking < limit:
            apart = (slips(word, other), lacking)
            if apart < least:
                best, least = other, apart
    return best


def slips(a: str, b: str) -> int:
    """Letters inserted, left out, replaced or swapped with the next, at least."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        earlier, before, row = before, row, [i]
        for j, other in enumerate(b, 1):
            least = min(row[j - 1] + 1, before[j] + 1, before[j - 1] + (one != other))
            if i > 1 and j > 1 and one == b[j - 2] and a[i - 2] == other:
                least = min(least, earlier[j - 2] + 1)
            row.append(least)
    return row[-1]


def _chinese(run: str, texts: Sequence[str], said: str) -> str:
    for size in _SIZES:
        start = 0
        while start + size <= len(run):
            piece = run[start : start + size]
            if (meant := _same_sound(piece, texts, said)) is not None:
                run = run[:start] + meant + run[start + size :]
                start += size
            else:
                start += 1
    return run


def _same_sound(piece: str, texts: Sequence[str], said: str) -> str | None:
    import rjieba

    if piece in said or _GRAMMAR & set(piece) or len(rjieba.cut(piece, False)) == 1:
        return None
    sounds = _sounds(piece)
    if None in sounds:
        return None
    for text in texts:
        for start in range(len(text) - len(piece) + 1):
            other = text[start : start + len(piece)]
            if _reading().get(other[0]) == sounds[0] and _sounds(other) == sounds and set(other) & set(piece):
                return other
    return None


def _sounds(piece: str) -> list[str | None]:
    return [_reading().get(character) for character in piece]


@cache
def _reading() -> dict[str, str]:
    """The syllable of each character of GB 2312 and of Big5's common ones: its first reading in Unicode's Unihan
    database, as the MIT-licensed pypinyin has it, without the tone."""
    lines = (files("graph") / "pinyin.txt").read_text(encoding="utf-8").splitlines()
    return {character: syllable for syllable, characters in map(str.split, lines) for character in characters}
