"""Answers without a language model: the sentences that answer best, quoted from the sources with their markers."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from itertools import pairwise, zip_longest

from chunking.sentences import split_sentences
from graph.evidence import Source, Strip
from graph.language import has_han
from graph.llms.base import Message, Request
from graph.questions import asks_several, kinds, parts
from graph.quotes import header_line, in_fence, quoted
from graph.strips import refers_back
from graph.support import content_words, negated
from graph.types import Usage

KIND_BONUS = 0.2
"""Added to a strip's relevance (0 to 1) where it contains what the question's kind asks for."""
FACT_SENTENCES = 3
"""Quoted at most where one fact is asked for."""
FACT_BAR, SEVERAL_BAR = 0.8, 0.6
"""A further sentence must score this share of the best one's, by whether the question asks for one fact or several.
The bonus and the second were chosen on drcd_zh_hant, xquad_zh and the technical documents; the first on
cmrc2018_zh and xquad_en, where .8 quotes 14 tokens less than .75 and loses no answer."""
FOLLOWING = 0.8
"""Of its predecessor's score, what the sentence after a good one is worth where several are asked for."""
DUPLICATE = 0.8
"""Share of a sentence's words found in one quoted before that makes it a repetition."""

CODE_MALUS = 0.3
"""Taken from code and log lines where the question does not ask for them."""

_LOG_LINE = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d")
_ASKS_CODE = re.compile(
    r"\bexample|\bcode\b|\bcommand|\bsnippet|\bsyntax|\bscript|示例|例子|代码|命令|语法|脚本|怎么写", re.IGNORECASE
)
# How something is done may be a command; anything else that is asked is not answered by code.
_ASKS_HOW = re.compile(r"\bhow (?:do|does|can|to|should|would)\b|如何|怎么|怎麼|怎样|怎樣", re.IGNORECASE)


class ExtractiveGenerator:
    """Quotes up to `max_sentences`; makes no call, so it never fails."""

    name = "extractive"

    def prompt(self, request: Request) -> Sequence[Message]:
        return ()

    async def generate(self, request: Request) -> AsyncGenerator[str | Usage, None]:
        gap = ""
        for source, text in _quotes(request):
            # As the quote is written, not the question: "seconds.[1]The next" is read as one sentence.
            zh = has_han(text)
            yield f"{gap}{_close(text, zh=zh)}{'' if zh else ' '}[{source.number}]"
            gap = "" if zh else " "

    async def aclose(self) -> None:
        return


def _quotes(request: Request) -> Iterator[tuple[Source, str]]:
    """Sentences to quote: the best one for each part of the question, then the next ones in turn."""
    asked = parts(request.standalone)
    several = len(asked) > 1 or asks_several(request.standalone)
    limit = request.config.max_sentences if several else min(FACT_SENTENCES, request.config.max_sentences)
    rankings = [_ranked(request, part, number if len(asked) > 1 else None) for number, part in enumerate(asked)]
    said: list[set[str]] = []
    for candidates in zip_longest(*rankings):
        for source, strip in filter(None, candidates):
            units = _with_antecedent(strip) if len(said) + 2 <= limit else [strip.text]
            fresh = [unit for unit in units if not _repeats(unit, said)]
            if len(said) >= limit or not fresh or fresh[-1] != units[-1]:
                continue
            said += [content_words(unit) for unit in fresh]
            for unit in fresh:
                header = header_line(source, strip) if unit == strip.text else None
                yield source, quoted(unit, header, asked)


def _ranked(request: Request, part: str, number: int | None) -> list[tuple[Source, Strip]]:
    """The strips worth quoting for one part of the question, best first."""
    several = asks_several(part)
    scored = [entry for source in request.sources for entry in _scored(source, part, number, several=several)]
    scored.sort(key=lambda entry: -entry[0])
    bar = scored[0][0] * (SEVERAL_BAR if several else FACT_BAR) if scored else 0.0
    return [(source, strip) for score, source, strip in scored if score >= bar and score > 0]


def _scored(source: Source, part: str, number: int | None, *, several: bool) -> list[tuple[float, Source, Strip]]:
    asked, expected = content_words(part), kinds(part)
    code_wanted = _ASKS_CODE.search(part) is not None
    code_allowed = code_wanted or _ASKS_HOW.search(part) is not None
    scored: list[tuple[float, Source, Strip]] = []
    before: tuple[float, Strip] | None = None
    for strip in source.strips:
        score = strip.relevance if number is None else strip.by_part[number]
        score += KIND_BONUS * sum(1 for kind in expected if kind.answers.search(strip.text)) / max(len(expected), 1)
        fenced = in_fence(strip)
        score -= CODE_MALUS if not code_wanted and (fenced or _LOG_LINE.match(strip.text)) else 0.0
        if several and before and source.adjacent(before[1], strip):
            score = max(score, FOLLOWING * before[0])
        # A sentence that only repeats the question answers nothing, unless it denies what is asked.
        says = bool(content_words(strip.text) - asked) or (negated(strip.text) and not negated(part))
        score = score if says and (code_allowed or not fenced) else 0.0
        scored.append((score, source, strip))
        before = (score, strip)
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
    """Whether nearly all of a sentence has been said; what differs in a number is another fact."""
    words = content_words(text)
    figures = {word for word in words if any(map(str.isdigit, word))}
    same = (before for before in said if len(words & before) >= DUPLICATE * len(words))
    return not words or any(figures <= before for before in same)


def _close(text: str, *, zh: bool) -> str:
    """With a full stop where the sentence has no end of its own."""
    if text[-1:] in ".!?。！？…;；:：\"'”’」』)）":
        return text
    return text + ("。" if zh else ".")
