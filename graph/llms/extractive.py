"""Answers without a language model: the sentences that answer best, quoted from the sources with their markers."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from chunking.sentences import split_sentences
from graph.behind import told_with
from graph.cuts import ANTECEDENTS, cut
from graph.evidence import Source, Strip
from graph.exchanges import is_question, is_verdict, without_label
from graph.headings import above, heads_answer, telling
from graph.language import has_han
from graph.lines import is_field
from graph.lists import LIST_ITEM, items_around
from graph.llms.base import Message, Request, Rest
from graph.llms.choosing import list_of, ranked
from graph.llms.order import Unit, in_order
from graph.llms.rows import rows_asked_for
from graph.questions import asks_several, asks_whole, parts
from graph.quotes import header_line, quoted
from graph.releases import tells_release
from graph.support import content_words
from graph.types import Usage

FACT_SENTENCES = 3
"""Quoted at most where one fact is asked for."""
PART_SENTENCES = 2
"""The same for each of several facts."""
DUPLICATE = 0.8
"""Share of a sentence's words found in one quoted before that makes it a repetition."""

_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[A-Za-z]{2,}")


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

    async def generate(self, request: Request) -> AsyncGenerator[str | Usage | Rest, None]:
        gap, line = None, False
        # In no thread: what is quoted when an answer's time is over must not have to wait.
        for quote in _quotes(request):
            if isinstance(quote, Rest):
                yield quote
                continue
            # As the quote is written, not the question: "seconds.[1]The next" is read as one sentence.
            zh = _reads_chinese(quote.text)
            gap = "\n" if gap is not None and (quote.line or line) else gap
            yield f"{gap or ''}{_close(quote.text, zh=zh)}{'' if zh else ' '}[{quote.source.number}]"
            gap, line = "" if zh else " ", quote.line

    async def aclose(self) -> None:
        return


def _quotes(request: Request) -> Iterator[Quote | Rest]:
    """What to quote: the best sentence for each part of the question, then the next ones in turn.

    A list or a table of which not all is told is followed by what it lacks.
    """
    asked = parts(request.standalone)
    sought = [part for part in asked if part not in request.missing]
    rankings = [
        ranked(request, part, number if len(asked) > 1 else None) for number, part in enumerate(asked) if part in sought
    ]
    best = next((ranking[0][1] for ranking in rankings if ranking), None)
    several = len(asked) > 1 or asks_several(request.standalone) or (best and heads_answer(sought[0], best.heading))
    limit = request.config.max_sentences if several else min(FACT_SENTENCES, request.config.max_sentences)
    said: list[set[str]] = []
    listed: set[tuple[str, int]] = set()
    named: set[str | None] = {None}
    units: list[Unit] = []
    yield from _releases(sought, rankings)
    for rank, candidates in enumerate(zip_longest(*rankings)):
        for part, (source, strip) in ((part, each) for part, each in zip(sought, candidates, strict=True) if each):
            if len(said) >= limit or (source.hit.chunk.id, strip.start) in listed:
                continue
            if rank >= PART_SENTENCES and len(asked) > 1 and not asks_several(part):
                continue
            whole = asks_whole(request.standalone) if len(asked) == 1 else asks_whole(part)
            if whole and rank == 0 and len(items := list_of(source, strip)) > 1:
                listed |= {(source.hit.chunk.id, one.start) for item in items for one in item}
                said.append(set().union(*(content_words(one.text) for item in items for one in item)))
                yield from _told(units, sought, named)
                units.clear()
                yield from _list(source, items)
                told = sum(LIST_ITEM.match(first.text) is not None for first, *_ in items)
                if (total := items_around(request.text_of(source.hit.document.id), strip.start)) > told:
                    yield Rest(told, total, source.number)
                if len(sought) == 1:
                    return
                continue
            if rank == 0 and len(sought) == 1 and (rows := rows_asked_for(request, sought[0], source, strip)).said:
                yield from (Quote(each, text, line=len(rows.said) > 1) for each, text in rows.said)
                if rows.total > len(rows.said):
                    yield Rest(len(rows.said), rows.total, rows.said[-1][0].number)
                return
            room = limit - len(said) - 1
            sentences = _with_antecedents(strip, ANTECEDENTS if len(asked) == 1 else 1)
            fresh = [sentence for sentence in sentences if not _repeats(sentence, said)]
            if not fresh or fresh[-1] != sentences[-1]:
                continue
            if len(fresh) - 1 > room:
                # A further sentence is not told without what it points at.
                if rank and len(asked) == 1:
                    continue
                fresh = fresh[-room - 1 :] if room else [_with_verdict(strip)]
            said += [content_words(sentence) for sentence in fresh]
            line = is_field(strip.hit.chunk.text, *(at - strip.hit.chunk.start for at in (strip.start, strip.end)))
            before, behind = (
                [one for one in beside if (source.hit.chunk.id, one.start) not in listed]
                for beside in _completing(part, source, strip, fresh)
            )
            listed |= {(source.hit.chunk.id, one.start) for one in (*before, strip, *behind)}
            said[-1] = said[-1].union(*(content_words(one.text) for one in (*before, *behind)))
            heading = None if behind else telling(part, strip.text, above(strip))
            units.append(Unit(source, strip, fresh, before, behind, heading, line))
    yield from _told(in_order(request.standalone, units) if len(asked) == 1 else units, sought, named)


def _told(units: Sequence[Unit], sought: Sequence[str], named: set[str | None]) -> Iterator[Quote]:
    """The sentences as they are said; a heading before the first that needs it, and never again once it is `named`."""
    for unit in units:
        header = header_line(unit.source, unit.strip)
        texts = [
            *(quoted(one.text) for one in unit.before),
            *(quoted(one, header if one == unit.strip.text else None, sought) for one in unit.said),
            *(quoted(one.text) for one in unit.behind),
        ]
        if unit.heading is not None and unit.heading not in named:
            texts[0] = _under(unit.heading, texts[0])
        named.add(unit.heading)
        yield from (Quote(unit.source, text, unit.line) for text in texts)


def _releases(sought: Sequence[str], rankings: Sequence[list[tuple[Source, Strip]]]) -> Iterator[Quote]:
    """The headings of release notes that are answers by themselves: of their parts nothing else is left to tell."""
    for part, ranking in zip(sought, rankings, strict=True):
        if ranking and (heading := tells_release(part, above(ranking[0][1]))):
            yield Quote(ranking[0][0], quoted(heading))
            ranking.clear()


def _list(source: Source, items: Sequence[Sequence[Strip]]) -> Iterator[Quote]:
    """A list as it stands: what announces it, and an item a line. It counts as one sentence."""
    for first, *further in items:
        mark = LIST_ITEM.match(first.text)
        number = "" if mark is None else f"{mark[1]} " if mark[1][0].isdigit() else "- "
        gap = "" if has_han(first.text) else " "
        yield Quote(source, number + gap.join(quoted(one.text) for one in (first, *further)), line=mark is not None)


def _completing(
    part: str, source: Source, strip: Strip, told: Sequence[str]
) -> tuple[Sequence[Strip], Sequence[Strip]]:
    """The kept sentences before and behind one that complete what it says of the question."""
    strips = source.strips
    index = strips.index(strip)
    beside = told_with(part, [one.text for one in strips], source.gaps, index)
    kept = [(i, strips[i]) for i in beside if strips[i].text not in told]
    return [one for i, one in kept if i < index], [one for i, one in kept if i > index]


def _under(heading: str, text: str) -> str:
    """What is quoted, behind its heading."""
    named = quoted(heading)
    return f"{named}：{text}" if _reads_chinese(text) else f"{named}: {text}"


def _with_antecedents(strip: Strip, most: int) -> list[str]:
    """The sentence, after those before it in the passage that it points at."""
    made = cut(strip.hit, 1.0)
    index = next((i for i, (start, _) in enumerate(made.spans) if start == strip.start), 0)
    found = [strip.text]
    for i in reversed(made.antecedents(index, most)):
        if is_question(made.text(i)) or made.headings[i] != made.headings[index]:
            break
        found.insert(0, made.text(i))
    return found if len(found) > 1 else [_with_verdict(strip)]


def _with_verdict(strip: Strip) -> str:
    """The sentence, with the bare "Yes." before it; without the "A:" of one that answers a question before it."""
    further, before = _two_before(strip)
    if before and is_verdict(before):
        gap = "" if has_han(before) else " "
        return f"{without_label(before, further)}{gap}{strip.text}"
    return without_label(strip.text, before)


def _two_before(strip: Strip) -> tuple[str | None, str | None]:
    """The two sentences before it in the passage."""
    chunk = strip.hit.chunk
    spans = split_sentences(chunk.text)
    before = [chunk.text[start:end] for start, end in spans if chunk.start + start < strip.start]
    known = any(chunk.start + start == strip.start for start, _ in spans)
    further, last = [None, None, *before][-2:]
    return (further, last) if known else (None, None)


def _repeats(text: str, said: list[set[str]]) -> bool:
    """Whether nearly all of a sentence has been said; what differs in a number is another fact."""
    words = content_words(text)
    figures = {word for word in words if any(map(str.isdigit, word))}
    same = (before for before in said if len(words & before) >= DUPLICATE * len(words))
    return not words or any(figures <= before for before in same)


def _reads_chinese(text: str) -> bool:
    """Whether a quote has as many Chinese characters as words of letters: one name in it changes no language."""
    return len(_HAN.findall(text)) >= max(len(_WORD.findall(text)), 1)


def _close(text: str, *, zh: bool) -> str:
    """With a full stop where the sentence has no end of its own."""
    if text[-1:] in ".!?。！？…;；:：\"'”’」』)）":
        return text
    return text + ("。" if zh else ".")
