"""Whether a text answers a question: a compare-aggregate network over the token states of multilingual-e5-small.

Likeness does not tell an answer from a near miss: both are about the same thing. Each token of the question is laid
beside what the text has in its place, once where their states are most alike and once where learned attention looks
(for the date that a "when" asks for), the two are compared, and the comparisons are pooled. Parikh et al., A
decomposable attention model, EMNLP 2016; Wang & Jiang, A compare-aggregate model for matching text sequences, ICLR
2017. Weights and where they come from: ``answers.npz`` and ``answers.json``, made by ``tests.graph.fit_answers``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

HEADS = 4
PROJECTED, LOOK = 4.0, 2.0
"""Scales of projections and of attention, so that unit states begin training where gradients are of use."""
COMMON, RARE = 7.0, 5.0
"""Nats: a token of less information than the first does not count, one of `RARE` more counts once."""
NOTHING = -10.0
"""The least log odds, and those where there is nothing to ask or to read."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A text's tokens, without special tokens and role prefix."""

    depths: tuple[Floats, Floats]
    """States of the last layer and of a middle one (`graph.MIDDLE`), unit rows, shape (tokens, hidden)."""
    tokens: tuple[int, ...]
    information: Floats
    """How rare each token is, in nats."""


def echoed(question: Sequence[int], text: Sequence[int]) -> Floats:
    """For each token of the question whether the text has it, and has it beside one of its neighbours, shape
    (tokens, 2), 0 or 1: states blend a name with what it is like, and ``max_retry`` is like ``max_delay``."""
    single, pairs = set(text), set(pairwise(text))
    joined = [pair in pairs for pair in pairwise(question)]
    beside = [a or b for a, b in zip([False, *joined], [*joined, False], strict=True)]
    return np.array([[token in single for token in question], beside], np.float32).T


class AnswerNetwork:
    """The network in numpy. It reads one text at a time, so a value never depends on what is read beside it."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        self.weights = weights

    def log_odds(self, question: Reading, text: Reading) -> float:
        """Natural log of the odds that `text` answers `question`."""
        if not question.tokens or not text.tokens:
            return NOTHING
        cosines = np.stack([own @ other.T for own, other in zip(question.depths, text.depths, strict=True)])
        nearest = cosines.max(axis=2).T
        asked, read = np.concatenate(question.depths, axis=1), np.concatenate(text.depths, axis=1)
        own = PROJECTED * self._linear("asked", asked)
        others = PROJECTED * self._linear("read", read)
        beside = _softmax(np.tensordot(self.weights["nearness"], cosines, 1)) @ others
        look = LOOK * self._heads("query", asked) @ self._heads("key", read).transpose(0, 2, 1)
        seen = (_softmax(look) @ others).transpose(1, 0, 2).reshape(len(asked), -1)
        match = _sigmoid(self.weights["sharpness"] * (nearest - self.weights["matched_at"]))
        match = np.concatenate([match, echoed(question.tokens, text.tokens)], axis=1)
        weight = np.maximum(question.information - COMMON, 0)[:, None] / RARE
        features = [
            own,
            beside,
            own * beside,
            seen,
            np.tanh(look.max(axis=2).T),
            nearest,
            match,
            weight,
            weight * match,
        ]
        compared = self._hidden("compare.0", "compare.3", np.concatenate(features, axis=1))
        share = (weight * match).sum(axis=0) / (weight.sum() + 1e-6)
        missed = ((1 - match) * weight).max(axis=0)
        chosen = _softmax(self._linear("choose", compared).T) @ compared
        pooled = np.concatenate([compared.mean(axis=0), compared.max(axis=0), chosen[0], share, missed])
        return max(NOTHING, float(self._linear("judge.3", _gelu(self._linear("judge.0", pooled)))[0]))

    def _linear(self, name: str, x: Floats) -> Floats:
        return np.asarray(x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"])

    def _heads(self, name: str, x: Floats) -> Floats:
        """Shape (heads, tokens, dimension)."""
        return (x @ self.weights[f"{name}.weight"].T).reshape(len(x), HEADS, -1).transpose(1, 0, 2)

    def _hidden(self, first: str, second: str, x: Floats) -> Floats:
        return _gelu(self._linear(second, _gelu(self._linear(first, x))))


@cache
def answer_network() -> AnswerNetwork:
    with files("retrieval.embedders.e5").joinpath("answers.npz").open("rb") as file, np.load(file) as stored:
        return AnswerNetwork({name: stored[name].astype(np.float32) for name in stored.files})


def _gelu(x: Floats) -> Floats:
    """The tanh form: Hendrycks & Gimpel, Gaussian error linear units, 2016."""
    return np.asarray(0.5 * x * (1 + np.tanh(np.float32(np.sqrt(2 / np.pi)) * (x + 0.044715 * x**3))))


def _softmax(x: NDArray[np.floating]) -> Floats:
    """Over the last axis."""
    x = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(x / x.sum(axis=-1, keepdims=True), np.float32)


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)))
