"""Answers without a language model: the sentences that answer best, quoted from the sources with their markers."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from chunking.sentences import split_sentences
from graph.columns import asked_column, names_row, offers
from graph.evidence import Source, Strip
from graph.exchanges import is_question, is_verdict
from graph.extremes import extreme_rows
from graph.language import has_han
from graph.lists import LIST_ITEM, LONGEST_LIST, announces, list_around
from graph.llms.base import Message, Request
from graph.questions import Expected, asks_several, asks_why, extreme, parts
from graph.quotes import cells, header_line, in_fence, quoted, table_rows
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
PART_BAR = 0.9
"""The same for one of several facts that are asked for."""
FOLLOWING = 0.8
"""Of its predecessor's score, what the sentence after a good one is worth where several are asked for."""
ANSWERING = 0.95
"""Of the score of a question that the document itself asks, what the sentence after it is worth."""
DUPLICATE = 0.8
"""Share of a sentence's words found in one quoted before that makes it a repetition."""

COLUMN_MALUS = 0.15
"""Taken from a row whose table has no column for what is asked."""
CODE_MALUS = 0.3
"""Taken from code and log lines where the question does not ask for them."""

_LOG_LINE = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d")
_ASKS_CODE = re.compile(
    r"\bexample|\bcode\b|\bcommand|\bsnippet|\bsyntax|\bscript|示例|例子|代码|命令|语法|脚本|怎么写", re.IGNORECASE
)
# How something is done may be a command; anything else that is asked is not answered by code.
_ASKS_HOW = re.compile(r"\bhow (?:do|does|can|to|should|would)\b|如何|怎么|怎麼|怎样|怎樣", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quote:
    source: Source
    text: str
    line: bool = False
    """Whether it stands on a line of its own."""


class ExtractiveGenerator:
    """Quotes up to `max_sentences`; makes no call, so it never fails."""

    name = "extractive"

    def prompt(self, request: Request) -> Sequence[Message]:
        return ()

    async def generate(self, request: Request) -> AsyncGenerator[str | Usage, None]:
        gap, line = None, False
        for quote in _quotes(request):
            # As the quote is written, not the question: "seconds.[1]The next" is read as one sentence.
            zh = has_han(quote.text)
            gap = "\n" if gap is not None and (quote.line or line) else gap
            yield f"{gap or ''}{_close(quote.text, zh=zh)}{'' if zh else ' '}[{quote.source.number}]"
            gap, line = "" if zh else " ", quote.line

    async def aclose(self) -> None:
        return


def _quotes(request: Request) -> Iterator[Quote]:
    """What to quote: the best sentence for each part of the question, then the next ones in turn."""
    asked = parts(request.standalone)
    sought = [part for part in asked if part not in request.missing]
    several = len(asked) > 1 or asks_several(request.standalone)
    limit = request.config.max_sentences if several else min(FACT_SENTENCES, request.config.max_sentences)
    rankings = [
        _ranked(request, part, number if len(asked) > 1 else None)
        for number, part in enumerate(asked)
        if part in sought
    ]
    said: list[set[str]] = []
    listed: set[tuple[str, int]] = set()
    for rank, candidates in enumerate(zip_longest(*rankings)):
        for source, strip in filter(None, candidates):
            if len(said) >= limit or (source.hit.chunk.id, strip.start) in listed:
                continue
            if several and rank == 0 and len(items := _list_of(source, strip)) > 1:
                listed |= {(source.hit.chunk.id, one.start) for item in items for one in item}
                said.append(set().union(*(content_words(one.text) for item in items for one in item)))
                yield from _list(source, items)
                if len(sought) == 1:
                    return
                continue
            if rank == 0 and len(sought) == 1 and (rows := _compared(sought[0], source, strip)):
                header = header_line(source, strip)
                yield from (Quote(source, quoted(row.text, header, sought), line=len(rows) > 1) for row in rows)
                return
            units = _with_antecedent(strip) if len(said) + 2 <= limit else [_with_verdict(strip)]
            fresh = [unit for unit in units if not _repeats(unit, said)]
            if not fresh or fresh[-1] != units[-1]:
                continue
            said += [content_words(unit) for unit in fresh]
            header = header_line(source, strip)
            for unit in fresh:
                yield Quote(source, quoted(unit, header if unit == strip.text else None, sought))


def _only_announces(source: Source, strip: Strip) -> bool:
    return announces(strip.text) and len(_list_of(source, strip)) < 2


def _list_of(source: Source, strip: Strip) -> list[list[Strip]]:
    """The kept sentences of the list that a strip is of, by item."""
    strips = source.strips
    items = list_around(strips.index(strip), [one.text for one in strips], source.gaps)
    return [[strips[i] for i in item] for item in items]


def _list(source: Source, items: Sequence[Sequence[Strip]]) -> Iterator[Quote]:
    """A list as it stands: what announces it, and an item a line. It counts as one sentence."""
    for first, *further in items:
        mark = LIST_ITEM.match(first.text)
        number = "" if mark is None else f"{mark[1]} " if mark[1][0].isdigit() else "- "
        gap = "" if has_han(first.text) else " "
        yield Quote(source, number + gap.join(quoted(one.text) for one in (first, *further)), line=mark is not None)


def _ranked(request: Request, part: str, number: int | None) -> list[tuple[Source, Strip]]:
    """The strips worth quoting for one part of the question, best first."""
    expected = Expected(part)
    scored = [entry for source in request.sources for entry in _scored(source, part, number, expected)]
    scored = sorted((entry for entry in scored if entry[0] > 0), key=lambda entry: -entry[0])
    if not scored:
        return []
    best, _, strip = scored[0]
    # Where the best sentence gives the reason, no further one is needed.
    settled = asks_why(part) and expected.share(strip.text) == 1.0
    several = asks_several(part) and not settled
    bar = best * (SEVERAL_BAR if several else FACT_BAR if number is None else PART_BAR)
    row = _row_name(strip)
    named = row is not None and names_row(part, row)
    return [
        (each, one)
        for score, each, one in scored
        if score >= bar
        # Of a table in which the question names a row, the others tell of something else.
        and not (named and (other := _row_name(one)) is not None and not names_row(part, other))
        and (not settled or expected.share(one.text) > 0)
    ]


def _compared(part: str, source: Source, best: Strip) -> list[Strip]:
    """For the greatest or the least in a table: the row that holds it, all rows where that cannot be told."""
    header = header_line(source, best) if extreme(part) else None
    rows, whole = table_rows(source, best) if header else ([], False)
    if header is None or asked_column(part, cells(header)) is None:
        return []
    chosen = extreme_rows(part, cells(header), [cells(row.text) for row in rows]) if whole else []
    return [rows[number] for number in chosen] or rows[:LONGEST_LIST]


def _row_name(strip: Strip) -> str | None:
    return cells(strip.text)[0] if strip.text.lstrip().startswith("|") else None


def _scored(source: Source, part: str, number: int | None, expected: Expected) -> list[tuple[float, Source, Strip]]:
    asked, several = content_words(part), asks_several(part)
    code_wanted = _ASKS_CODE.search(part) is not None
    code_allowed = code_wanted or _ASKS_HOW.search(part) is not None
    scored: list[tuple[float, Source, Strip]] = []
    before: tuple[float, Strip] | None = None
    for strip in source.strips:
        score = strip.relevance if number is None else strip.by_part[number]
        header = header_line(source, strip)
        score += KIND_BONUS * expected.share(strip.text, header or "")
        if header and expected and has_han(header) == has_han(part) and not offers(part, cells(header)):
            score -= COLUMN_MALUS
        fenced = in_fence(strip)
        score -= CODE_MALUS if not code_wanted and (fenced or _LOG_LINE.match(strip.text)) else 0.0
        if before and source.adjacent(before[1], strip):
            if is_question(before[1].text) and not is_question(strip.text):
                score = max(score, ANSWERING * before[0])
            elif several or is_verdict(before[1].text):
                score = max(score, FOLLOWING * before[0])
        # A sentence that only repeats the question answers nothing, unless it denies what is asked.
        says = bool(content_words(strip.text) - asked) or (negated(strip.text) and not negated(part))
        # Of a document's own questions and of a bare "Yes." what follows is the answer.
        mute = is_question(strip.text) or is_verdict(strip.text) or _only_announces(source, strip)
        kept = says and not mute and (code_allowed or not fenced)
        scored.append((score if kept else 0.0, source, strip))
        before = (score if says or mute else 0.0, strip)
    return scored


def _with_antecedent(strip: Strip) -> list[str]:
    """The sentence, after the one before it in the passage where it opens with a reference word."""
    before = _before(strip)
    leans = before is not None and refers_back(strip.text) and not is_question(before)
    return [before, strip.text] if before and leans else [_with_verdict(strip)]


def _with_verdict(strip: Strip) -> str:
    """The sentence, with the bare "Yes." before it."""
    before = _before(strip)
    return f"{before} {strip.text}" if before and is_verdict(before) else strip.text


def _before(strip: Strip) -> str | None:
    chunk = strip.hit.chunk
    for (start, end), (next_start, _) in pairwise(split_sentences(chunk.text)):
        if chunk.start + next_start == strip.start:
            return chunk.text[start:end]
    return None


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
