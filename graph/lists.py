"""Lists in running text: a procedure is told whole and in order, not by the step that shares most words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from chunking.sentences import split_sentences

LIST_ITEM = re.compile(r"\s*([-*•](?=\s)|\d{1,2}[.)、．])\s*(?=\S)(?!\d)")
"""An item with its mark."""
MOST_TOLD = 30
"""Items of a list, and rows of a table, that are told."""
_AROUND = 20_000
"""Characters of a document before and behind an item in which its list is looked for."""

Items = list[list[int]]
"""Indices of sentences by item: what announces the list first, then each item with its further sentences."""


def items_around(text: str, at: int) -> int:
    """How many items the list has that a document's sentence at this offset is of, or announces; 0 where of none."""
    first = max(0, at - _AROUND)
    window = text[first : at + _AROUND]
    spans = split_sentences(window)
    gaps = ["", *(window[before[1] : after[0]] for before, after in pairwise(spans))]
    index = next((i for i, (start, end) in enumerate(spans) if start <= at - first < end), None)
    sentences = [window[start:end] for start, end in spans]
    return 0 if index is None else items_in(list_around(index, sentences, gaps, len(spans)), sentences)


def list_around(index: int, sentences: Sequence[str], gaps: Sequence[str], most: int = MOST_TOLD) -> Items:
    """The list that a sentence is of, or announces ("The steps are:"); nothing where it is of none.

    It ends after `most` items. `gaps` holds what stands in the text before each sentence, since the one before it; more
    than blanks parts lists.
    """
    lists: list[Items] = []
    going, last = False, ""
    for i, (sentence, gap) in enumerate(zip(sentences, gaps, strict=True)):
        near = i > 0 and not gap.strip()
        if mark := LIST_ITEM.match(sentence):
            if not (going and near and _follows(last, mark[1])):
                lists.append([[i - 1]] if near and announces(sentences[i - 1]) else [])
            lists[-1].append([i])
            going, last = True, mark[1]
        elif going and near and _goes_on(gap):
            lists[-1][-1].append(i)
        else:
            going = False
    told = (items[: most + (LIST_ITEM.match(sentences[items[0][0]]) is None)] for items in lists)
    return next((items for items in told if any(index in item for item in items)), [])


def items_in(items: Items, sentences: Sequence[str]) -> int:
    """How many they are without what announces them."""
    return sum(LIST_ITEM.match(sentences[first]) is not None for first, *_ in items)


def _follows(before: str, mark: str) -> bool:
    """Bullets follow each other, and 4 follows 3: the heading "3. Procedure" is no item before "1. Spin down"."""
    if not (before[0].isdigit() and mark[0].isdigit()):
        return before == mark
    return int(before[:-1]) + 1 == int(mark[:-1])


def announces(sentence: str) -> bool:
    return sentence.rstrip("*_ ").endswith((":", "："))


def _goes_on(gap: str) -> bool:
    """Whether a sentence is of the item before it: on its line, or indented below."""
    return "\n" not in gap or (gap.count("\n") == 1 and gap.endswith((" ", "\t")))
