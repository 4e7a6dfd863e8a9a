"""Calibrated confidence: features, the fit, and the choice of a calibration."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ConfigError
from graph.confidence import (
    GENERIC,
    Calibration,
    Logistic,
    calibration_for,
    fit,
    passage_features,
    question_features,
    shipped,
)
from retrieval.types import Hit
from tests.fakes.graph import hit


def scored(dense: float, coverage: float, rank: int, bm25: float | None = None) -> Hit:
    one = hit(f"text {dense} {coverage}").at_stage("dense", dense, rank, coverage=coverage)
    return one if bm25 is None else one.at_stage("bm25", bm25, rank)


def test_features_of_a_search() -> None:
    features = question_features([scored(0.9, 0.5, 1, 4.0), scored(0.8, 0.7, 2, 2.0), scored(0.7, 0.1, 3)])
    assert features["dense"] == 0.9
    assert math.isclose(features["dense_margin"], 0.15)
    assert math.isclose(features["dense_lead"], 0.1)
    assert features["coverage"] == 0.7
    assert features["coverage_first"] == 0.5
    assert features["bm25"] == math.log1p(4.0)
    assert features["agreement"] == 1.0
    assert "rerank" not in features
    assert question_features([]) == {}


def test_features_of_a_passage_measure_its_distance_from_the_best() -> None:
    hits = [scored(0.9, 0.5, 1), scored(0.8, 0.7, 2)]
    features = passage_features(hits[1], hits)
    assert math.isclose(features["dense_gap"], 0.1)
    assert features["coverage_gap"] == 0.0


def test_nothing_found_is_no_confidence() -> None:
    calibration = calibration_for("unknown", None)
    assert calibration.confidence([]) == 0.0
    assert calibration.probabilities([]) == ()


@given(
    st.lists(
        st.tuples(st.floats(-1, 1), st.floats(0, 1), st.one_of(st.none(), st.floats(0, 1e6))), min_size=1, max_size=6
    )
)
def test_probabilities_are_probabilities(signals: list[tuple[float, float, float | None]]) -> None:
    hits = [scored(dense, coverage, rank, bm25) for rank, (dense, coverage, bm25) in enumerate(signals, 1)]
    for calibration in shipped():
        assert 0 <= calibration.confidence(hits) <= 1
        assert all(0 <= value <= 1 for value in calibration.probabilities(hits))
        assert len(calibration.probabilities(hits)) == len(hits)


def test_the_fit_recovers_what_made_the_data() -> None:
    random = np.random.default_rng(7)
    x = random.normal(size=(4000, 2)) * [3.0, 0.1] + [10.0, 0.5]
    chance = 1 / (1 + np.exp(-(0.8 * (x[:, 0] - 10) / 3 - 1.5 * (x[:, 1] - 0.5) / 0.1 + 0.4)))
    labels = [bool(value) for value in random.random(4000) < chance]
    model = fit([{"a": float(a), "b": float(b)} for a, b in x], labels, l2=1e-3)
    assert model.features == ("a", "b")
    assert model.weight == pytest.approx((0.8, -1.5), abs=0.15)
    assert model.bias == pytest.approx(0.4, abs=0.15)
    predicted = [model.probability({"a": float(a), "b": float(b)}) for a, b in x]
    assert float(np.mean(predicted)) == pytest.approx(float(np.mean(labels)), abs=0.01)


def test_the_penalty_shrinks_and_missing_features_count_as_their_mean() -> None:
    rows = [{"a": float(n), "b": 1.0} if n % 2 else {"a": float(n)} for n in range(40)]
    labels = [n >= 20 for n in range(40)]
    loose, tight = fit(rows, labels, l2=0.1), fit(rows, labels, l2=100.0)
    assert abs(tight.weight[0]) < abs(loose.weight[0])
    assert loose.probability({}) == pytest.approx(loose.probability({"a": 19.5, "b": 1.0}))
    assert loose.probability({"a": 1e9}) == loose.probability({"a": 1e12}) < 1


def test_perfectly_separable_data_still_fits() -> None:
    model = fit([{"a": 0.0}, {"a": 1.0}], [False, True])
    assert model.probability({"a": 0.0}) < 0.5 < model.probability({"a": 1.0})


def test_one_kind_of_label_is_no_data() -> None:
    for labels in ([True, True], [False, False]):
        with pytest.raises(ConfigError, match="both kinds"):
            fit([{"a": 1.0}, {"a": 2.0}], labels)
    with pytest.raises(ConfigError):
        fit([], [])


def test_the_longest_fitting_fingerprint_wins_and_generic_is_the_last_resort() -> None:
    line = Logistic(("dense",), (0.0,), (1.0,), (1.0,), 0.0)
    broad = Calibration("broad", "hash:", "coverage", line, line)
    narrow = replace(broad, name="narrow", embedder="hash:512")
    assert calibration_for("hash:512:x", "coverage", [broad, narrow]).name == "narrow"
    assert calibration_for("hash:64", "coverage", [broad, narrow]).name == "broad"
    assert calibration_for("hash:512", None, [broad, narrow]).name == GENERIC
    assert calibration_for("other", "coverage", [broad, narrow]).name == GENERIC


def test_the_shipped_pairs_have_their_own_calibration_and_know_evidence_from_noise() -> None:
    names = {calibration.name for calibration in shipped()}
    assert names >= {GENERIC, "e5-sentence", "e5", "e5-engine-sentence", "e5-engine"}
    family = next(c.embedder for c in shipped() if c.name == "e5")
    fingerprint = f"{family}-int8-1"
    assert calibration_for(fingerprint, "sentence").name == "e5-sentence"
    assert calibration_for(fingerprint, None).name == "e5"
    assert calibration_for(family + "-engine", "sentence").name == "e5-engine-sentence"
    noise = [sentence_hit(0.80, 0.81, 0.2, rank, interaction=0.3, ahead=0.05) for rank in range(1, 11)]
    evidence = [sentence_hit(0.90, 0.92, 1.0, 1, interaction=0.9, ahead=0.5), *noise[1:]]
    for calibration in shipped():
        assert calibration.confidence(evidence) >= 0.7
        assert calibration.confidence(noise) < 0.3
        first, second, *_ = calibration.probabilities(evidence)
        assert first > 0.5 > second


def sentence_hit(dense: float, best_sentence: float, coverage: float, rank: int, **read: float) -> Hit:
    one = hit(f"passage {rank}").at_stage("dense", dense, rank, coverage=coverage).at_stage("bm25", 9 * coverage, rank)
    return one.at_stage("rerank", 0.0, rank, best_sentence=best_sentence, **read)


def test_a_calibration_survives_its_file_and_a_bad_file_is_named() -> None:
    for calibration in shipped():
        assert Calibration.from_json(calibration.to_json()) == calibration
        assert calibration.provenance
    value = json.loads(shipped()[0].to_json())
    for broken in ("[]", "{", json.dumps({**value, "extra": 1}), json.dumps({**value, "question": {"bias": 1}})):
        with pytest.raises(ConfigError, match=r"mine\.json is not a calibration"):
            Calibration.from_json(broken, where="mine.json")
