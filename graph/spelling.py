"""Misspelt words of a question, put right by the words of the passages that it found, or of the whole index.

A vector finds the passage in spite of a slip; word by word the two then do not agree, and grading refuses. Only what no
passage says and no dictionary knows is ever replaced: a word of Latin letters by one at most two slips away (optimal
string alignment: Damerau 1964), Chinese characters by others of the same sound, which is how a pinyin keyboard errs,
and pinyin that stands in a Chinese question by the word it spells. What holds a digit or may be a name stays: another
number is another thing. What the passages found say comes first; then what any text of the index says,
the most frequent first, for a slip in the very word that finds the passage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Protocol

from graph.language import FUNCTION_WORDS, has_han
from graph.sounds import Sounds, said_alike, sounds_of, spelled, syllables
from graph.support import SURNAMES
from retrieval.lexical.tokenizer import simplified, tokenize
from retrieval.types import Hit

Known = Callable[[str], bool]
"""Whether a word of Latin letters is a word, whatever the passages say."""


class Lexicon(Protocol):
    """The terms of an index, as `retrieval.lexical.tokenizer` makes them."""

    @property
    def vocabulary(self) -> Sequence[str]:
        """Some terms may be of texts that are gone."""
        ...

    def frequency(self, term: str) -> int:
        """How many texts hold the term."""
        ...


_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)*")
_HAN_RUN = re.compile(r"[\u3400-\u9fff]{2,}")
_LONG = 8
"""Letters from which a word may have two slips; shorter ones may have one."""
_VERY_LONG = 10
"""The same where any word of the index may be meant: rehearsal is no misspelt reversal."""
_LEAST = 4
"""Letters below which a word is let alone: too many others are near it."""
_MOST = 32
"""Letters above which it is no word."""
_SIZES = (4, 3, 2)
"""Chinese characters that are compared at once, longest first."""
_PINYIN = range(2, 5)
"""Syllables of pinyin that are read as one word; of the index's terms, two."""
_LOOKED_UP = 8
"""Words of a question that are looked for among the terms of the index: a question with more of them that nobody knows
is in a language that nothing here is in."""
_GRAMMAR = frozenset("的是了吗呢吧在和与有为这那哪谁什么多少几个一不也都就从到把被")
_COMMON = frozenset(
    "要去来想说跟让给对向又再还才很最更太好大小多高长新老人年月日时中国前后里外上下能会可做用看叫像只每某该其此其着过"
)
"""Characters that are words by themselves: beside them two that no text says are no slip."""


def respelled(
    question: str, hits: Sequence[Hit], candidates: Sequence[Hit], known: Known, lexicon: Lexicon | None = None
) -> str:
    """The question with its slips put right; the question itself where there are none.

    `hits` are the best passages, whose words come first; a word that one of the `candidates` says is right as it is.
    """
    texts = [_text(hit) for hit in hits]
    said = "\n".join((*texts, *(_text(hit) for hit in candidates)))
    words = dict.fromkeys(_WORD.findall(said.lower()))
    chinese = has_han(question)
    left = _LOOKED_UP

    def latin(match: re.Match[str]) -> str:
        nonlocal left
        word = match.group()
        if _right(word, words, known):
            return word
        if near := _nearest(word, words):
            return near
        left -= 1
        if left < 0:
            return word
        pinyin = [sounds for sounds in syllables(word, _PINYIN[-1]) if len(sounds) in _PINYIN] if chinese else []
        return (_converted(pinyin, texts, lexicon) if pinyin else _nearest_term(word, lexicon)) or word

    made = _WORD.sub(latin, question)
    return _HAN_RUN.sub(lambda match: _chinese(match.group(), texts, said, lexicon), made) if chinese else made


def _text(hit: Hit) -> str:
    return "\n".join((hit.document.title, *hit.chunk.heading_path, hit.chunk.text))


def _right(word: str, words: Mapping[str, None], known: Known) -> bool:
    # With a capital it is a name: Johnston is no misspelt Johnson.
    if not _LEAST <= len(word) <= _MOST or word != word.lower() or re.search("[0-9]", word):
        return True
    return word in words or word in FUNCTION_WORDS or known(word) or word in _dictionary()


@cache
def _dictionary() -> frozenset[str]:
    """English words, as pyspellchecker has them: of subtitles, without those said seldom. Half a second."""
    from spellchecker import SpellChecker

    return frozenset(SpellChecker(language="en").word_frequency.words())


def slips(a: str, b: str, limit: int | None = None) -> int:
    """Letters inserted, left out, replaced or swapped with the next, at least; above `limit`, one more than it."""
    from rapidfuzz.distance import OSA

    return OSA.distance(a, b, score_cutoff=limit)


def _near(word: str, words: Iterable[str], limit: int) -> list[tuple[int, int, str]]:
    """Slips, letters that the other word lacks, and the other word, in the order of `words`."""
    near = ((slips(word, other, limit), other) for other in words if abs(len(other) - len(word)) <= limit)
    found = ((apart, len(set(word) - set(other)), other) for apart, other in near if apart <= limit)
    # A short word with another letter is another word: a mouse is no house. In a long one it is the graver slip.
    return [(apart, lacking, other) for apart, lacking, other in found if lacking < limit]


def _nearest(word: str, words: Iterable[str]) -> str:
    """The first of the nearest."""
    return min(_near(word, words, _limit(word, _LONG)), key=lambda near: near[:2], default=(0, 0, ""))[2]


def _nearest_term(word: str, lexicon: Lexicon | None) -> str:
    """Of the index's terms, which are without a plural's end, the most frequent of the nearest."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    if lexicon is None or not word.isalpha():
        return ""
    [word] = tokenize(word) or [""]
    if lexicon.frequency(word):
        return ""
    limit = _limit(word, _VERY_LONG)
    terms = process.extract(word, lexicon.vocabulary, scorer=OSA.distance, score_cutoff=limit, limit=None)
    near = _near(word, [term for term, _, _ in terms], limit)
    found = [(apart, lacking, -lexicon.frequency(other), other) for apart, lacking, other in near]
    return min((each for each in found if each[2]), default=(0, 0, 0, ""))[3]


def _limit(word: str, long: int) -> int:
    return 2 if len(word) >= long else 1


def _converted(pinyin: Sequence[Sounds], texts: Sequence[str], lexicon: Lexicon | None) -> str:
    for sounds in pinyin:
        for meant in said_alike(sounds, texts):
            if _is_word(meant):
                return meant
    return _commonest(pinyin, "", lexicon)


def _is_word(text: str) -> bool:
    import rjieba

    return len(rjieba.cut(text, False)) == 1


def _chinese(run: str, texts: Sequence[str], said: str, lexicon: Lexicon | None) -> str:
    run = _by_passages(run, texts, said, lexicon)
    return _by_terms(run, said, lexicon) if lexicon else run


def _by_passages(run: str, texts: Sequence[str], said: str, lexicon: Lexicon | None) -> str:
    for size in _SIZES:
        start = 0
        while start + size <= len(run):
            piece = run[start : start + size]
            if meant := _same_sound(piece, texts, said, lexicon):
                run = run[:start] + meant + run[start + size :]
                start += size
            else:
                start += 1
    return run


def _same_sound(piece: str, texts: Sequence[str], said: str, lexicon: Lexicon | None) -> str:
    if piece in said or _GRAMMAR & set(piece) or _is_word(piece) or _may_be_a_name(piece):
        return ""
    if (sounds := sounds_of(piece)) is None:
        return ""
    if len(piece) == 2 and (_COMMON & set(simplified(piece)) or (lexicon and lexicon.frequency(simplified(piece)))):
        return ""
    alike = (meant for meant in said_alike(sounds, texts) if set(meant) & set(piece) and not _GRAMMAR & set(meant))
    return next(alike, "")


def _by_terms(run: str, said: str, lexicon: Lexicon) -> str:
    """Two characters that the dictionary knows in no word, and that no text says, by those of a text."""
    import rjieba

    single = [len(word) == 1 for word in rjieba.cut(run, False) for _ in word]
    start = 0
    while start + 2 <= len(run):
        piece = run[start : start + 2]
        open_ = (
            all(single[start : start + 2]) and not (_GRAMMAR | _COMMON) & set(simplified(piece)) and piece not in said
        )
        sounds = sounds_of(piece) if open_ and not lexicon.frequency(simplified(piece)) else None
        if sounds and (meant := _commonest([sounds], piece, lexicon)):
            run = run[:start] + meant + run[start + 2 :]
            start += 1
        start += 1
    return run


def _may_be_a_name(piece: str) -> bool:
    """Two characters, the first a surname: 李铭 is no misspelt 李明."""
    return len(piece) == 2 and simplified(piece)[0] in SURNAMES


def _commonest(read: Sequence[Sounds], like: str, lexicon: Lexicon | None) -> str:
    """The most frequent term of two characters that sounds so, one of them as in `like` where that is given."""
    if lexicon is None:
        return ""
    found = (
        (lexicon.frequency(term), term)
        for sounds in read
        if len(sounds) == 2
        for term in spelled(sounds)
        if (set(term) & set(like) if like else lexicon.frequency(term) and _is_word(term))
    )
    frequency, term = max(found, default=(0, ""))
    return term if frequency else ""
