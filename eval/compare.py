"""Two or more runs of one suite -> verdicts one can trust.

    compare_runs(base, candidates, *, primary=None, alpha=.05, allow_mismatch=False, noise=None, pass_at=.5)
        -> Comparison                              .headline, .candidates[i].verdict, .to_dict() for --json
    mismatches(base, candidate) -> tuple[str, ...] what makes two runs incomparable

One metric decides, and it is named before looking: `primary`, or the first of `PRIMARY_ORDER` that every run has, or
`QUOTED_PRIMARY` where every answer is a quote (`default_primary`).
With several candidates its p is Holm-adjusted over them. All other metrics are secondary, Holm-adjusted
among themselves; latency, tokens and money are a third family. The report lives in `eval.report`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from chunking.errors import ConfigError
from eval import verdicts
from eval.changes import Change, changes_between
from eval.metrics.answer import contains_reference
from eval.metrics.builtin import references
from eval.metrics.catalog import CATALOG
from eval.paired import MetricResult, economy, family, judged, metric_result
from eval.runs import MetricInfo, Run
from eval.statistics import ALPHA, PairedTest, VerdictKind, holm

PRIMARY_ORDER = ("correctness", "answer_correctness", "f1", "recall@5")
"""The default primary metric: judged correctness where a judge was configured, else answer F1, else retrieval."""

QUOTED_PRIMARY = "contains_reference"
"""Decides in F1's place where answers are quoted passages and references stand in them word for word: F1 divides by the
length of the answer, so it prefers a pipeline that quotes less to one that quotes the right passage. What this metric
cannot see, quotes that are too long, F1 still shows beside it."""

LEAST_IN_TYPE = 3
"""Of fewer questions no type is said to be hit: one or two are themselves."""

Dimension = Literal["type", "lang"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A metric within one type or language: exploratory, no verdict."""

    dimension: Dimension
    group: str
    metric: str
    test: PairedTest


@dataclass(frozen=True, slots=True)
class CandidateResult:
    """`sentence` is the verdict in plain words; `remarks` say what a reader must know before trusting it."""

    label: str
    run: Run
    verdict: VerdictKind
    sentence: str
    remarks: tuple[str, ...]
    primary: MetricResult
    secondary: tuple[MetricResult, ...]
    economy: tuple[MetricResult, ...]
    cells: tuple[Cell, ...]
    changes: tuple[Change, ...]
    """Every question, worst change first."""
    mismatches: tuple[str, ...] = ()

    @property
    def metrics(self) -> tuple[MetricResult, ...]:
        return (self.primary, *self.secondary)

    @property
    def regressions(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.regressed)

    @property
    def stages(self) -> dict[str, int]:
        """How many regressions each stage is to blame for, most first."""
        counts: dict[str, int] = {}
        for change in self.regressions:
            counts[change.stage] = counts.get(change.stage, 0) + 1
        return dict(sorted(counts.items(), key=lambda item: -item[1]))

    @property
    def types_hit(self) -> tuple[Cell, ...]:
        """Question types of at least `LEAST_IN_TYPE` questions that lost on the primary metric, worst first."""
        name = self.primary.info.name
        cells = (c for c in self.cells if c.metric == name and c.dimension == "type" and c.test.gain < 0)
        return tuple(sorted((c for c in cells if c.test.n >= LEAST_IN_TYPE), key=lambda cell: cell.test.gain))


@dataclass(frozen=True, slots=True)
class Comparison:
    base: Run
    base_label: str
    candidates: tuple[CandidateResult, ...]
    primary: MetricInfo
    alpha: float
    primary_declared: bool
    """False where the default order chose it."""
    noise: Mapping[str, float] = field(default_factory=dict)

    @property
    def headline(self) -> str:
        return " ".join(candidate.sentence for candidate in self.candidates)

    @property
    def decided(self) -> str:
        """Which metric decided and who chose it, in one sentence."""
        chosen = "declared ahead" if self.primary_declared else "the default for these runs; --primary declares another"
        return f"Decided by {self.primary.name} ({self.primary.description}), {chosen}."

    @property
    def mismatches(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(reason for c in self.candidates for reason in c.mismatches))

    def to_dict(self) -> dict[str, Any]:
        return {
            "headline": self.headline,
            "decided": self.decided,
            "suite": self.base.manifest["suite"],
            "primary": {**self.primary.to_dict(), "declared": self.primary_declared},
            "alpha": self.alpha,
            "mismatches": list(self.mismatches),
            "base": {"label": self.base_label, **_identity(self.base)},
            "candidates": [_candidate_dict(candidate) for candidate in self.candidates],
        }


def compare_runs(
    base: Run,
    candidates: Sequence[Run],
    *,
    primary: str | None = None,
    alpha: float = ALPHA,
    allow_mismatch: bool = False,
    noise: Mapping[str, float] | None = None,
    pass_at: float = 0.5,
    labels: Sequence[str] | None = None,
) -> Comparison:
    """Compare each candidate with the base, question by question.

    `noise` is the judge's own floor by metric (`eval.judge_noise`), `pass_at` the score from which a
    question passes in McNemar's test, `labels` names for base and candidates (else `label_runs`). Raises
    ConfigError where an unfinished run has no score yet, where runs share no question, where they differ in suite,
    corpus, judge or metrics (unless `allow_mismatch`, which stamps the report), or where the primary metric is not
    in all of them.
    """
    if not candidates:
        raise ConfigError("A comparison needs a base and at least one candidate run folder.")
    for run in (base, *candidates):
        if not any(run.values(name) for name in run.metrics) and (begun := unfinished_sentence(run)):
            raise ConfigError(begun)
        if run is not base and run.questions.keys().isdisjoint(base.questions):
            raise ConfigError(
                f"{base.path} and {run.path} have no question in common: run both on the same suite to compare them."
            )
    reasons = [mismatches(base, candidate) for candidate in candidates]
    if any(reasons) and not allow_mismatch:
        listed = "; ".join(dict.fromkeys(reason for found in reasons for reason in found))
        raise ConfigError(
            f"These runs cannot be compared: {listed}. Run both on the same suite with the same judge, "
            "or pass --allow-mismatch to compare them anyway and have that stamped on the report."
        )
    chosen = primary or default_primary(base, candidates)
    for run in (base, *candidates):
        if chosen not in run.metrics:
            raise ConfigError(f"The primary metric is {chosen!r}{not_measured(chosen, run)}.")
    floor = dict(noise or {})
    labels = labels or label_runs([base, *candidates])
    primaries = [metric_result(base, c, base.metrics[chosen], alpha=alpha, pass_at=pass_at) for c in candidates]
    adjusted = holm([result.test.p for result in primaries])
    results = []
    for label, run, result, p, found in zip(labels[1:], candidates, primaries, adjusted, reasons, strict=True):
        first = judged(result, p, alpha=alpha)
        spent = family(economy(base, run, alpha=alpha), alpha=alpha)
        changes = changes_between(base, run, first.info)
        results.append(
            CandidateResult(
                label=label,
                run=run,
                verdict=first.verdict,
                sentence=verdicts.sentence(first, base=labels[0], candidate=label, alpha=alpha),
                remarks=tuple(
                    verdicts.remarks(
                        first,
                        alpha=alpha,
                        noise=floor.get(chosen),
                        unfinished={n: why for n, r in ((labels[0], base), (label, run)) if (why := unfinished(r))},
                        candidates=len(candidates),
                        incomparable={r.info.name: r.incomparable for r in spent if r.incomparable},
                    )
                ),
                primary=first,
                secondary=family(_secondary(base, run, chosen, alpha, pass_at), alpha=alpha),
                economy=spent,
                cells=tuple(_cells(base, run, alpha)),
                changes=changes,
                mismatches=found,
            )
        )
    return Comparison(base, labels[0], tuple(results), base.metrics[chosen], alpha, primary is not None, floor)


def mismatches(base: Run, candidate: Run) -> tuple[str, ...]:
    """One phrase for each thing that makes scores incomparable; empty where they are comparable."""
    ours, theirs = base.manifest, candidate.manifest
    reasons = []
    for key in ("suite", "corpus"):
        if ours[key]["hash"] != theirs[key]["hash"]:
            reasons.append(f"the {key} differs ({_short(ours[key]['hash'])} and {_short(theirs[key]['hash'])})")
    if ours["judge"] != theirs["judge"]:
        judges = [_judge_name(manifest["judge"]) for manifest in (ours, theirs)]
        detail = f"{judges[0]} and {judges[1]}" if judges[0] != judges[1] else "parameters, endpoint or prompts"
        reasons.append(f"the judge differs ({detail})")
    if ours.get("embedder") != theirs.get("embedder"):
        reasons.append("the embedder of the similarity metrics differs")
    if base.metrics != candidate.metrics:
        odd = [
            name
            for name in dict.fromkeys([*base.metrics, *candidate.metrics])
            if base.metrics.get(name) != candidate.metrics.get(name)
        ]
        reasons.append(f"the metrics differ ({', '.join(odd)})")
    settings = [dict(manifest.get("settings") or {}) for manifest in (ours, theirs)]
    if any(each.get("sample") is not None for each in settings) and ours["seed"] != theirs["seed"]:
        reasons.append(f"the samples differ (seeds {ours['seed']} and {theirs['seed']})")
    different = sorted(
        key for key in {*settings[0], *settings[1]} - {"round"} if settings[0].get(key) != settings[1].get(key)
    )
    if different:
        reasons.append(f"the settings differ ({', '.join(different)})")
    return tuple(reasons)


def not_measured(metric: str, run: Run) -> str:
    """What to say after the name of a metric that a run lacks."""
    info = CATALOG.get(metric)
    if info is not None and info.judged and run.manifest["judge"] is None:
        return f", which needs a judge, and {run.path} had none: run it with --judge MODEL"
    return f", which is not in {run.path}; it has {', '.join(run.metrics) or 'none'}"


def unfinished(run: Run) -> str | None:
    """Why a run is not whole: it was interrupted, stopped early, or lost lines since; None for a finished one."""
    if not run.summary:
        return "interrupted"
    stopped = run.summary.get("stopped")
    return str(stopped).replace("_", " ") if stopped else run.lost or None


def unfinished_sentence(run: Run) -> str | None:
    """For the reader: that the run is not whole, why, and how to go on."""
    reason = unfinished(run)
    return reason and (
        f"{run.path} is unfinished ({reason}): go on with 'crag eval run ... --out {run.path} --resume', "
        "all else as it was begun."
    )


def default_primary(base: Run, candidates: Sequence[Run]) -> str:
    """The first of `PRIMARY_ORDER` that every run measured, scored or not, `QUOTED_PRIMARY` before F1 where fairer.

    The choice looks at how answers are made and at the suite, never at a score. Raises ConfigError where there is none.
    """
    shared = [name for name in base.metrics if all(name in run.metrics for run in candidates)]
    # A judge that failed does not hand the verdict to another metric: it leaves it open.
    measured = {score.metric for score in base.scores.values() if score.status != "not_applicable"}
    order = list(PRIMARY_ORDER)
    if all(_quotes(run) for run in (base, *candidates)) and _references_are_quotes(base):
        order.insert(order.index("f1"), QUOTED_PRIMARY)
    for name in (*order, *shared):
        if name in shared and name in measured:
            return name
    raise ConfigError(
        f"{base.path} shares no scored metric with the other runs; score them again with 'crag eval run'."
    )


def _quotes(run: Run) -> bool:
    """Every answer is made of quoted passages, by no language model."""
    given = [record.answer for record in run.answers.values() if record.answer]
    return bool(given) and all(answer.get("models", {}).get("generation") == "extractive" for answer in given)


def _references_are_quotes(run: Run) -> bool:
    """Of the questions with evidence, at least half have a reference that stands in it word for word."""
    stand = [
        any(contains_reference(span.text, references(record)) for group in record.evidence for span in group)
        for record in run.answers.values()
        if record.evidence
    ]
    return 2 * sum(stand) >= len(stand) > 0


def label_runs(runs: Sequence[Run]) -> list[str]:
    """A short name for each run that tells them apart: pipeline, else with its version, else with its folder."""
    rules: tuple[Callable[[Run], str], ...] = (
        lambda run: run.name,
        lambda run: f"{run.name}@{_short(run.manifest['pipeline']['version'])}",
        lambda run: f"{run.name} ({run.path.name})",
        lambda run: f"{run.name} ({run.path})",
    )
    for rule in rules:
        labels = [rule(run) for run in runs]
        if len(set(labels)) == len(labels):
            return labels
    return [f"{run.name} #{number}" for number, run in enumerate(runs, 1)]


def _secondary(base: Run, candidate: Run, primary: str, alpha: float, pass_at: float) -> Iterator[MetricResult]:
    for info in _shared(base, candidate):
        if info.name != primary:
            result = metric_result(base, candidate, info, alpha=alpha, pass_at=pass_at)
            if result.test.n:
                yield result


def _cells(base: Run, candidate: Run, alpha: float) -> Iterator[Cell]:
    dimensions: tuple[Dimension, ...] = ("type", "lang")
    for dimension in dimensions:
        groups: dict[str, set[str]] = {}
        for question in base.questions.values():
            groups.setdefault(getattr(question, dimension), set()).add(question.id)
        for group, members in groups.items():
            for info in _shared(base, candidate):
                result = metric_result(base, candidate, info, alpha=alpha, only=members)
                if result.test.n:
                    yield Cell(dimension, group, info.name, result.test)


def _shared(base: Run, candidate: Run) -> list[MetricInfo]:
    return [info for name, info in base.metrics.items() if name in candidate.metrics]


# --- JSON --------------------------------------------------------------------------------------------------------


def _identity(run: Run) -> dict[str, Any]:
    pipeline = run.manifest["pipeline"]
    return {"pipeline": pipeline["name"], "version": pipeline["version"], "path": str(run.path)}


def _candidate_dict(candidate: CandidateResult) -> dict[str, Any]:
    return {
        "label": candidate.label,
        **_identity(candidate.run),
        "verdict": candidate.verdict,
        "sentence": candidate.sentence,
        "remarks": list(candidate.remarks),
        "stages_to_blame": candidate.stages,
        "primary": candidate.primary.to_dict(),
        "secondary": [result.to_dict() for result in candidate.secondary],
        "economy": [result.to_dict() for result in candidate.economy],
        "breakdown": [
            {"dimension": cell.dimension, "group": cell.group, "metric": cell.metric, **cell.test.to_dict()}
            for cell in candidate.cells
        ],
        "questions": [change.to_dict() for change in candidate.changes],
    }


def _short(digest: str) -> str:
    return digest[:8]


def _judge_name(judge: Mapping[str, Any] | None) -> str:
    return str(judge["model"]) if judge else "none"
