"""Things that the passages put side by side, as rows of a table or as "Assam and Darjeeling": where all else that is
asked of the one is told of the others alone, it is not told of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graph.beside import Found, Read, stand_beside
from graph.columns import counts_rows
from graph.language import FUNCTION_WORDS, has_han
from graph.members import asks_yes_or_no
from graph.named import CALENDAR
from graph.quotes import cells

LONGEST = 30
"""Characters of such a thing."""
MOST = 12
"""Things of a kind that are compared: of longer tables the rows are records."""

_NAME = r"[A-Z][A-Za-z-]+(?: [A-Z][A-Za-z-]+)?"
_LIST = re.compile(rf"(?<=[a-z0-9,;:(] )({_NAME}(?:, {_NAME})*,? (?:and|or) {_NAME})(?![A-Za-z])")
_CAPITAL = re.compile(r"(?<=[a-z,] )([A-Z][A-Za-z-]+)(?: ([A-Za-z]+))?")
_FIRST_CELL = re.compile(r"^\|[ *_`]*([^|\n]{1,30}?)[ *_`]*\|", re.MULTILINE)
_NOUN = re.compile(r"[A-Za-z]{3,}")
_LIST_END = re.compile(r",? (?:and|or) |, ")


def may_name(question: str, passages: Sequence[str]) -> bool:
    """Whether a question may name a row or a thing of a list: asked before the passages are read by sentences."""
    if asks_yes_or_no(question):
        return False
    named = _CAPITAL.findall(question)
    if not named and not has_han(question):
        return False
    first = [cell for passage in passages for cell in _FIRST_CELL.findall(passage)]
    if any(len(cell) > 1 and cell in question for cell in first if has_han(cell)):
        return True
    heads = {cell.lower() for cell in first}
    return any(
        noun.lower() in heads
        or any(cell.startswith(name) for cell in first)
        or any(name in found for passage in passages if name in passage for found in _LIST.findall(passage))
        for name, noun in named
    )


def other_kindred(question: str, passages: Sequence[Sequence[Read]]) -> Found:
    """Benelux, whose manager is asked for, where the managers of the Nordics and of France are told."""
    if asks_yes_or_no(question):
        return
    for kind in dict.fromkeys(_kinds(passages)):
        asked = [each for each in kind if _says(question, each)]
        # "Compare Assam and Darjeeling" may be answered by either.
        if len(asked) != 1:
            continue
        one, rest = asked[0], [each for each in kind if each != asked[0]]

        def met(text: str, one: str = one) -> bool:
            return _says(text, one)

        def others(read: Read, rest: Sequence[str] = tuple(rest)) -> list[str]:
            for text in (read.text, read.header, *read.headings):
                if found := [each for each in rest if _says(text, each)]:
                    return found
            return []

        yield one, stand_beside(_without(question, one), passages, met, others)


def other_rows(question: str, passages: Sequence[Sequence[Read]]) -> Found:
    """The Weekend pass, where a table under "Pass" has the Weekday and the Resident one."""
    if asks_yes_or_no(question):
        return
    tables: dict[str, list[str]] = {}
    for read in (each for passage in passages for each in passage if each.entry):
        tables.setdefault(cells(read.header)[0], []).append(cells(read.text)[0])
    for noun, rows in tables.items():
        asked = re.search(rf"(?<=[a-z,] )([A-Z][a-z]+) ({re.escape(noun)})\b", question, re.IGNORECASE)
        if not _NOUN.fullmatch(noun) or not 1 < len(rows) <= MOST or not asked or not asked[1].istitle():
            continue
        one = asked[1]
        if one.lower() in FUNCTION_WORDS or CALENDAR.fullmatch(one) or any(_says(row, one) for row in rows):
            continue

        def met(text: str, name: str = asked[0]) -> bool:
            return name.lower() in text.lower()

        def others(read: Read, rows: Sequence[str] = tuple(rows)) -> list[str]:
            own = cells(read.text)[0] if read.entry else ""
            return [own] if own in rows else []

        yield asked[0], stand_beside(_without(question, one), passages, met, others)


def _kinds(passages: Sequence[Sequence[Read]]) -> Iterator[tuple[str, ...]]:
    for passage in passages:
        by_header: dict[str, list[str]] = {}
        for read in passage:
            if read.header and read.text.startswith("|") and not counts_rows(cells(read.header)[0]):
                by_header.setdefault(read.header, []).append(cells(read.text)[0])
            for found in _LIST.findall(read.text):
                yield _things(_LIST_END.split(found))
        for rows in by_header.values():
            yield _things(rows)


def _things(names: Sequence[str]) -> tuple[str, ...]:
    """Those that are names: a capital inside a question tells one, or Chinese."""
    kept = [each for each in dict.fromkeys(names) if 1 < len(each) <= LONGEST and _is_name(each)]
    return tuple(kept) if 1 < len(kept) <= MOST else ()


def _is_name(text: str) -> bool:
    if has_han(text):
        return not any(map(str.isdigit, text))
    words = text.split()
    return (
        all(word[0].isupper() and word.replace("-", "").isalpha() for word in words)
        and text.lower() not in FUNCTION_WORDS
        and not CALENDAR.fullmatch(text)
    )


def _says(text: str, name: str) -> bool:
    if has_han(name):
        return name in text
    return re.search(rf"(?<![A-Za-z0-9-]){re.escape(name)}(?![A-Za-z0-9])", text) is not None


def _without(question: str, name: str) -> str:
    return question.replace(name, " ")
