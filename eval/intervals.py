"""Confidence intervals for means of few, tied and skewed scores. Pure functions; the bootstrap is seeded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chunking.errors import MissingExtraError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

TIE = 1e-9
"""Scores closer than this are equal: means over repeats leave rounding noise."""

_ONE_SIZE = 0.5
"""Differences whose smallest is no less than this share of the largest, ties aside, are of about one size. At one half
six differences of one sign and no tie still exclude zero, as their sign-flip p of .031 does."""

_RESAMPLES = 2_000
_BOOTSTRAP_PAIRS = 200
"""Above this many pairs the t interval alone covers."""


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        return self.low > 0 or self.high < 0


def scipy_stats() -> Any:
    """`scipy.stats`. Raises MissingExtraError where it is not installed."""
    try:
        from scipy import stats
    except ImportError as missing:
        raise MissingExtraError("Comparing runs", "eval") from missing
    return stats


def difference_interval(
    differences: Sequence[float] | Array,
    *,
    confidence: float = 0.95,
    bounds: tuple[float, float] | None = None,
    seed: int = 0,
) -> Interval | None:
    """The interval a report prints: the wider of Student's t and the symmetric studentised bootstrap.

    At n = 20 with 60% ties t alone covers .90 when the differences are one-sided, the bootstrap alone .92
    when few pairs differ; the wider of the two keeps .93 and more (tests/bench/statistics.py). The bootstrap
    may widen it 2.5 times at most: with two or three differing pairs its quantile runs wild, and
    what lies beyond adds no coverage. Where the pairs differ by about one size, as passes and failures do, a sample
    often lacks the rare case and neither shows its width, so the interval takes in `adjusted_wald_interval` too.
    Where no pair differs, the share of questions that would differ is bounded (Clopper & Pearson 1934), times
    the metric's range. None below two pairs.
    """
    values = np.asarray(differences, dtype=np.float64)
    n = values.size
    if n < 2:
        return None
    limit = bounds[1] - bounds[0] if bounds else math.inf
    sizes = np.abs(values[np.abs(values) >= TIE])
    if not sizes.size:
        if bounds is None:
            return Interval(0.0, 0.0)
        share = 1 - ((1 - confidence) / 2) ** (1 / n)
        return Interval(-share * limit, share * limit)
    mean, error = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n)
    critical = float(scipy_stats().t.ppf((1 + confidence) / 2, n - 1))
    if n <= _BOOTSTRAP_PAIRS:
        critical = min(max(critical, _bootstrap_critical(values, confidence, seed)), 2.5 * critical)
    low, high = mean - critical * error, mean + critical * error
    if sizes.min() >= _ONE_SIZE * sizes.max():
        adjusted = adjusted_wald_interval(values, confidence=confidence)
        low, high = min(low, adjusted.low), max(high, adjusted.high)
    return Interval(max(low, -limit), min(high, limit))


def mean_interval(
    values: Sequence[float] | Array,
    *,
    confidence: float = 0.95,
    bounds: tuple[float, float] | None = None,
    seed: int = 0,
) -> Interval | None:
    """The interval of one run's mean, for absolute gates. None below two values.

    Passes and failures (0 and 1) take the exact binomial interval of Clopper & Pearson; scores that are all
    alike take its bound on the share that could differ; all others `difference_interval`, kept within `bounds`.
    """
    scores = np.asarray(values, dtype=np.float64)
    if scores.size < 2:
        return None
    mean = float(scores.mean())
    if bounds == (0.0, 1.0) and np.isin(scores, (0.0, 1.0)).all():
        exact = scipy_stats().binomtest(int(scores.sum()), scores.size).proportion_ci(confidence, "exact")
        return Interval(float(exact.low), float(exact.high))
    around = difference_interval(
        scores - mean if np.ptp(scores) < TIE else scores, confidence=confidence, bounds=bounds, seed=seed
    )
    assert around is not None
    low, high = (around.low + mean, around.high + mean) if np.ptp(scores) < TIE else (around.low, around.high)
    return Interval(max(low, bounds[0]), min(high, bounds[1])) if bounds else Interval(low, high)


def t_interval(differences: Sequence[float] | Array, *, confidence: float = 0.95) -> Interval:
    """Student's interval for a mean. Raises ValueError below two values."""
    values = np.asarray(differences, dtype=np.float64)
    if values.size < 2:
        raise ValueError("a t interval needs two values or more")
    half = float(scipy_stats().t.ppf((1 + confidence) / 2, values.size - 1)) * float(values.std(ddof=1))
    half /= math.sqrt(values.size)
    return Interval(float(values.mean()) - half, float(values.mean()) + half)


def adjusted_wald_interval(differences: Sequence[float] | Array, *, confidence: float = 0.95) -> Interval:
    """Bonett & Price's interval for a difference of paired proportions (2012), with Student's quantile for few pairs.

    They count one more win and one more loss than were seen. Here each is as large as the root mean square of
    the differences that are not ties, which for passes and failures is 1. Raises ValueError below two values.
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.size < 2:
        raise ValueError("an adjusted Wald interval needs two values or more")
    n, differing = values.size + 2, max(1, int((np.abs(values) >= TIE).sum()))
    squares = float((values**2).sum())
    mean = float(values.sum()) / n
    variance = (squares + 2 * squares / differing) / n - mean**2
    half = float(scipy_stats().t.ppf((1 + confidence) / 2, values.size - 1)) * math.sqrt(variance / n)
    return Interval(mean - half, mean + half)


def bootstrap_interval(differences: Sequence[float] | Array, *, confidence: float = 0.95, seed: int = 0) -> Interval:
    """Symmetric studentised bootstrap interval for a mean (Hall 1988). Raises ValueError below two values."""
    values = np.asarray(differences, dtype=np.float64)
    if values.size < 2:
        raise ValueError("a studentised bootstrap needs two values or more")
    half = _bootstrap_critical(values, confidence, seed) * float(values.std(ddof=1)) / math.sqrt(values.size)
    return Interval(float(values.mean()) - half, float(values.mean()) + half)


def _bootstrap_critical(values: Array, confidence: float, seed: int) -> float:
    """Quantile of |t*| over resamples; those without variance carry no studentised value and are left out."""
    n = values.size
    rows = values[np.random.default_rng(seed).integers(0, n, size=(_RESAMPLES, n))]
    spread = rows.std(axis=1, ddof=1)
    varied = spread > TIE
    if not varied.any():
        return 0.0
    studentised = np.abs(rows[varied].mean(axis=1) - values.mean()) / (spread[varied] / math.sqrt(n))
    return float(np.quantile(studentised, confidence))
