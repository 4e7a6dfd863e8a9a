"""Text as metrics see it: normal forms for comparing."""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate

_MARKER = re.compile(r"\s*\[\d{1,3}\]")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_DECIMAL_POINT = r"(?<=\d)\.(?=\d)"
_CHARACTER = re.compile(rf"[{_HAN}]|{_DECIMAL_POINT}|\w")
_PIECE = re.compile(rf"[零〇一二两三四五六七八九十百千万亿]+|[{_HAN}]|\d+(?:\.\d+)*|[^\W\d_{_HAN}]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_LANGUAGES = {"zh": ("zho", "chi", "cmn", "chinese", "中文", "汉语", "cn"), "en": ("eng", "english", "英文", "英语")}
_BY_NAME = {name: code for code, names in _LANGUAGES.items() for name in names}


def language_code(name: str) -> str:
    """``zh_CN``, ``ZH``, ``zho`` and ``Chinese`` are zh; what is unknown stays, in lower case."""
    first, *region = name.strip().casefold().replace("_", "-").split("-")
    return "-".join([_BY_NAME.get(first, first), *region])


def is_chinese(lang: str) -> bool:
    return lang.split("-", maxsplit=1)[0] == "zh"


def contains_words(text: str, part: str) -> bool:
    """Whether `part` stands in `text` in one piece, no word or number cut: ``5 days`` is not in ``15 days``.

    Spaces, punctuation, width and case do not matter, and neither do commas between thousands.
    """
    said, borders = _pieces(text)
    wanted, _ = _pieces(part)
    start = said.find(wanted) if wanted else -1
    while start >= 0:
        if start in borders and start + len(wanted) in borders:
            return True
        start = said.find(wanted, start + 1)
    return False


def _pieces(text: str) -> tuple[str, set[int]]:
    """Words, numbers and Chinese characters in one string, and where one ends and the next begins."""
    normal = _THOUSANDS.sub("", unicodedata.normalize("NFKC", text).casefold())
    found = _PIECE.findall(normal)
    return "".join(found), {0, *accumulate(map(len, found))}


def without_markers(text: str) -> str:
    """The answer without its citation markers ``[n]``, which are no part of what it says."""
    return _MARKER.sub("", text).strip()


def letters_and_digits(text: str) -> tuple[str, list[int]]:
    """NFKC and case-folded letters and digits, and the code-point offset that each came from."""
    kept: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        if character.isalnum():
            for normal in unicodedata.normalize("NFKC", character).casefold():
                kept.append(normal)
                offsets.append(offset)
    return "".join(kept), offsets


def answer_tokens(text: str, lang: str) -> list[str]:
    """Tokens for exact match and F1.

    English as in SQuAD (Rajpurkar et al. 2016): lower case, no punctuation, no articles, split at spaces. Chinese:
    every letter and digit is a token, as in CMRC 2018 (Cui et al. 2019) but without segmenting Latin words. Width and
    compatibility forms are folded (NFKC) in both, and a decimal point stays: 3.5 is not 35.
    """
    normal = unicodedata.normalize("NFKC", without_markers(text)).casefold()
    if is_chinese(lang):
        return [token for token in _CHARACTER.findall(normal) if token != "_"]
    points = {found.start() for found in re.finditer(_DECIMAL_POINT, normal)}
    cleaned = "".join(
        c for n, c in enumerate(normal) if n in points or not unicodedata.category(c).startswith(("P", "S"))
    )
    return _ARTICLE.sub(" ", cleaned).split()
