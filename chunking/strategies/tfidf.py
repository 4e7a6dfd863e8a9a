"""A sentence signal without a model: TF-IDF over words, Chinese characters and their pairs.

Terms are hashed with a sign into a fixed dimension, so that collisions cancel out instead of adding up
(Weinberger et al. 2009, feature hashing).
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

DIMENSION = 1024
_TERM = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")


def tfidf_vectors(sentences: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors, shape (n, DIMENSION); zero for a sentence without any term. Deterministic.

    Weight: (1 + log tf) * (log((1 + n) / (1 + df)) + 1), the smoothed form that scikit-learn states.
    """
    n = len(sentences)
    counts = [Counter(_terms(sentence.lower())) for sentence in sentences]
    documents = Counter(term for count in counts for term in count)
    places = {term: _place(term) for term in documents}
    idf = {term: math.log((1 + n) / (1 + df)) + 1 for term, df in documents.items()}
    vectors = np.zeros((n, DIMENSION), dtype=np.float32)
    for row, count in enumerate(counts):
        for term, tf in count.items():
            bucket, sign = places[term]
            vectors[row, bucket] += sign * (1 + math.log(tf)) * idf[term]
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.divide(vectors, norms, out=vectors, where=norms > 0)
    return vectors


def _place(term: str) -> tuple[int, int]:
    code = zlib.crc32(term.encode())
    return code % DIMENSION, 1 if code & 0x8000_0000 else -1


def _terms(text: str) -> list[str]:
    terms: list[str] = []
    for run in _TERM.findall(text):
        if run[0] >= "\u3400":
            terms.extend(run)
            terms.extend(run[i : i + 2] for i in range(len(run) - 1))
        else:
            terms.append(run)
    return terms
