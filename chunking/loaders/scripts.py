"""Raised and lowered characters in plain text: ``10^6``, ``m^2``, ``H2O``, ``x_i``, ``19th`` and ``word[1]``.

Set at the height of the line they would run into what they stand beside: 10 to the 6th would be read as 106. The
Unicode characters for them are no way out, as tokenizers fold them back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Literal

Height = Literal["", "raised", "lowered"]
HEIGHTS: dict[str, Height] = {"superscript": "raised", "subscript": "lowered"}
"""By what Office's files call them (ECMA-376, ST_VerticalAlignRun)."""

_LONGEST = 24
"""Characters of what is raised or lowered in earnest; more is small print."""
_SMALL_PRINT = re.compile(r"[^\W\d_]{2,} |[^\W\d_]{12}|[\u3400-\u9fff]{2}")
_ORDINAL = re.compile(r"st|nd|rd|th|er|re|e|è|ème|o|a|º|ª|de|ste|me|mes|lle|lles", re.IGNORECASE)
_MARKS = re.compile(r"[,，、;；*†‡§¶#®©™℠℃°′″'\"’”+\-−–⁺⁻∗]+")
_SIGNS = {"TM": "™", "tm": "™", "SM": "℠"}
_NOTE = re.compile(r"[(（]?[注註]\s?\d*[)）]?|\[?\d(?:[\d\s,，、;–-]*\d)?\]?|\[?[a-z](?:[,，] ?[a-z])*\]?|[①-⑳]")
_BRACKETED = re.compile(r"[\[(（［【〔].*[\])）］】〕]|[①-⑳]")
_SIMPLE = re.compile(r"[+\-−–]?[\d.]*\d[+\-−–]?|[^\W\d_]+|[+\-−–]?[^\W\d_]")
_RUN = re.compile(r"(?:[^\W\d_\u3040-\u9fff]|[’'])+\Z|[\u3040-\u9fff]+\Z|\d[\d.,]*\Z")
_UNIT = re.compile(
    r"(?:[numkcdhMGT]?[mglJWVAN]|[mμ]?s|K|[kM]?Pa|k?cal|mol|[kMG]?Hz|[kM]?eV|[GT]eV|kg|rad|bar|ft|in|yd|mi|mil|inch|min|hr?|day|yr"
    r"|sin|cos|tan|sec|log|ln|exp|det|lim|dB|µm|μm|.*[米里尺秒克])"
)
_SHORT_WORD = re.compile(
    r"[A-Z]{2}|[AIOUaiou][nsft]|[HMTWhmtw]e|[DGNSTdgnst]o|[Ii][tf]|[BbMm]y|[Oo]f|[Uu]p|[Aa]m|[\u3400-\u9fff]{2}"
)
"""Words of two letters; any others are products, as in mc²."""
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


def raised(content: str, before: str, after: str = "", *, note: bool = False) -> str:
    """What to write for a superscript after the text `before`, of which the last word matters.

    `note` tells that it refers to a note; without that a number after a word is taken for a reference, one after a
    number, a symbol or a unit for an exponent. `after` is what follows.
    """
    content, before = content.strip(), before[-_LONGEST:]
    base = _RUN.search(before)
    word = base.group() if base else ""
    at_start = not before or before[-1].isspace()
    if not content or _is_small_print(content) or (at_start and len(after) > 2 and after[:3].isalpha()):
        # "1 See also" where a note begins; ¹⁴C is one word.
        return _apart(content, before, after)
    ordinal = _ORDINAL.fullmatch(content) and (word[-1:].isdigit() or (len(content) > 1 and word))
    if at_start or ordinal or _MARKS.fullmatch(content):
        return content
    if note or _is_note(content, word, before):
        return content if _BRACKETED.fullmatch(content) else f"[{content}]"
    if content in _SIGNS:
        return _SIGNS[content]
    if content.isalpha() and len(content) > 1 and word.isalpha():
        return _apart(content, before, after)
    return f"^{_grouped(content)}"


def lowered(content: str, before: str, after: str = "") -> str:
    """What to write for a subscript: a number joins a letter or a bracket, as in formulas of chemistry."""
    content = content.strip()
    if not content or _is_small_print(content):
        return _apart(content, before, after)
    if not before or before[-1].isspace():
        return content
    if _MARKS.fullmatch(content) or (not before[-1].isdigit() and re.fullmatch(r"\d+(?:\.\d+)?", content)):
        return content
    return f"_{_grouped(content)}"


def on_one_line(runs: Iterable[tuple[Height, str]]) -> str:
    """The text of runs of characters, each raised, lowered or neither, in order."""
    parts = [(height, "".join(text for _, text in same)) for height, same in groupby(runs, key=lambda run: run[0])]
    done = ""
    for number, (height, text) in enumerate(parts):
        after = parts[number + 1][1] if number + 1 < len(parts) else ""
        write = {"raised": raised, "lowered": lowered}.get(height)
        done += write(text, done, after) if write else text
    return done


def formula(shape: str, parts: Iterable[str]) -> str:
    """A two-dimensional part of a formula: a fraction, a root, or what has something above or below it, as MathML
    names its elements, from its parts in order.
    """
    first, second, third = [*parts, "", "", ""][:3]
    if shape == "mfrac":
        return f"{_operand(first)}/{_operand(second)}"
    if shape in ("msqrt", "mroot"):
        return f"({first})^(1/{second})" if second else f"√({first})"
    below, above = (second, third) if shape in ("msubsup", "munderover") else (second, "")
    if shape in ("msup", "mover"):
        below, above = above, below
    return first + "".join(f"{sign}{_operand(part)}" for sign, part in (("_", below), ("^", above)) if part)


def _operand(part: str) -> str:
    return part if len(part) == 1 or part.replace(".", "").isalnum() else f"({part})"


def _is_small_print(content: str) -> bool:
    return len(content) > _LONGEST or _SMALL_PRINT.search(content) is not None


def _is_note(content: str, word: str, before: str) -> bool:
    if not _NOTE.fullmatch(content):
        return False
    if not word:
        # Closing marks of a sentence, or another note; any other bracket has an exponent.
        return before[-1] not in ")]}|）" or re.search(r"\[[\d,]+\]\Z", before) is not None
    if word[0].isdigit():
        return content.isdigit() and _YEAR.fullmatch(word) is not None
    if content == "1" or not content.isdigit():  # nobody raises to the first power
        return len(word) > 1
    if _UNIT.fullmatch(word) or len(word) == 1:
        return False
    return len(word) > 2 or _SHORT_WORD.fullmatch(word) is not None


def _grouped(content: str) -> str:
    return content if _SIMPLE.fullmatch(content) or _BRACKETED.fullmatch(content) else f"({content})"


def _apart(content: str, before: str, after: str) -> str:
    if not content:
        return ""
    start = " " if before and not before[-1].isspace() and content[0] not in "[(（［【〔" else ""
    return f"{start}{content}{' ' if after and after[0].isalnum() else ''}"
