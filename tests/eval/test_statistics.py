"""The statistics agree with scipy and statsmodels, and keep their promises on hand-made cases."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from eval import intervals
from eval import statistics as ours
from tests.bench import statistics as simulation

SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=2, max_size=12)
TENTHS = st.lists(st.integers(-10, 10).map(lambda tenth: tenth / 10), min_size=2, max_size=9)


def samples(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    base = generator.beta(4, 1, n)
    return base, np.where(generator.random(n) < 0.4, base, generator.beta(5, 1, n))


@pytest.mark.parametrize(("seed", "n"), [(seed, n) for seed in range(4) for n in (5, 9, 12)])
def test_sign_flip_p_equals_scipy_exact(seed: int, n: int) -> None:
    base, candidate = samples(seed, n)
    expected = stats.permutation_test(
        (candidate, base),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    ).pvalue
    p, exact = ours.sign_flip_p(candidate - base)
    assert exact
    assert p == pytest.approx(expected, abs=1e-9)


@given(TENTHS)
@settings(max_examples=40)
def test_sign_flip_p_equals_enumeration_in_exact_arithmetic(differences: list[float]) -> None:
    """Tenths are not exact in binary: sums that tie on paper must count as ties."""
    paper = [Fraction(round(d * 10), 10) for d in differences]
    patterns = list(product((1, -1), repeat=len(paper)))
    observed = abs(sum(paper))
    extreme = sum(abs(sum(s * d for s, d in zip(signs, paper, strict=True))) >= observed for signs in patterns)
    assert ours.sign_flip_p(differences)[0] == pytest.approx(min(1, extreme / len(patterns)), abs=1e-12)


def test_sign_flip_p_is_exact_up_to_36_pairs_and_agrees_with_the_binomial() -> None:
    """Equal magnitudes make the sign-flip test the sign test, whose p is known in closed form."""
    differences = [0.5] * 26 + [-0.5] * 10
    p, exact = ours.sign_flip_p(differences)
    assert exact
    assert p == pytest.approx(stats.binomtest(26, 36).pvalue, abs=1e-9)


def test_random_flips_are_seeded_never_zero_and_close_to_the_truth() -> None:
    differences = [0.5] * 48 + [-0.5] * 32
    p, exact = ours.sign_flip_p(differences)
    assert not exact
    assert p == ours.sign_flip_p(differences)[0]
    assert p == pytest.approx(stats.binomtest(48, 80).pvalue, abs=0.01)
    assert ours.sign_flip_p([1.0] * 60)[0] == pytest.approx(1 / 20_001)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (0, 5), (3, 3), (2, 11), (40, 61), (200, 260)])
def test_mcnemar_equals_statsmodels(b: int, c: int) -> None:
    from statsmodels.stats.contingency_tables import mcnemar

    assert ours.mcnemar_p(b, c) == pytest.approx(mcnemar([[7, b], [c, 9]], exact=True).pvalue, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_t_interval_equals_scipy(seed: int) -> None:
    base, candidate = samples(seed, 20)
    expected = stats.ttest_rel(candidate, base).confidence_interval(0.95)
    interval = intervals.t_interval(candidate - base)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(st.lists(st.floats(0, 1), max_size=12))
@settings(max_examples=30)
def test_holm_equals_statsmodels(p_values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    expected = list(multipletests(p_values, method="holm")[1]) if p_values else []
    assert ours.holm(p_values) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("sd", "n", "power"), [(0.3, 20, 0.8), (0.3, 100, 0.8), (1.0, 6, 0.9), (0.05, 400, 0.8)])
def test_detectable_difference_equals_statsmodels(sd: float, n: int, power: float) -> None:
    from statsmodels.stats.power import TTestPower

    effect = ours.detectable_difference(sd, n, power=power) / sd
    assert TTestPower().power(effect, n, 0.05) == pytest.approx(power, abs=1e-9)


def test_detectable_difference_matches_the_published_figures() -> None:
    assert ours.detectable_difference(0.3, 20) == pytest.approx(0.20, abs=0.005)
    assert ours.detectable_difference(0.3, 100) == pytest.approx(0.085, abs=0.005)


def test_the_printed_interval_is_the_wider_of_both_methods() -> None:
    generator = np.random.default_rng(3)
    skewed = np.where(generator.random(20) < 0.5, 0.0, generator.beta(1, 4, 20))
    printed = intervals.difference_interval(skewed, bounds=(0, 1))
    assert printed is not None
    widest = max(intervals.t_interval(skewed), intervals.bootstrap_interval(skewed), key=lambda i: i.high - i.low)
    assert (printed.low, printed.high) == pytest.approx((widest.low, widest.high))


def test_where_the_differences_vary_the_printed_interval_is_scipys() -> None:
    differences = np.random.default_rng(4).normal(0.1, 0.3, 300)
    expected = stats.ttest_1samp(differences, 0).confidence_interval(0.95)
    printed = intervals.difference_interval(differences, bounds=(0, 1))
    assert printed is not None
    assert (printed.low, printed.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize(("wins", "losses", "n"), [(6, 0, 6), (9, 2, 20), (0, 5, 40)])
def test_passes_and_failures_take_in_bonett_and_prices_interval(wins: int, losses: int, n: int) -> None:
    """By their formula: one more win, one more loss, n + 2 questions."""
    up, down = (wins + 1) / (n + 2), (losses + 1) / (n + 2)
    half = stats.t.ppf(0.975, n - 1) * math.sqrt((up + down - (up - down) ** 2) / (n + 2))
    differences = [1.0] * wins + [-1.0] * losses + [0.0] * (n - wins - losses)
    adjusted = intervals.adjusted_wald_interval(differences)
    assert (adjusted.low, adjusted.high) == pytest.approx((up - down - half, up - down + half), abs=1e-9)
    printed = intervals.difference_interval(differences, bounds=(0, 1))
    assert printed is not None
    assert printed.low <= max(adjusted.low, -1)
    assert printed.high >= min(adjusted.high, 1)


@pytest.mark.parametrize("n", [6, 8, 10])
def test_the_interval_covers_wins_so_frequent_that_none_is_missed(n: int) -> None:
    """Six wins of six printed +1 to +1; at n = 8 and a win in nine of ten that covered .57."""
    assert round(simulation.worst_coverage(n)[0], 3) >= 0.93


@given(st.lists(st.floats(0.5, 1), min_size=6, max_size=20), st.sampled_from([1.0, -1.0, 0.05]))
@settings(max_examples=30)
def test_gains_of_about_one_size_and_one_sign_keep_their_verdict(sizes: list[float], unit: float) -> None:
    differences = [unit * size for size in sizes]
    test = ours.paired_test([0.0] * len(differences), differences, bounds=(0, 1))
    assert ours.decide(test) == ("BETTER" if unit > 0 else "WORSE")


def test_two_differing_pairs_cannot_blow_the_interval_up() -> None:
    """The bootstrap alone would print -0.334 to +0.344 here: a difference no pair comes near."""
    differences = [0.16, -0.004] + [0.0] * 28
    bootstrap, student = intervals.bootstrap_interval(differences), intervals.t_interval(differences)
    printed = intervals.difference_interval(differences, bounds=(0, 1))
    assert printed is not None
    assert bootstrap.high > 0.2
    assert printed.high - printed.low == pytest.approx(2.5 * (student.high - student.low))


def test_no_differing_pair_still_leaves_an_honest_width() -> None:
    """Twenty ties bound the share of questions that differ below 1 - .025**(1/20) = .168, not at zero."""
    interval = intervals.difference_interval([0.0] * 20, bounds=(0, 1))
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((-0.16843, 0.16843), abs=1e-5)
    assert intervals.difference_interval([0.3], bounds=(0, 1)) is None


def test_repeats_are_averaged_before_pairing() -> None:
    pairing = ours.pair({"a": [0.0, 1.0], "b": [1.0], "c": [None]}, {"a": [1.0, None], "b": [0.5, 0.0], "d": [1.0]})
    assert pairing.ids == ("a", "b")
    assert pairing.base == (0.5, 1.0)
    assert pairing.candidate == (1.0, 0.25)
    assert pairing.missing == (("c", None, None), ("d", None, 1.0))
    assert pairing.lost == {"a": (0.0, 0.5)}
    assert pairing.incomplete == ("a", "c", "d")


@given(SCORES, st.data())
@settings(max_examples=40)
def test_swapping_the_runs_mirrors_everything(base: list[float], data: st.DataObject) -> None:
    candidate = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=len(base), max_size=len(base)))
    there = ours.paired_test(base, candidate, bounds=(0, 1))
    back = ours.paired_test(candidate, base, bounds=(0, 1))
    assert there.difference == pytest.approx(-back.difference)
    assert there.p == pytest.approx(back.p)
    assert (there.wins, there.losses, there.ties) == (back.losses, back.wins, back.ties)
    assert there.interval is not None
    assert back.interval is not None
    assert (there.interval.low, there.interval.high) == pytest.approx((-back.interval.high, -back.interval.low))
    opposite = {"BETTER": "WORSE", "WORSE": "BETTER"}
    assert ours.decide(there) == opposite.get(ours.decide(back), ours.decide(back))


def test_lower_is_better_turns_the_verdict() -> None:
    slow, fast = [1.0 + i / 10 for i in range(10)], [0.5 + i / 20 for i in range(10)]
    test = ours.paired_test(slow, fast, higher_is_better=False)
    assert test.difference < 0 < test.gain
    assert (test.wins, test.losses) == (10, 0)
    assert ours.decide(test) == "BETTER"


@pytest.mark.parametrize(
    ("differences", "verdict"),
    [
        ([0.5] * 5, "INCONCLUSIVE"),
        ([0.5] * 5 + [0.0] * 15, "NO DIFFERENCE SHOWN"),
        ([0.4, 0.5, 0.6] * 3, "BETTER"),
        ([-0.4, -0.5, -0.6] * 3, "WORSE"),
        ([0.0] * 20, "NO DIFFERENCE SHOWN"),
        ([], "INCONCLUSIVE"),
    ],
)
def test_verdicts(differences: list[float], verdict: str) -> None:
    test = ours.paired_test([0.0] * len(differences), differences, bounds=(0, 1))
    assert ours.decide(test) == verdict


def test_an_adjusted_p_can_take_a_verdict_back() -> None:
    test = ours.paired_test([0.0] * 9, [0.4, 0.5, 0.6] * 3, bounds=(0, 1))
    assert ours.decide(test, p=0.06) == "NO DIFFERENCE SHOWN"


def test_missing_scores_are_filled_for_and_against_the_candidate() -> None:
    pairing = ours.Pairing(("a", "b"), (0.5, 0.5), (1.0, 0.5), (("c", None, 0.5), ("d", 0.25, None), ("e", None, None)))
    worst, best = ours.missing_bounds(pairing, bounds=(0, 1))
    assert worst.difference == pytest.approx((0.5 + 0 - 0.5 - 0.25 - 1) / 5)
    assert best.difference == pytest.approx((0.5 + 0 + 0.5 + 0.75 + 1) / 5)
    worst, best = ours.missing_bounds(pairing, bounds=(0, 1), higher_is_better=False)
    assert worst.difference > best.difference


def test_lost_repeats_are_filled_by_their_share() -> None:
    """One repeat of four answered: the question's score lies anywhere from .25 to 1."""
    pairing = ours.pair({"a": [0.0] * 4, "b": [None, 0.5, 0.5, 0.5]}, {"a": [1.0, None, None, None], "b": [None] * 4})
    worst, best = ours.missing_bounds(pairing, bounds=(0, 1))
    assert worst.difference == pytest.approx((0.25 - 0 + 0 - 0.625) / 2)
    assert best.difference == pytest.approx((1 - 0 + 1 - 0.375) / 2)


def test_effect_size_is_hedges_corrected() -> None:
    differences = [0.1, 0.3, 0.2, 0.4]
    expected = np.mean(differences) / np.std(differences, ddof=1) * (1 - 3 / (4 * 3 - 1))
    assert ours.effect_size(differences) == pytest.approx(expected)
    assert ours.effect_size([0.2] * 8) is None


def test_scores_that_cannot_be_paired_are_refused() -> None:
    with pytest.raises(ValueError, match="3 base scores"):
        ours.paired_test([1, 2, 3], [1, 2])
    assert math.isnan(ours.paired_test([], []).mean_base)


def test_promises_on_a_small_simulation() -> None:
    """`make bench` runs 2,000 trials of each; 400 catch a verdict or an interval that has come loose."""
    trials = 400
    assert simulation.winners(simulation.aa, trials=trials) <= 0.05
    assert simulation.winners(simulation.aa_binary, trials=trials) <= 0.05
    assert simulation.power(simulation.shifted, trials=100)[0] >= 0.9
    scenario, truth = simulation.SCENARIOS["gains only"]
    printed, bare = simulation.coverage(scenario, truth, trials=trials)
    assert printed >= 0.93 > bare
