"""Which columns of a table row a question asks for: by name, by a measure ("how heavy") or by its kind ("who")."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from graph.language import has_han
from graph.measures import measures
from graph.questions import MONTHS, kinds
from graph.support import content_words, known_words

NAMED = 0.6
"""Share of a column's words that the question must have to name it."""

_ASKED = tuple(
    (re.compile(asks, re.IGNORECASE), re.compile(column, re.IGNORECASE))
    for asks, column in (
        (
            r"\bmeans?\b|\bmeaning\b|\bstands? for\b|意思|含[义義]|表示什么",
            r"\bmeanings?\b|\bdescription\b|\bdefinition\b|含[义義]|[说說]明|描述|定[义義]|解[释釋]",
        ),
        (
            r"\bwhat (?:should|must|can|do|to)\b.*\bdo\b|\bfix\b|\bsolve\b|\bremed(?:y|ies)\b"
            r"|怎么[办做]|如何(?:处理|解决|排除)|怎么(?:处理|解决|排除)|怎麼[辦做]",
            r"\bwhat to do\b|\bactions?\b|\bsolutions?\b|\bfix(?:es)?\b|\bresolution\b|\bremed(?:y|ies)\b"
            r"|\bcorrect(?:ion|ive)\b|\bcounter-?measures?\b|\bcures?\b|\bresponse\b|\btroubleshooting\b"
            r"|[处處]理|措施|[办辦]法|解[决決]|[对對]策|排除|[应應][对對]",
        ),
    )
)
_COUNTS = re.compile(
    r"#|(?:.*\b)?(?:number|no|nr|id|sku)\.?|.*(?:序[号號]|[编編][号號]|[货貨][号號]|料[号號]|[单單][号號]|工[号號]|行[号號])",
    re.IGNORECASE,
)
_UNITS = re.compile(
    r"units?(?: of measure(?:ment)?)?|uom|einheit(?:en)?|unit[ée]s?|unidad(?:es)?|(?:[计計]量)?[单單]位", re.IGNORECASE
)
_PROPERTIES = re.compile(
    r"parameters?|propert(?:y|ies)|items?|characteristics?|features?|attributes?|specs?|specifications?|quantit(?:y|ies)"
    r"|[项項]目|[参參][数數]|指[标標]|[属屬]性|特性|[规規]格|性能",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_FURTHER = re.compile(r"\b(?:per|in|of|at|for|from|by)\b", re.IGNORECASE)
_REMARK = re.compile(r"[(（\[][^)）\]]*[)）\]]")


def asked_columns(parts: Sequence[str], header: Sequence[str], values: Sequence[str]) -> frozenset[int]:
    """Indices of the columns to say of a row: what it is about, what the parts of a question ask of it, and the unit.

    All of them where a part asks for none in particular.
    """
    width = max(len(header), len(values))
    every, wanted = frozenset(range(width)), set[int]()
    about = _about(parts, header, values)
    for part in parts:
        own = _asked(part, header)
        if own:
            own |= _of_kind(part, header, values, own) | _compared(part, header, values, own)
        # "Which model weighs 12 kg?" names the row by what it holds.
        if not own or (own <= about and len(about) == 1):
            return every
        wanted |= own
    units = {i for i, cell in enumerate(header) if _UNITS.fullmatch(_REMARK.sub("", cell).strip())}
    return frozenset(wanted | about | (units if wanted - about else set()))


def names_rows(part: str, header: Sequence[str]) -> bool:
    """Whether a question names what the rows are: "Which models are there?"."""
    return bool(header) and _names(part, content_words(part), header[0])


def mentions(question: str, values: Sequence[str]) -> bool:
    """Whether a question says what stands in a further cell of a row: "Which actions are still open?"."""
    words = content_words(question)
    return any(len(value) > 1 and bool(own := content_words(value)) and own <= words for value in values[1:])


def offers(part: str, header: Sequence[str]) -> bool:
    """Whether a table has a column that the question asks for."""
    return bool(_asked(part, header) - {0})


def asked_column(part: str, header: Sequence[str]) -> int | None:
    """The one column beside the first that a question asks for, None where there is none or more than one."""
    found = sorted(_asked(part, header) - {0})
    return found[0] if len(found) == 1 else None


def _asked(part: str, header: Sequence[str]) -> set[int]:
    words = content_words(part)
    # "unit_price_eur" is a price.
    header = [cell if cell.lower() in part.lower() else cell.replace("_", " ") for cell in header]
    named = _in_full(part, words, header, {i for i, cell in enumerate(header) if _names(part, words, cell)})
    # "How heavy is the Trail model?": what the first column is called says what the row is about.
    if named - {0}:
        return named
    for measure in measures(part):
        if found := {i for i, cell in enumerate(header) if measure.named.search(cell)}:
            return found
    patterns = [kind.columns for kind in kinds(part) if kind.columns]
    patterns += [column for asks, column in _ASKED if asks.search(part)]
    return named | {i for i, cell in enumerate(header) if any(pattern.search(cell) for pattern in patterns)}


_EVERY = re.compile(
    r"\b(?:every|each|hourly|daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|once|twice|continuous(?:ly)?)\b"
    r"|\bper [a-z]|每|一次|[日周月季年]次|实时|實時|逐[日月]",
    re.IGNORECASE,
)
_MOMENT = re.compile(
    rf"\d{{1,2}}[:：]\d\d|\b(?:19|20)\d\d\b|\b(?:{MONTHS}|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b"
    r"|\b(?:daily|weekly|monthly|nightly|noon|midnight)\b|\d ?[ap]\.?m\b"
    r"|\d+[年月日号號点點时時]|[周週][一二三四五六日]|星期|每[天日周週月年季晚]|凌晨|上午|下午",
    re.IGNORECASE,
)
_ASKS_MOMENT = re.compile(
    r"\bwhen\b|\b(?:since|until|till|from|by) (?:when|what)\b|\b(?:at|on) (?:what|which) (?:time|day|date)\b"
    r"|\bwhat (?:time|day|date)\b|何[时時]|什[么麼][时時]候|[几幾][点點月号號日]|哪[天日年月]|截[至止]",
    re.IGNORECASE,
)
_ASKS_EVERY = re.compile(
    r"\bhow (?:often|frequently)\b|多久.{0,8}[一1]?次|频率|頻率|[几幾](?:天|日|[个個]月|年).{0,4}一次", re.IGNORECASE
)


def _of_kind(part: str, header: Sequence[str], values: Sequence[str], own: set[int]) -> set[int]:
    """Columns whose name or cell is of the kind that a part of a question asks for: "how often" of a row "backup:
    incremental, schedule: every 15 minutes". None where one of its `own`, which it names, is."""
    tests: list[Callable[[int], bool]] = []
    cell = dict(enumerate(values))

    def named(pattern: re.Pattern[str]) -> Callable[[int], bool]:
        return lambda i: i < len(header) and pattern.search(header[i]) is not None

    def said(pattern: re.Pattern[str]) -> Callable[[int], bool]:
        return lambda i: pattern.search(cell.get(i, "")) is not None

    asked_every = _ASKS_EVERY.search(part) is not None
    for measure in measures(part):
        frequency = measure.asks.search("how often") is not None
        tests += [named(measure.named)] + ([] if frequency or asked_every else [said(measure.units)])
    tests += [named(kind.columns) for kind in kinds(part) if kind.columns]
    tests += [said(told) for asks, told in ((_ASKS_EVERY, _EVERY), (_ASKS_MOMENT, _MOMENT)) if asks.search(part)]
    tests += [named(column) for asks, column in _ASKED if asks.search(part)]
    fits = {i for i in range(1, max(len(header), len(values))) if any(test(i) for test in tests)}
    # 多大 of a 最高温度 is no size.
    words = [word for word in content_words(part) if len(word) > 1 and has_han(word)]
    names = [_REMARK.sub("", header[i]).strip() for i in own if i < len(header)]
    headed = any(name.endswith(word) and name != word for name in names for word in words)
    return set() if headed or fits & own else fits


_COMPARES = re.compile(
    r"\b(?:below|under|above|over|beyond|exceed\w*|less than|more than|fewer than|greater than|reached|within)\b"
    r"|低[于於]|高[于於]|超[过過出]|少[于於]|多[于於]|不足|[达達]到",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"[<>≤≥~约]?\s?-?\d[\d,.]*")


def _compared(part: str, header: Sequence[str], values: Sequence[str], own: set[int]) -> set[int]:
    """Columns of bare numbers beside a named one, where that is what others are compared with: what is in stock, of a
    reorder level."""
    if not _COMPARES.search(part) or not any(_AMOUNT.fullmatch(values[i]) for i in own if i < len(values)):
        return set()
    price = measures("how expensive")[0].named
    return {
        i
        for i, (name, value) in enumerate(zip(header, values, strict=False))
        if _AMOUNT.fullmatch(value) and not price.search(name.replace("_", " ")) and not _COUNTS.fullmatch(name)
    }


_VALUES = re.compile(
    r"|values?|details?|contents?|data|figures?|ratings?|specs?|specifications?|descriptions?|requirements?|limits?"
    r"|[数數]?值|[参參][数數]|[内內]容|[说說]明|[详詳]情|[规規]格|[规規]定|[标標][准準]|要求|[数數][据據]|[结結]果",
    re.IGNORECASE,
)


def tells_by_row(part: str, header: Sequence[str], first: str) -> bool:
    """Whether a table of names and values has what a question asks for in the row of this first cell.

    "Weight | 198 kg" under "Parameter | Value" tells how heavy the thing is that the document is about.
    """
    of_two = len(header) == 2 and _VALUES.fullmatch(header[1].strip())
    if not of_two and not (len(header) > 1 and _PROPERTIES.fullmatch(header[0].strip())):
        return False
    return names_row(part, first) or any(measure.named.search(first) for measure in measures(part))


def names_row(question: str, first: str) -> bool:
    """Whether a question names the row by what its first cell says."""
    own = known_words(first)
    return bool(own) and own <= known_words(question)


def row_name(question: str, values: Sequence[str]) -> str | None:
    """The cell by which a question names a row: the first, else the longest one that it says, which is no bare number.

    "How much is the foot valve?" names "77-320 | Foot valve | 22.00".
    """
    if values and names_row(question, values[0]):
        return values[0]
    further = [cell for cell in values[1:] if len(cell) > 1 and _LETTER.search(cell) and names_row(question, cell)]
    return max(further, key=len, default=None)


def _in_full(part: str, words: set[str], header: Sequence[str], named: set[int]) -> set[int]:
    """Without columns that only share words with one which is named in full: "HX-40 Basic" where "HX-40 Pro" is, and
    "HX-40" where that is said in "HX-40 Pro" alone."""
    own = [content_words(_REMARK.sub("", cell)) for cell in header]
    full = [i for i in named if own[i] and own[i] <= words]
    asked = part.lower()
    said = {i: asked.count(_REMARK.sub("", header[i]).strip().lower()) for i in full}
    full = [i for i in full if not any(own[i] < own[j] and said[i] <= said[j] for j in full)]
    return {i for i in named if i in full or not any(own[i] & words <= own[j] & words for j in full)}


def counts_rows(name: str) -> bool:
    """Whether a column's cells are numbers of its rows: "No.", "sku", 序号."""
    return _COUNTS.fullmatch(name.strip()) is not None


def _names(part: str, words: set[str], cell: str) -> bool:
    bare = _REMARK.sub("", cell).strip()
    if has_han(bare):
        # 功率 is enough for 额定功率.
        return (len(bare) > 1 and bare in part) or any(
            len(word) > 1 and has_han(word) and word in bare for word in words
        )
    # "Price per month" is a price.
    own, head = content_words(bare), content_words(_FURTHER.split(bare, maxsplit=1)[0])
    return bool(own) and (len(own & words) >= NAMED * len(own) or (bool(head) and head <= words))


def _about(parts: Sequence[str], header: Sequence[str], values: Sequence[str]) -> set[int]:
    """The first column, the one after it where that only counts the rows, and cells that the question mentions."""
    first = {0, 1} if header and _COUNTS.fullmatch(header[0].strip()) else {0}
    asked = " ".join(parts)
    words = content_words(asked)
    for i, value in enumerate(values):
        own = content_words(value)
        if own and own <= words and (len(value) > 2 or any(map(str.isdigit, value))):
            first.add(i)
    return {i for i in first if i < max(len(header), len(values))}
