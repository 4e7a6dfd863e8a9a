"""Sentences that name what is asked about and tell nothing of what is asked: "Agent: Pembury Lettings" of who owns it,
and "XL-60 has more of it" of how much.

They share all words with the question, so that likeness puts them first where nothing tells more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from graph.bearing import of_one_stem
from graph.exchanges import is_question, is_verdict
from graph.fields import field_of, tells
from graph.lists import LIST_ITEM
from graph.measures import measures
from graph.members import asks_yes_or_no, whether
from graph.questions import Expected, asks_why
from graph.support import content_words, identifiers, known_words

_FIGURE = re.compile(
    r"\d|[零〇一二三四五六七八九十百千万萬亿億两兩半]"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion|half"
    r"|twice|once|double|triple|quarter|\w+t(?:y|een)|first|second|third|no|not|none|never|nothing|always|free|full|whole"
    r"|daily|hourly|nightly|weekly|monthly|yearly|annual(?:ly)?|every|each|per|all|any|both|unlimited|until|only|same)\b"
    r"|n't\b|[免不无無没沒未非每全各任]",
    re.IGNORECASE,
)
"""Numbers, and what says how much or how often without one."""
_YEAR = re.compile(
    r"\d{3,4}|['’]\d\d\b|\b(?:AD|CE|BCE?) ?\d|\d ?(?:AD|CE|BCE?)\b|[年世紀纪代朝]"
    r"|\b(?:years?|decades?|century|centuries|age|era|reign|dynasty|born|aged)\b",
    re.IGNORECASE,
)
_FLOOR = re.compile(
    r"[楼樓层層]|地下|\bF\d|\d[Ff]\b|\b(?:floors?|stor(?:e?ys?|ies)|levels?|basement|cellar|attic|lobby|(?:up|down)stairs)\b",
    re.IGNORECASE,
)
_HOUR = re.compile(
    r"[点點时時]|\d[:：.]\d\d|[早晚午夜全]"
    r"|\d ?[ap]\.?m\b|\b(?:noon|midday|midnight|o'clock|half past|quarter (?:past|to)|hours?|morning|afternoon|evening"
    r"|night|daily|dawn|sunrise|sunset|dusk)\b",
    re.IGNORECASE,
)
_ASKS = tuple(
    (re.compile(asks, re.IGNORECASE), tells)
    for asks, tells in (
        (r"哪一?年|\b(?:what|which) year\b", _YEAR),
        (r"[几幾][楼樓层層]", _FLOOR),
        (r"[几幾][点點](?![建意要])", _HOUR),
        (
            r"\bhow (?:many|much|far|old|often|tall|large|big|high|fast|deep|wide|heavy|thick|loud)\b"
            r"|\bhow long\b|\b(?:phone|telephone|fax|mobile) numbers?\b"
            r"|多少|多[长長高久远遠快深宽寬厚重]|[几幾](?=[个個位名天年月日号號次元块塊米度岁歲台件种種折条條])",
            _FIGURE,
        ),
    )
)
_ROLE = re.compile(
    r"\b(?:roles?|positions?|jobs?|functions?|titles?|capacity|part(?:y|ies)|what kind|what sort|whose|who|what) "
    r"(?:is|are|was|were|do|does|did|has|have)\b(?! (?:the|an?|his|her|their|its)\b)"
    r"|\b(?:roles?|positions?|job|title|function|capacity|party|mean|means|meant|stand|stands)\b"
    r"|是(?:谁|誰|什么|什麼|哪|做什么|干什么)|身份|[职職][务務位称]|角色|担任|擔任|什么人|哪一?方",
    re.IGNORECASE,
)
"""Asks what a thing is, which the name of its field tells."""
_HAS = re.compile(r"\bwho (?:owns?|owned|has|had|runs?|ran)\b", re.IGNORECASE)
"""Asks something with words that are no content words."""
_FACT = re.compile(
    r"\b(?:who|whom|when|where|how (?:many|much|long|often|far|old))\b|多少|[谁誰几幾]|什[么麼][时時]候|哪[里裡儿年天]",
    re.IGNORECASE,
)
"""Asks for what the value of a field would be."""
_OPEN = re.compile(
    r"\b(?:tell|know|known|sa(?:y|ys|id)|explain\w*|describe\w*|show|clear|find|see|mention\w*|state[ds]?|specif\w+|remember"
    r"|idea|define[ds]?)\b.{0,60}\b(?:what|which|who|whom|whose|when|where|why|how)\b"
    r"|什么|什麼|多少|[几幾谁誰哪]|如何|怎[么麼样樣]|[为為]何|[为為]什"
)
"""Asks by yes or no for what another question would ask."""
_LEAVES_OPEN = re.compile(r"\bwhether\b|\bif\b|如果|若(?!干)|假如|\A\s*#", re.IGNORECASE)
"""No statement, or one of something that need not be."""
_CODED = re.compile(r"(?<![A-Za-z])(?!(?:EUR|USD|GBP|CNY|RMB|HKD|JPY|CHF)\d)[A-Za-z]+[-_]?\d[\w.-]*")


def only_names(question: str, sentence: str) -> bool:
    """Whether a sentence is a field whose value the question has said itself, and asks something else of."""
    if (field := field_of(sentence)) is None or _ROLE.search(question) or asks_yes_or_no(question):
        return False
    name, value = field
    asked, told = known_words(question), content_words(value)
    further = asked - known_words(value)
    something = bool(content_words(question) & further) or _HAS.search(question) is not None
    return bool(told) and told <= asked and something and not known_words(name) & further


def names_beside(question: str, sentence: str) -> bool:
    """Whether a field names what the question is about and has neither a word nor the kind of what it asks: "Property:
    Flat 3, Norwich" of who pays for the water of the flat."""
    if (field := field_of(sentence)) is None or _FACT.search(question) is None or asks_why(question):
        return False
    if asks_yes_or_no(question) or tells(question, sentence):
        return False
    name, value = field
    asked, told = content_words(question), known_words(value)
    further = asked - told
    expected = _expected(question)
    return (
        # What says more than it names may tell it in a way that no kind knows.
        2 * len(asked & told) >= max(1, len(content_words(value)))
        and bool(further)
        and not known_words(name) & further
        and bool(expected)
        and expected.share(sentence) == 0.0
    )


def affirms(question: str, sentence: str) -> bool:
    """Whether a sentence says what a question asks by yes or no, in its words: there it is the answer, where it would
    only echo any other question. What has half of them or less ("The lantern works" of below zero) says something else,
    and so does an item that has not all: "Open fires", of what is not allowed.
    """
    if not asks_yes_or_no(question) or _OPEN.search(question):
        return False
    if is_question(sentence) or asks_yes_or_no(sentence) or _LEAVES_OPEN.search(sentence):
        return False
    asked = known_words(whether(question))
    held = len(of_one_stem(asked, content_words(sentence)))
    return held == len(asked) > 0 if LIST_ITEM.match(sentence) else 2 * held > len(asked)


def rules(question: str, sentence: str) -> bool:
    """Whether a sentence is a field that says yes or no to what is asked so: "Waterproof: yes"."""
    if (field := field_of(sentence)) is None or not is_verdict(field[1]) or not asks_yes_or_no(question):
        return False
    named = content_words(field[0])
    return bool(named) and of_one_stem(named, known_words(question)) == named


# A question is asked of all sentences.
_expected = lru_cache(maxsize=256)(Expected)


def tells_no_figure(question: str, texts: Iterable[str]) -> bool:
    """Whether a number, a year, a floor or an hour is asked for and no text has one, beside the names of things."""
    wanted = _wanted(question)
    return wanted is not None and not any(wanted.search(_bare(question, text)) for text in texts)


@lru_cache(maxsize=256)
def _wanted(question: str) -> re.Pattern[str] | None:
    if (found := next((tells for asks, tells in _ASKS if asks.search(question)), None)) is not None:
        return found
    return _FIGURE if measures(question) else None


def _bare(question: str, text: str) -> str:
    for name in sorted(identifiers(question), key=len, reverse=True):
        text = re.sub(re.escape(name), " ", text, flags=re.IGNORECASE)
    return _CODED.sub(" ", text)
