"""Which language a text is in, and words that carry no meaning of their own beyond the tokenizer's stop words."""

from __future__ import annotations

import re

from graph.types import Language

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_HAN_FUNCTION = re.compile(r"[的是了吗呢在和与有为这這那哪谁誰如何怎什麼么多少几幾]")

_ENGLISH = (
    "a about also am an and any are as at be been being but by can could describe did do does doing explain for"
    " from get give had has have having he her him his how i if in into is it its just know like list many may me"
    " more most much my no not of on one or our out own please she should show so some such tell than that the"
    " their them then there these they this those through to too under up us very was we were what when where"
    " which while who whom whose why will with would you your"
)
_CHINESE = (
    "请 介绍 一下 告诉 分别 一些 可以 能否 时候 想 知道 问 它 他 她 我 你 您 我们 你们 他们 它们 怎么样 何地 一个"
)
STOPWORDS = frozenset(f"{_ENGLISH} {_CHINESE}".split())


def language_of(text: str) -> Language:
    """The language an answer to `text` should be in: a Chinese question may be full of English names."""
    han = len(_HAN.findall(text))
    if not han:
        return "en"
    words = len(_LATIN_WORD.findall(text))
    return "zh" if _HAN_FUNCTION.search(text) or han >= 2 * words else "en"


def has_han(text: str) -> bool:
    return _HAN.search(text) is not None
