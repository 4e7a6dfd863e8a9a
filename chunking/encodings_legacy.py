"""Encodings of old, of two bytes or one a character: the same bytes are text in several of them.

What tells is what only the right one yields: frequent characters of a language, syllables alone, kana, or words of
small letters with vowels. In a few characters nothing is sure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

# The most frequent characters of written Chinese; a wrong legacy decoding yields rare ones instead.
_COMMON = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多"
    "经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知"
    "全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门"
    "這個們來為國說時會對於著過發後裡種經麼學現當沒動還進樣開從實軍無與長機關點業將兩間問應戰頭體見產話給門數據們"
    "，。、；：？！“”（）《》「」『』"
)
_SHORT = 60
"""Characters beyond ASCII: with fewer of them, which ones are frequent says less than where their code points lie."""
_RATHER_FREQUENT = 0.9
_COMMON_KOREAN = frozenset(
    "이다는의에을하고가를도한지로은서사기어대해자시인리아나일부그들수있것으정스보니제원주만여장전성상동라과국구공유오세적와등면우발소비모경치계안연었무"
    "관신까습않음위입문중단생선된될되할때없게며려러야니까진행습게데화내용설명파확번호요금방법회후예개년월분실물습점저선운"
)
_SIGNS = r"\s\u00b7\u2010-\u2026\u3000-\u301f\uff00-\uff5e"
_KOREAN = re.compile(rf"[\uac00-\ud7a3\u3131-\u318e{_SIGNS}]+")
_COMMON_JAPANESE = frozenset(
    "のにはをたがでとしるれさいてなかこあもりまっうくんだらきすせつよンスルトリクラーロイシ、。"
)
"""Names and headings of Chinese characters alone cannot be told from Chinese."""
_CYRILLIC_WORD = re.compile(r"[^\W\d_]*[\u0400-\u04ff][^\W\d_]*")
_RUSSIAN_WORD = re.compile(r"[А-ЯЁ]?[а-яё]{0,30}|[А-ЯЁ]{1,30}")
_RUSSIAN_SIGNS = re.compile(r"[\u0400-\u04ff\s«»№—–“”„…©°]+")
_VOWEL, _CONSONANT = re.compile(r"[аеёиоуыэюя]", re.IGNORECASE), re.compile(r"[бвгджзклмнпрстфхцчшщ]", re.IGNORECASE)
_FREQUENT_RUSSIAN = frozenset("оеаинтсрвлОЕАИНТСРВЛ")
"""Six letters of ten in running text; in another encoding other letters take their places."""
_FEWEST_LETTERS = 6
_FEWEST_SYLLABLES = 4
_FEW = 2
"""Times the fewest: up to there chance alone may make a text of some language, and more must be frequent."""
_LIKELY, _LIKELY_OF_FEW = 0.3, 0.6
_LEAST_CHINESE = 0.2
_SAMPLE = 200_000


class Guess(NamedTuple):
    """`share` of the characters beyond ASCII that are frequent ones of the language."""

    share: float
    encoding: str
    text: str


def decoded(data: bytes, encoding: str) -> str | None:
    """The text, None where the bytes are none of this encoding or there is no such encoding."""
    try:
        return data.decode(encoding)
    except (ValueError, LookupError):  # "undefined" and "punycode" raise what is no UnicodeDecodeError
        return None


def by_language(data: bytes) -> Guess | None:
    """The likeliest, None where the bytes are text of none of these languages."""
    others = max([*_korean(data), *_japanese(data), *_russian(data)], default=None)
    chinese = _chinese(data)
    return others if others and (chinese is None or others.share > chinese.share) else chinese


def _beyond(text: str) -> list[str]:
    return [char for char in text[:_SAMPLE] if char > "\x7f"]


def _chinese(data: bytes) -> Guess | None:
    candidates: list[tuple[float, Guess]] = []
    for encoding in ("gb18030", "big5"):
        text = decoded(data, encoding)
        if text is None:
            # One byte lost at the end of a cut-off file must not decide.
            text = decoded(data[:-1], encoding)
        if text is None and len(broken := data.decode(encoding, "replace")) > 100 * broken.count("\ufffd"):
            text = broken
        if text is not None:
            sample = _beyond(text)
            share = sum(char in _COMMON for char in sample) / max(1, len(sample))
            frequent = _frequent(sample, encoding) if len(sample) <= _SHORT else 0.0
            rank = share + frequent if frequent >= _RATHER_FREQUENT else share
            candidates.append((rank, Guess(share, encoding, text)))
    best = max(candidates, default=None)
    return best[1] if best and best[0] >= _LEAST_CHINESE else None


def _frequent(characters: list[str], encoding: str) -> float:
    """The share of characters that the standard counts among the frequent ones, or as punctuation: GB 2312's first
    level (rows 16 to 55), Big5's first (A440 to C67E)."""
    count = 0
    for char in characters:
        code = char.encode(encoding, "replace")
        if len(code) != 2:
            continue
        if encoding == "gb18030":
            count += code[1] >= 0xA1 and (0xB0 <= code[0] <= 0xD7 or code[0] in (0xA1, 0xA3))
        else:
            count += 0xA4 <= code[0] <= 0xC6 or (code[0] == 0xA1 and not code[1] & 0x80)
    return count / len(characters) if characters else 0


def _korean(data: bytes) -> list[Guess]:
    text = decoded(data, "cp949")
    beyond = _beyond(text or "")
    syllables = [char for char in beyond if "\uac00" <= char <= "\ud7a3"]
    if text is None or not _KOREAN.fullmatch("".join(beyond)):
        return []
    return _likely(text, "cp949", syllables, _COMMON_KOREAN, _FEWEST_SYLLABLES)


def _japanese(data: bytes) -> list[Guess]:
    found = []
    for encoding in ("euc_jp", "cp932"):
        if (text := decoded(data, encoding)) is not None:
            found += _likely(text, encoding, _beyond(text), _COMMON_JAPANESE, _FEWEST_SYLLABLES)
    return found


def _russian(data: bytes) -> list[Guess]:
    found = []
    for encoding in ("cp1251", "koi8_r"):
        text = decoded(data, encoding)
        words = _CYRILLIC_WORD.findall((text or "")[:_SAMPLE])
        if text and _RUSSIAN_SIGNS.fullmatch("".join(_beyond(text))) and all(map(_is_russian, words)):
            found += _likely(text, encoding, "".join(words), _FREQUENT_RUSSIAN, _FEWEST_LETTERS)
    return found


def _likely(text: str, encoding: str, letters: Sequence[str], frequent: Set[str], fewest: int) -> list[Guess]:
    share = sum(letter in frequent for letter in letters) / max(1, len(letters))
    least = _LIKELY_OF_FEW if len(letters) < _FEW * fewest else _LIKELY
    return [Guess(share, encoding, text)] if len(letters) >= fewest and share >= least else []


def _is_russian(word: str) -> bool:
    if not _RUSSIAN_WORD.fullmatch(word):
        return False
    return len(word) < _FEWEST_LETTERS or (_VOWEL.search(word) is not None and _CONSONANT.search(word) is not None)
