from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.fusion import reciprocal_rank_fusion

RANKING = st.lists(st.sampled_from("abcdefgh"), unique=True)


def test_scores_are_the_formula() -> None:
    fused = dict(reciprocal_rank_fusion([["a", "b"], ["b", "c"]], k=60, weights=[1.0, 2.0]))
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 2 / 61, "c": 2 / 62})


def test_ties_keep_the_first_ranking_first() -> None:
    assert [i for i, _ in reciprocal_rank_fusion([["a", "x"], ["b", "y"]])] == ["a", "b", "x", "y"]


def test_weights_must_match_the_rankings() -> None:
    with pytest.raises(ValueError, match="shorter"):
        reciprocal_rank_fusion([["a"], ["b"]], weights=[1.0])


@settings(deadline=None)
@given(RANKING, st.integers(0, 100))
def test_one_ranking_keeps_its_order(ranking: list[str], k: int) -> None:
    assert [i for i, _ in reciprocal_rank_fusion([ranking], k)] == ranking


@settings(deadline=None)
@given(st.lists(RANKING, min_size=1, max_size=4), st.integers(0, 100))
def test_everything_ranked_is_fused_once_and_sorted(rankings: list[list[str]], k: int) -> None:
    fused = reciprocal_rank_fusion(rankings, k)
    assert sorted(i for i, _ in fused) == sorted(set().union(*rankings))
    assert [s for _, s in fused] == sorted((s for _, s in fused), reverse=True)


@settings(deadline=None)
@given(RANKING, RANKING)
def test_what_both_put_first_stays_first(one: list[str], other: list[str]) -> None:
    one, other = ["z", *one], ["z", *other]
    assert reciprocal_rank_fusion([one, other])[0][0] == "z"
