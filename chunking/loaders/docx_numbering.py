"""Numbers of DOCX paragraphs as Word shows them: formats, texts, starts and restarts of numbering.xml.

ECMA-376 part 1, section 17.9.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DEEPEST = 9
_DIGITS = "〇一二三四五六七八九"
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x")),
    *((9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MOST = 10_000
"""Beyond it every format counts in digits: a Roman number of a billion is a million letters long."""


@dataclass(frozen=True, slots=True)
class _Level:
    form: str
    text: str
    start: int
    style: str
    legal: bool


class Numbering:
    def __init__(self, document: Any) -> None:
        try:
            root = document.part.numbering_part.element
        except (KeyError, NotImplementedError):  # python-docx makes no numbering part where a file has none
            root = ()
        self._levels: dict[str, dict[int, _Level]] = {}
        self._abstract: dict[str, str] = {}
        self._starts: dict[str, dict[int, int]] = {}
        self._counts: dict[str, dict[int, int]] = {}
        for each in root:
            if each.tag == f"{W}abstractNum":
                levels = {_number(level.get(f"{W}ilvl")): _level(level) for level in each.findall(f"{W}lvl")}
                self._levels[each.get(f"{W}abstractNumId", "")] = levels
            elif each.tag == f"{W}num":
                number = each.get(f"{W}numId", "")
                self._abstract[number] = value(each, "abstractNumId")
                self._starts[number] = {
                    _number(override.get(f"{W}ilvl")): _number(value(override, "startOverride"))
                    for override in each.findall(f"{W}lvlOverride")
                    if override.find(f"{W}startOverride") is not None
                }

    def depth_of_style(self, number: str, style: str) -> int:
        """The level that a numbering gives to a paragraph style, from 0."""
        levels = self._levels.get(self._abstract.get(number, ""), {})
        return next((depth for depth, level in levels.items() if level.style == style), 0)

    def next(self, number: str, depth: int) -> str:
        """The number of the next paragraph; empty where its level shows none or a bullet."""
        abstract = self._abstract.get(number, "")
        levels = self._levels.get(abstract, {})
        level = levels.get(depth)
        if level is None or level.form in ("bullet", "none"):
            return ""
        counts = self._counts.setdefault(abstract, {})
        # A numbering that starts anew does so once, where it is first used.
        for other, start in self._starts.pop(number, {}).items():
            counts[other] = start - 1
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in range(depth + 1, _DEEPEST):
            counts.pop(deeper, None)

        def shown(match: re.Match[str]) -> str:
            other = int(match.group(1)) - 1
            of = levels.get(other, level)
            return _shown(counts.setdefault(other, of.start), "decimal" if level.legal else of.form)

        return re.sub(r"%([1-9])", shown, level.text).strip()


def value(parent: Any, name: str) -> str:
    """The `val` of a child element, empty where there is none."""
    found = parent.find(f"{W}{name}")
    return "" if found is None else str(found.get(f"{W}val", ""))


def _level(element: Any) -> _Level:
    return _Level(
        form=value(element, "numFmt") or "decimal",
        text=value(element, "lvlText"),
        start=_number(value(element, "start") or "1"),
        style=value(element, "pStyle"),
        legal=element.find(f"{W}isLgl") is not None,
    )


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 0


def _shown(count: int, form: str) -> str:
    return _FORMATS.get(form, str)(count) if 0 < count < _MOST else str(count)


def _letters(count: int) -> str:
    """a to z, then aa, bb and so on, as Word counts."""
    return chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)


def _roman(count: int) -> str:
    def parts(rest: int) -> Iterator[str]:
        for size, letters in _ROMAN:
            yield letters * (rest // size)
            rest %= size

    return "".join(parts(count))


def _chinese(count: int) -> str:
    """一, 十二, 一百零五, up to thousands."""
    written, skipped = "", False
    for size, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = count // size % 10
        if not digit:
            skipped = bool(written)
            continue
        written += ("零" if skipped else "") + _DIGITS[digit] + unit
        skipped = False
    return written.removeprefix("一") if 10 <= count < 20 else written


_FORMATS: dict[str, Callable[[int], str]] = {
    "lowerLetter": _letters,
    "upperLetter": lambda count: _letters(count).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda count: _roman(count).upper(),
    "decimalZero": lambda count: f"{count:02}",
    "chineseCounting": _chinese,
    "chineseCountingThousand": _chinese,
    "japaneseCounting": _chinese,
    "taiwaneseCounting": _chinese,
    "taiwaneseCountingThousand": _chinese,
    "ideographDigital": lambda count: "".join(_DIGITS[int(digit)] for digit in str(count)),
    "decimalEnclosedCircle": lambda count: chr(0x2460 + count - 1) if count <= 20 else str(count),
    "decimalEnclosedCircleChinese": lambda count: chr(0x2460 + count - 1) if count <= 20 else str(count),
}
