"""Fitting a calibration: evidence withheld as if never indexed, halves by document, and how good it is."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ConfigError
from graph.calibrate import Case, calibrate, cases_of, half_of, measured, quality, withheld
from retrieval.types import Hit
from tests.fakes.graph import hit


def candidates(strength: float, count: int = 12) -> list[Hit]:
    """The first holds the evidence, as far as signals go: it stands out by `strength`."""
    made = []
    for rank in range(1, count + 1):
        lift = strength if rank == 1 else 0.0
        one = hit(f"passage {rank}", source=f"{rank}.md")
        one = one.at_stage("dense", 0.8 + lift / 10 - rank / 1000, rank, coverage=min(1.0, 0.3 + lift))
        made.append(one.at_stage("bm25", 3.0 + lift * 4, count + 1 - rank))
    return made


def pair(strength: float, document: str, suite: str = "s") -> tuple[Case, Case]:
    return cases_of(
        candidates(strength),
        suite=suite,
        document=document,
        touches=lambda one: one.document.source == "1.md",
        holds=lambda one: one.document.source == "1.md",
        rerank=lambda hits: hits,
        depth=10,
        top_k=10,
    )


def test_withholding_moves_ranks_up_and_keeps_near_misses() -> None:
    found = candidates(0.5, 4)
    left = withheld(found, lambda one: one.document.source == "2.md")
    assert [one.document.source for one in left] == ["1.md", "3.md", "4.md"]
    assert [dict(one.ranks) for one in left] == [
        {"dense": 1, "bm25": 3},
        {"dense": 2, "bm25": 2},
        {"dense": 3, "bm25": 1},
    ]
    assert withheld(found, lambda one: False) == found


def test_a_question_gives_two_cases_of_which_one_has_its_evidence() -> None:
    present, absent = pair(0.5, "d")
    assert (present.answerable, absent.answerable) == (True, False)
    assert len(present.hits) == len(absent.hits) == 10
    assert present.half == absent.half == half_of("d")


def test_a_fit_tells_evidence_from_near_misses_on_the_other_half() -> None:
    random = np.random.default_rng(3)
    cases = [case for n in range(200) for case in pair(float(random.normal(0.3, 0.15)), f"d{n}", f"s{n % 2}")]
    learn = [case for case in cases if case.half == 0]
    held_out = [case for case in cases if case.half == 1]
    made = calibrate(learn, name="n", embedder="e", reranker="", provenance={"suites": 2})
    assert made.provenance == {"suites": 2}
    assert set(made.question.features) == {
        "agreement",
        "coverage",
        "coverage_first",
        "dense",
        "dense_first",
        "dense_margin",
    }
    reported = measured(made, held_out)
    assert set(reported) == {"s0", "s1", "all"}
    assert reported["all"].auc > 0.9
    assert reported["all"].ece < 0.1
    assert reported["s0"].count + reported["s1"].count == reported["all"].count == len(held_out)
    only = calibrate(learn, name="n", embedder="", reranker="", signal="coverage")
    assert set(only.question.features) == {"agreement", "coverage", "coverage_first", "coverage_margin"}


def test_one_kind_of_case_is_refused() -> None:
    with pytest.raises(ConfigError, match="both kinds"):
        calibrate([pair(0.5, "a")[0], pair(0.4, "b")[0]], name="n", embedder="e", reranker="")


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_figures_of_any_probabilities(pairs: Sequence[tuple[float, bool]]) -> None:
    figure = quality([p for p, _ in pairs], [label for _, label in pairs])
    assert sum(one.count for one in figure.bins) == figure.count == len(pairs)
    assert 0 <= figure.ece <= 1
    assert 0 <= figure.brier <= 1
    labels = {label for _, label in pairs}
    assert math.isnan(figure.auc) == (len(labels) == 1)
    above, below = [p for p, y in pairs if y], [p for p, y in pairs if not y]
    if above and below:
        wins = sum((a > b) + 0.5 * (a == b) for a in above for b in below)
        assert figure.auc == pytest.approx(wins / len(above) / len(below))


def test_figures_of_known_probabilities() -> None:
    figure = quality([0.05, 0.05, 0.95, 1.0], [False, True, True, True])
    assert figure.auc == pytest.approx((0.5 + 1 + 1) / 3)
    assert [(one.count, one.observed) for one in figure.bins] == [(2, 0.5), (2, 1.0)]
    assert figure.ece == pytest.approx((0.45 * 2 + 0.025 * 2) / 4)
    assert math.isnan(quality([], []).ece)
