"""How closely the best sentences of a search meet the question: token by token (`retrieval.interaction`), and as the
embedder's own network for answers judges them (`retrieval.embedders.base.TokenReader.answer_chances`)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from graph.aliases import Alias, aliases, spelt_with_names
from graph.bearing import idle_rows, touches
from graph.composed import compared, described
from graph.cuts import Cut, cut
from graph.entries import asked, entries, worth
from graph.questions import extreme
from graph.releases import tells_release
from graph.strips import relevances
from retrieval.embedders.base import Embedder, TokenReader, token_reader
from retrieval.embedding import embed
from retrieval.interaction import matched_shares, read_text
from retrieval.types import Hit

SENTENCES = 4
"""Read token by token, the most relevant ones. Three lose .003 of the AUC on other sets, eight gain nothing, neither
there nor in the choice of what is quoted."""

RELEASED = 0.98
"""Chance of an answer where a heading is one, of when a version came out or which is the latest
(`graph.releases.tells_release`): the network judges sentences, and gave the items below it .02 to .2."""


@dataclass(frozen=True, slots=True)
class _Read:
    share: float
    """0 to 1, of the question's information that the sentence matches."""
    chance: float
    """0 to 1, that it answers."""
    row: bool
    """Of a table."""


def with_interaction(
    question: str, hits: Sequence[Hit], likely: Sequence[float], embedder: Embedder
) -> tuple[Hit, ...]:
    """The hits, those with one of the best sentences with ``interaction``: the highest share, 0 to 1, of the question's
    information that one of theirs matches.

    They have ``answers`` too: the highest chance, 0 to 1, that one of their sentences, or a heading, answers the
    question; not where it takes several to answer it. The hit of the best matched sentence of all has ``ahead``: how
    far it is above the mean of the others. Rows of one table are alike whatever they hold, so a row has none.

    All have ``entry`` where the question asks for one (`graph.entries`), whether or not the embedder reads tokens.
    `likely` holds a probability for each hit. Blocking. Raises ProviderError.
    """
    reader = token_reader(embedder)
    cuts = [cut(hit, probability) for hit, probability in zip(hits, likely, strict=True)]
    hits = _with_entry(question, cuts)
    texts = [one.text(i) for one in cuts for i in range(len(one.spans))]
    if reader is None or not texts:
        return hits
    cosines = embed(embedder, texts, "passage") @ embed(embedder, [question], "query")[0]
    read = _read(question, cuts, relevances(question, cuts, np.asarray(cosines, np.float64)), reader)
    if not read:
        return hits
    added: dict[int, dict[str, float]] = {}
    for (passage, _), one in sorted(read.items(), key=lambda item: item[1].share):
        added[passage] = {"interaction": one.share}
    if not _takes_several(question, read.values()):
        for (passage, _), one in sorted(read.items(), key=lambda item: item[1].chance):
            added[passage]["answers"] = one.chance
        for passage, _ in _headed(question, cuts):
            added.setdefault(passage, {})["answers"] = RELEASED
    first, top = max(read.items(), key=lambda item: item[1].share)
    others = [one.share for place, one in read.items() if place != first]
    if others and not top.row:
        added[first[0]]["ahead"] = top.share - sum(others) / len(others)
    return tuple(
        replace(hit, signals={**hit.signals, **added[number]}) if number in added else hit
        for number, hit in enumerate(hits)
    )


def _headed(question: str, cuts: Sequence[Cut]) -> set[tuple[int, int]]:
    """(passage, sentence) of the first sentence below each heading that is the answer."""
    found: dict[tuple[int, str], tuple[int, int]] = {}
    for p, one in enumerate(cuts):
        for i, heading in enumerate(one.headings):
            if tells_release(question, (heading, *reversed(one.hit.chunk.heading_path))):
                found.setdefault((p, heading), (p, i))
    return set(found.values())


def _takes_several(question: str, read: Collection[_Read]) -> bool:
    """Whether no one of the sentences answers: of two hops or two things, or as no row tells that it has the most."""
    if asked(question) is not None:
        return False
    return described(question) or compared(question) or (bool(extreme(question)) and any(one.row for one in read))


def _with_entry(question: str, cuts: Sequence[Cut]) -> tuple[Hit, ...]:
    hits = tuple(one.hit for one in cuts)
    if (sought := asked(question)) is None:
        return hits
    telling = [bool(entries(sought, one.sentences())) for one in cuts]
    return tuple(
        replace(hit, signals={**hit.signals, "entry": value})
        for hit, value in zip(hits, worth(sought, hits, telling), strict=True)
    )


def closer(
    question: str, cuts: Sequence[Cut], relevance: Sequence[Sequence[float]], embedder: Embedder
) -> list[list[float]]:
    """The relevances of `graph.strips.relevances`, again 0 to 1, with the most relevant sentences told apart by their
    tokens and by whether they answer. A sentence that was not read counts as the least of those that were; rows that
    hold nothing of what is asked are not read. Blocking.
    """
    reader = token_reader(embedder)
    pieces = [piece for one in cuts for piece in one.pieces()]
    places = [(p, i) for p, one in enumerate(cuts) for i in range(len(one.spans))]
    idle = {
        place
        for place, piece, idle in zip(places, pieces, idle_rows(question, pieces), strict=True)
        if idle or (piece.header is not None and not touches(question, piece))
    }
    read = {} if reader is None else _read(question, cuts, relevance, reader, idle)
    if not read:
        return [list(scores) for scores in relevance]
    gained = {place: one.share + one.chance for place, one in read.items()}
    least = min(gained.values())
    gained.update(dict.fromkeys(_headed(question, cuts), 1.0 + RELEASED))
    added = [
        [score + gained.get((p, i), least) if score else 0.0 for i, score in enumerate(scores)]
        for p, scores in enumerate(relevance)
    ]
    best = max(max(scores) for scores in added if scores)
    return [[score / best for score in scores] for scores in added]


def best_sentences(
    cuts: Sequence[Cut],
    relevance: Sequence[Sequence[float]],
    count: int,
    without: Collection[tuple[int, int]] = (),
) -> list[tuple[int, int]]:
    """(passage, sentence) of the most relevant sentences, best first. No table header, no span twice, none of those
    that are to be left out."""
    order = sorted(
        ((score, -p, -i) for p, scores in enumerate(relevance) for i, score in enumerate(scores)), reverse=True
    )
    chosen: dict[tuple[str, int, int], tuple[int, int]] = {}
    for _, p, i in order:
        one, index = cuts[-p], -i
        if index not in one.headers and len(chosen) < count and (-p, index) not in without:
            chosen.setdefault((one.hit.chunk.document_id, *one.spans[index]), (-p, index))
    return list(chosen.values())


def _read(
    question: str,
    cuts: Sequence[Cut],
    relevance: Sequence[Sequence[float]],
    reader: TokenReader,
    without: Collection[tuple[int, int]] = (),
) -> dict[tuple[int, int], _Read]:
    places = best_sentences(cuts, relevance, SENTENCES, without)
    by_document: dict[str, tuple[Alias, ...]] = {}
    for one in cuts:
        document = one.hit.chunk.document_id
        by_document[document] = (*by_document.get(document, ()), *aliases(one.hit.chunk.text))
    texts = [
        read_text(spelt_with_names(cuts[p].in_context(i), by_document[cuts[p].hit.chunk.document_id]))
        for p, i in places
    ]
    chances = reader.answer_chances(question, texts)
    shares = matched_shares(question, texts, reader)
    rows = [cuts[p].text(i).startswith("|") for p, i in places]
    return dict(zip(places, map(_Read, shares, chances, rows), strict=True))
