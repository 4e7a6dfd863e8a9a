"""Whether a table row that names the thing a question is about also holds something of what is asked of it.

A data sheet repeats the name of its product in the price list, the order codes and the spare parts: such a row shares
the rarest word with every question about the product, and answers none but those after its own columns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graph.columns import names_row, offers, tells_by_row
from graph.measures import measures
from graph.naming import names, same
from graph.quotes import cells
from graph.support import content_words, identifiers, known_words

STEM = 5
"""Letters in which two words must begin alike to be of one stem: "supplies" is told below "supplier"."""

_ITEMS = re.compile(r"items?|[项項]目", re.IGNORECASE)
_OPEN = re.compile(
    r"values?|details?|contents?|data|figures?|ratings?|spec(?:ification)?s?|requirements?|limits?|min\.?|max\.?|typ\.?"
    r"|units?|remarks?|notes?"
    r"|[数數]?值|[参參][数數]|[内內]容|[说說]明|[詳详]情|[规規][格定]|[标標][准準]|要求|[结結]果|[单單]位|[备備][注註]",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:long|much|many|often|far|old|kinds?|types?|sorts?|does|did|have|has|get|got|needs?|called|named?|tell|know"
    r"|please|exactly|means?)\b",
    re.IGNORECASE,
)
"""Words of asking and of having: no cell holds what is asked because it has one of them."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence or row with what stands above it. `header` is None for anything but a row of a table that has one."""

    document: str
    text: str
    header: str | None
    heading: str
    title: str


def tells_by_property(question: str, header: Sequence[str], first: str) -> bool:
    """`tells_by_row`, but where "Item" heads things with their order numbers and prices, none of them is a property."""
    return tells_by_row(question, header, first) and not _of_things(question, header)


def idle_rows(question: str, pieces: Sequence[Piece]) -> list[bool]:
    """For each piece whether it is a row that names what the question is about, in a cell or above a column, and has no
    column, word or unit of what is asked of it.

    None is where its document has nothing else about the thing, nor a word of what is asked: 量程 may stand below 规格.
    """
    beyond = [frozenset[str]() if one.header is None else _unheld(question, one) for one in pieces]
    if not any(beyond):
        return [False] * len(pieces)
    known = _known(question)
    told: dict[str, set[str]] = {}
    about = set[str]()
    for one, unheld in zip(pieces, beyond, strict=True):
        if not unheld:
            told.setdefault(one.document, set()).update(known_words(one.text), known_words(one.heading))
            if _told_by_row(question, one) or (
                one.header is None and _is_named(known, f"{one.title} {one.heading} {one.text}")
            ):
                about.add(one.document)
    return [
        bool(unheld) and (one.document in about or bool(of_one_stem(unheld, told.get(one.document, ()))))
        for one, unheld in zip(pieces, beyond, strict=True)
    ]


@lru_cache(maxsize=4096)
def touches(question: str, piece: Piece) -> bool:
    """Whether a row, or what stands above it, has a word or a column of what is asked, or an amount in its unit."""
    row, header = cells(piece.text), cells(piece.header or "")
    if offers(question, header) or any(each.units.search(piece.text) for each in measures(question)):
        return True
    there = set[str]().union(*map(known_words, (*row, *header, piece.heading)))
    return bool(of_one_stem(_asked(question), there))


def speaking(question: str, pieces: Sequence[Piece]) -> frozenset[str]:
    """The documents that say something of what a question is about, beside how much or how long it is: only there
    does a row or field of that kind tell it. All where it is about nothing else."""
    bare = question
    for measure in measures(question):
        bare = measure.asks.sub(" ", bare)
    about = _asked(bare)
    said: dict[str, set[str]] = {}
    for one in pieces:
        said.setdefault(one.document, set()).update(
            known_words(one.title), known_words(one.heading), known_words(one.text)
        )
    found = frozenset(document for document, words in said.items() if of_one_stem(about, words))
    return found or frozenset(said)


@lru_cache(maxsize=4096)
def _unheld(question: str, piece: Piece) -> frozenset[str]:
    """What the question asks of the thing that the row names, where the row holds nothing of it; else empty."""
    if _told_by_row(question, piece):
        return frozenset()
    row, header = cells(piece.text), cells(piece.header or "")
    subject = set[str]().union(*(known_words(cell) for cell in row if len(cell) > 1 and names_row(question, cell)))
    known = _known(question)
    for one, words in known.items():
        if any(same(one, _plain(each)) for cell in (*row, *header) for each in identifiers(cell)):
            subject |= words
    if not subject:
        return frozenset()
    asked = _asked(question) - subject
    # The column of a model says nothing of what is told in it.
    columns = ["" if _is_named(known, cell) else cell for cell in header]
    if not asked or offers(question, columns):
        return frozenset()
    above = " | ".join((*columns, *row, piece.heading))
    text = " | ".join(row)
    if any(each.named.search(above) or each.units.search(text) for each in measures(question)):
        return frozenset()
    there = set[str]().union(*map(known_words, (*row, *columns, piece.heading)))
    return frozenset() if of_one_stem(asked, there) else asked


def _told_by_row(question: str, piece: Piece) -> bool:
    return piece.header is not None and tells_by_property(question, cells(piece.header), cells(piece.text)[0])


@lru_cache(maxsize=64)
def _asked(question: str) -> frozenset[str]:
    return frozenset(content_words(_ASKING.sub(" ", question)))


@lru_cache(maxsize=64)
def _known(question: str) -> dict[str, set[str]]:
    """The identifiers and versions of a question, without their hyphens, and the words that each consists of."""
    found = {_plain(one): content_words(one) for one in identifiers(question)}
    return {name.text: content_words(name.text) for name in names(question)} | found


def _is_named(known: Collection[str], text: str) -> bool:
    return any(same(one, _plain(each)) for each in identifiers(text) for one in known)


def of_one_stem(words: Collection[str], others: Collection[str]) -> set[str]:
    """Those of the words that are among the others, or begin as one of them does."""
    stems = {other[:STEM] for other in others if len(other) > STEM and other.isascii()}
    return {one for one in words if one in others or (len(one) > STEM and one[:STEM] in stems)}


def _of_things(question: str, header: Sequence[str]) -> bool:
    """Whether the columns behind "Item" are named after what is told of each, not after models or as "Value"."""
    if not header or not _ITEMS.fullmatch(header[0].strip()):
        return False
    return not any(
        _OPEN.fullmatch(cell.strip()) or identifiers(cell) or names_row(question, cell) for cell in header[1:]
    )


def _plain(name: str) -> str:
    return re.sub(r"[-_]", "", name.lower())
