"""Answers without a language model: the sentences that answer best, quoted from the sources with their markers."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from itertools import pairwise

from chunking.sentences import split_sentences
from graph.evidence import Source, Strip
from graph.llms.base import Request
from graph.neutral import neutralise
from graph.strips import refers_back
from graph.support import content_words
from graph.types import Language, Usage


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a question of this kind asks with, and what a sentence that answers it contains."""

    asks: re.Pattern[str]
    answers: re.Pattern[str]


def _kind(asks: str, answers: str) -> _Kind:
    return _Kind(re.compile(asks, re.IGNORECASE), re.compile(answers))


_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_KINDS = (
    _kind(r"\bdefault\b|默认|預設|缺省", r"(?i:\bdefaults?\b)|默认|預設|缺省|\A\|"),
    _kind(
        r"\bhow (?:many|much|long|far|old|often|tall|large|big|high|fast|deep|wide)\b"
        r"|\bwhat (?:percent\w*|number|amount|size|population)\b|多少|[几幾][^乎何]|多[大长長高久远遠快深宽寬]",
        r"\d|[一二三四五六七八九十百千万萬亿億两兩]+[个個次年月日天人名种種座间間倍岁歲分成]"
        r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million|billion|half|twice)\b",
    ),
    _kind(
        r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|time|century|decade)\b"
        r"|何时|何時|什么时候|什麼時候|哪一?年|[几幾][年月日点點]|时间|時間",
        rf"\d{{3,4}}|\d+ ?[年月日点點时時]|世[纪紀]|\b(?:{_MONTH})\b|century|B\.?C\.?|A\.?D\.?",
    ),
    _kind(
        r"\bwho\b|\bwhom\b|\bwhose\b|谁|誰|何人|哪位|哪个人|哪個人",
        r"[A-Z][a-z]+ (?:[A-Z][.\w]* )*[A-Z][a-z]+|[·•‧]|先生|教授|博士",
    ),
    _kind(
        r"\bwhere\b|\b(?:what|which) (?:city|country|place|state|region|location)\b"
        r"|哪[里裡儿兒]|何处|何處|哪[个個座](?:国|國|城|地)|在哪",
        r"\b(?:in|at|near|from|to) (?:the )?[A-Z]|位于|位於|在.{1,12}[市省县縣区區国國州镇鎮村路]|[市省县縣区區]",
    ),
    _kind(
        r"\bwhy\b|\breason|为什么|為什麼|为何|為何|原因|何以",
        r"(?i:because|due to|since|so that|in order to|reason|owing|thus|therefore|cause)"
        r"|因为|因為|由于|由於|因此|所以|为了|為了|导致|導致|使得|原因",
    ),
    _kind(
        r"\bhow (?:do|does|did|to|can|could|should|is|are|was|were|would)\b|如何|怎么|怎麼|怎样|怎樣",
        r"(?i:\bby\b|\busing\b|\buse\b|\bfirst\b|\bthen\b|\bthrough\b|\bset\b|\brun\b)|通过|通過|使用|利用|首先|然后|然後|步骤|步驟|方法|采用|採用|将|將",
    ),
    _kind(
        r"\bwhat (?:is|are|was|were)\b|\bdefine\b|什么是|什麼是|是什么|是什麼|含义|定义",
        r"\b(?:is|are|was|were) (?:an?|the)\b|refers? to|是一[种種个個]|是指|[称稱][为為]|即",
    ),
)
_SEVERAL = re.compile(
    r"\bsummar|\bcompar|\bdifferen|\badvantage|\bdisadvantage|\bpros and cons\b|\blist\b|\bexplain|\bdescribe"
    r"|\boverview"
    r"|\bwhat are\b|\bwhich .+ are\b|\bsteps\b|\bhow (?:do|does|to|can|should)\b|\bwhy\b|\band\b.+\?"
    r"|总结|總結|概括|概述|介绍|介紹|比较|比較|区别|區別|不同|差异|差異|优点|優點|缺点|缺點|优缺|优势|哪些"
    r"|步骤|步驟|流程|如何|怎么|怎麼|怎样|怎樣"
    r"|为什么|為什麼|为何|原因|分别|分別|以及|各自|[?？].+[?？]",
    re.IGNORECASE,
)
KIND_BONUS = 0.2
"""Added to a strip's relevance (0 to 1) where it contains what the question's kind asks for."""
FACT_BAR, SEVERAL_BAR = 0.75, 0.6
"""A further sentence must score this share of the best one's, by whether the question asks for one fact or several.
These and the bonus were chosen on drcd_zh_hant, xquad_zh and the technical documents."""
DUPLICATE = 0.8
"""Share of a sentence's words found in one quoted before that makes it a repetition."""

CODE_MALUS = 0.3
"""Taken from code and log lines where the question does not ask for them."""

_CODE = re.compile(r"```|~~~|\d{4}-\d\d-\d\d[ T]\d\d:\d\d")
_ASKS_CODE = re.compile(
    r"\bexample|\bcode\b|\bcommand|\bsnippet|\bsyntax|\bscript|示例|例子|代码|命令|语法|脚本|怎么写", re.IGNORECASE
)
_LINE_START = re.compile(r"\A(?:\s*(?:[-*•>]|#{1,6}|\d{1,2}[.)])\s+)+")
_TABLE_EDGE = re.compile(r"\A\|\s*|\s*\|\Z")


class ExtractiveGenerator:
    """Quotes up to `max_sentences`; makes no call, so it never fails."""

    name = "extractive"

    async def generate(self, request: Request) -> AsyncGenerator[str | Usage, None]:
        gap = "" if request.language == "zh" else " "
        for number, (source, text) in enumerate(_quotes(request)):
            yield f"{gap if number else ''}{_close(text, request.language)}{gap}[{source.number}]"

    async def aclose(self) -> None:
        return


def _quotes(request: Request) -> Iterator[tuple[Source, str]]:
    ranked = sorted(_scored(request), key=lambda entry: -entry[0])
    if not ranked:
        return
    limit = request.config.max_sentences
    bar = ranked[0][0] * (SEVERAL_BAR if _SEVERAL.search(request.standalone) else FACT_BAR)
    said: list[set[str]] = []
    for score, source, strip in ranked:
        if score < bar or len(said) >= limit:
            return
        units = _with_antecedent(strip) if len(said) + 2 <= limit else [strip.text]
        fresh = [unit for unit in units if not _repeats(unit, said)]
        if fresh and fresh[-1] == units[-1]:
            said += [content_words(unit) for unit in fresh]
            for unit in fresh:
                yield source, quoted(unit)


def _scored(request: Request) -> list[tuple[float, Source, Strip]]:
    kinds = [kind for kind in _KINDS if kind.asks.search(request.standalone)][:2]
    asked, code = content_words(request.standalone), _ASKS_CODE.search(request.standalone) is not None
    scored = []
    for source in request.sources:
        for strip in source.strips:
            fits = sum(1 for kind in kinds if kind.answers.search(strip.text)) / max(len(kinds), 1)
            # A sentence that only repeats the question answers nothing.
            says_more = bool(content_words(strip.text) - asked)
            score = strip.relevance + KIND_BONUS * fits - (CODE_MALUS if _CODE.match(strip.text) and not code else 0.0)
            scored.append((score if says_more else 0.0, source, strip))
    return scored


def _with_antecedent(strip: Strip) -> list[str]:
    """The sentence, after the one before it in the passage where it opens with a reference word."""
    if not refers_back(strip.text):
        return [strip.text]
    chunk = strip.hit.chunk
    spans = split_sentences(chunk.text)
    for (start, end), (next_start, _) in pairwise(spans):
        if chunk.start + next_start == strip.start:
            return [chunk.text[start:end], strip.text]
    return [strip.text]


def _repeats(text: str, said: list[set[str]]) -> bool:
    words = content_words(text)
    return any(len(words & before) >= DUPLICATE * len(words) for before in said) if words else True


def quoted(text: str) -> str:
    """A sentence as it reads in an answer: on one line, without list, heading and table marks."""
    line = re.sub(r"\s+", " ", neutralise(text)).strip()
    if line.startswith("|"):
        return re.sub(r"\s*\|\s*", " | ", _TABLE_EDGE.sub("", line)).strip()
    return _LINE_START.sub("", line)


def _close(text: str, language: Language) -> str:
    """With a full stop where the sentence has no end of its own."""
    if text[-1:] in ".!?。！？…;；:：\"'”’」』)）":
        return text
    return text + ("。" if language == "zh" else ".")
