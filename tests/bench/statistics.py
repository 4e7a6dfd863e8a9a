"""Does the verdict keep its promises on simulated suites? A/A false positives, interval coverage, power.

Run alone with ``python -m tests.bench.statistics``; some 40 s on one core. Scores are built as RAG suites show
them: twenty questions, most pairs tied, the rest skewed towards full marks. Passes and failures, whose rare case a
sample often lacks, have their coverage summed over every outcome, at the rates where it is worst.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import comb

import numpy as np
from numpy.typing import NDArray

from eval.intervals import difference_interval, t_interval
from eval.statistics import decide, detectable_difference, paired_test

Pairs = tuple[NDArray[np.float64], NDArray[np.float64]]

TRIALS, QUESTIONS, TIES = 2_000, 20, 0.6


def aa(generator: np.random.Generator) -> Pairs:
    """The same pipeline twice: skewed scores, 60% of the questions score the same."""
    base = generator.beta(5, 1, QUESTIONS)
    again = np.where(generator.random(QUESTIONS) < TIES, base, generator.beta(5, 1, QUESTIONS))
    return base, again


def aa_binary(generator: np.random.Generator) -> Pairs:
    base = (generator.random(QUESTIONS) < 0.8).astype(float)
    again = np.where(generator.random(QUESTIONS) < TIES, base, (generator.random(QUESTIONS) < 0.8).astype(float))
    return base, again


def shifted(generator: np.random.Generator) -> Pairs:
    """Candidate better by (5/6 - 2/3) on the 40% that differ."""
    base = generator.beta(2, 1, QUESTIONS)
    return base, np.where(generator.random(QUESTIONS) < TIES, base, generator.beta(5, 1, QUESTIONS))


def one_sided(generator: np.random.Generator) -> Pairs:
    """Every difference is a gain, most of them small."""
    gain = np.where(generator.random(QUESTIONS) < TIES, 0.0, generator.beta(1, 4, QUESTIONS))
    return np.zeros(QUESTIONS), gain


def pass_fail(generator: np.random.Generator) -> Pairs:
    """Of the 40% that differ, four in five turn from wrong to right."""
    gain = np.where(generator.random(QUESTIONS) < TIES, 0.0, generator.choice([-1.0, 1.0], QUESTIONS, p=[0.2, 0.8]))
    return np.zeros(QUESTIONS), gain


def rarely(generator: np.random.Generator) -> Pairs:
    """Only 15% differ."""
    gain = np.where(generator.random(QUESTIONS) < 0.85, 0.0, generator.choice([-1.0, 1.0], QUESTIONS, p=[0.2, 0.8]))
    return np.zeros(QUESTIONS), gain


SCENARIOS: dict[str, tuple[Callable[[np.random.Generator], Pairs], float]] = {
    "the same twice": (aa, 0.0),
    "the same twice, pass/fail": (aa_binary, 0.0),
    "better, skewed": (shifted, 0.4 * (5 / 6 - 2 / 3)),
    "gains only": (one_sided, 0.4 * 0.2),
    "pass/fail, 4 of 5 gain": (pass_fail, 0.4 * 0.6),
    "15% differ": (rarely, 0.15 * 0.6),
}


def winners(scenario: Callable[[np.random.Generator], Pairs], *, trials: int = TRIALS, seed: int = 0) -> float:
    """Share of trials in which a winner is called."""
    generator = np.random.default_rng(seed)
    called = 0
    for _ in range(trials):
        base, candidate = scenario(generator)
        called += decide(paired_test(base, candidate, bounds=(0, 1))) in {"BETTER", "WORSE"}
    return called / trials


def coverage(
    scenario: Callable[[np.random.Generator], Pairs], truth: float, *, trials: int = TRIALS, seed: int = 1
) -> tuple[float, float]:
    """Shares of trials whose printed interval, and whose bare t interval, hold the true mean difference."""
    generator = np.random.default_rng(seed)
    printed = bare = 0
    for _ in range(trials):
        base, candidate = scenario(generator)
        interval = difference_interval(candidate - base, bounds=(0, 1))
        student = t_interval(candidate - base)
        assert interval is not None
        printed += interval.low - 1e-9 <= truth <= interval.high + 1e-9
        bare += student.low - 1e-9 <= truth <= student.high + 1e-9
    return printed / trials, bare / trials


RATES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99)


def worst_coverage(n: int, rates: Iterable[float] = RATES) -> tuple[float, float, float]:
    """Least coverage for passes and failures of `n` questions, and the shares of wins and losses it is found at.

    Exact: every outcome is weighed by its chance under each pair of rates.
    """
    intervals = {
        (wins, losses): difference_interval([1.0] * wins + [-1.0] * losses + [0.0] * (n - wins - losses), bounds=(0, 1))
        for wins in range(n + 1)
        for losses in range(n + 1 - wins)
    }

    def covered(up: float, down: float) -> float:
        return sum(
            comb(n, wins)
            * comb(n - wins, losses)
            * up**wins
            * down**losses
            * max(0.0, 1 - up - down) ** (n - wins - losses)
            for (wins, losses), interval in intervals.items()
            if interval is not None and interval.low - 1e-9 <= up - down <= interval.high + 1e-9
        )

    known = tuple(rates)
    return min((covered(up, down), up, down) for up in known for down in known if down <= up and up + down <= 1)


def power(
    scenario: Callable[[np.random.Generator], Pairs], *, factor: float = 2.0, trials: int = TRIALS, seed: int = 2
) -> tuple[float, float]:
    """Share of trials in which a true difference of `factor` times the detectable one is found, and its size.

    The scenario gives the noise: its differences are centred and moved to the size asked for, which unties the tied
    ones. With 60% exact ties no mean can be twice the detectable one: mean over standard deviation stays below .82.
    """
    generator = np.random.default_rng(seed)
    pool = np.concatenate([c - b for b, c in (scenario(generator) for _ in range(2_000))])
    size = factor * detectable_difference(float(pool.std()), QUESTIONS)
    found = 0
    for _ in range(trials):
        base, candidate = scenario(generator)
        moved = candidate - base - pool.mean() + size
        found += decide(paired_test(np.zeros(QUESTIONS), moved)) == "BETTER"
    return found / trials, size


def main() -> None:
    print(f"Statistics: {TRIALS} trials, n = {QUESTIONS}, {TIES:.0%} of the pairs tied")
    print(f"{'scenario':<28}{'winner called':>14}{'coverage':>10}{'t alone':>9}{'found at 2x':>13}")
    for name, (scenario, truth) in SCENARIOS.items():
        covered, bare = coverage(scenario, truth)
        found, size = power(scenario)
        print(f"{name:<28}{winners(scenario):>14.3f}{covered:>10.3f}{bare:>9.3f}{found:>7.3f} ({size:.2f})")
    for n in (6, 8, 10, 20, 30):
        least, up, down = worst_coverage(n)
        print(f"passes and failures, n = {n}: coverage {least:.3f} at worst, with {up:.0%} wins and {down:.0%} losses")
    print("Bars: winner called <= .05 where the same pipeline ran twice; coverage >= .93; found >= .9.")


if __name__ == "__main__":
    main()
