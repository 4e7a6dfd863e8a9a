"""How likely the evidence holds the answer: retrieval signals through a calibrated logistic model.

Raw similarities mean nothing by themselves (an e5 cosine of .8 is noise, a BM25 score depends on the
question's length). Each calibration file holds standardised logistic coefficients fitted on questions asked
once with their evidence in the index and once with it withheld, for one embedder and one reranker.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunking.errors import ConfigError
from retrieval.types import Hit

GENERIC = "generic"
"""Name of the calibration that uses only signals comparable across embedders and rerankers."""


CERTAIN = 1e-4
"""The chance of an answer is taken for at least this, and for at most as far from 1."""


def question_features(hits: Sequence[Hit]) -> dict[str, float]:
    """Signals of a whole search, best hit first; a signal that no hit carries has no entry.

    The top of each signal, its lead over the mean of the other hits, and how far the two sides agree.
    """
    if not hits:
        return {}
    features: dict[str, float] = {}
    spoken = _signal(hits[0], "coverage") is not None
    for name in ("dense", "best_sentence", "bm25", "coverage", "rerank", "interaction"):
        # Where the best hit is in another language, words say nothing about it, nor do the others' words.
        if name in ("bm25", "coverage") and not spoken:
            continue
        values = sorted((v for hit in hits if (v := _signal(hit, name)) is not None), reverse=True)
        if not values:
            continue
        features[name] = values[0]
        if len(values) > 1:
            features[f"{name}_margin"] = values[0] - sum(values[1:]) / (len(values) - 1)
            features[f"{name}_lead"] = values[0] - values[1]
        first = _signal(hits[0], name)
        if first is not None:
            features[f"{name}_first"] = first
    for name in ("ahead", "answers", "entry"):
        if values := [hit.signals[name] for hit in hits if name in hit.signals]:
            features[name] = max(values)
    if "answers" in features:
        # As log odds: .99 is to .9 what .5 is to .1.
        chance = min(1 - CERTAIN, max(CERTAIN, features["answers"]))
        features["answers"] = math.log(chance / (1 - chance))
        if "interaction" in features:
            # What it thinks of a sentence that says little of the question is worth less, either way.
            features["answers_matched"] = features["answers"] * features["interaction"]
    if not spoken:
        return features
    ranks = [
        1 / hit.ranks["dense"] + 1 / hit.ranks["bm25"] for hit in hits if "dense" in hit.ranks and "bm25" in hit.ranks
    ]
    # BM25 finds nothing at all in a store of one or two passages; that is no disagreement.
    if any("bm25" in hit.ranks for hit in hits):
        features["agreement"] = max(ranks, default=0.0) / 2
    return features


def passage_features(hit: Hit, hits: Sequence[Hit]) -> dict[str, float]:
    """Signals of one hit, and its distance from the best of the search in each."""
    features: dict[str, float] = {}
    for name in ("dense", "best_sentence", "bm25", "coverage", "rerank"):
        value = _signal(hit, name)
        if value is None:
            continue
        features[name] = value
        features[f"{name}_gap"] = max(v for h in hits if (v := _signal(h, name)) is not None) - value
    features["agreement"] = (1 / hit.ranks.get("dense", 1000) + 1 / hit.ranks.get("bm25", 1000)) / 2
    return features


def _signal(hit: Hit, name: str) -> float | None:
    if name == "bm25":
        # Relative to the most a passage could reach for this question, where the lexical side says so.
        return hit.signals.get("bm25_relative", _log(hit.scores.get("bm25")))
    return hit.scores.get(name, hit.signals.get(name))


def _log(value: float | None) -> float | None:
    return None if value is None else math.log1p(max(value, 0.0))


@dataclass(frozen=True, slots=True)
class Logistic:
    """sigmoid(bias + sum of weight * (x - mean) / scale). A missing feature counts as its mean."""

    features: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weight: tuple[float, ...]
    bias: float

    def probability(self, features: Mapping[str, float]) -> float:
        total = self.bias
        for name, mean, scale, weight in zip(self.features, self.mean, self.scale, self.weight, strict=True):
            # Far outside what was fitted a linear model runs away; four deviations are enough to say so.
            total += weight * min(4.0, max(-4.0, (features.get(name, mean) - mean) / scale))
        return 1 / (1 + math.exp(-min(40.0, max(-40.0, total))))


@dataclass(frozen=True, slots=True)
class Calibration:
    """Probabilities for one pair of embedder and reranker. `embedder` is the start of its fingerprint."""

    name: str
    embedder: str
    reranker: str
    question: Logistic
    passage: Logistic
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def confidence(self, hits: Sequence[Hit]) -> float:
        """Probability that these hits hold the answer; 0 for none."""
        return self.question.probability(question_features(hits)) if hits else 0.0

    def probabilities(self, hits: Sequence[Hit]) -> tuple[float, ...]:
        """For each hit, the probability that it holds the answer."""
        return tuple(self.passage.probability(passage_features(hit, hits)) for hit in hits)

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str, *, where: str = "calibration") -> Calibration:
        """Raises ConfigError that names `where`."""
        try:
            value: dict[str, Any] = json.loads(text)
            return cls(**{**value, "question": _logistic(value["question"]), "passage": _logistic(value["passage"])})
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ConfigError(f"{where} is not a calibration ({error}): make it with crag eval calibrate.") from error


def _logistic(value: dict[str, Any]) -> Logistic:
    parts: dict[str, Any] = {name: tuple(part) if isinstance(part, list) else part for name, part in value.items()}
    return Logistic(**parts)


@cache
def shipped() -> tuple[Calibration, ...]:
    """The calibrations in `graph/calibrations`, by file name."""
    folder = files("graph.calibrations")
    return tuple(
        Calibration.from_json(entry.read_text("utf-8"), where=entry.name)
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".json")
    )


def calibration_for(embedder: str, reranker: str | None, extra: Sequence[Calibration] = ()) -> Calibration:
    """The calibration of an embedder fingerprint and a reranker name: `extra` first, then the shipped ones.

    The longest matching fingerprint wins; where none fits the pair, `generic`, whose name shows in the answer.
    """
    everything = (*extra, *shipped())
    fitting = [
        c for c in everything if c.embedder and embedder.startswith(c.embedder) and c.reranker == (reranker or "")
    ]
    if fitting:
        return max(fitting, key=lambda c: len(c.embedder))
    return next(c for c in everything if c.name == GENERIC)


def fit(
    rows: Sequence[Mapping[str, float]],
    labels: Sequence[bool],
    *,
    features: Sequence[str] | None = None,
    l2: float = 1.0,
    own_l2: Mapping[str, float] | None = None,
    weights: Sequence[float] | None = None,
) -> Logistic:
    """Logistic regression with an L2 penalty on standardised features (the bias is not penalised).

    Newton's method (iteratively reweighted least squares). Missing features take the mean. `weights` are
    sample weights, `own_l2` the penalties of single features in the place of `l2`. Raises ConfigError where the
    labels are all the same.
    """
    y = np.asarray(labels, dtype=np.float64)
    if y.size == 0 or y.min() == y.max():
        raise ConfigError("A calibration needs questions with and without their evidence: both kinds are required.")
    names = tuple(features if features is not None else sorted({name for row in rows for name in row}))
    x = np.array([[row.get(name, np.nan) for name in names] for row in rows], dtype=np.float64)
    x = x.reshape(len(rows), len(names))
    seen = ~np.isnan(x)
    count = np.maximum(seen.sum(0), 1)
    mean = np.where(seen, x, 0.0).sum(0) / count
    x = np.where(seen, x - mean, 0.0)
    scale = np.sqrt((x**2).sum(0) / count)
    scale = np.where(scale > 1e-9, scale, 1.0)
    design = np.hstack([np.clip(x / scale, -4, 4), np.ones((len(rows), 1))])
    w = np.ones_like(y) if weights is None else np.asarray(weights, dtype=np.float64)
    beta = _newton(design, y, w, np.array([(own_l2 or {}).get(name, l2) for name in names] + [0.0]))
    return Logistic(
        features=names,
        mean=tuple(float(v) for v in mean),
        scale=tuple(float(v) for v in scale),
        weight=tuple(float(v) for v in beta[:-1]),
        bias=float(beta[-1]),
    )


def _newton(
    design: NDArray[np.float64], y: NDArray[np.float64], w: NDArray[np.float64], penalty: NDArray[np.float64]
) -> NDArray[np.float64]:
    beta = np.zeros(design.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(design @ beta, -40, 40)))
        gradient = design.T @ (w * (p - y)) + penalty * beta
        hessian = (design.T * (w * p * (1 - p))) @ design + np.diag(penalty + 1e-9)
        step = np.linalg.solve(hessian, gradient)
        beta = beta - step * min(1.0, 10.0 / (float(np.abs(step).max()) + 1e-12))
        if np.abs(step).max() < 1e-8:
            break
    return beta
