"""BM25 as rank-bm25 defines it, scored over postings instead of over every document.

The library computes the models: `_Okapi`, `_L` and `_Plus` are its `BM25Okapi`, `BM25L` and `BM25Plus`, fitted on
document frequencies. Their scores are reproduced to rounding, quirks included. Okapi: the idf of a term in exactly
half of the texts is 0, and a negative idf (a term in more than half) is replaced by epsilon times the average idf, so
that in corpora of one or two texts no score is positive. L and Plus: every idf is positive and no floor is needed; L
lifts long texts, and Plus gives every text, also one without any of the words, delta times each word's idf. What is
ours: texts that hold no word of the question or have no positive score are no hits, an empty corpus is fine, texts
come and go without a new fit of the whole, and a query costs the postings of its terms.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25, BM25L, BM25Okapi, BM25Plus

from retrieval.lexical.postings import Counts, Ints, Postings

Floats = NDArray[np.float64]


class _Fitted(BM25):  # type: ignore[misc]
    """Makes a library's model one of a corpus known by its size, its length and how many terms have each frequency."""

    idf: dict[int, float]
    k1: float
    b: float
    avgdl: float
    absent = 0.0
    """What a text without the term scores, as a share of the term's idf."""

    def __init__(self, size: int, length: int, terms_by_frequency: dict[int, int]) -> None:
        self._size, self._length, self._terms = size, length, terms_by_frequency
        super().__init__(terms_by_frequency)

    def _initialize(self, corpus: dict[int, int]) -> dict[int, int]:
        self.corpus_size = self._size
        self.avgdl = self._length / self._size
        return {frequency: frequency for frequency in corpus}

    def share(self, counts: NDArray[Any], norms: NDArray[Any]) -> Floats:
        """What texts that hold the term score above `absent`, as a share of its idf."""
        return np.asarray((self.k1 + 1) * counts / (counts + norms), float)


class _Okapi(_Fitted, BM25Okapi):  # type: ignore[misc]
    average_idf: float

    def _calc_idf(self, nd: dict[int, int]) -> None:
        # idf depends on a term's frequency alone. Of a corpus with a single term, the library's average
        # is that term's idf before the floor.
        raw: dict[int, float] = {}
        for frequency in nd:
            self.idf = {}
            super()._calc_idf({frequency: frequency})
            raw[frequency] = self.average_idf
        terms = sum(self._terms.values())
        self.average_idf = sum(raw[frequency] * count for frequency, count in self._terms.items()) / terms
        floor = self.epsilon * self.average_idf
        self.idf = {frequency: floor if idf < 0 else idf for frequency, idf in raw.items()}


class _L(_Fitted, BM25L):  # type: ignore[misc]
    delta: float

    def share(self, counts: NDArray[Any], norms: NDArray[Any]) -> Floats:
        scaled = counts * self.k1 / norms
        return np.asarray(counts * (self.k1 + 1) * (scaled + self.delta) / (self.k1 + scaled + self.delta), float)


class _Plus(_Fitted, BM25Plus):  # type: ignore[misc]
    delta: float

    @property
    def absent(self) -> float:  # type: ignore[override]
        return self.delta


OKAPI = "okapi"
VARIANTS: dict[str, type[_Fitted]] = {OKAPI: _Okapi, "l": _L, "plus": _Plus}


@dataclass(frozen=True, slots=True)
class _Model:
    variant: _Fitted
    frequencies: NDArray[np.int64]
    norms: Floats
    """k1 * (1 - b + b * length / average length), per text."""

    def frequency(self, term: int) -> int:
        return int(self.frequencies[term]) if term < len(self.frequencies) else 0


@dataclass(frozen=True, slots=True)
class Matches:
    """What one question scores, frozen at the moment it was asked."""

    scores: Floats
    """By slot; equal to the library's `get_scores` of the texts in the order they were added."""
    coverages: Floats
    variant: str
    _held: NDArray[np.bool_]
    _ids: Sequence[str]
    _slots: dict[str, int]
    _documents: Ints
    _codes: dict[str, int]

    def top(self, k: int, documents: Collection[str] | None = None) -> list[tuple[str, float]]:
        """At most k (id, score), best first, ties by id. Only positive scores of texts with a word are hits."""
        found = self._held & (self.scores > 0)
        if documents is not None:
            codes = [self._codes[document] for document in documents if document in self._codes]
            found &= np.isin(self._documents, codes)
        candidates = np.flatnonzero(found)
        if len(candidates) > k:
            values = self.scores[candidates]
            candidates = candidates[values >= np.partition(values, len(values) - k)[len(values) - k]]
        ranked = sorted((-float(self.scores[slot]), self._ids[slot]) for slot in candidates.tolist())
        return [(identifier, -score) for score, identifier in ranked[:k]]

    def score(self, identifier: str) -> float:
        return self._at(self.scores, identifier)

    def coverage(self, identifier: str) -> float:
        """Share of the question's words, weighted by idf, that the text holds: 0 to 1."""
        return self._at(self.coverages, identifier)

    def _at(self, values: Floats, identifier: str) -> float:
        slot = self._slots.get(identifier, -1)
        return float(values[slot]) if 0 <= slot < len(values) else 0.0


class BM25Index:
    """Thread-safe. Texts are added as token counts (`encode`), which is also the form worth storing."""

    def __init__(self, vocabulary: Iterable[str] = ()) -> None:
        """`vocabulary` in the order of its term ids restores an index whose counts were stored."""
        self._lock = threading.RLock()
        self._vocabulary = {term: number for number, term in enumerate(vocabulary)}
        self._ids: list[str] = []
        self._slots: dict[str, int] = {}
        self._codes: dict[str, int] = {}
        self._documents: Ints = np.empty(0, np.int32)
        self._lengths: NDArray[np.int64] = np.empty(0, np.int64)
        self._postings = Postings()
        self._models: dict[str, _Model] = {}

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> set[str]:
        return set(self._slots)

    @property
    def vocabulary(self) -> list[str]:
        """Terms by id. Ids are never reused: a longer vocabulary extends a shorter one."""
        return list(self._vocabulary)

    def frequency(self, term: str) -> int:
        """How many texts hold an index term."""
        with self._lock:
            model, number = self._fit(OKAPI), self._vocabulary.get(term)
            return model.frequency(number) if model and number is not None else 0

    def arrays(self) -> tuple[dict[str, NDArray[Any]], int]:
        """All texts as arrays that `from_arrays` takes, and how many terms of the vocabulary they need."""
        with self._lock:
            starts, slots, counts = self._postings.base()
            arrays: dict[str, NDArray[Any]] = {
                "ids": _joined(self._ids),
                "documents": _joined(self._codes),
                "codes": self._documents,
                "lengths": self._lengths,
                "starts": starts,
                "slots": slots,
                "counts": counts,
            }
            return arrays, len(starts) - 1

    @classmethod
    def from_arrays(cls, vocabulary: Iterable[str], arrays: Mapping[str, NDArray[Any]]) -> Self:
        index = cls(vocabulary)
        index._ids = _split(arrays["ids"])
        index._slots = {identifier: slot for slot, identifier in enumerate(index._ids)}
        index._codes = {document: code for code, document in enumerate(_split(arrays["documents"]))}
        index._documents, index._lengths = arrays["codes"], arrays["lengths"]
        index._postings = Postings(arrays["starts"], arrays["slots"], arrays["counts"])
        return index

    def encode(self, tokens: Iterable[str]) -> Counts:
        """Counts of a text's tokens; terms not seen before get the next ids."""
        tally = Counter(tokens)
        with self._lock:
            terms = [self._vocabulary.setdefault(token, len(self._vocabulary)) for token in tally]
        return np.array(terms, np.int32), np.fromiter(tally.values(), np.int32, len(tally))

    def add(self, texts: Sequence[tuple[str, str, Counts]]) -> None:
        """Add (id, document id, counts). An id that is present is replaced.

        Raises ValueError, and adds nothing, for counts that are none or of terms that the vocabulary lacks.
        """
        with self._lock:
            for identifier, _, (terms, counts) in texts:
                if (len(terms) and not 0 <= terms.min() <= terms.max() < len(self._vocabulary)) or (counts < 1).any():
                    raise ValueError(f"the term counts of {identifier} are not of this vocabulary")
            self.remove([identifier for identifier, _, _ in texts if identifier in self._slots])
            first = len(self._ids)
            for slot, (identifier, _, _) in enumerate(texts, first):
                self._slots[identifier] = slot
            self._ids.extend(identifier for identifier, _, _ in texts)
            codes = [self._codes.setdefault(document, len(self._codes)) for _, document, _ in texts]
            self._documents = np.concatenate([self._documents, np.array(codes, np.int32)])
            lengths = np.array([int(counts.sum()) for _, _, (_, counts) in texts], np.int64)
            self._lengths = np.concatenate([self._lengths, lengths])
            self._postings.append([counts for _, _, counts in texts], first)
            self._models = {}

    def remove(self, ids: Collection[str]) -> None:
        """Ids that are not present are ignored."""
        with self._lock:
            gone = [self._slots[identifier] for identifier in ids if identifier in self._slots]
            if not gone:
                return
            alive = np.ones(len(self._ids), bool)
            alive[gone] = False
            # New containers, not changed ones: `Matches` still reads the old.
            self._ids = [identifier for identifier, kept in zip(self._ids, alive, strict=True) if kept]
            self._slots = {identifier: slot for slot, identifier in enumerate(self._ids)}
            self._documents, self._lengths = self._documents[alive], self._lengths[alive]
            self._postings.keep(alive)
            self._models = {}

    def match(self, tokens: Sequence[str], words: Collection[str] | None = None, variant: str = OKAPI) -> Matches:
        """Score every text for a question's tokens, by a key of `VARIANTS`.

        Coverage looks at `words` of them, at all where None is given.
        """
        with self._lock:
            scores, held, asked = np.zeros(len(self._ids)), np.zeros(len(self._ids)), 0.0
            touched = np.zeros(len(self._ids), bool)
            model = self._fit(variant)
            for token, repeats in Counter(tokens).items():
                term = self._vocabulary.get(token, len(self._vocabulary))
                frequency = model.frequency(term) if model else 0
                weight = _smooth_idf(len(self._ids), frequency)
                if words is not None and token not in words:
                    weight = 0.0
                asked += weight
                if model and frequency:
                    slots, counts = self._postings.of(term)
                    factor = repeats * model.variant.idf[frequency]
                    if model.variant.absent:
                        scores += factor * model.variant.absent
                    scores[slots] += factor * model.variant.share(counts, model.norms[slots])
                    held[slots] += weight
                    touched[slots] = True
            coverages = held / asked if asked else held
            return Matches(scores, coverages, variant, touched, self._ids, self._slots, self._documents, self._codes)

    def within(self, documents: Collection[str]) -> list[str]:
        """Ids of the texts of these documents."""
        with self._lock:
            codes = [self._codes[document] for document in documents if document in self._codes]
            return [self._ids[slot] for slot in np.flatnonzero(np.isin(self._documents, codes)).tolist()]

    def weights(self, texts: Sequence[Counts]) -> list[tuple[Ints, Floats]]:
        """The part of Okapi's scores that a text brings, by term: with `query_weights`, the dot product is the score.

        They hold for the average length as it is now.
        """
        with self._lock:
            if (model := self._fit(OKAPI)) is None:
                return [(terms, np.zeros(len(terms))) for terms, _ in texts]
            okapi = model.variant
            k1, b, average = okapi.k1, okapi.b, okapi.avgdl
            norms = [k1 * (1 - b + b * int(counts.sum()) / average) for _, counts in texts]
            return [
                (terms, okapi.share(counts, np.array(norm))) for (terms, counts), norm in zip(texts, norms, strict=True)
            ]

    def query_weights(self, tokens: Sequence[str]) -> tuple[Ints, Floats]:
        """The part of Okapi's scores that a question brings: term ids, and each one's idf times its repeats."""
        with self._lock:
            model = self._fit(OKAPI)
            known = {
                self._vocabulary[token]: count for token, count in Counter(tokens).items() if token in self._vocabulary
            }
            asked = [(term, count, model.frequency(term)) for term, count in known.items()] if model else []
            found = [
                (term, count * model.variant.idf[frequency]) for term, count, frequency in asked if model and frequency
            ]
        return np.array([term for term, _ in found], np.int32), np.array([weight for _, weight in found], float)

    def _fit(self, variant: str) -> _Model | None:
        if variant not in self._models and len(self._postings):
            frequencies = self._postings.frequencies(len(self._vocabulary))
            values, counts = np.unique(frequencies[frequencies > 0], return_counts=True)
            by_frequency = dict(zip(values.tolist(), counts.tolist(), strict=True))
            fitted = VARIANTS[variant](len(self._ids), int(self._lengths.sum()), by_frequency)
            norms = np.asarray(fitted.k1 * (1 - fitted.b + fitted.b * self._lengths / fitted.avgdl), float)
            self._models[variant] = _Model(fitted, frequencies, norms)
        return self._models.get(variant)


def _joined(names: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(names).encode(), np.uint8)


def _split(names: NDArray[np.uint8]) -> list[str]:
    return names.tobytes().decode().split("\n") if len(names) else []


_BACKGROUND = 200
"""Texts without any of the question's words that are thought beside the real ones."""


def _smooth_idf(size: int, frequency: int) -> float:
    """Lucene's idf, ln(1 + (N - n + 0.5) / (n + 0.5)): positive for every term, so a share can be weighted by it.

    Two texts say little of how rare a word is: without a background, a word that one of them holds would weigh a
    third of one that neither does.
    """
    return float(np.log1p((size + _BACKGROUND - frequency + 0.5) / (frequency + 0.5)))
