"""Which sentences are told beside the best one: those that bear on the question too."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graph.bearing import of_one_stem
from graph.cuts import refers_back
from graph.evidence import Source, Strip
from graph.headings import above
from graph.language import has_han
from graph.phrases import has_phrase, phrases
from graph.support import known_words

PHRASE_BAR = 0.4
"""Of the best one's score, what the sentence beside it must have that alone has a whole name of the question. Set."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def bears(part: str, strip: Strip, best: Strip) -> bool:
    """Whether a sentence or a heading above it has a number of the question, or a word of it that the document's title
    has not: "On the enterprise plan it is 90 days" behind "Logs are kept for 14 days". Where the best sentence has none
    but the title's words, these count too."""
    # Words of another language tell nothing.
    if has_han(strip.text) != has_han(part):
        return False
    asked, title = known_words(part), known_words(best.hit.document.title)
    known = _shared(asked, best)
    numbers = {*_NUMBER.findall(part)} & {*_NUMBER.findall(strip.text)}
    return bool(numbers or _shared((asked - title) | (set() if known - title else known), strip))


def _shared(words: set[str], strip: Strip) -> set[str]:
    return of_one_stem(words, known_words("\n".join((strip.text, *above(strip)))))


def adds(part: str, strip: Strip, best: Strip, several: bool) -> bool:
    """Whether a further sentence bears on the question, or may still be about it: it points at the one before, or
    stands behind the best one where several are asked for."""
    if bears(part, strip, best) or has_han(strip.text) != has_han(best.text) or refers_back(strip.text):
        return True
    return several and strip.hit.chunk.id == best.hit.chunk.id and strip.start > best.start


def of_phrase(part: str, best: Strip, scored: Sequence[tuple[float, Source, Strip]]) -> list[tuple[Source, Strip]]:
    """The sentence beside the best one that alone has a name of two words which the question asks of: "Business class
    needs a signature." beside "Flights are booked in economy class"."""
    around = "\n".join((best.text, *above(best), best.hit.document.title))
    lacking = [each for each in phrases(part) if not has_phrase(around, each)]
    if not lacking or refers_back(best.text):
        return []
    top = scored[0][0]
    having = [
        (score, source, strip) for score, source, strip in scored if any(has_phrase(strip.text, one) for one in lacking)
    ]
    return [
        (source, strip)
        for score, source, strip in having
        if len(having) == 1 and score >= top * PHRASE_BAR and strip.hit.chunk.id == best.hit.chunk.id
        if strip.heading == best.heading and not strip.text.lstrip().startswith("|")
    ]
