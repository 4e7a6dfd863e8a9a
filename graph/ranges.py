"""Which rows of a table hold the value that a question names, in a column of ranges: 满5年不满10年, "up to 50 kg".

Likeness takes any of such rows for the answer: they share all words and differ in their bounds.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from graph.quantities import stated
from graph.quotes import cells
from graph.units import unit_behind

_WINDOW = 24
"""Characters around a number that say how it is meant."""
LONGEST = 60
"""Characters of a cell that tells a range."""

_HAN = "零〇一二两三四五六七八九十百千万"
_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    "|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
)
_NUMBER = re.compile(
    rf"(?<![A-Za-z\d_.,])(?<![A-Za-z][-/])(?:\d{{1,3}}(?:,\d{{3}})+|\d{{1,12}})(?:\.\d{{1,6}})?(?![\d_]|\.\d|[A-Z])"
    rf"|(?<![第{_HAN}几])(?:[{_HAN}]{{1,8}}|半)(?=年|个?月|个?小时|分钟|秒|天|日|周|岁|元|人|公斤|千克|克|吨|公里|千米|米|级|名|件|台|套|升|[万亿])"
    rf"|\b(?:{_WORDS})\b",
    re.IGNORECASE,
)
_SCALED = re.compile(r"\s?(?:(million|[万萬])|(thousand|k(?![a-z])|[千])|([亿億])|(billion))", re.IGNORECASE)
_SCALES = (Decimal(10) ** 6, Decimal(10) ** 3, Decimal(10) ** 8, Decimal(10) ** 9)
_MOST_OPEN = (
    r"不[满滿]|未[满滿]|不足|不到|(?<!不)少[于於]|(?<!不)低[于於]|(?<!不)小[于於]|<(?!=)"
    r"|(?<!not )(?<!no )(?:less|fewer|smaller|lighter|shorter|lower|younger) than|\b(?:under|below|before)"
)
_MOST = (
    rf"{_MOST_OPEN}|不超[过過]|不高[于於]|不大[于於]|不多[于於]|至多|最多|最[大高]|<=|≤"
    r"|\b(?:up to|at most|(?:no|not) (?:more|longer|heavier) than|not exceeding|within|max(?:imum|\.)?|until)"
)
_LEAST_OPEN = (
    r"(?<!不)超[过過]|(?<!不)大[于於]|(?<!不)高[于於]|(?<!不)多[于於]|>(?!=)"
    r"|(?<!not )(?<!no )(?:more|greater|larger|heavier|longer|higher|older) than"
    r"|\b(?:over|above|beyond|exceeding|after)"
)
_LEAST = (
    rf"{_LEAST_OPEN}|(?<![不未])[满滿]|不少[于於]|不低[于於]|不小[于於]|至少|最少|最低|[达達]到?|[自从從]|>=|≥"
    r"|\b(?:at least|from|min(?:imum|\.)?|starting (?:at|from)|since|(?:not|no) (?:less|fewer) than)"
)
_BEFORE = tuple(
    re.compile(rf"(?:{words})(?: the| of)?\s?[€$£¥]?\Z", re.IGNORECASE)
    for words in (_MOST_OPEN, _MOST, _LEAST_OPEN, _LEAST)
)
_SIDES = re.compile(
    rf"(?:{_MOST}|{_LEAST})|及?以[上下内內]|[(（][^)）]*[)）]|\b(?:or|and|to|through|between|more|less|fewer|older|younger)\b"
    r"|\b(?:above|below|over|under|up|plus|onwards?|upwards?|EUR|USD|GBP|CNY)\b",
    re.IGNORECASE,
)
_FURTHER = 2
"""Words of a cell beside those that tell its range."""
_MONTH_BESIDE = re.compile(
    r"\s?(?:st|nd|rd|th)?\s(?:of )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b|月(?!以|内)|[:：]\d",
    re.IGNORECASE,
)
_MONTH_BEFORE = re.compile(r"\b(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.? \Z|月\Z|\d[:：]\Z")
_UP = re.compile(
    r"\s?(?:[(（]含[^)）]{0,2}[)）])?(?:及?以上|及更[多高]|起(?!来)|\+"
    r"|(?:or|and) (?:more|above|over|up|older|longer|heavier|higher)"
    r"|upwards?|plus\b|onwards?)",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\s?(?:[(（]含[^)）]{0,2}[)）])?(?:及?以[下内內]"
    r"|(?:or|and) (?:less|fewer|below|under|younger|shorter|lighter|lower))",
    re.IGNORECASE,
)
_OPEN_BEHIND = re.compile(r"\s?[(（\[](?:不含|excl)", re.IGNORECASE)
_LINK = re.compile(
    r"\s?(?:[(（][^)）]{1,4}[)）])?\s?(?:-|–|—|~|～|至|到|to|and|through|[/／])\s?[€$£¥]?", re.IGNORECASE
)
_BETWEEN = re.compile(r"\bbetween [€$£¥]?\Z", re.IGNORECASE)
_COUNTED = re.compile(
    r"\s?[-个個]?\s?(?:(?!(?:and|to|or|per|the|in|for|of)\b)[a-z]{2,}|[岁歲人名户戶件台套级級分条條])", re.IGNORECASE
)
_UNIT_WRITTEN = re.compile(
    r"[ -]?(?:个|個)?(?:[a-z²°%]+|周年|小时|分钟|公斤|千克|公里|千米|厘米|毫米|星期|工作日|[^\W\d_])", re.IGNORECASE
)
_REACHED = re.compile(r"(?<![不未])[满滿][了]?\s?\Z|\bafter\s\Z", re.IGNORECASE)
"""工作满三年 and "after three years" ask for three years, where the cell 满3年 is for all above."""
_YEARS = range(1900, 2100)
_YEAR = "year of the calendar"

_FACTORS: dict[str, tuple[str, Decimal]] = {
    unit: (dimension, Decimal(factor))
    for dimension, units in {
        "months": {"month": "1", "year": "12"},
        "days": {"day": "1", "week": "7"},
        "minutes": {"minute": "1", "hour": "60", "second": "0.0166666667"},
        "grams": {"g": "1", "kg": "1000", "t": "1000000", "mg": "0.001"},
        "metres": {"m": "1", "km": "1000", "cm": "0.01", "mm": "0.001"},
        "bytes": {"b": "1", "kb": "1000", "mb": "1000000", "gb": "1000000000", "tb": "1000000000000"},
        "watts": {"w": "1", "kw": "1000", "mw": "1000000"},
        "percent": {"percent": "1"},
        "degrees": {"celsius": "1"},
        _YEAR: {_YEAR: "1"},
    }.items()
    for unit, factor in units.items()
}  # fmt: skip
_COUNTS = re.compile(
    r"\W*(?:(years|months|weeks|days|hours|minutes) (?:of|in|with|since|on)\b"
    r"|[^(（]{0,6}(?:年限|年[资資]|[司工][龄齡])\W*\Z)",
    re.IGNORECASE,
)
_PLAIN = ""
"""The dimension of numbers without a unit, and of what is counted by any noun."""


@dataclass(frozen=True, slots=True)
class Span:
    """Values of one dimension from `low` to `high`, None where it has no end; `open_*` where the end is not of it."""

    dimension: str
    low: Decimal | None
    high: Decimal | None
    open_low: bool = False
    open_high: bool = False

    def meets(self, other: Span) -> bool:
        return not (_ends_before(self, other) or _ends_before(other, self))


@dataclass(frozen=True, slots=True)
class _Number:
    value: Decimal
    unit: str
    start: int
    end: int
    side: int = 0
    """1 where it is the least, -1 where it is the most of what is meant, 0 for neither."""
    open: bool = False


def in_range(question: str, sentences: Iterable[tuple[str | None, str]]) -> dict[int, bool]:
    """For table rows, sentences that have a header, by number whether they hold the value that the question names.

    Only rows of a column that has two ranges or more, one of which holds the value; of others nothing is told.
    """
    wanted = _spans(_folded(question))
    if not wanted:
        return {}
    told: dict[int, bool] = {}
    by_header: dict[str, dict[int, str]] = {}
    for number, (header, text) in enumerate(sentences):
        if header is not None:
            by_header.setdefault(header, {})[number] = text
    for header, rows in by_header.items():
        names, numbers, values = cells(header), list(rows), [cells(row) for row in rows.values()]
        for column in range(len(names)):
            ranges = {
                number: span
                for number, row in zip(numbers, values, strict=True)
                if column < len(row) and (span := range_of(row[column], names[column])) is not None
            }
            holds = _holding(wanted, ranges) if len(ranges) > 1 else {}
            if any(holds.values()):
                told |= {number: held and told.get(number, True) for number, held in holds.items()}
    return told


def _says_more(text: str, numbers: Sequence[_Number]) -> bool:
    """Whether a cell is no range but a sentence that has one: "Insured value in EUR, at most 2500"."""
    for number in reversed(numbers):
        text = f"{text[: number.start]} {text[number.end :]}"
    words = _SIDES.sub(" ", text)
    return len(re.findall(r"[A-Za-z]{2,}", words)) + len(re.findall(r"[\u4e00-\u9fff]{1,2}", words)) > _FURTHER


def _holding(wanted: Sequence[Span], ranges: dict[int, Span]) -> dict[int, bool]:
    dimensions = {span.dimension for span in ranges.values()}
    asked = list(dict.fromkeys(span for span in wanted if span.dimension in dimensions))
    if _PLAIN in dimensions:
        plain = [span for span in asked if span.dimension == _PLAIN]
        plain = plain or [replace(span, dimension=_PLAIN) for span in wanted if span.dimension == _YEAR]
        asked = list(dict.fromkeys((*asked, *plain)))
    # Which of two numbers counts what the table does cannot be told.
    if len(asked) > 1:
        return {}
    return {
        number: any(span.meets(each) for each in asked if each.dimension == span.dimension)
        for number, span in ranges.items()
        if asked
    }


@lru_cache(maxsize=4096)
def range_of(cell: str, header: str = "") -> Span | None:
    """The range that a cell tells, its unit perhaps in the column's `header`; None where it tells none."""
    text = _folded(cell)
    numbers = _numbers(text) if len(text) <= LONGEST else []
    if not 1 <= len(numbers) <= 2 or _says_more(text, numbers):
        return None
    units = [number.unit for number in reversed(numbers)]
    unit = next(filter(None, units), "") if _YEAR not in units else _YEAR if set(units) == {_YEAR} else ""
    unit = unit or _unit_of(_folded(header))
    dimension = _FACTORS.get(unit, (_PLAIN,))[0]
    values = [_scaled(number, unit) for number in numbers]
    if len(numbers) == 1:
        return _one(numbers[0], values[0], dimension) if numbers[0].side else None
    first, second = numbers
    if _linked(text, first, second) and values[0] <= values[1]:
        return Span(dimension, values[0], values[1], first.open and first.side == 1, second.open)
    if {first.side, second.side} == {1, -1}:
        low, high = (0, 1) if first.side == 1 else (1, 0)
        return Span(dimension, values[low], values[high], numbers[low].open, numbers[high].open)
    return None


@lru_cache(maxsize=256)
def _spans(question: str) -> tuple[Span, ...]:
    """The values and ranges that a question names."""
    numbers = _numbers(question)
    found, at = [], 0
    while at < len(numbers):
        first = numbers[at]
        second = numbers[at + 1] if at + 1 < len(numbers) else None
        if second is not None and _linked(question, first, second):
            unit = second.unit or first.unit
            dimension = _FACTORS.get(unit, (_PLAIN,))[0]
            low, high = _scaled(first, unit), _scaled(second, unit)
            at += 2
            if low <= high:
                found.append(Span(dimension, low, high))
            continue
        dimension = _FACTORS.get(first.unit, (_PLAIN,))[0]
        reached = _REACHED.search(_before(question, first.start)) and not _UP.match(question, first.end)
        found.append(_one(replace(first, side=0) if reached else first, _scaled(first, first.unit), dimension))
        at += 1
    return tuple(found)


def _one(number: _Number, value: Decimal, dimension: str) -> Span:
    if number.side == 0:
        return Span(dimension, value, value)
    return (
        Span(dimension, value, None, open_low=number.open)
        if number.side == 1
        else Span(dimension, None, value, open_high=number.open)
    )


def _ends_before(one: Span, other: Span) -> bool:
    if one.high is None or other.low is None:
        return False
    return one.high < other.low or (one.high == other.low and (one.open_high or other.open_low))


def _numbers(text: str) -> list[_Number]:
    return [number for match in _NUMBER.finditer(text) if (number := _read(text, match)) is not None]


def _read(text: str, match: re.Match[str]) -> _Number | None:
    written, start, end = match[0], match.start(), match.end()
    # "Apollo 11" is no eleven.
    above = _before(text, start)
    if _MONTH_BESIDE.match(text, end) or _MONTH_BEFORE.search(above):
        return None
    if re.search(r"[A-Z][a-z]+ \Z", above) and not _BEFORE[3].search(above):
        return None
    if written == "半":
        value = Decimal("0.5")
    elif written[0].isdigit():
        value = Decimal(written.replace(",", ""))
    else:
        quantities = stated(written).quantities
        if not quantities:
            return None
        value = quantities[0].value
    if scale := _SCALED.match(text, end):
        value *= _SCALES[(scale.lastindex or 1) - 1] if scale[0].strip() not in ("万", "萬") else Decimal(10000)
        end = scale.end()
    behind = text[end : end + _WINDOW].lower()
    unit = unit_behind(behind) or unit_behind(behind.lstrip("个個")) or ""
    if unit in ("", "year") and written.isdigit() and value in _YEARS and not _COUNTED.match(behind):
        unit = _YEAR
    if not unit and (noun := _COUNTED.match(behind)):
        end += noun.end()
    elif unit not in ("", _YEAR) and (spelt := _UNIT_WRITTEN.match(behind)):
        end += spelt.end()
    side, open_ = _side(above, text[end : end + _WINDOW])
    return _Number(value, unit, start, end, side, open_)


def _before(text: str, at: int) -> str:
    return text[max(0, at - _WINDOW) : at]


def _side(before: str, behind: str) -> tuple[int, bool]:
    outside = _OPEN_BEHIND.match(behind) is not None
    most_open, most, least_open, least = (pattern.search(before) is not None for pattern in _BEFORE)
    if most:
        return -1, most_open or outside
    if least:
        return 1, least_open or outside
    if _UP.match(behind):
        return 1, False
    return (-1, False) if _DOWN.match(behind) else (0, outside)


def _linked(text: str, first: _Number, second: _Number) -> bool:
    link = _LINK.fullmatch(text, first.end, second.start)
    if link is None:
        return False
    return _BETWEEN.search(_before(text, first.start)) is not None if "and" in link[0].lower() else "/" not in link[0]


def _scaled(number: _Number, unit: str) -> Decimal:
    return number.value * _FACTORS.get(number.unit or unit, ("", Decimal(1)))[1]


def _unit_of(header: str) -> str:
    """The unit that a column's name has: "Weight (kg)", 司龄（年）, or says first: "Years of service"."""
    if (counts := _COUNTS.match(header)) is not None:
        return unit_behind((counts[1] or "years").lower()) or ""
    inside = re.findall(r"[(\[（]\s*([^)\]）]{1,12})[)\]）]|(?:,| in) ([a-z]{1,10})\Z", header, re.IGNORECASE)
    return next((unit for pair in inside for each in pair if each and (unit := unit_behind(each.lower()))), "")


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text)
