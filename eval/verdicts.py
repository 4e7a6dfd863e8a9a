"""Verdicts in plain words: one sentence that a reader can act on, and the remarks that go with it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from eval.paired import MetricResult
from eval.statistics import LEAST_NON_TIED


def headline(result: MetricResult, *, base: str, candidate: str) -> str:
    """The verdict in a few words."""
    name = result.info.name
    return {
        "BETTER": f"{candidate} is better than {base} on {name}",
        "WORSE": f"{candidate} is worse than {base} on {name}",
        "NO DIFFERENCE SHOWN": f"No difference shown between {candidate} and {base} on {name}",
        "INCONCLUSIVE": f"Undecided between {candidate} and {base} on {name}",
    }[result.verdict]


def sentence(result: MetricResult, *, base: str, candidate: str, alpha: float) -> str:
    """The verdict, in capitals, and its figures in one sentence that stands alone."""
    name = result.info.name
    said = {
        "BETTER": f"{candidate} is BETTER than {base} on {name}",
        "WORSE": f"{candidate} is WORSE than {base} on {name}",
        "NO DIFFERENCE SHOWN": f"NO DIFFERENCE SHOWN between {candidate} and {base} on {name}",
        "INCONCLUSIVE": f"INCONCLUSIVE whether {candidate} is better than {base} on {name}",
    }[result.verdict]
    return f"{said}: {figures(result, alpha=alpha)}."


def figures(result: MetricResult, *, alpha: float) -> str:
    """What the verdict rests on; of an undecided one, why it is open."""
    test = result.test
    if result.verdict == "INCONCLUSIVE":
        return _why_open(result)
    means = f"{number(test.mean_candidate)} against {number(test.mean_base)}"
    if test.non_tied == 0:
        return f"{means}; {sight(result)}"
    told = f"{means}, a difference of {signed(test.difference)} ({evidence(result, alpha=alpha)})"
    return told if result.verdict in {"BETTER", "WORSE"} else f"{told}; {sight(result)}"


def evidence(result: MetricResult, *, alpha: float) -> str:
    """Interval, p and the count of questions, e.g. ``95% interval +0.04 to +0.20, p = 0.006, 20 questions``."""
    test = result.test
    ends = test.interval and f"{signed(test.interval.low)} to {signed(test.interval.high)}"
    interval = f"{level(alpha)} interval {ends}, " if ends else ""
    return f"{interval}{p_value(result.p)}, {plural(test.n, 'question')}"


def sight(result: MetricResult) -> str:
    """The smallest difference that this suite could have shown."""
    test = result.test
    if test.detectable is None:
        return f"all {test.n} questions scored the same"
    if test.detectable > result.info.range[1] - result.info.range[0]:
        return f"this suite of {test.n} is too small to show any difference"
    return (
        f"this suite of {test.n} can only see differences of at least {number(test.detectable)}"
        f"{'' if test.non_tied >= LEAST_NON_TIED else ', and only where more questions differ'}"
    )


def _why_open(result: MetricResult) -> str:
    test, missing = result.test, len(result.pairing.incomplete)
    if test.n == 0:
        return "no question has a score in both runs"
    if test.n < LEAST_NON_TIED or result.worst is None or result.best is None:
        return (
            f"only {plural(test.n, 'question')} {'has' if test.n == 1 else 'have'} a score in both runs, and fewer "
            f"than {LEAST_NON_TIED} can never show a difference"
        )
    return (
        f"{missing} of {test.n + len(result.pairing.missing)} questions lack a score of at least one answer, and "
        f"filling them in against or for the candidate moves the difference from {signed(result.worst.difference)} to "
        f"{signed(result.best.difference)}, which turns the verdict"
    )


def remarks(
    result: MetricResult,
    *,
    alpha: float,
    noise: float | None,
    unfinished: Mapping[str, str],
    candidates: int,
    incomparable: Mapping[str, str],
) -> Iterator[str]:
    """What a reader must know before trusting the verdict."""
    test, name = result.test, result.info.name
    if 0 < test.non_tied < (least := least_non_tied(alpha)) <= test.n:
        yield (
            f"Only {test.non_tied} of {test.n} questions scored differently; at least {least} must, all in "
            f"one direction, before p can fall below {alpha:g}."
        )
    if result.pairing.incomplete:
        yield _missing(result)
    if result.not_applicable:
        yield f"{name} does not apply to {plural(result.not_applicable, 'question')}."
    if noise and abs(test.difference) <= noise:
        yield (
            f"The difference is within the judge's own noise: judging the same answers twice moves {name} by up to "
            f"{number(noise)}."
        )
    if candidates > 1 and p_value(result.p) != p_value(test.p):
        yield f"{p_value(result.p)} counts in that {candidates} candidates were tried (alone: {p_value(test.p)})."
    for figure, reason in incomparable.items():
        yield f"{figure} has no verdict: the two runs were {reason}."
    for label, reason in unfinished.items():
        yield f"The run of {label} is not whole ({reason})."


def _missing(result: MetricResult) -> str:
    gone, some = len(result.pairing.missing), len(result.pairing.lost)
    told = []
    if gone:
        lacks, are = ("lacks", "is") if gone == 1 else ("lack", "are")
        told.append(f"{plural(gone, 'question')} {lacks} a score in at least one run and {are} left out.")
    if some:
        told.append(
            f"{plural(some, 'question')} lost some of {'its' if some == 1 else 'their'} repeats; the rest count."
        )
    left_out = " ".join(told)
    if result.worst is None or result.best is None or result.verdict == "INCONCLUSIVE":
        return left_out
    return (
        f"{left_out} Filled in against and for the candidate they would move the difference to "
        f"{signed(result.worst.difference)} and {signed(result.best.difference)}; the verdict stays."
    )


def least_non_tied(alpha: float) -> int:
    """The fewest changed questions whose two-sided sign-flip p, 2 / 2**k, falls below `alpha`; six at .05."""
    return max(LEAST_NON_TIED, math.floor(1 - math.log2(alpha)) + 1)


def level(alpha: float) -> str:
    """The confidence of an interval: ``95%``."""
    return f"{100 * (1 - alpha):.6g}%"


def number(value: float) -> str:
    """Three decimals below ten, fewer above: ``0.812``, ``41.2``, ``1,240``."""
    if abs(value) < 10:
        return f"{value:.3f}"
    return f"{value:.1f}" if abs(value) < 1000 else f"{value:,.0f}"


def signed(value: float) -> str:
    """With its sign, a true minus: ``+0.120``, ``−0.031``; no sign on what rounds to ``0.000``."""
    text = number(abs(value))
    if text == "0.000":
        return text
    return f"{'+' if value > 0 else '−'}{text}"


def p_value(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
