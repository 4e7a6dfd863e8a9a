"""Numbers and dates as a sentence states them, in digits or in words, English or Chinese, each with its unit."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from graph.units import POUNDS, size, unit_behind

NAME = "name"
"""Unit of digits that belong to a name ("HX-300"): they are no amount of anything."""
DAY = "day of the month"

_ENDS = str.maketrans("：，", "  ")
_ENUMERATOR = re.compile(r"\A\s*(?:[-*•#>|]+\s*)*(?:[(（]?\d{1,2}[.)、）．]\s+)?")
IDENTIFIER = re.compile(r"(?<![A-Za-z])(?:[A-Za-z][A-Za-z0-9]*(?:[_.\-/][A-Za-z0-9]+)+|[A-Za-z]+\d[A-Za-z0-9]*)")
"""Begins where a run of letters does: tried at each letter, a long run would take its length squared."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")

_TAKES_A = "year month week day hour minute second"
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8}
_SCALES |= {
    left + right: _SCALES.get(left, power) + _SCALES[right]
    for left, power in {"十": 1, "百": 2, "千": 3, "万": 4}.items()
    for right in "万萬亿億"
}
_SCALE = re.compile(r"\s?(thousand|million|billion|trillion|[十百千万][万萬亿億]|[千万萬亿億])(?!瓦|米|克)")
_SAYS_SCALE = re.compile(r"thousand|million|billion|trillion|[千万萬亿億]|\d\s?(?:k|mn?|mm|bn?|tn?)\b", re.IGNORECASE)
"""Also in a header, or short behind a number."""

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {word: value for value, word in enumerate(_ONES)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_WORD = "|".join(sorted(_VALUES, key=len, reverse=True))
_WORDS = re.compile(rf"\b(?:{_WORD})(?:(?:[\s-]|\sand\s|\shundred\b(?:\sand\b)?\s?)(?:{_WORD}))*(?:\shundred)?\b")
_ORDINALS = {
    word: value for value, word in enumerate(["first", "second", "third", "fourth", "fifth", "sixth", "seventh"], 1)
}
_COUNTED = re.compile(r"\b(?:once|twice|half|dozen|both|pair|first|second|third|fourth|fifth|sixth|seventh)\b")
_COUNTS = _ORDINALS | {"once": 1, "twice": 2, "both": 2, "pair": 2, "dozen": 12}

_DIGITS = {han: value for value, han in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_POWERS = {"十": 1, "百": 2, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8}
LONGEST_NUMERAL = 40
"""Han numerals in a row that may be one number; Python reads none of thousands of digits."""
_HAN = re.compile(f"[{''.join(_DIGITS)}{''.join(_POWERS)}]+")
_WEEKDAY = re.compile(r"((?:[周週]|星期|[礼禮]拜)[一二三四五六])(?=\d)")
"""周六10:00 is no 610."""
_SPELT = re.compile(f"{_HAN.pattern}[个個天年月日次分秒倍人台级份名岁元]?")
_IDIOM = re.compile("千万|百万|万一|一一|千百|百十|万千|十百|万万|一百八十度")
_COUNTER = re.compile(r"[个個]?(?:节点|小时|小時|月|星期)|[天年周週日秒分次倍人台级級条條位件元米块份名座层層岁歲克吨]")

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_SHORT_MONTHS = ["Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sept", "Sep", "Oct", "Nov", "Dec"]
MONTH_NUMBER = {name[:3].lower(): value for value, name in enumerate(_MONTHS, 1)}
_FULL = "|".join(f"{name}|{name.upper()}" for name in _MONTHS)
_MONTH = (
    rf"(?P<month>{_FULL}|(?:{'|'.join(_SHORT_MONTHS)})\.?(?=[ ,-]{{0,2}}\d|,?\s\d|\Z)|(?:{'|'.join(_SHORT_MONTHS)})\b)"
)
_TH = r"(?:st|nd|rd|th)?"
_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})[-/.](?P<month>0?[1-9]|1[0-2])[-/.](?P<day>[12]\d|3[01]|0?[1-9])(?!\d)",
        r"(?<![\d-])(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])(?![\d-])",
        r"(?:(?P<year>\d{4})\s?年)?\s?(?<!\d)(?P<month>1[0-2]|0?[1-9])\s?月份?(?:\s?(?P<first>\d{1,2})\s?[日号號]?\s?[-~至到–—]\s?)?"
        r"(?:\s?(?P<day>\d{1,2})\s?[日号號])?",
        rf"\b(?:(?P<first>\d{{1,2}}){_TH}\s?(?:-|–|to|and|until)\s?)?(?<!\d)(?<![.,]\d)(?<![.,])(?P<day>\d{{1,2}}){_TH}\s(?:of\s)?"
        rf"{_MONTH}\b\.?(?:,?\s(?P<year>\d{{4}}))?",
        rf"\b{_MONTH}\s(?:(?P<first>\d{{1,2}}){_TH}\s?(?:-|–|to|and|until)\s?)?(?P<day>\d{{1,2}}){_TH}(?![\d:%]|[.,]\d)"
        r"(?:,?\s(?P<year>\d{4}))?",
        rf"\b{_MONTH},?\s(?:of\s)?(?P<year>\d{{4}})\b",
        rf"\b(?P<month>{'|'.join(name for name in _MONTHS if name not in ('March', 'May'))})\b"
        r"|(?<=\b[Ii]n )(?P<in>March|May)\b(?!\s[A-Z])",
    )
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """`value` as it is written, and its unit, None where none is known; `scaled` is `value` times the 亿 behind it."""

    value: Decimal
    unit: str | None = None
    scaled: Decimal | None = None

    @property
    def amount(self) -> Decimal:
        return self.value if self.scaled is None else self.scaled


@dataclass(frozen=True, slots=True)
class Day:
    """A date of the calendar, as far as it is said; the month always is."""

    year: int | None
    month: int
    day: int | None


@dataclass(slots=True)
class Stated:
    """What a text states: its numbers, times and versions as written (`tokens`), amounts and dates."""

    quantities: list[Quantity] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    days: list[Day] = field(default_factory=list)
    scaled: bool = False
    """Whether thousands, millions or the like stand anywhere in it."""

    def bears(self, other: Stated) -> bool:
        """Whether all that `other` states is stated here too."""
        by_value: dict[Decimal, set[str | None]] = {}
        # The 12.6 of 12.6亿 is that of "12.6 (亿元)", but no 12.6 of a sentence without any scale, nor of 12.6万.
        before_scale: dict[Decimal, set[str | None]] = {}
        sizes = set()
        for each in self.quantities:
            by_value.setdefault(each.amount, set()).add(each.unit)
            if each.scaled is not None:
                before_scale.setdefault(each.value, set()).add(each.unit)
            sizes.add(size(each.amount, each.unit))
        return (
            other.tokens <= self.tokens
            and all(
                _borne(each.amount, each.unit, by_value)
                or (each.scaled is not None and _borne(each.value, each.unit, by_value))
                or (each.scaled is None and other.scaled and _borne(each.value, each.unit, before_scale))
                or size(each.amount, each.unit) in sizes - {None}
                for each in other.quantities
            )
            and all(any(_same(day, said, by_value) for said in self.days) for day in other.days)
        )


def spelt_number(term: str) -> bool:
    """Whether a term is a number in words, or a piece of one with what it counts: "nine", "八十", "十天"."""
    return term in _VALUES or _SPELT.fullmatch(term) is not None


def folded(text: str) -> str:
    """In narrow forms; case is kept."""
    # A full-width comma or colon ends a number, a narrow one may stand inside it: "召回率@5：0.85，" is no 5:0.85.
    return unicodedata.normalize("NFKC", text.translate(_ENDS))


def stated(text: str, *, claimed: bool = False) -> Stated:
    """What `text` states. `claimed`: the text has to be borne out, so list numbers, digits of names and
    words that need not be numbers ("the two", "one of") are left out; else whatever may be a number is one."""
    found = Stated()
    text = folded(_ENUMERATOR.sub("", text) if claimed else text)
    text = _HAN.sub(_in_digits(claimed), _WEEKDAY.sub(r"\1 ", text))
    text = _without_dates(text, found, claimed)
    text = text.lower()
    found.scaled = _SAYS_SCALE.search(text) is not None
    named = [(match.start(), match.end()) for match in IDENTIFIER.finditer(text)]
    at = 0
    for match in _NUMBER.finditer(text):
        while at < len(named) and named[at][1] <= match.start():
            at += 1
        inside = at < len(named) and named[at][0] <= match.start()
        if inside and claimed:
            continue
        _number(match[0], NAME if inside else None, text[match.end() : match.end() + 24], found, claimed)
        if text[max(0, match.start() - 1) : match.start()] == "$" and found.quantities:
            found.quantities[-1] = Quantity(found.quantities[-1].value, "usd", found.quantities[-1].scaled)
    for match in _WORDS.finditer(text):
        _in_words(match, text, found, claimed)
    if not claimed:
        found.quantities += [Quantity(Decimal(_COUNTS.get(match[0], 0))) for match in _COUNTED.finditer(text)]
        for match in re.finditer(r"\b(?:an?|per|each|every)\b|[每一]", text):
            unit = unit_behind(text[match.end() : match.end() + 24])
            if unit in _TAKES_A.split():
                found.quantities.append(Quantity(Decimal(1), unit))
    return found


def _number(token: str, unit: str | None, behind: str, found: Stated, claimed: bool) -> None:
    if ":" in token or token.count(".") > 1:
        found.tokens.add(token)
        if not claimed and ":" in token:
            _on_either_clock(token, behind, found)
        if not claimed:
            parts = token.split(":") if ":" in token else [token]
            for part in parts:
                pieces = part.split(".")
                prefixes = [".".join(pieces[:n]) for n in (1, 2)] if len(pieces) > 2 else [part]
                found.quantities += [Quantity(Decimal(each)) for each in prefixes if _plain(each)]
                found.tokens.add(part)
        return
    if "," in token and not _THOUSANDS.fullmatch(token):
        for part in token.split(","):
            _number(part, unit, "", found, claimed)
        return
    value = Decimal(token.replace(",", ""))
    if not claimed and unit_behind(behind) in ("am", "pm"):
        _on_either_clock(f"{token}:00", behind, found)
    scale = _SCALE.match(behind)
    scaled = value.scaleb(_SCALES[scale[1]]) if scale else None
    unit = unit or unit_behind(behind[scale.end() :] if scale else behind)
    if unit == "year" and len(token) == 4 and "." not in token:
        unit = None
    found.quantities.append(Quantity(value, unit, scaled))


def _on_either_clock(time: str, behind: str, found: Stated) -> None:
    """15:00 is also 3 pm, and the reverse."""
    hour, minutes = time.split(":")[:2]
    if not hour.isdigit() or int(hour) > 23:
        return
    half = unit_behind(behind)
    of_day = int(hour) % 12 + (12 if half == "pm" else 0) if half in ("am", "pm") else int(hour)
    found.tokens |= {f"{of_day}:{minutes}", f"{of_day:02}:{minutes}", f"{of_day % 12 or 12}:{minutes}"}
    if minutes == "00":
        found.quantities.append(Quantity(Decimal(of_day % 12 or 12), "pm" if of_day >= 12 else "am"))
        found.quantities.append(Quantity(Decimal(of_day)))


def _plain(number: str) -> bool:
    return re.fullmatch(r"\d+(?:\.\d+)?", number) is not None


def _borne(value: Decimal, unit: str | None, by_value: dict[Decimal, set[str | None]]) -> bool:
    units = by_value.get(value)
    if units is None:
        return False
    if unit in POUNDS and POUNDS & units:
        return True
    return unit == DAY or unit in units or None in units or (unit is None and units != {DAY})


def _same(wanted: Day, said: Day, by_value: dict[Decimal, set[str | None]]) -> bool:
    """A year may stand apart from day and month ("In 2024 ... on 3 July")."""
    year = wanted.year is None or wanted.year == said.year or (said.year is None and Decimal(wanted.year) in by_value)
    return year and wanted.month == said.month and wanted.day in (None, said.day)


def _without_dates(text: str, found: Stated, claimed: bool) -> str:
    for pattern in _DATES:
        text = pattern.sub(lambda match: _taken(match, found, claimed), text)
    return text


def dates(text: str) -> list[tuple[Day, str]]:
    """The days that `text` (folded) names, each as it is written there, in their order."""
    written: list[tuple[int, Day, str]] = []
    taken = bytearray(len(text))
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if not any(taken[match.start() : match.end()]):
                written += [(match.start(), day, match[0].strip(" .")) for day in stated(match[0]).days]
                taken[match.start() : match.end()] = b"\1" * len(match[0])
    return [(day, said) for _, day, said in sorted(written, key=lambda each: each[0])]


def _taken(match: re.Match[str], found: Stated, claimed: bool) -> str:
    parts = match.groupdict()
    month, year = parts.get("month") or parts.get("in") or "", int(parts.get("year") or 0) or None
    number = int(month) if month.isdigit() else MONTH_NUMBER[month[:3].lower()]
    days = [int(parts[key]) for key in ("first", "day") if parts.get(key)]
    if any(not 1 <= day <= 31 for day in days):
        return match[0]
    found.days += [Day(year, number, day) for day in days] or [Day(year, number, None)]
    if not claimed:
        found.quantities += [Quantity(Decimal(day), DAY) for day in days]
        found.quantities += [Quantity(Decimal(year))] if year else []
    return " " * len(match[0])


def _in_words(match: re.Match[str], text: str, found: Stated, claimed: bool) -> None:
    words = [word for word in re.split(r"[\s-]+", match[0]) if word != "and"]
    behind = text[match.end() : match.end() + 24]
    scale = _SCALE.match(behind)
    unit = unit_behind(behind[scale.end() :] if scale else behind)
    for value in _spoken(words):
        loose = value <= 1 or re.search(r"\b(?:the|these|those|all|other)\s\Z", text[: match.start()][-8:])
        if claimed and loose and (unit is None or unit == "times") and not scale:
            continue
        number = Decimal(value)
        found.quantities.append(Quantity(number, unit, number.scaleb(_SCALES[scale[1]]) if scale else None))


def _spoken(words: list[str]) -> Iterator[int]:
    """The numbers in a run of number words: "one hundred and twenty five", and "two three" is two of them."""
    total, last = 0, 0
    for word in words:
        value = _VALUES.get(word, 100)
        if word == "hundred":
            total, last = max(total, 1) * 100, 100
        elif total and ((last >= 20 and last < 100 and 0 < value < 10) or last == 100):
            total, last = total + value, value
        else:
            if last:
                yield total
            total, last = value, value or 1
    yield total


def _in_digits(claimed: bool) -> Callable[[re.Match[str]], str]:
    def write(match: re.Match[str]) -> str:
        run, behind = match[0], match.string[match.end() : match.end() + 3]
        before = match.string[max(0, match.start() - 1) : match.start()]
        if before.isdigit() or _IDIOM.fullmatch(run) or not any(han in _DIGITS or han == "十" for han in run):
            return run
        if claimed and len(run) == 1 and not (_COUNTER.match(behind) and before not in "第每同统唯"):
            return run
        if claimed and run == "十" and re.match("分(?!钟)", behind):
            return run
        if claimed and run == "一" and _COUNTER.match(behind) and not re.match(r"年|[个個]月|小时|分钟|秒|天", behind):
            return run
        value = _han_value(run)
        return run if value is None else str(value)

    return write


def _han_value(run: str) -> int | None:
    """The number that numerals write, by place ("九三一一") or by powers ("一百八十"); None for neither."""
    if len(run) > LONGEST_NUMERAL:
        return None
    if all(han in _DIGITS for han in run):
        return int("".join(str(_DIGITS[han]) for han in run))
    total, section, digit = 0, 0, -1
    for han in run:
        if han in _DIGITS:
            if digit > 0:
                return None
            digit = _DIGITS[han]
            continue
        power = _POWERS[han]
        if power >= 4:
            section = section + max(digit, 0)
            total = (total + section or 1) * 10**power if power == 8 else total + (section or 1) * 10**power
            section = 0
        else:
            section += (1 if digit < 0 else digit) * 10**power
        digit = -1
    return total + section + max(digit, 0)
