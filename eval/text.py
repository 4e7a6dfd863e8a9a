"""Text as metrics see it: normal forms for comparing."""

from __future__ import annotations

import re
import unicodedata

_MARKER = re.compile(r"\s*\[\d{1,3}\]")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_WORD = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]|\w", re.UNICODE)


def is_chinese(lang: str) -> bool:
    return lang.split("-", maxsplit=1)[0] == "zh"


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
    compatibility forms are folded (NFKC) in both.
    """
    normal = unicodedata.normalize("NFKC", without_markers(text)).casefold()
    if is_chinese(lang):
        return [token for token in _WORD.findall(normal) if token != "_"]
    cleaned = "".join(c for c in normal if not unicodedata.category(c).startswith(("P", "S")))
    return _ARTICLE.sub(" ", cleaned).split()
