"""Copies among what a search found: the same passage in several documents is shown once, with all its places.

A passage is a copy of a better ranked one where the two share most of their shingles **and** it says nothing that the
other does not: its sentences are sentences of the other, word by word and sign by sign, in the same order; articles,
case and layout may differ. Templates that differ in a name, versions that differ in a number or a unit and rules that
differ in a "not" or a "may" look alike and stay apart. Chunks that overlap in their document are neighbours, no copies.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from chunking.types import Chunk
from retrieval.lexical.tokenizer import HAN
from retrieval.types import Copy, DocumentInfo, Hit

SAME = 0.8
"""Jaccard similarity of shingles of five words (or Chinese characters) from which two texts are near-duplicates: Lee et
al., Deduplicating Training Data Makes Language Models Better, ACL 2022, section 4.2 (NearDup)."""
_SHINGLE = 5
_BLOCK = 16
"""Texts sketched at once: their arrays stay below the size from which the allocator maps new pages each time."""
_WINDOW, _SAMPLE, _LIKELY = 8, 8, 0.65
"""The sketch: hashes of 8 letters, of which one in eight is kept (Manber, USENIX 1994). Pairs whose sketches are at
least that similar are compared in full; a sketch of 50 hashes is .06 off (one standard deviation)."""

_WORDS = re.compile(rf"[{HAN}]|[^\W_{HAN}]+")
_TOKENS = re.compile(rf"[-+]?\d+(?:[.,:/-]\d+)*|[{HAN}]|[^\W_{HAN}]+|[<>!=]=|[<>=≠≤≥≈~±+%‰°$€£¥₹₩&]|(?<=\w)#")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_SENTENCE_ENDS = re.compile(r"[.!?…](?=\s|$)|[。！？；]|\n\s*\n|\n(?=\s*(?:[-*+|#]|\d+[.)]\s))")
_ARTICLES = frozenset(("a", "an", "the"))


def copies(chunks: Sequence[Chunk]) -> list[int]:
    """For each chunk, best first, the position of the one that it is a copy of; its own where it is none."""
    places = list(range(len(chunks)))
    told: dict[int, _Told] = {}

    def repeats(later: int, earlier: int) -> bool:
        if chunks[later].text.split() == chunks[earlier].text.split():
            return True
        for each in (earlier, later):
            if each not in told:
                told[each] = _Told(chunks[each].text)
        return told[later].repeats(told[earlier])

    for later, earlier in _alike([chunk.text for chunk in chunks]):
        if places[later] != later or places[earlier] != earlier or _overlap(chunks[earlier], chunks[later]):
            continue
        if repeats(later, earlier):
            places[later] = earlier
    return places


class Distinct:
    """Looks up the best chunks of a ranking that are no copies, and keeps the places of the copies for the hits."""

    def __init__(
        self, chunks: Callable[[Sequence[str]], Mapping[str, tuple[Chunk, DocumentInfo]]], wanted: int
    ) -> None:
        """No more than the `wanted` best are read and compared: a copy scores as its original does."""
        self._chunks = chunks
        self._wanted = wanted
        self._copies: dict[str, list[Copy]] = {}

    def __call__(self, ids: Sequence[str]) -> dict[str, tuple[Chunk, DocumentInfo]]:
        """Chunks by id, best first; ids that are gone and copies are left out."""
        ranked: list[tuple[Chunk, DocumentInfo]] = []
        places: list[int] = []
        read = 0
        while read < len(ids) and (lacking := self._wanted - _originals(places)) > 0:
            more = ids[read : read + lacking]
            read += lacking
            found = self._chunks(more)
            ranked += [found[identifier] for identifier in more if identifier in found]
            places = copies([chunk for chunk, _ in ranked])
        kept: dict[str, tuple[Chunk, DocumentInfo]] = {}
        for (chunk, document), place in zip(ranked, places, strict=True):
            original = ranked[place][0].id
            if original == chunk.id:
                kept[chunk.id] = chunk, document
            else:
                self._copies.setdefault(original, []).append(Copy(chunk.start, chunk.end, chunk.page, document))
        return kept

    def placed(self, hits: Sequence[Hit]) -> list[Hit]:
        """The hits, each with the places of its copies."""
        return [replace(hit, also_in=tuple(self._copies.get(hit.chunk.id, ()))) for hit in hits]


def _originals(places: Sequence[int]) -> int:
    return sum(place == number for number, place in enumerate(places))


class _Told:
    """What a text says."""

    def __init__(self, text: str) -> None:
        self._plain = unicodedata.normalize("NFKC", text).lower()
        self._read = _WORDS.findall(self._plain)

    @cached_property
    def sentences(self) -> list[list[str]]:
        """Words, numbers and signs of each, without articles."""
        # NFKC has made the full-width marks of Chinese ASCII ones, which no space follows.
        plain = re.sub(rf"(?<=[{HAN}])[!?;]", "。", _THOUSANDS.sub("", self._plain))
        read = ([t for t in _TOKENS.findall(each) if t not in _ARTICLES] for each in _SENTENCE_ENDS.split(plain))
        return [sentence for sentence in read if sentence]

    @cached_property
    def shingles(self) -> set[tuple[str, ...]]:
        return set(zip(*(self._read[i:] for i in range(_SHINGLE)), strict=False)) or {tuple(self._read)}

    def repeats(self, other: _Told) -> bool:
        """Whether this adds nothing to the other."""
        both = len(self.shingles & other.shingles)
        if both < SAME * (len(self.shingles) + len(other.shingles) - both):
            return False
        # However they are cut: a heading ends in no mark.
        if [*chain.from_iterable(self.sentences)] == [*chain.from_iterable(other.sentences)]:
            return True
        rest = iter(other.sentences)
        return all(sentence in rest for sentence in self.sentences)


def _overlap(a: Chunk, b: Chunk) -> bool:
    return a.document_id == b.document_id and a.start < b.end and b.start < a.end


def _alike(texts: Sequence[str]) -> list[tuple[int, int]]:
    """(later, earlier) of the texts that look alike, in the order of `texts`.

    Many texts at once: splitting each into words would take five times as long.
    """
    if len(texts) < 2:
        return []
    sketches = [_sketch(texts[first : first + _BLOCK], first) for first in range(0, len(texts), _BLOCK)]
    pairs = np.unique(np.concatenate(sketches))
    hashes, owners = pairs >> 16, (pairs & 0xFFFF).astype(np.int32)
    sizes = np.bincount(owners, minlength=len(texts)).astype(np.float32)
    first = np.flatnonzero(np.diff(hashes, prepend=-1))
    holders = np.diff(np.append(first, len(hashes)))
    shared = np.repeat(holders > 1, holders)
    columns = np.cumsum(np.diff(hashes[shared], prepend=-1) != 0) - 1
    held = np.zeros((len(texts), int((holders > 1).sum())), np.float32)
    held[owners[shared], columns] = 1
    both = held @ held.T
    alike = (both > 0) & (both >= _LIKELY * (sizes[:, None] + sizes[None, :] - both))
    return [(int(later), int(earlier)) for later, earlier in np.argwhere(np.tril(alike, -1))]


def _sketch(texts: Sequence[str], number: int) -> NDArray[np.int64]:
    """Hashes and the numbers of their texts, from `number` on, packed as ``hash << 16 | number``."""
    gap = "\x00" * _WINDOW
    points = np.frombuffer((gap.join(texts) + gap).encode("utf-32-le", "surrogatepass"), np.uint32)
    letters = _letters()[np.minimum(points, 0xFFFF)]
    kept = letters > 0
    numbers = np.arange(number, number + len(texts), dtype=np.int64)
    owners = np.repeat(numbers, [len(text) + _WINDOW for text in texts])[kept]
    hashes = letters[kept]
    for step in (1, 2, 4):  # After these, each hash is that of eight letters in a row; the gap ends every text.
        hashes = hashes[:-step] * np.uint32(0x9E3779B1 + 2 * step) + hashes[step:]
    hashes ^= hashes >> np.uint32(15)
    owners = owners[: len(hashes)]
    # A window that begins in the gap holds the next text.
    chosen = ((hashes & np.uint32(_SAMPLE - 1)) == 0) & (letters[kept][: len(hashes)] > 1)
    chosen[np.searchsorted(owners, numbers)] = True  # A short text may have no other.
    packed: NDArray[np.int64] = hashes[chosen].astype(np.int64) << 16 | owners[chosen]
    return packed


@cache
def _letters() -> NDArray[np.uint32]:
    """By code point, its folded form; 0 for what is neither letter nor digit. The gap between texts counts."""
    table = np.zeros(0x10000, np.uint32)
    for point in range(0x10000):
        if chr(point).isalnum():
            table[point] = ord(unicodedata.normalize("NFKC", chr(point)).lower()[0])
    table[0], table[0xFFFF] = 1, 2
    return table
