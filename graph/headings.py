"""Headings that answer: "## 4.1.3 (3 March 2025)" says which version, and what stands under "What went well" is what
the question "What went well?" asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graph.evidence import Strip
from graph.exchanges import is_question
from graph.fields import bare
from graph.members import asks_yes_or_no
from graph.questions import kinds
from graph.support import content_words, known_words

COVERED = 0.6
"""Share of a question's words that a heading must have to say the question."""
LONGEST = 80
"""Characters of a heading that is told."""

_DATE = (
    r"(?<![\w-])(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?(?![\w-])"
    r"|\b\d{1,2}\.? (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
    r"|\d{1,2}月|\d年|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|[周星][期]?[一二三四五六日]|\d{1,2}[:：]\d\d"
)
_VERSION = r"\bv?\d+\.\d+(?:\.\d+)*\b|\bv\d+\b|\b(?:version|release) \d+|版本\s?\d"
_TOLD = tuple(
    (re.compile(asks, re.IGNORECASE), re.compile(tells, re.IGNORECASE))
    for asks, tells in (
        (
            r"\b(?:which|what) (?:[\w.]+ ){0,3}(?:version|release|update)\b|\b(?:since|from) which\b"
            r"|[哪几幾][个個一]?(?:版本|[发發]行版|版)|什[么麼]版本",
            _VERSION,
        ),
        (
            r"(?:\A\W*|\b(?:since|and) )when (?:was|were|did|has|have|had)\b"
            r"|\b(?:which|what) (?:year|date|day|month|time|quarter)\b|[何什][么麼]?[时時]候?|哪一?[年天日月]"
            r"|[几幾][年月号號日点點]",
            _DATE,
        ),
        (
            r"\b(?:which|what) (?:chapter|section|article|clause|part|appendix|annex|paragraph)\b"
            r"|[哪几幾第][几幾一]?[个個]?(?:章|[节節]|[条條]|部分|附[录錄件])",
            r"\A\s*(?:\d+(?:\.\d+)*[.)]?\s+\S|(?:chapter|section|article|clause|part|appendix|annex)\b"
            r"|第[一二三四五六七八九十百零\d]+[章节節条條]|[一二三四五六七八九十]+、|附[录錄件])",
        ),
    )
)


def says_question(question: str, heading: str) -> bool:
    """Whether a heading of two words or more says what is asked: what stands under it is meant."""
    own, asked = known_words(bare(heading)), known_words(question)
    # A product's name heads all of its page.
    named = sum(map(str.isalpha, own)) > 1 and own <= asked and len(own) >= COVERED * len(asked)
    return named and not (is_question(heading) and _asks_else(question, heading))


def heads_answer(question: str, heading: str) -> bool:
    """Whether a heading asks what is asked: all that stands under it is the answer."""
    return is_question(heading) and says_question(question, heading)


def _asks_else(question: str, heading: str) -> bool:
    """Whether one of two questions asks whether, and the other how, or one when, and the other how much."""
    if asks_yes_or_no(question) != asks_yes_or_no(heading):
        return True
    kinds_of = [{kind.asks.pattern for kind in kinds(each)} for each in (question, heading)]
    return all(kinds_of) and not set.intersection(*kinds_of)


def above(strip: Strip) -> Sequence[str]:
    """The headings above a sentence, the nearest first, without the document's title."""
    found = dict.fromkeys((strip.heading, *reversed(strip.hit.chunk.heading_path)))
    return [heading for heading in found if heading and heading != strip.hit.document.title]


def telling(question: str, text: str, headings: Sequence[str]) -> str | None:
    """The nearest of the headings above a sentence that says what a question asks for and the sentence does not: which
    version, when, which chapter."""
    asked = content_words(question)
    for asks, tells in _TOLD:
        # "Removed: support for Windows 8.1" has a version, but the one that the question says itself.
        if not asks.search(question) or any(own[0] not in question for own in tells.finditer(text)):
            continue
        for heading in headings:
            told = tells.search(heading)
            if told and len(heading) <= LONGEST and told[0] not in question and not content_words(heading) <= asked:
                return heading
    return None
