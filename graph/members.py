"""Members of closed classes that a text names: months, quarters, weekdays, floors, meals, directions, "5 m".

Two members of one kind in the same place of two sentences tell what these are about apart: the second floor's warden
is not the third's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import pairwise

from graph.language import FUNCTION_WORDS
from graph.member_kinds import CODE, EVERY, FINDERS
from graph.quantities import MONTH_NUMBER, stated

MONTH, QUARTER, HALF, WEEKDAY, SEASON = "month", "quarter", "half", "weekday", "season"
SIDE = "side "
AMOUNT = "amount "
"""With the noun or the unit behind it."""
_ROUND = {MONTH: 12, WEEKDAY: 7, SEASON: 4}
"""Kinds whose last member is followed by the first: from October to March."""

Value = Decimal | str


@dataclass(frozen=True, slots=True)
class Member:
    """`kind` is the class, with the noun behind where that decides ("north" of a gate); the span is in the text."""

    kind: str
    value: Value
    start: int
    end: int


_ORDINAL = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
_CARDINAL = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_WORDS = {word: n for words in (_ORDINAL, _CARDINAL) for n, word in enumerate(words.split("|"), 1)}
_HAN = r"[零〇一二两三四五六七八九十百]{1,4}"
_ALONE = r"(?<![\d.零〇一二两三四五六七八九十百千万])"
_LATIN = r"(?<![A-Za-z0-9])"
_STOREYS = {"level": "floor", "storey": "floor", "story": "floor"}
_FULL_MONTHS = "January|February|April|June|July|August|September|October|November|December"
_SHORT_MONTHS = r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HAN_DAYS = "一二三四五六日"
_MEALS = {
    "breakfast": "breakfast", "lunch": "lunch", "dinner": "dinner", "supper": "dinner", "brunch": "brunch",
    "早餐": "breakfast", "早饭": "breakfast", "午餐": "lunch", "午饭": "lunch", "晚餐": "dinner", "晚饭": "dinner",
    "夜宵": "late", "宵夜": "late",
}  # fmt: skip
_HOURS = {
    "morning": "morning", "early": "morning", "afternoon": "noon", "evening": "evening", "late": "evening",
    "night": "night", "早上": "morning", "上午": "morning", "早晨": "morning", "下午": "noon", "中午": "midday",
    "晚上": "evening", "傍晚": "evening", "夜里": "evening", "夜间": "evening",
    "早": "morning", "白": "day", "中": "noon", "晚": "evening", "夜": "evening",
}  # fmt: skip
_SEXES = {"雄": "male", "男": "male", "雌": "female", "女": "female"}
_SEASONS = {"spring": 1, "summer": 2, "autumn": 3, "fall": 3, "winter": 4, "春": 1, "夏": 2, "秋": 3, "冬": 4}
_UNITS = {
    "m": "m|met(?:er|re)s?|米", "cm": "cm|centimet(?:er|re)s?|厘米", "mm": "mm|millimet(?:er|re)s?|毫米",
    "l": "l|L|lit(?:er|re)s?|升", "ml": "ml|millilit(?:er|re)s?|毫升", "kg": "kg|公斤|千克", "g": "g|grams?|克",
    "gb": "GB?|gb|gigabytes?", "tb": "TB?|tb|terabytes?", "mb": "MB", "kw": "kW|KW|千瓦", "w": "W|watts?|瓦",
    "v": "V|volts?|伏", "ah": "Ah", "mah": "mAh", "bar": "bar", "inch": "inch(?:es)?|英寸|寸", "mhz": "MHz",
    "ghz": "GHz", "core": "芯|cores?", "pin": "针|pins?", "port": "口|ports?", "seat": "座", "class": "类",
    "hp": "匹|hp", "m2": "m2|m²|平方米|平米",
}  # fmt: skip
"""Physical ones that tell one model from another; of time and money a question rather tells what its writer has."""
_UNIT = "|".join(f"(?P<{name}>{forms})" for name, forms in _UNITS.items())
_AMOUNT = re.compile(
    r"(?<![A-Za-z0-9_$€£¥])(?<![A-Za-z0-9][.,-])(?<!\d )"
    rf"(\d{{1,9}}(?:\.\d{{1,9}})?|(?<![第零〇一二两三四五六七八九十百千万]){_HAN})[ -]?(?:{_UNIT})(?![A-Za-z0-9²])"
)
_SPAN = re.compile(
    r"\A\W{0,3}(?:年?\d{4}\W{0,2})?(?:to|through|thru|till|until|(and)|-|–|—|~|至|到)\s?(?:the )?\W{0,2}\Z"
)
_RANGE = re.compile(
    rf"(?<![\d.])(\d{{1,9}}(?:\.\d{{1,9}})?)[ -]?(?:{re.sub(r'[?]P<.*?>', '?:', _UNIT)})?\s?"
    rf"(?:-|–|—|~|to|through|至|到)\s?(\d{{1,9}}(?:\.\d{{1,9}})?)[ -]?(?:{_UNIT})"
)
_BETWEEN = re.compile(r"\bbetween (?:the )?\Z", re.IGNORECASE)
_LOWER = re.compile(
    r"(?:\b(?:since|from|over|above|more than|at least|minimum|after|beyond|starting (?:in|on))(?: the| of)?|[>≥]"
    r"|自|从|超过|高于|至少)\s?\Z",
    re.IGNORECASE,
)
_UPPER = re.compile(
    r"(?:\b(?:until|till|through|up to|at most|under|below|less than|within|maximum|before|by)(?: the| of)?|[<≤]"
    r"|不到|低于|最多|不超过|截至)\s?\Z",
    re.IGNORECASE,
)
_AND_UP = re.compile(
    r"\A\s?(?:份|日|度)?(?:起|以[来后上]|及以上|之后|后|开始|(?:or|and) (?:more|above|up)|onwards?|on\b(?! \w))"
)
_AND_DOWN = re.compile(r"\A\s?(?:份|日|度)?(?:以[前下内]|及以下|之[前内]|前(?![门面台])|or less|or below|and below)")
_PER = {
    period: re.compile(words, re.IGNORECASE)
    for period, words in {
        "hour": r"\b(?:hourly|(?:per|an?|each|every) hour)\b|每小时",
        "day": r"\b(?:daily|nightly|(?:per|an?|each|every) (?:day|night))\b|每[天日晚]",
        "week": r"\b(?:weekly|(?:per|an?|each|every) week)\b|每(?:周|星期)",
        "fortnight": r"\b(?:fortnight|biweekly|(?:every|each) (?:two|2|second) weeks?)|每(?:两|2)周|双周",
        "month": r"\b(?:monthly|(?:per|an?|each|every) month)\b|每个?月",
        "quarter": r"\b(?:quarterly|(?:per|an?|each|every) quarter)\b|每个?季度?",
        "year": r"\b(?:yearly|annual(?:ly)?|per annum|(?:per|an?|each|every) (?:contract )?year)\b|每年|年度",
    }.items()
}
"""The same period in other words: an annual fee is one "per year"."""
_EVERY = {
    WEEKDAY: re.compile(
        r"\b(?:daily|every ?day|each day|week(?:day|end)s?|(?:working|business) days?|all week)\b"
        r"|每[天日]|工作日|周末|假日|全周",
        re.IGNORECASE,
    ),
    "": re.compile(
        r"\b(?:monthly|quarterly|(?:every|each|any|all) (?:month|quarter|season|year)s?"
        r"|(?:year-round|throughout))\b|每个?[月季]|各[月季]|逐[月季]|全年|四季|每年",
        re.IGNORECASE,
    ),
}


_WHETHER = (
    r"\A(?:(?!\b(?:what|which|who|whom|whose|how|when|where|why)\b).)*?\b(?:tell|know|wonder\w*|see|check|confirm|ask|sure|say)\b"
    r"(?: \w+)? (?:whether|if)\b"
)
_YES_NO = re.compile(
    r"\A\W*(?:(?:so|and|but|also|then|hi|hello|please),? )*"
    r"(?:is|are|was|were|do|does|did|can|could|may|must|will|would|shall|has|have|should)(?:n['’]t)?\b"
    r"|\A\W*(?:can|wo)(?:['’]t|not)\b|, ?(?:right|correct|yes|no)\W*\Z"
    r"|, ?(?:is|are|was|were|do|does|did|can|could|will|would|has|have|should|won|ain)(?:n?['’]t)?"
    r" (?:it|he|she|they|there|that|you|we|I|one)\W*\Z"
    rf"|{_WHETHER}"
    r"|[吗么嗎](?:[?？!。]|\Z)|是否|能否|可否|([\u4e00-\u9fff])(?:不|没|沒)\1|有无|有無",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[^,，:：;；。!?？]+(?:,(?=\d{3})[^,，:：;；。!?？]+)*")
_DAY = re.compile(
    r"\A.{0,8}?(?:\d(?:st|nd|rd|th)?(?: of)? (?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December)|[A-Za-z]{3,9}\.? \d{1,2}(?!\d)|月(?:份)?\d{1,2}[日号]?)",
    re.IGNORECASE,
)
"""A whole date: it is compared as one."""
_ORDINALLY = re.compile(r"first|1st")
_NUMBERED = (
    QUARTER,
    HALF,
    "floor",
    "ward",
    "grade",
    "class",
    "shift",
    "row",
    "platform",
    "gate",
    "tier",
    "zone",
    "lane",
)
"""Nouns of which there is a first one by its number; the first album may be called the debut."""
_WRITER = re.compile(r"\b(?:I|my|we|our|i)\b|我|咱")


def _number(written: str) -> Decimal:
    low = written.lower()
    if low in _WORDS:
        return Decimal(_WORDS[low])
    digits = re.match(r"\d+(?:\.\d+)?", low)
    if digits:
        return Decimal(digits[0])
    values = stated(written).quantities
    if not values:
        raise InvalidOperation
    return values[0].value


def _noun(word: str) -> str:
    low = word.lower()
    return _STOREYS.get(low, low)


def _ordinal(match: re.Match[str]) -> tuple[str, Value]:
    if match[2].lower() in ("quarter", "half"):
        return (QUARTER if match[2].lower() == "quarter" else HALF), _number(match[1])
    return _noun(match[2]), _number(match[1])


def _amount(match: re.Match[str]) -> tuple[str, Value]:
    return f"{AMOUNT}{match.lastgroup}", _number(match[1])


def _month(match: re.Match[str]) -> tuple[str, Value]:
    return MONTH, Decimal(MONTH_NUMBER[match[1][:3].lower()])


_Finder = tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[str, Value]]]
_FINDERS: tuple[_Finder, ...] = (
    (re.compile(rf"\b({_FULL_MONTHS})\b", re.IGNORECASE), _month),
    (re.compile(rf"\b({_SHORT_MONTHS})\b\.?"), _month),
    (re.compile(r"(?:(?<=[a-z0-9,;(|-] )|(?<=\A)|(?<=[-–|(]))(March|May)\b|(?<=\b[iI]n )(march|may)\b"),
     lambda m: (MONTH, Decimal(3 if (m[1] or m[2]).lower() == "march" else 5))),
    (re.compile(rf"{_ALONE}(0?[1-9]|1[0-2]|十[一二]?|[一二三四五六七八九])月(?![球亮饼])"),
     lambda m: (MONTH, _number(m[1]))),
    (re.compile(rf"{_LATIN}(?:Q([1-4])|([1-4])Q)(?![A-Za-z0-9])"), lambda m: (QUARTER, Decimal(m[1] or m[2]))),
    (re.compile(r"\bquarter ([1-4])\b", re.IGNORECASE), lambda m: (QUARTER, Decimal(m[1]))),
    (re.compile(r"第?([一二三四1-4])季度"), lambda m: (QUARTER, _number(m[1]))),
    (re.compile(rf"{_LATIN}H([12])(?![A-Za-z0-9])"), lambda m: (HALF, Decimal(m[1]))),
    (re.compile(r"([上前下后])半年"), lambda m: (HALF, Decimal(1 if m[1] in "上前" else 2))),
    (re.compile(r"\b(mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs|ur)?days?\b", re.IGNORECASE),
     lambda m: (WEEKDAY, Decimal(_DAYS.index(m[1].lower()) + 1))),
    (re.compile(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:s|rs?)?\b\.?"),
     lambda m: (WEEKDAY, Decimal(_DAYS.index(m[1].lower()) + 1))),
    (re.compile(r"(?<![一两几\d])(?:周|星期|礼拜)([一二三四五六日天])(?![次天])"),
     lambda m: (WEEKDAY, Decimal(_HAN_DAYS.index(m[1].replace("天", "日")) + 1))),
    (re.compile(rf"\b((?i:{_ORDINAL})|\d{{1,2}}(?:st|nd|rd|th))[ -]([A-Za-z]?[a-z]{{2,}})\b"), _ordinal),
    (re.compile(rf"(?<![共有高盖建]){_ALONE}第?(\d{{1,3}}|{_HAN})[楼层]"), lambda m: ("楼", _number(m[1]))),
    (re.compile(rf"{_ALONE}(\d{{1,3}}|{_HAN})号([楼门厅馆院库桥机仓食教宿井炉车站台柜线])"),
     lambda m: (f"号{m[2]}", _number(m[1]))),
    (re.compile(r"\b(breakfast|lunch|dinner|supper|brunch)\b|([早午晚][餐饭]|夜宵|宵夜)", re.IGNORECASE),
     lambda m: ("meal", _MEALS[m[0].lower()])),
    (re.compile(r"\b(morning|early(?= shift)|afternoon|evening|late(?= shift)|night) ([a-z]{3,})\b"),
     lambda m: (f"hours {m[2]}", _HOURS[m[1]])),
    (re.compile(r"([早中晚夜白])班(?![车长级])"), lambda m: ("班", _HOURS[m[1]])),
    (re.compile(r"早上|上午|早晨|中午|下午|晚上|傍晚|夜里|夜间"), lambda m: ("hours", _HOURS[m[0]])),
    (re.compile(r"\b(spring|summer|autumn|winter|(?<=in )fall|(?<=in the )fall)\b"),
     lambda m: (SEASON, Decimal(_SEASONS[m[1]]))),
    (re.compile(r"([春夏秋冬])(?=[春夏秋冬]?两?[季天])"), lambda m: (SEASON, Decimal(_SEASONS[m[1]]))),
    (re.compile(r"\b(north|south|east|west)(?:ern)?[ -]([a-z]{3,})\b"), lambda m: (f"{SIDE}{m[2]}", m[1])),
    (re.compile(r"(?<![东南西北中广河湖山云海济华辽江陕])([东南西北])([门区侧翼楼座厅院馆口])(?![域别])"),
     lambda m: (f"{SIDE}{m[2]}", m[1])),
    (re.compile(r"(?<![A-Za-z0-9])([A-Z])([座栋幢])"), lambda m: (f"号{m[2]}", m[1])),
    (re.compile(r"\b[Ss]izes? (X{0,3}[SML])(?![\w'’])"), lambda m: ("size", m[1])),
    (re.compile(r"\b(male|female)s?\b|(?:雄|雌|男|女)性", re.IGNORECASE),
     lambda m: ("sex", _SEXES.get(m[0][0]) or m[0].lower().removesuffix("s"))),
    (_AMOUNT, _amount),
    *FINDERS,
)  # fmt: skip


_COUNTED_BEHIND: _Finder = (
    re.compile(rf"\b([A-Za-z][a-z]{{2,}}) (\d{{1,3}}|{_CARDINAL})\b(?![.,:%]\d)"),
    lambda m: (_noun(m[1]), _number(m[2])),
)
"""Floor 3 is the third floor; but "took 3" is no third of anything, so a question is not asked about it."""


@lru_cache(maxsize=4096)
def members(text: str) -> tuple[Member, ...]:
    """All members that `text` (narrow forms, simplified characters) names, in order."""
    return tuple(sorted(_read(text, (*_FINDERS, _COUNTED_BEHIND)), key=lambda each: (each.start, -each.end)))


def qualifiers(question: str) -> list[Member]:
    """Those of a question that tell what it is about; none of one that asks yes or no, which another may answer, of
    what its writer has or wants, and of what is the end of a range."""
    if asks_yes_or_no(question):
        return []
    clauses = [(m.start(), m[0]) for m in _CLAUSE.finditer(question)]
    about = [each for each in clauses if not _WRITER.search(each[1])] or clauses
    found = [
        Member(each.kind, each.value, each.start + at, each.end + at)
        for at, clause in about
        for each in _read(clause, _FINDERS)
        if not bound(clause, each)
        and not (each.value == 1 and each.kind.startswith(AMOUNT))  # A rate: what one GB costs.
        and not (each.value == 1 and _ORDINALLY.match(clause, each.start) and each.kind not in _NUMBERED)
        and not (each.kind == MONTH and _DAY.search(clause[max(0, each.start - 8) :]))
    ]
    # 早班补贴 is of a shift, and not of another kind besides.
    taken, kept = bytearray(len(question)), list[Member]()
    for each in found:
        if not any(taken[each.start : each.end]):
            kept.append(each)
            taken[each.start : each.end] = b"\1" * (each.end - each.start)
    return kept


_UP_TO_WHETHER = re.compile(_WHETHER, re.IGNORECASE)


def whether(question: str) -> str:
    """A question by yes or no without "I would like to know whether"."""
    return _UP_TO_WHETHER.sub("", question)


def asks_yes_or_no(question: str) -> bool:
    return _YES_NO.search(question) is not None


def _read(text: str, finders: Sequence[_Finder]) -> Iterator[Member]:
    for pattern, read in finders:
        for match in pattern.finditer(text):
            try:
                kind, value = read(match)
            except InvalidOperation:
                continue
            if kind.rpartition(" ")[2] not in FUNCTION_WORDS:
                yield Member(kind, value, match.start(), match.end())


def written(text: str, member: Member) -> str:
    """The member as `text` has it, with the Chinese noun behind that makes its kind: 午餐补贴."""
    noun = member.kind.removeprefix(EVERY)
    end = member.end + len(noun) if not noun.isascii() and text.startswith(noun, member.end) else member.end
    return text[member.start : end]


def bound(text: str, member: Member) -> int:
    """1 where the member and all above it are meant (since March, 三楼以上), -1 for all below, else 0."""
    before, behind = text[max(0, member.start - 16) : member.start], text[member.end : member.end + 12]
    if _LOWER.search(before) or _AND_UP.match(behind):
        return 1
    return -1 if _UPPER.search(before) or _AND_DOWN.match(behind) else 0


def covers(text: str, asked: Member) -> bool:
    """Whether `text` names the member, all of its kind, a range that it lies in, or one whose ends are not told."""
    own = [each for each in members(text) if each.kind == asked.kind]
    if any(each.value == asked.value or _beyond(asked, each, bound(text, each)) for each in own):
        return True
    if _in_other_words(text, asked):
        return True
    calendar = asked.kind in (MONTH, QUARTER, HALF, SEASON, WEEKDAY)
    if calendar and _EVERY.get(asked.kind, _EVERY[""]).search(text):
        return True
    if isinstance(asked.value, Decimal) and any(
        f"{AMOUNT}{found.lastgroup}" == asked.kind and Decimal(found[1]) <= asked.value <= Decimal(found[2])
        for found in _RANGE.finditer(text)
    ):
        return True
    return any(
        (linked := _SPAN.match(text[low.end : high.start]))
        and (not linked[1] or _BETWEEN.search(text[: low.start]))
        and _within(asked, low, high)
        for low, high in pairwise(own)
    )


def _in_other_words(text: str, asked: Member) -> bool:
    if asked.kind.startswith(SIDE):  # "To the east".
        return re.search(rf"\b{asked.value}(?:ern)?\b", text) is not None
    if asked.kind.startswith(CODE):
        return re.search(rf"(?<![\d.]){asked.value}(?![\d.])", text) is not None
    return asked.kind.startswith(EVERY) and _PER[str(asked.value)].search(text) is not None


def _beyond(asked: Member, end: Member, side: int) -> bool:
    if not (isinstance(asked.value, Decimal) and isinstance(end.value, Decimal)):
        return side != 0
    return side * (asked.value - end.value) > 0


def _within(asked: Member, low: Member, high: Member) -> bool:
    if not (isinstance(asked.value, Decimal) and isinstance(low.value, Decimal) and isinstance(high.value, Decimal)):
        return False
    size = _ROUND.get(asked.kind)
    if size is None:
        return low.value <= asked.value <= high.value
    return (asked.value - low.value) % size <= (high.value - low.value) % size
