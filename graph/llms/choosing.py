"""Which sentences to quote: their relevance, and whether they are of the kind that the question asks for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunking.sentences import split_sentences
from graph.bearing import Piece, idle_rows, of_one_stem, speaking, tells_by_property
from graph.behind import KNOWN, head_of, told_with
from graph.columns import offers, row_name
from graph.cuts import refers_back
from graph.echoes import affirms, names_beside, only_names, rules, tells_no_figure
from graph.entries import asked as asked_option
from graph.evidence import Source, Strip
from graph.exchanges import is_question, is_verdict
from graph.fields import asks_roll, is_field, tells, tells_of_others
from graph.headings import above, heads_answer, says_question, telling
from graph.language import has_han
from graph.listings import is_setting
from graph.lists import announces, list_around
from graph.llms.base import Request
from graph.llms.further import adds, bears, of_phrase
from graph.outcomes import asks_name, concludes, gives_cause
from graph.questions import Expected, asks_figure_or_name, asks_several, asks_when, asks_why
from graph.quotes import cells, header_line, in_fence
from graph.ranges import in_range
from graph.releases import out_of_release, release_named, tells_release
from graph.support import content_words, negated

KIND_BONUS = 0.2
"""Added to a strip's relevance (0 to 1) where it contains what the question's kind asks for."""
FACT_BAR, SEVERAL_BAR = 0.8, 0.6
"""A further sentence must score this share of the best one's, by whether the question asks for one fact or several.
The bonus and the second were chosen on drcd_zh_hant, xquad_zh and the technical documents; the first on
cmrc2018_zh and xquad_en, where .8 quotes 14 tokens less than .75 and loses no answer."""
PART_BAR = 0.9
"""The same for one of several facts that are asked for."""
FOLLOWING = 0.8
"""Of its predecessor's score, what the sentence after a good one is worth where several are asked for."""
CONCLUDING = 0.9
"""The same for the cause of what a sentence reports where it is asked why, for what was decided about it where it is
asked who or which, and for a field of what is asked ("Deadline: 3 May")."""
ELSEWHERE = 0.5
"""Of the question's words that the best sentence is about, the share that one of another document must be about too
where several are asked for; where one fact is, all of them. Of 820 answers of the public sets that hold the reference 8
have it in another document than their first sentence."""
ANSWERING = 0.95
"""Of the score of a question that the document itself asks, what the sentence after it is worth."""
FOLLOWS = 0.3
"""Least relevance of such a sentence where it is asked how or why: below, it tells of something else."""
ROW_BONUS = 0.4
"""Added to the row or field that has the name of what is asked: other sentences only speak of the same thing.
Set, not fitted: it changes no answer of six public sets for better or worse."""
COLUMN_MALUS = 0.15
"""Taken from a row whose table has no column for what is asked."""
IDLE_MALUS = 0.3
"""Taken from a row that names what is asked about and holds nothing of what is asked of it (`graph.bearing`)."""
CODE_MALUS = 0.3
"""Taken from code and log lines where the question does not ask for them."""

_LOG_LINE = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d")
_ASKS_CODE = re.compile(
    r"\bexample|\bcode\b|\bcommand|\bsnippet|\bsyntax|\bscript|示例|例子|代码|命令|语法|脚本|怎么写", re.IGNORECASE
)
# How something is done may be a command; anything else that is asked is not answered by code.
_ASKS_HOW = re.compile(r"\bhow (?:do|does|can|to|should|would)\b|如何|怎么|怎麼|怎样|怎樣", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Odd:
    """Rows that hold nothing of what is asked, sentences under another release than the asked one, and whether a
    document says nothing of what it is asked of."""

    idle: Sequence[Strip]
    released: Sequence[Strip]
    elsewhere: bool


def ranked(request: Request, part: str, number: int | None) -> list[tuple[Source, Strip]]:
    """The strips worth quoting for one part of the question, best first."""
    expected = Expected(part)
    asked = request.standalone
    pieces = _pieces(request)
    idle_of = idle_rows(part, [piece for _, piece in pieces])
    idle = [strip for (strip, _), idle in zip(pieces, idle_of, strict=True) if idle]
    about = speaking(asked, [piece for _, piece in pieces])
    released = _out_of_release(asked, part, request.sources)
    scored = [
        entry
        for source in request.sources
        for entry in _scored(source, asked, part, number, Odd(idle, released, source.hit.document.id not in about))
    ]
    scored = _of_item(part, _of_range(asked, scored))
    scored = _of_thing(asked, part, sorted((entry for entry in scored if entry[0] > 0), key=lambda entry: -entry[0]))
    if not scored or _less_than_echo(part, request.sources, scored[0][2]):
        return []
    best, source, strip = scored[0]
    home, steady = source.hit.document.id, _one_matter(part)
    # Where the best sentence gives the reason, no further one is needed.
    settled = asks_why(part) and expected.share(strip.text) == 1.0
    one_fact = asks_figure_or_name(part)
    told = one_fact and _share(expected, part, source, strip) >= KNOWN
    several = asks_several(part) and not settled
    section, borne = heads_answer(part, strip.heading), bears(part, strip, strip)
    bar = best * (SEVERAL_BAR if several else FACT_BAR if number is None else PART_BAR)
    row = _row_name(asked, part, source, strip)
    question = _question_above(strip)
    answered = _answers(asked, part, source, strip)
    field = tells(part, strip.text, strip.heading)
    # 陪产假 names no row of 产假.
    others = asked.replace(row, " ") if row else asked
    covers = _covers(part, strip) * (ELSEWHERE if several else 1.0)
    # What has less of it than the sentence that says just this tells something else of the same thing.
    said = rules(part, strip.text) or (
        affirms(part, strip.text) and not content_words(strip.text) - content_words(part)
    )
    chosen = [
        (each, one)
        for score, each, one in scored
        if score >= bar
        and (one is strip or one not in idle)
        and (row is None or _is_row(one) or (score >= best * FACT_BAR and not (answered and number is None)))
        # A list is told whole where it answers best, or not announced.
        and (one is strip or not announces(one.text))
        # Where the question names a row, the others tell of something else.
        and (row is None or not _is_row(one) or row in cells(one.text) or _row_name(others, part, each, one))
        and (not answered or not _is_row(one) or _answers(asked, part, each, one))
        # Who was at a meeting is told by its own roll, not by another's, and by nothing else.
        and (not field or not asks_roll(part) or tells(part, one.text, one.heading))
        and (not field or not tells(part, one.text, one.heading) or _named(asked, one) >= _named(asked, strip))
        # Of the questions that a document asks itself, the answers to others tell of something else.
        and (question is None or (several and not steady) or _question_above(one) in (None, question))
        and (each.hit.document.id == home or not steady or _own(one, number) >= FACT_BAR)
        # Of another document only what is about as much of the question.
        and (each.hit.document.id == home or _covers(part, one) >= max(covers, 1))
        and (not said or refers_back(one.text) or _covers(part, one) >= _covers(part, strip))
        and (not (settled or told) or _share(expected, part, each, one) > 0)
        and (not section or one.heading == strip.heading)
        and (
            one is strip
            or _is_row(one)
            or adds(part, one, strip, several)
            or not (borne or (one_fact and _share(expected, part, each, one) == 0))
        )
    ]
    if not (told or said):
        chosen[1:1] = [entry for entry in of_phrase(part, strip, scored) if entry not in chosen]
    # Where it is asked how much, what has no number tells something else of the same thing; but a price is on request.
    figured = answered or said or not tells_no_figure(part, _told(part, chosen))
    return chosen if figured else []


def _less_than_echo(part: str, sources: Sequence[Source], best: Strip) -> bool:
    """Whether a sentence has less of the question than one that only echoes it: then nothing is told of it, unless it
    is the very field."""
    if tells(part, best.text, best.heading) or refers_back(best.text):
        return False
    echoes = [
        one for source in sources for one in source.strips if only_names(part, one.text) and not _headed(part, one)
    ]
    return any(_covers(part, one) > _covers(part, best) for one in echoes)


def _headed(part: str, strip: Strip) -> bool:
    """Whether a heading tells what is asked: "New: dark mode." is told by the version above it."""
    return telling(part, strip.text, above(strip)) is not None or tells_release(part, above(strip)) is not None


def _out_of_release(asked: str, part: str, sources: Sequence[Source]) -> list[Strip]:
    """The sentences under another release than the asked one; of the latest, all others where a passage has it."""
    strips = [strip for source in sources for strip in source.strips]
    texts, headings = [one.text for one in strips], [above(one) for one in strips]
    question = part if release_named(part) else asked
    outside = out_of_release(question, texts, headings, [one.hit.document.id for one in strips])
    return [one for one, out in zip(strips, outside, strict=True) if out]


def _told(part: str, chosen: Sequence[tuple[Source, Strip]]) -> Iterator[str]:
    """What would be told: the sentences, their headings, and what completes them or is of their lists."""
    for source, strip in chosen:
        yield strip.text
        yield from above(strip)
        yield from (one.text for item in list_of(source, strip) for one in item)
        yield from _completing(part, source, strip)


def _scored(
    source: Source, question: str, part: str, number: int | None, odd: Odd
) -> list[tuple[float, Source, Strip]]:
    asked, several, why, expected = content_words(part), asks_several(part), asks_why(part), Expected(part)
    least = FOLLOWS if _one_matter(part) else 0.0
    option = asked_option(question)
    code_wanted = _ASKS_CODE.search(part) is not None
    code_allowed = code_wanted or _ASKS_HOW.search(part) is not None
    scored: list[tuple[float, Source, Strip]] = []
    before: tuple[float, Strip] | None = None
    for strip in source.strips:
        own = _own(strip, number)
        header = header_line(source, strip)
        under = says_question(part, strip.heading)
        if strip in odd.idle:
            score = own - IDLE_MALUS
        elif odd.elsewhere:
            score = own + KIND_BONUS * _share(expected, part, source, strip)
        elif (
            under
            or rules(part, strip.text)
            or _answers(question, part, source, strip)
            or tells(part, strip.text, strip.heading)
        ):
            score = own + ROW_BONUS
        else:
            score = own + KIND_BONUS * _share(expected, part, source, strip)
            if header and expected and has_han(header) == has_han(part) and not offers(part, cells(header)):
                score -= COLUMN_MALUS
        # The lines of a settings file say what they set, fenced or not.
        fenced = in_fence(strip) and not is_setting(strip)
        score -= CODE_MALUS if not code_wanted and (fenced or _LOG_LINE.match(strip.text)) else 0.0
        if before and source.adjacent(before[1], strip):
            if is_question(before[1].text) and not is_question(strip.text):
                score = max(score, ANSWERING * before[0])
            elif tells(part, strip.text) or (
                gives_cause(strip.text) if why else concludes(strip.text) and asks_name(part)
            ):
                score = max(score, CONCLUDING * before[0])
            elif (several and own >= least) or is_verdict(before[1].text):
                score = max(score, FOLLOWING * before[0])
        # A sentence that only repeats the question answers nothing, unless it is asked whether that is so, or denies
        # what is asked, or says that an option is required where it is asked whether.
        says = bool(content_words(strip.text) - asked) or (negated(strip.text) and not negated(part))
        says |= (
            affirms(part, strip.text) or rules(part, strip.text) or (option is not None and option.tells(strip.text))
        )
        # "Removed: the spell checker." under the version that is asked for, or before the date.
        headed = _headed(part, strip)
        says = says or headed or bool(_completing(part, source, strip))
        # Of a document's own questions and of a bare "Yes." what follows is the answer.
        mute = (
            strip in odd.released or is_question(strip.text) or is_verdict(strip.text) or _only_announces(source, strip)
        )
        mute = mute or any(one.heading == strip.text.strip() for one in source.strips)
        mute = mute or (not headed and (only_names(part, strip.text) or names_beside(part, strip.text)))
        kept = (
            says and not mute and (code_allowed or not fenced) and not tells_of_others(part, strip.text, strip.heading)
        )
        scored.append((score if kept else 0.0, source, strip))
        before = (score if says or mute else 0.0, strip)
    return scored


def _of_thing(asked: str, part: str, scored: list[tuple[float, Source, Strip]]) -> list[tuple[float, Source, Strip]]:
    """Without the rows of other things where the best is a row that many documents have: of the ``batch_size`` of all
    connectors that of the one whose page is about most of the question."""
    if not scored or not _answers(asked, part, *scored[0][1:]):
        return scored
    name = _row_name(asked, part, *scored[0][1:])
    same = [entry for entry in scored if _is_row(entry[2]) and _row_name(asked, part, *entry[1:]) == name]
    option = asked_option(asked)
    thing = content_words(asked) if option is None else option.about
    above = [of_one_stem(thing, _above(strip)) for _, _, strip in same]
    rows = Counter(word for words in above for word in words)
    # What stands above one of them alone tells it from the others.
    about = [sum(1 / rows[word] for word in words) for words in above]
    homes = {
        strip.hit.document.id for (_, _, strip), share in zip(same, about, strict=True) if share >= max(about) - 1e-9
    }
    fewer = [entry for entry in same if entry[2].hit.document.id not in homes]
    return [entry for entry in scored if entry not in fewer]


def _above(strip: Strip) -> set[str]:
    """The words of what stands above a sentence."""
    return content_words("\n".join((strip.hit.document.title, *strip.hit.chunk.heading_path, strip.heading)))


def _covers(part: str, strip: Strip) -> int:
    """How many words of a question are in a sentence or in what stands above it."""
    return len(of_one_stem(content_words(part), _above(strip) | content_words(strip.text)))


def _pieces(request: Request) -> list[tuple[Strip, Piece]]:
    return [
        (one, Piece(one.hit.document.id, one.text, header_line(source, one), one.heading, one.hit.document.title))
        for source in request.sources
        for one in source.strips
    ]


def _named(question: str, strip: Strip) -> int:
    """How many words of the question are in what stands above a sentence."""
    return len(content_words(question) & _above(strip))


def _of_range(question: str, scored: list[tuple[float, Source, Strip]]) -> list[tuple[float, Source, Strip]]:
    """Of the rows that tell ranges, those that hold the value which the question names before all, and the others not
    at all: 12 days are for more than five years, not for four."""
    holds = in_range(question, ((header_line(source, strip), strip.text) for _, source, strip in scored))
    return [
        (score if held is None else score + ROW_BONUS if held and score else 0.0, source, strip)
        for held, (score, source, strip) in ((holds.get(i), entry) for i, entry in enumerate(scored))
    ]


def _of_item(part: str, scored: list[tuple[float, Source, Strip]]) -> list[tuple[float, Source, Strip]]:
    """Without the fields of items ("Owner: Ada Byron.") that have less of the question than another that has some."""
    words = content_words(part)
    heads = [_head(source, strip) if is_field(strip.text) else None for _, source, strip in scored]
    shared = [0 if one is None else len(words & content_words(one.text)) for one in heads]
    most = max(shared, default=0)
    return [
        (0.0 if one is not None and own < most else score, source, strip)
        for one, own, (score, source, strip) in zip(heads, shared, scored, strict=True)
    ]


def _completing(part: str, source: Source, strip: Strip) -> list[str]:
    """The other kept sentences that complete what one says of the question."""
    texts = [one.text for one in source.strips]
    return [texts[i] for i in told_with(part, texts, source.gaps, source.strips.index(strip))]


def _share(expected: Expected, part: str, source: Source, strip: Strip) -> float:
    """How much of what is expected a sentence has, a Chinese one with the date behind it: it need not name again what
    is due."""
    header = header_line(source, strip) or ""
    own = expected.share(strip.text, header)
    if own == 1.0 or not (asks_when(part) and has_han(part) and has_han(strip.text)):
        return own
    return expected.share("\n".join((strip.text, *_completing(part, source, strip))), header)


def _head(source: Source, strip: Strip) -> Strip | None:
    """The sentence of the item that a kept field is of."""
    strips = source.strips
    first = head_of([one.text for one in strips], source.gaps, strips.index(strip))
    return None if first is None else strips[first]


def _own(strip: Strip, number: int | None) -> float:
    """A sentence's relevance to the question, or to the part of this number."""
    return strip.relevance if number is None else strip.by_part[number]


def _one_matter(part: str) -> bool:
    """How and why something is done is told in one place, where comparisons and lists may be gathered."""
    return _ASKS_HOW.search(part) is not None or asks_why(part)


def _is_row(strip: Strip) -> bool:
    return strip.text.lstrip().startswith("|")


def _answers(question: str, part: str, source: Source, strip: Strip) -> bool:
    """Whether a strip is a row that the question names, and has what a part of it asks for."""
    header = header_line(source, strip) if _is_row(strip) else None
    if header is None:
        return False
    names, row = cells(header), cells(strip.text)
    return tells_by_property(part, names, row[0]) or (row_name(question, row) is not None and offers(part, names))


def _row_name(question: str, part: str, source: Source, strip: Strip) -> str | None:
    """The cell that says of which thing a row tells what is asked for; None for rows of others."""
    if not _is_row(strip):
        return None
    row, header = cells(strip.text), header_line(source, strip)
    told = header is not None and tells_by_property(part, cells(header), row[0])
    return row[0] if told else row_name(question, row)


def _question_above(strip: Strip) -> str | None:
    """The last question that the passage asks before a sentence."""
    chunk = strip.hit.chunk
    before = [chunk.text[start:end] for start, end in split_sentences(chunk.text) if chunk.start + end <= strip.start]
    return next((each for each in reversed(before) if is_question(each)), None)


def _only_announces(source: Source, strip: Strip) -> bool:
    return announces(strip.text) and len(list_of(source, strip)) < 2


def list_of(source: Source, strip: Strip) -> list[list[Strip]]:
    """The kept sentences of the list that a strip is of, by item."""
    strips = source.strips
    items = list_around(strips.index(strip), [one.text for one in strips], source.gaps)
    return [[strips[i] for i in item] for item in items]
