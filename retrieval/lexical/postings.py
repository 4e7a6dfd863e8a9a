"""Inverted lists in numpy arrays: a large sorted base, and a small tail that new documents are appended to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Counts = tuple[Ints, Ints]
"""Distinct term ids of one text, and how often each occurs."""

_TAIL_FLOOR = 50_000


class Postings:
    """Maps a term id to the slots (row numbers) of the texts that hold it and its count in each.

    Appending costs the size of what is appended, amortised; removing rewrites the lists once. Slots of a
    term are ascending.
    """

    def __init__(
        self, starts: NDArray[np.int64] | None = None, slots: Ints | None = None, counts: Ints | None = None
    ) -> None:
        """Empty, or what `base` gave."""
        self._starts: NDArray[np.int64] = np.zeros(1, np.int64) if starts is None else starts
        self._slots: Ints = np.empty(0, np.int32) if slots is None else slots
        self._counts: Ints = np.empty(0, np.int32) if counts is None else counts
        self._tail: dict[int, tuple[list[int], list[int]]] = {}
        self._tail_size = 0

    def __len__(self) -> int:
        return len(self._slots) + self._tail_size

    def append(self, texts: list[Counts], first_slot: int) -> None:
        """Add texts, whose slots count up from `first_slot`, which is above every slot in use."""
        size = sum(len(terms) for terms, _ in texts)
        if self._tail_size + size > max(_TAIL_FLOOR, len(self._slots) // 8):
            self._merge(texts, first_slot)
            return
        self._tail_size += size
        for slot, (terms, counts) in enumerate(texts, first_slot):
            for term, count in zip(terms.tolist(), counts.tolist(), strict=True):
                slots, tallies = self._tail.setdefault(term, ([], []))
                slots.append(slot)
                tallies.append(count)

    def of(self, term: int) -> tuple[Ints, Ints]:
        """Slots and counts of a term; empty for a term never seen."""
        if term + 1 < len(self._starts):
            span = slice(self._starts[term], self._starts[term + 1])
            slots, counts = self._slots[span], self._counts[span]
        else:
            slots = counts = np.empty(0, np.int32)
        if term in self._tail:
            more_slots, more_counts = self._tail[term]
            slots = np.concatenate([slots, np.array(more_slots, np.int32)])
            counts = np.concatenate([counts, np.array(more_counts, np.int32)])
        return slots, counts

    def base(self) -> tuple[NDArray[np.int64], Ints, Ints]:
        """Everything as (first row of each term, slots, counts), the tail merged in."""
        if self._tail:
            self._set_base(*self._flat())
        return self._starts, self._slots, self._counts

    def keep(self, alive: NDArray[np.bool_]) -> None:
        """Drop the slots that are not alive and renumber the others without gaps."""
        terms, slots, counts = self._flat()
        kept = alive[slots]
        renumbered = (np.cumsum(alive) - 1).astype(np.int32)
        self._set_base(terms[kept], renumbered[slots[kept]], counts[kept])

    def frequencies(self, terms: int) -> NDArray[np.int64]:
        """Number of texts that hold each of the term ids below `terms`."""
        frequencies = np.zeros(terms, np.int64)
        frequencies[: len(self._starts) - 1] = np.diff(self._starts)
        for term, (slots, _) in self._tail.items():
            frequencies[term] += len(slots)
        return frequencies

    def _merge(self, texts: list[Counts], first_slot: int) -> None:
        terms, slots, counts = self._flat()
        sizes = [len(ids) for ids, _ in texts]
        new_slots = np.repeat(np.arange(first_slot, first_slot + len(texts), dtype=np.int32), sizes)
        terms = np.concatenate([terms, *(ids for ids, _ in texts)])
        slots = np.concatenate([slots, new_slots])
        counts = np.concatenate([counts, *(tallies for _, tallies in texts)])
        order = _stable_order(terms)
        self._set_base(terms[order], slots[order], counts[order])

    def _flat(self) -> tuple[Ints, Ints, Ints]:
        """All postings as (term, slot, count), sorted by term, then slot."""
        terms = np.repeat(np.arange(len(self._starts) - 1, dtype=np.int32), np.diff(self._starts))
        if not self._tail:
            return terms, self._slots, self._counts
        sizes = [len(slots) for slots, _ in self._tail.values()]
        terms = np.concatenate([terms, np.repeat(np.fromiter(self._tail, np.int32), sizes)])
        tail = list(self._tail.values())
        slots = np.concatenate([self._slots, *(np.array(slots, np.int32) for slots, _ in tail)])
        counts = np.concatenate([self._counts, *(np.array(counts, np.int32) for _, counts in tail)])
        order = _stable_order(terms)
        return terms[order], slots[order], counts[order]

    def _set_base(self, terms: Ints, slots: Ints, counts: Ints) -> None:
        size = int(terms[-1]) + 1 if len(terms) else 0
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(terms, minlength=size))]).astype(np.int64)
        self._slots, self._counts = slots, counts
        self._tail, self._tail_size = {}, 0


def _stable_order(keys: Ints) -> NDArray[np.intp]:
    """Stable argsort of non-negative int32 by two 16-bit passes, for which numpy has a linear radix sort."""
    order = np.argsort((keys & 0xFFFF).astype(np.uint16), kind="stable")
    if len(keys) and int(keys.max()) > 0xFFFF:
        order = order[np.argsort((keys >> 16).astype(np.uint16)[order], kind="stable")]
    return order
