"""Where a candidate stands when everything is counted: the metric that decides, the others, and the gates.

    standing(candidate, base_label, gates=None) -> Standing     .word, .tone, .headline

A primary metric that shows no difference must not hide that others got worse, so every report begins with this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from eval.compare import PRIMARY_ORDER, CandidateResult
from eval.gate_report import GateReport
from eval.paired import MetricResult
from eval.statistics import VerdictKind
from eval.verdicts import headline, plural

Tone = Literal["better", "worse", "even", "open"]

_TONES: Mapping[VerdictKind, Tone] = {
    "BETTER": "better",
    "WORSE": "worse",
    "NO DIFFERENCE SHOWN": "even",
    "INCONCLUSIVE": "open",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """`word` is a verdict, or ``MIXED`` (the primary metric is better, others are worse), ``PARTLY WORSE`` (others are
    worse), ``GATES FAILED``, ``GATES UNDECIDED``, ``NOT CHECKED``.
    """

    word: str
    tone: Tone
    headline: str
    """What to know in one line, without a full stop."""

    @property
    def mark(self) -> str:
        """`word`, empty where the headline says the same."""
        return "" if self.headline.upper().startswith(self.word) else self.word

    @property
    def line(self) -> str:
        return f"{self.mark}: {self.headline}." if self.mark else f"{self.headline}."


def standing(candidate: CandidateResult, base: str, gates: GateReport | None = None) -> Standing:
    """Secondary metrics count where their own Holm-adjusted verdict is BETTER or WORSE."""
    worse = leading(candidate.secondary, "WORSE")
    better = leading(candidate.secondary, "BETTER")
    word, tone = _of_metrics(candidate.verdict, bool(worse))
    if word == "PARTLY WORSE":
        said = _partly(candidate, base, worse, better)
    else:
        said = headline(candidate.primary, base=base, candidate=candidate.label)
        said += _others(candidate.verdict, worse, better)
    gated = _gated(gates)
    if gates is not None and gates.exit_code:
        word, tone = _of_gates(gates)
    return Standing(word, tone, f"{gated}; {_inside(said)}" if gated else said)


def _inside(headline: str) -> str:
    """Within a sentence; a run's name stays as it is."""
    ours = headline.startswith(("No difference", "Undecided"))
    return f"{headline[0].lower()}{headline[1:]}" if ours else headline


def leading(results: Sequence[MetricResult], verdict: VerdictKind) -> tuple[MetricResult, ...]:
    """Those with this verdict: the metrics that could decide first, then by the size of the difference."""
    found = [result for result in results if result.verdict == verdict]
    known = {name: place for place, name in enumerate(PRIMARY_ORDER)}
    return tuple(sorted(found, key=lambda r: (known.get(r.info.name, len(known)), -abs(r.test.difference))))


def moved(candidate: CandidateResult) -> list[tuple[str, Tone, tuple[MetricResult, ...]]]:
    """The secondary metrics that got worse, then those that got better, each with the words for it."""
    kinds: tuple[tuple[str, Tone, VerdictKind], ...] = (
        ("Got worse", "worse", "WORSE"),
        ("Got better", "better", "BETTER"),
    )
    found = [(words, tone, leading(candidate.secondary, verdict)) for words, tone, verdict in kinds]
    return [entry for entry in found if entry[2]]


def named(results: Sequence[MetricResult]) -> str:
    """``recall@5``, ``recall@5 and mrr``, ``recall@5 and 4 more``."""
    names = [result.info.name for result in results]
    return " and ".join(names) if len(names) < 3 else f"{names[0]} and {len(names) - 1} more"


def _of_metrics(verdict: VerdictKind, others_worse: bool) -> tuple[str, Tone]:
    if others_worse and verdict != "WORSE":
        return ("MIXED", "open") if verdict == "BETTER" else ("PARTLY WORSE", "worse")
    return verdict, _TONES[verdict]


def _partly(
    candidate: CandidateResult, base: str, worse: Sequence[MetricResult], better: Sequence[MetricResult]
) -> str:
    """What got worse comes first: who reads no further than that must not go away with "no difference"."""
    rose = f" and better on {named(better)}" if better else ""
    decides = "is undecided" if candidate.verdict == "INCONCLUSIVE" else "shows no difference"
    return (
        f"{candidate.label} is worse than {base} on {named(worse)}{rose}, "
        f"while {candidate.primary.info.name}, which decides, {decides}"
    )


def _of_gates(gates: GateReport) -> tuple[str, Tone]:
    statuses = {result.status for result in gates.results}
    if statuses & {"invalid", "unjudged"}:
        return "NOT CHECKED", "worse"
    return ("GATES FAILED", "worse") if "failed" in statuses else ("GATES UNDECIDED", "open")


def _others(verdict: VerdictKind, worse: Sequence[MetricResult], better: Sequence[MetricResult]) -> str:
    """What the other metrics add: those that contradict the verdict come with ``but``."""
    fell, rose = f"{named(worse)} got worse", f"{named(better)} got better"
    if verdict == "WORSE":
        return (f", and {fell} too" if worse else "") + (f", but {rose}" if better else "")
    if worse:
        return f", but {fell}" + (f" and {rose}" if better else "")
    if better:
        return f", and {rose} too" if verdict == "BETTER" else f", but {rose}"
    return ""


def _gated(gates: GateReport | None) -> str:
    if gates is None:
        return ""
    total = len(gates.results)
    counts = {status: sum(r.status == status for r in gates.results) for status in ("failed", "passed", "inconclusive")}
    for status in ("failed", "inconclusive"):
        if counts[status] and (status == "failed" or gates.exit_code):
            said = "failed" if status == "failed" else "undecided, which fails here"
            return f"{counts[status]} of {plural(total, 'gate')} {said}"
    return "the gates could not be checked" if gates.exit_code else ""
