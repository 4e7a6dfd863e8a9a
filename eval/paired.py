"""One metric, two runs: scores paired by question, tested, and bounded where scores are missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from eval.runs import AnswerRecord, MetricInfo, Run
from eval.statistics import (
    PairedTest,
    Pairing,
    VerdictKind,
    decide,
    holm,
    mcnemar_p,
    missing_bounds,
    pair,
    paired_test,
)

LATENCY = MetricInfo("latency_ms", "crag", "milliseconds from question to answer", "lower", (0.0, math.inf))
TOKENS = MetricInfo("tokens", "crag", "prompt and completion tokens of one answer", "lower", (0.0, math.inf))
COST = MetricInfo("cost_per_1000", "crag", "money of a thousand answers, by the price table", "lower", (0.0, math.inf))

Figure = Callable[[AnswerRecord], float | None]

ECONOMY: tuple[tuple[MetricInfo, Figure], ...] = (
    (LATENCY, lambda record: record.latency_ms),
    (TOKENS, lambda record: record.usage["prompt_tokens"] + record.usage["completion_tokens"]),
    (COST, lambda record: None if record.cost is None else 1000 * record.cost),
)


@dataclass(frozen=True, slots=True)
class PassFail:
    """Questions that pass in one run only; a question passes when its mean score reaches `threshold`."""

    threshold: float
    only_base: int
    only_candidate: int
    p: float


@dataclass(frozen=True, slots=True)
class MetricResult:
    """One metric of one candidate against the base. `p` is adjusted for its family, `test.p` is not.

    `worst` and `best` repeat the test with missing scores filled against and for the candidate; None where
    nothing is missing or the metric has no finite range. Questions on which the metric applies in neither
    run are counted in `not_applicable` and stand aside. `incomparable` says why figures of the two runs carry no
    verdict, and is empty where they do.
    """

    info: MetricInfo
    test: PairedTest
    pairing: Pairing
    p: float
    verdict: VerdictKind
    not_applicable: int = 0
    worst: PairedTest | None = None
    best: PairedTest | None = None
    pass_fail: PassFail | None = None
    incomparable: str = ""

    @property
    def equal(self) -> bool:
        """Every question scored the same in both runs, and none lacks a score."""
        return self.test.n > 0 and self.test.non_tied == 0 and not self.pairing.incomplete

    def to_dict(self) -> dict[str, Any]:
        return {
            "metric": self.info.name,
            "direction": self.info.direction,
            "verdict": self.verdict,
            "p_adjusted": self.p,
            **self.test.to_dict(),
            "not_applicable": self.not_applicable,
            "missing": [identity for identity, _, _ in self.pairing.missing],
            "repeats_missing": list(self.pairing.lost),
            "bounds": [self.worst.to_dict(), self.best.to_dict()] if self.worst and self.best else None,
            "pass_fail": asdict(self.pass_fail) if self.pass_fail else None,
            "incomparable": self.incomparable or None,
        }


def metric_result(
    base: Run,
    candidate: Run,
    info: MetricInfo,
    *,
    alpha: float,
    pass_at: float = 0.5,
    only: Collection[str] | None = None,
) -> MetricResult:
    """Unadjusted, without a verdict yet (`judged` and `family` give it). `only` restricts to some questions."""
    ours, theirs = _scores(base, info.name, only), _scores(candidate, info.name, only)
    aside = {
        question
        for question in {**ours, **theirs}
        if all(status == "not_applicable" for status, _ in (*ours.get(question, ()), *theirs.get(question, ())))
    }
    # A repeat on which the metric does not apply says nothing of the others; one that failed may hide anything.
    pairing = pair(
        *(
            {q: [v for status, v in s if status != "not_applicable"] for q, s in side.items() if q not in aside}
            for side in (ours, theirs)
        )
    )
    bounds = info.range if math.isfinite(info.range[1] - info.range[0]) else None
    higher = info.direction == "higher"
    test = paired_test(pairing.base, pairing.candidate, higher_is_better=higher, bounds=bounds, alpha=alpha)
    result = MetricResult(info, test, pairing, test.p, "INCONCLUSIVE", len(aside))
    if pairing.incomplete and bounds:
        worst, best = missing_bounds(pairing, bounds=bounds, higher_is_better=higher, alpha=alpha)
        result = replace(result, worst=worst, best=best)
    return replace(result, pass_fail=_pass_fail(pairing, info, pass_at))


def judged(result: MetricResult, p: float, *, alpha: float) -> MetricResult:
    """With its adjusted p and its verdict; INCONCLUSIVE where filling in the missing scores would turn it."""
    verdict = decide(result.test, alpha=alpha, p=p)
    adjustment = p / result.test.p
    for filled in (result.worst, result.best):
        if filled is not None and decide(filled, alpha=alpha, p=min(1.0, filled.p * adjustment)) != verdict:
            verdict = "INCONCLUSIVE"
    return replace(result, p=p, verdict=verdict)


def family(results: Iterable[MetricResult], *, alpha: float) -> tuple[MetricResult, ...]:
    """Verdicts of several metrics, Holm-adjusted among themselves; what is incomparable stays without one."""
    members = list(results)
    adjusted = iter(holm([result.test.p for result in members if not result.incomparable]))
    return tuple(result if result.incomparable else judged(result, next(adjusted), alpha=alpha) for result in members)


def economy(base: Run, candidate: Run, *, alpha: float) -> list[MetricResult]:
    """Latency, tokens and money, as far as either run has any."""
    results = []
    for info, figure in ECONOMY:
        pairing = pair(per_question(base, figure), per_question(candidate, figure))
        if any(pairing.base) or any(pairing.candidate):
            test = paired_test(pairing.base, pairing.candidate, higher_is_better=False, alpha=alpha)
            why = timing_differs(base, candidate) if info is LATENCY else ""
            results.append(MetricResult(info, test, pairing, test.p, "INCONCLUSIVE", incomparable=why))
    return results


def timing_differs(base: Run, candidate: Run) -> str:
    """Why the latencies of two runs do not compare; empty where they do.

    Questions that are asked together wait for each other, and one that is asked again finds its embedding cached.
    """
    ours, theirs = base.manifest, candidate.manifest
    if ours["concurrency"] != theirs["concurrency"]:
        return f"asked {ours['concurrency']} and {theirs['concurrency']} at a time"
    return f"asked {ours['repeat']} and {theirs['repeat']} times" if ours["repeat"] != theirs["repeat"] else ""


def per_question(run: Run, figure: Figure) -> dict[str, list[float | None]]:
    """A figure of each answer by question, repeats in order; None where the pipeline failed."""
    found: dict[str, list[float | None]] = {}
    for record in run.answers.values():
        found.setdefault(record.question.id, []).append(figure(record) if record.status == "ok" else None)
    return found


def _scores(run: Run, metric: str, only: Collection[str] | None) -> dict[str, list[tuple[str, float | None]]]:
    """(status, value) of every repeat; one that was asked but not scored, or not asked yet, counts as missing."""
    asked = [question for question in run.questions if only is None or question in only]
    found: dict[str, dict[int, tuple[str, float | None]]] = {
        question: dict.fromkeys(range(run.manifest["repeat"]), ("missing", None)) for question in asked
    }
    for score in run.scores.values():
        if score.metric == metric and score.question in found:
            found[score.question][score.repeat] = (score.status, score.value)
    return {question: list(repeats.values()) for question, repeats in found.items()}


def _pass_fail(pairing: Pairing, info: MetricInfo, threshold: float) -> PassFail | None:
    if info.range != (0.0, 1.0) or info.direction != "higher":
        return None
    passed = [(b >= threshold, c >= threshold) for b, c in zip(pairing.base, pairing.candidate, strict=True)]
    only_base, only_candidate = passed.count((True, False)), passed.count((False, True))
    return PassFail(threshold, only_base, only_candidate, mcnemar_p(only_base, only_candidate))
