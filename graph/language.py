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

_ENGLISH_FUNCTION = (
    "above across after again against almost along already although always among another around away back because"
    " before behind below beside besides between beyond both cannot despite down during each either else enough etc"
    " even ever every everything few following further here hence however instead itself last least less let made make"
    " many might must near need neither never new next nor nothing now off often once only onto other others otherwise"
    " per quite rather same see several shall since still something take taken themselves thing things though thus till"
    " together toward two under until unless upon use used using usually via well whenever where whereas whether"
    " whichever within without yet one first second three"
)
_CHINESE_FUNCTION = (
    "一般 一次 一种 一些 一样 不会 不再 不同 不是 不能 不要 之前 之后 之间 也是 以上 以下"
    " 以及 以后 以前 任何 但是 使用 其中 其他 其它 具有 再次 只有 只能 可能 各个 各种 同时"
    " 同样 后来 因为 因此 所以 所有 如果 如此 它的 对于 就是 已经 并且 应当 应该 开始 当时"
    " 必须 或者 所谓 按照 整个 无法 时间 是否 曾经 最后 有关 有些 本身 根据 每个 每次 没有"
    " 然后 然而 由于 的话 目前 直到 相关 看到 第一 第二 经过 继续 而且 至少 若干 虽然 许多"
    " 认为 这个 这些 这样 这种 进行 通过 通常 那个 那些 那么 部分 除了 随后 需要 非常 其余"
    " 之一 为了 作为 只要 还有 还是 不过 便是 均为 分为 成为 称为 包括 另外 情况 方面 方式"
    " 出现 得到 发生 左右 上述 一旦"
)
FUNCTION_WORDS = STOPWORDS | frozenset(f"{_ENGLISH_FUNCTION} {_CHINESE_FUNCTION}".split())
"""Words that say nothing of what a passage is about."""


def language_of(text: str) -> Language:
    """The language an answer to `text` should be in: a Chinese question may be full of English names."""
    han = len(_HAN.findall(text))
    if not han:
        return "en"
    words = len(_LATIN_WORD.findall(text))
    return "zh" if _HAN_FUNCTION.search(text) or han >= 2 * words else "en"


def has_han(text: str) -> bool:
    return _HAN.search(text) is not None
