"""Breakpoint methods against values worked out by hand and against the formulas of the widely used splitters."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from chunking.config import ChunkingConfig
from chunking.strategies import breakpoints
from chunking.strategies.breakpoints import DEFAULT_BOUNDS, find_cuts, gap_similarities, optimal, valley_depths
from chunking.strategies.tfidf import DIMENSION, tfidf_vectors

SIMILARITIES = np.array([0.9, 0.8, 0.4, 0.9, 0.7, 0.2, 0.8])


def test_threshold() -> None:
    assert breakpoints.threshold(SIMILARITIES, 0.7) == [2, 5]
    assert breakpoints.threshold(SIMILARITIES, 0.71) == [2, 4, 5]


def test_percentile_interpolates_linearly() -> None:
    # Distances in order: .1 .1 .2 .2 .3 .6 .8; the 85th percentile lies at rank 5.1, that is .62.
    assert breakpoints.percentile(SIMILARITIES, 85) == [5]
    # The 83rd lies at rank 4.98, that is .594.
    assert breakpoints.percentile(SIMILARITIES, 83) == [2, 5]
    assert breakpoints.percentile(SIMILARITIES, 0) == list(range(7))


def test_stddev() -> None:
    # Mean .6714, standard deviation .2491: the bounds are .4223 and .2978.
    assert breakpoints.stddev(SIMILARITIES, 1.0) == [2, 5]
    assert breakpoints.stddev(SIMILARITIES, 1.5) == [5]


def test_iqr() -> None:
    # Q1 .55, Q3 .85: the fence is .55 - .3 * bound.
    assert breakpoints.iqr(SIMILARITIES, 1.0) == [5]
    assert breakpoints.iqr(SIMILARITIES, 1.5) == []
    assert breakpoints.iqr(SIMILARITIES, 0.4) == [2, 5]


def test_gradient() -> None:
    # Distances .1 .2 .6 .1 .3 .8 .2 have the slopes .1 .25 -.05 -.15 .35 -.05 -.6.
    assert breakpoints.gradient(SIMILARITIES, 90) == [4]
    assert breakpoints.gradient(SIMILARITIES, 80) == [1, 4]


def test_depth() -> None:
    # The valley at 2 is .5 deep on both sides, that at 5 is .7 and .6.
    depths = valley_depths(SIMILARITIES)
    assert depths == pytest.approx([0, 0.1, 1.0, 0, 0.2, 1.3, 0])
    assert breakpoints.depth(SIMILARITIES, 0.5) == [2, 5]
    assert breakpoints.depth(SIMILARITIES, 1.5) == [5]


def test_optimal_finds_the_parts() -> None:
    vectors = np.array([[1, 0]] * 4 + [[0, 1]] * 3 + [[1, 0]] * 2, dtype=float)
    assert optimal(vectors, 1.0) == [3, 6]
    # Two changes over eight gaps: a segment costs 50 * 4 / 8, far more than what it would save.
    assert optimal(vectors, 50.0) == []


@pytest.mark.parametrize("amount", [50, 80, 95])
def test_percentile_and_gradient_as_semantic_splitters_state_them(amount: float) -> None:
    """LangChain's SemanticChunker: np.percentile of the distances, or of np.gradient of them. It cuts above the bound,
    article C where the bound is reached; they differ only on a tie.
    """
    similarities = np.random.default_rng(7).uniform(0.2, 0.95, 101)
    distances = 1 - similarities
    stated = np.flatnonzero(distances > np.percentile(distances, amount)).tolist()
    tied = np.flatnonzero(distances == np.percentile(distances, amount)).tolist()
    assert breakpoints.percentile(similarities, amount) == sorted(stated + tied)
    slopes = np.gradient(distances)
    stated = np.flatnonzero(slopes > np.percentile(slopes, amount)).tolist()
    tied = np.flatnonzero(slopes == np.percentile(slopes, amount)).tolist()
    assert breakpoints.gradient(similarities, amount) == sorted(stated + tied)


def test_standard_deviation_as_semantic_splitters_state_it() -> None:
    """LangChain: distance > mean + amount * standard deviation."""
    similarities = np.random.default_rng(8).uniform(0.2, 0.95, 100)
    distances = 1 - similarities
    stated = np.flatnonzero(distances > distances.mean() + 1.2 * distances.std()).tolist()
    assert breakpoints.stddev(similarities, 1.2) == stated != []


def test_similarities_do_not_depend_on_where_blocks_begin() -> None:
    vectors = np.random.default_rng(9).normal(size=(9000, 8))
    whole = gap_similarities(vectors, 3)
    assert gap_similarities(vectors[4000:4300], 3)[3:-3] == pytest.approx(whole[4003:4296])


def test_window_similarities_by_hand() -> None:
    vectors = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=float)
    assert gap_similarities(vectors, 1) == pytest.approx([1, 0, 1])
    # Gap 0 compares (1, 0) with (1, 1), gap 1 (2, 0) with (0, 2), gap 2 (1, 1) with (0, 1).
    assert gap_similarities(vectors, 2) == pytest.approx([1 / math.sqrt(2), 0, 1 / math.sqrt(2)])


_METHODS = sorted(DEFAULT_BOUNDS)


@pytest.mark.parametrize("method", _METHODS)
@pytest.mark.parametrize(
    "vectors",
    [
        np.zeros((0, 4)),
        np.ones((1, 4)),
        np.ones((2, 4)),
        np.ones((30, 4)),
        np.zeros((30, 4)),
        np.eye(30),
        np.full((30, 4), np.nan),
        np.vstack([np.ones((5, 4)), np.full((5, 4), np.inf), np.ones((5, 4))]),
    ],
    ids=["none", "one", "two", "same", "zero", "orthogonal", "nan", "inf"],
)
def test_degenerate_vectors(method: str, vectors: np.ndarray) -> None:
    cuts, similarities = find_cuts(vectors, method=method, bound=None, window=3)
    assert len(similarities) == max(0, len(vectors) - 1)
    assert np.isfinite(similarities).all()
    assert cuts == sorted(set(cuts))
    assert all(0 <= cut < len(vectors) - 1 for cut in cuts)


@given(st.lists(st.floats(-1, 1), max_size=40), st.floats(0, 3))
def test_depth_cuts_are_local_minima(values: list[float], bound: float) -> None:
    similarities = np.array(values)
    for cut in breakpoints.depth(similarities, bound):
        assert similarities[cut] == similarities[max(0, cut - 1) : cut + 2].min()


@pytest.mark.parametrize(("method", "bound"), [("threshold", 2), ("percentile", -1), ("stddev", -1), ("optimal", -1)])
def test_bounds_are_checked_for_their_method(method: str, bound: float) -> None:
    with pytest.raises(ValidationError, match=f"threshold of {method} must lie between"):
        ChunkingConfig(strategy="semantic", breakpoint=method, threshold=bound)  # type: ignore[arg-type]


def test_tfidf_vectors() -> None:
    vectors = tfidf_vectors(["向量检索", "向量检索", "Graph search", "", "search"])
    assert vectors.shape == (5, DIMENSION)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1, 0, 1])
    assert vectors[0] @ vectors[1] == pytest.approx(1)
    assert 0 < vectors[2] @ vectors[4] < 1
    assert vectors[0] @ vectors[2] == pytest.approx(0)


# Segmentation quality on texts of known topics.


def _labels(cuts: Sequence[int], n: int) -> np.ndarray:
    labels = np.zeros(n, dtype=int)
    for cut in cuts:
        labels[cut + 1 :] += 1
    return labels


def _pk(truth: np.ndarray, guess: np.ndarray, k: int) -> float:
    """Beeferman, Berger & Lafferty 1999."""
    return float(np.mean((truth[:-k] == truth[k:]) != (guess[:-k] == guess[k:])))


def _mean_pk(datasets: Path, cutter: Callable[[np.ndarray, int], list[int]]) -> float:
    folder = datasets / "seg_drcd_zh"
    rows = map(json.loads, (folder / "documents.jsonl").read_text("utf-8").strip().split("\n"))
    texts = {row["doc_id"]: row["text"] for row in rows}
    scores = []
    for row in map(json.loads, (folder / "segments.jsonl").read_text("utf-8").splitlines()):
        sentences = [texts[row["doc_id"]][start:end] for start, end in row["sentences"]]
        first = {start for start, _ in row["segments"][1:]}
        truth = [i - 1 for i, (start, _) in enumerate(row["sentences"]) if start in first]
        n = len(sentences)
        k = max(1, round(n / len(row["segments"]) / 2))
        guess = cutter(tfidf_vectors(sentences), len(truth))
        scores.append(_pk(_labels(truth, n), _labels(guess, n), k))
    return float(np.mean(scores))


def test_topics_are_found_without_a_model(datasets: Path) -> None:
    uniform = _mean_pk(datasets, lambda v, count: [len(v) * (i + 1) // (count + 1) - 1 for i in range(count)])
    depth = _mean_pk(datasets, lambda v, _: find_cuts(v, method="depth", bound=0.75, window=3)[0])
    assert uniform > 0.4
    assert depth < 0.17
