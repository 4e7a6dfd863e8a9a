from __future__ import annotations

from itertools import pairwise, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.fusion import convex_combination, reciprocal_rank_fusion

RANKING = st.lists(st.sampled_from("abcdefgh"), unique=True)
SIDES = st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 50)), min_size=1, max_size=8)
"""Scores of both sides; whole numbers, so that what is equal stays equal when it is scaled."""


def sides_of(rows: list[tuple[int, int]]) -> list[dict[str, float]]:
    return [{name: float(row[side]) for name, row in zip("abcdefgh", rows, strict=False)} for side in (0, 1)]


def test_scores_are_the_formula() -> None:
    fused = dict(reciprocal_rank_fusion([["a", "b"], ["b", "c"]], k=60, weights=[1.0, 2.0]))
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 2 / 61, "c": 2 / 62})


def test_ties_keep_the_first_ranking_first() -> None:
    assert [i for i, _ in reciprocal_rank_fusion([["a", "x"], ["b", "y"]])] == ["a", "b", "x", "y"]


def test_weights_must_match_the_rankings() -> None:
    with pytest.raises(ValueError, match="shorter"):
        reciprocal_rank_fusion([["a"], ["b"]], weights=[1.0])


@given(RANKING, st.integers(0, 100))
def test_one_ranking_keeps_its_order(ranking: list[str], k: int) -> None:
    assert [i for i, _ in reciprocal_rank_fusion([ranking], k)] == ranking


@given(st.lists(RANKING, min_size=1, max_size=4), st.integers(0, 100))
def test_everything_ranked_is_fused_once_and_sorted(rankings: list[list[str]], k: int) -> None:
    fused = reciprocal_rank_fusion(rankings, k)
    assert sorted(i for i, _ in fused) == sorted(set().union(*rankings))
    assert [s for _, s in fused] == sorted((s for _, s in fused), reverse=True)


@given(RANKING, RANKING)
def test_what_both_put_first_stays_first(one: list[str], other: list[str]) -> None:
    one, other = ["z", *one], ["z", *other]
    assert reciprocal_rank_fusion([one, other])[0][0] == "z"


def test_a_convex_combination_is_the_formula() -> None:
    dense, bm25 = {"a": 0.9, "b": 0.8, "c": 0.7}, {"a": 0.0, "b": 6.0, "c": 8.0}
    expected = {"a": 1 / 4, "b": 0.5 / 4 + 3 * 0.75 / 4, "c": 3 / 4}
    fused = convex_combination([dense, bm25], [1.0, 3.0])
    assert dict(fused) == pytest.approx(expected)
    assert [identifier for identifier, _ in fused] == ["c", "b", "a"]


def test_a_side_that_tells_nothing_apart_changes_no_order() -> None:
    dense = {"a": 0.7, "b": 0.9}
    for other in ({"a": 0.0, "b": 0.0}, {"a": 4.0, "b": 4.0}):
        assert [identifier for identifier, _ in convex_combination([dense, other])] == ["b", "a"]
    assert convex_combination([{"a": 0.3}, {"a": 2.0}]) == [("a", 1.0)]
    assert convex_combination([]) == convex_combination([{}, {}]) == []
    with pytest.raises(ValueError, match="shorter"):
        convex_combination([dense, dense], [1.0])


@given(SIDES, st.integers(1, 5), st.integers(1, 5))
def test_combined_scores_fall_from_at_most_one_and_ties_keep_the_order(
    rows: list[tuple[int, int]], first: int, second: int
) -> None:
    sides = sides_of(rows)
    fused = convex_combination(sides, [first, second])
    assert sorted(identifier for identifier, _ in fused) == sorted(sides[0])
    assert all(-1e-9 <= score <= 1 + 1e-9 for _, score in fused)
    assert [score for _, score in fused] == sorted((score for _, score in fused), reverse=True)
    places = [identifier for identifier, _ in fused]
    for (one, score), (other, equal) in pairwise(fused):
        assert score > equal or list(sides[0]).index(one) < list(sides[0]).index(other)
    assert places == [identifier for identifier, _ in convex_combination(sides, [10 * first, 10 * second])]


@given(SIDES)
def test_what_no_side_puts_below_is_not_put_below(rows: list[tuple[int, int]]) -> None:
    sides = sides_of(rows)
    for (one, score), (other, lower) in product(convex_combination(sides), repeat=2):
        assert score >= lower or any(side[one] < side[other] for side in sides)


@given(SIDES, st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_changes_no_score(rows: list[tuple[int, int]], random: Random) -> None:
    sides = sides_of(rows)
    shuffled = []
    for side in sides:
        items = list(side.items())
        random.shuffle(items)
        shuffled.append(dict(items))
    assert dict(convex_combination(shuffled)) == pytest.approx(dict(convex_combination(sides)))


@given(SIDES, st.integers(1, 9), st.integers(-9, 9))
def test_the_scale_of_a_side_does_not_count(rows: list[tuple[int, int]], factor: int, shift: int) -> None:
    one, two = sides_of(rows)
    stretched = {identifier: factor * score + shift for identifier, score in two.items()}
    assert dict(convex_combination([one, stretched])) == pytest.approx(dict(convex_combination([one, two])))
