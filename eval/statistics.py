"""Paired statistics for small suites: pure functions of numbers, no files, no clock, no hidden randomness.

A comparison pairs two runs by question (`pair`), takes the differences candidate minus base and asks
three things of them: how large (`difference_interval`), how sure (`sign_flip_p`), and how small a difference
the suite could have seen at all (`detectable_difference`). `paired_test` answers all three at once,
`decide` turns the answer into a verdict, `missing_bounds` repeats it with every missing score filled
for and against the candidate.

Anything random is seeded: the same scores give the same verdict, on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from eval.intervals import TIE, Interval, difference_interval, scipy_stats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

VerdictKind = Literal["BETTER", "WORSE", "NO DIFFERENCE SHOWN", "INCONCLUSIVE"]

ALPHA = 0.05
POWER = 0.8
LEAST_NON_TIED = 6
"""With five non-tied pairs the smallest two-sided sign-flip p is 2/2**5 = .0625: never below .05."""

_EXACT_PAIRS = 36
"""Two halves of 2**18 sums are enumerated in some 30 ms; beyond, random sign flips."""
_FLIPS = 20_000


@dataclass(frozen=True, slots=True)
class Pairing:
    """Scores of the same questions in two runs. `missing` holds each question that at least one run has no score
    for, as ``(id, base or None, candidate or None)``. `lost` gives the questions some of whose repeats have no score,
    and the shares of them in base and candidate: their scores are means of the rest.
    """

    ids: tuple[str, ...]
    base: tuple[float, ...]
    candidate: tuple[float, ...]
    missing: tuple[tuple[str, float | None, float | None], ...] = ()
    lost: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Every question that lacks a score of at least one repeat."""
        return (*(identity for identity in self.ids if identity in self.lost), *(each[0] for each in self.missing))


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Candidate against base over `n` paired questions. Differences are candidate minus base, in the metric's unit.

    `interval` is None below two pairs. `p` is two-sided; `exact` says that every sign pattern was counted.
    `effect_size` is d_z with Hedges' correction, None where the differences do not vary. `detectable` is
    None where no standard deviation can be estimated. Wins are questions where the candidate is better.
    """

    n: int
    mean_base: float
    mean_candidate: float
    difference: float
    sd: float
    interval: Interval | None
    p: float
    exact: bool
    effect_size: float | None
    wins: int
    ties: int
    losses: int
    detectable: float | None
    higher_is_better: bool = True

    @property
    def non_tied(self) -> int:
        return self.wins + self.losses

    @property
    def gain(self) -> float:
        """The difference with its sign turned so that positive is better."""
        return self.difference if self.higher_is_better else -self.difference

    def to_dict(self) -> dict[str, Any]:
        """JSON: the interval as a pair, and null for what is not a number."""
        values = {**asdict(self), "interval": [self.interval.low, self.interval.high] if self.interval else None}
        return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in values.items()}


def pair(
    base: Mapping[str, Sequence[float | None]],
    candidate: Mapping[str, Sequence[float | None]],
) -> Pairing:
    """Pairs two runs by question: id -> scores of its repeats, None where a repeat has no score.

    Repeats are averaged first, so that a question counts once however often it was asked; what of them has no score
    is told in `lost`. Questions keep the order of `base`; those that neither run scored are missing too. Ids of one
    run only are missing in the other.
    """
    ids: list[str] = []
    pairs: list[tuple[float, float]] = []
    missing: list[tuple[str, float | None, float | None]] = []
    lost: dict[str, tuple[float, float]] = {}
    for identity in dict.fromkeys([*base, *candidate]):
        (ours, less), (theirs, fewer) = _known(base.get(identity, ())), _known(candidate.get(identity, ()))
        if ours is None or theirs is None:
            missing.append((identity, ours, theirs))
        else:
            ids.append(identity)
            pairs.append((ours, theirs))
        if 0 < less < 1 or 0 < fewer < 1:
            lost[identity] = (less, fewer)
    return Pairing(tuple(ids), tuple(b for b, _ in pairs), tuple(c for _, c in pairs), tuple(missing), lost)


def paired_test(
    base: Sequence[float],
    candidate: Sequence[float],
    *,
    higher_is_better: bool = True,
    bounds: tuple[float, float] | None = None,
    alpha: float = ALPHA,
    seed: int = 0,
) -> PairedTest:
    """Everything `PairedTest` holds. `bounds` is the metric's own range, None where it has none (seconds, money)."""
    ours, theirs = np.asarray(base, dtype=np.float64), np.asarray(candidate, dtype=np.float64)
    if ours.shape != theirs.shape:
        raise ValueError(f"{ours.size} base scores cannot be paired with {theirs.size} candidate scores")
    differences = theirs - ours
    differences[np.abs(differences) < TIE] = 0.0
    n = int(differences.size)
    up, down = int((differences > 0).sum()), int((differences < 0).sum())
    sd = float(differences.std(ddof=1)) if n > 1 else 0.0
    p, exact = sign_flip_p(differences, seed=seed)
    return PairedTest(
        n=n,
        mean_base=float(ours.mean()) if n else math.nan,
        mean_candidate=float(theirs.mean()) if n else math.nan,
        difference=float(differences.mean()) if n else 0.0,
        sd=sd,
        interval=difference_interval(differences, confidence=1 - alpha, bounds=bounds, seed=seed),
        p=p,
        exact=exact,
        effect_size=effect_size(differences),
        wins=up if higher_is_better else down,
        ties=n - up - down,
        losses=down if higher_is_better else up,
        detectable=detectable_difference(sd, n, alpha=alpha) if n > 1 and sd > TIE else None,
        higher_is_better=higher_is_better,
    )


def decide(test: PairedTest, *, alpha: float = ALPHA, p: float | None = None) -> VerdictKind:
    """The verdict on one paired test; `p` replaces the test's own where it was adjusted for several comparisons.

    BETTER and WORSE need both witnesses: p below alpha and an interval without zero. Below six pairs
    nothing can be shown either way, which is INCONCLUSIVE rather than a tie.
    """
    if test.n < LEAST_NON_TIED or test.interval is None:
        return "INCONCLUSIVE"
    if (test.p if p is None else p) < alpha and test.interval.excludes_zero:
        return "BETTER" if test.gain > 0 else "WORSE"
    return "NO DIFFERENCE SHOWN"


def missing_bounds(
    pairing: Pairing,
    *,
    bounds: tuple[float, float],
    higher_is_better: bool = True,
    alpha: float = ALPHA,
    seed: int = 0,
) -> tuple[PairedTest, PairedTest]:
    """The test with every missing score filled against the candidate, and with every one filled for it.

    Manski's worst-case bounds: a missing score is taken at either end of the metric's range, whatever the
    reason it is missing for. Of a question that lacks some repeats only those are filled.
    """
    poor, good = bounds if higher_is_better else bounds[::-1]
    known = [*zip(pairing.ids, pairing.base, pairing.candidate, strict=True), *pairing.missing]

    def filled(for_base: float, for_candidate: float) -> PairedTest:
        base, candidate = [], []
        for identity, ours, theirs in known:
            less, fewer = pairing.lost.get(identity, (0.0, 0.0))
            base.append(for_base if ours is None else ours + less * (for_base - ours))
            candidate.append(for_candidate if theirs is None else theirs + fewer * (for_candidate - theirs))
        return paired_test(base, candidate, higher_is_better=higher_is_better, bounds=bounds, alpha=alpha, seed=seed)

    return filled(good, poor), filled(poor, good)


def sign_flip_p(differences: Sequence[float] | Array, *, seed: int = 0) -> tuple[float, bool]:
    """Two-sided sign-flip permutation p of the mean difference, and whether it is exact.

    Tied pairs do not move the statistic, so only the others are flipped: every pattern up to 36 of them,
    beyond that 20,000 random ones with the +1 correction of Phipson & Smyth 2010.
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[np.abs(values) >= TIE]
    if values.size == 0:
        return 1.0, True
    observed = abs(float(values.sum()))
    threshold = observed - 1e-12 * float(np.abs(values).sum())
    if values.size <= _EXACT_PAIRS:
        half = values.size // 2
        left, right = _signed_sums(values[:half]), np.sort(_signed_sums(values[half:]))
        # By symmetry the lower tail holds as many patterns as the upper.
        upper = right.size * left.size - int(np.searchsorted(right, threshold - left, side="left").sum())
        return min(1.0, 2 * upper / 2.0**values.size), True
    generator = np.random.default_rng(seed)
    extreme = 0
    for _ in range(20):
        signs = generator.integers(0, 2, size=(_FLIPS // 20, values.size), dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ values) >= threshold).sum())
    return (extreme + 1) / (_FLIPS + 1), False


def _signed_sums(values: Array) -> Array:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def mcnemar_p(only_base: int, only_candidate: int) -> float:
    """Exact two-sided McNemar p from the discordant counts (binomial with one half). 1.0 where there are none."""
    total, fewer = only_base + only_candidate, min(only_base, only_candidate)
    tail: int = sum(math.comb(total, k) for k in range(fewer + 1))
    return min(1.0, tail / 2 ** (total - 1)) if total else 1.0


def effect_size(differences: Sequence[float] | Array) -> float | None:
    """Mean over standard deviation of the differences (d_z) times Hedges' small-sample correction."""
    values = np.asarray(differences, dtype=np.float64)
    if values.size < 3 or float(values.std(ddof=1)) < TIE:
        return None
    correction = 1 - 3 / (4 * (values.size - 1) - 1)
    return correction * float(values.mean() / values.std(ddof=1))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p values, in the order given (Holm 1979)."""
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted


def detectable_difference(sd: float, n: int, *, alpha: float = ALPHA, power: float = POWER) -> float:
    """The smallest true mean difference that a two-sided paired t test of `n` pairs finds with this power.

    Solved on the noncentral t distribution. Raises ValueError below two pairs.
    """
    if n < 2:
        raise ValueError("power needs two pairs or more")
    return sd * _detectable_effect(n, alpha, power)


@lru_cache(maxsize=4096)
def _detectable_effect(n: int, alpha: float, power: float) -> float:
    """In standard deviations of the differences."""
    stats = scipy_stats()
    from scipy.optimize import brentq

    critical = float(stats.t.ppf(1 - alpha / 2, n - 1))

    def shortfall(effect: float) -> float:
        shift = effect * math.sqrt(n)
        # The far tail is below 1e-4 of the power; where it underflows scipy returns nan.
        far = stats.nct.cdf(-critical, n - 1, shift)
        found = stats.nct.sf(critical, n - 1, shift) + (0.0 if math.isnan(far) else far)
        return float(found) - power

    ceiling = (critical + 1.0) / math.sqrt(n)
    while shortfall(ceiling) < 0:
        ceiling *= 2
    return float(brentq(shortfall, 0.0, ceiling, xtol=1e-12))


def _known(values: Sequence[float | None]) -> tuple[float | None, float]:
    """Mean of the scores that there are, None where there is none, and the share of those that there are not."""
    known = [value for value in values if value is not None and not math.isnan(value)]
    return (sum(known) / len(known), 1 - len(known) / len(values)) if known else (None, 1.0)
