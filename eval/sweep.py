"""Vary pipeline fields, choose on one half of the questions, report on the other.

    sweep(grid, run, *, primary=None, seed=0, alpha=.05) -> Sweep
    parse_grid(["retrieval.top_k=5,10,20", ...]) -> dict[str, list]     what ``crag eval sweep --vary`` takes

`run` takes overrides such as ``{"retrieval.top_k": 5}``, runs the whole suite once and returns its `Run`. The best
of ten identical settings looks .06 better on twenty questions, so the winner's figure on the half that chose it is
never the figure to report: `Sweep.verdict` comes from the questions that took no part in the choice.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import yaml

from chunking.errors import ConfigError
from eval import verdicts
from eval.compare import Comparison, compare_runs, default_primary
from eval.intervals import Interval, mean_interval
from eval.runs import MetricInfo, Question, Run
from eval.statistics import ALPHA

BESIDE = ("recall@5", "coverage@1500")
LEAST_QUESTIONS = 4
"""Two for each half."""

Overrides = Mapping[str, Any]
RunPipeline = Callable[[Overrides], Run]


@dataclass(frozen=True, slots=True)
class Point:
    """One setting: the primary metric's mean on either half, with the 95% interval of the held-out one."""

    overrides: Overrides
    run: Run
    tuning: float
    held_out: float
    interval: Interval | None
    latency_ms: float
    missing: int
    """Answers or judgements that failed. They count as the worst score: no setting wins by failing on what is hard."""
    beside: Mapping[str, float]
    """What explains the figure: `BESIDE` on the held-out half where measured, chunks and their mean tokens."""

    @property
    def label(self) -> str:
        return ", ".join(f"{field}={value}" for field, value in self.overrides.items())


@dataclass(frozen=True, slots=True)
class Sweep:
    """`points` in the order of the grid; the first is the base that the chosen one is compared with."""

    metric: MetricInfo
    points: tuple[Point, ...]
    chosen: Point
    challenger: Point
    """The setting other than the base that the tuning half liked best: the chosen one, unless the base was chosen."""
    comparison: Comparison
    """The challenger against the base, on the held-out half only."""
    tuning_questions: int
    held_out_questions: int

    @property
    def optimism(self) -> float:
        """How much better the choice looks on the half that chose it than on the other, against the base."""
        base, sign = self.points[0], 1 if self.metric.direction == "higher" else -1
        return sign * ((self.chosen.tuning - base.tuning) - (self.chosen.held_out - base.held_out))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names in `Point.beside` that any setting has."""
        return tuple(dict.fromkeys(name for point in self.points for name in point.beside))

    @property
    def decided(self) -> bool:
        """False where all settings score the same, so that there is nothing to choose."""
        return len({point.tuning for point in self.points}) > 1

    @property
    def sentence(self) -> str:
        if not self.decided:
            return (
                f"Nothing to choose: all {len(self.points)} settings score the same on {self.metric.name} over the "
                f"{self.tuning_questions} tuning questions. Leave the pipeline as it is."
            )
        if self.chosen is self.points[0]:
            return (
                f"Keep {self.points[0].label}: of {len(self.points)} settings none scored higher on "
                f"{self.metric.name} over the {self.tuning_questions} tuning questions."
            )
        flattery = f" The half that chose it saw {verdicts.signed(self.optimism)} more." if self.optimism > 0 else ""
        return (
            f"{self.comparison.headline} Chosen from {len(self.points)} settings on {self.tuning_questions} questions, "
            f"judged on the {self.held_out_questions} others.{flattery}"
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "metric": self.metric.name,
            "sentence": self.sentence,
            "decided": self.decided,
            "chosen": dict(self.chosen.overrides),
            "challenger": dict(self.challenger.overrides),
            "verdict": self.comparison.candidates[0].verdict,
            "comparison": self.comparison.to_dict(),
            "optimism": self.optimism,
            "tuning_questions": self.tuning_questions,
            "held_out_questions": self.held_out_questions,
            "points": [
                {
                    "overrides": dict(point.overrides),
                    "path": str(point.run.path),
                    "tuning": point.tuning,
                    "held_out": point.held_out,
                    "interval": [point.interval.low, point.interval.high] if point.interval else None,
                    "latency_ms": None if math.isnan(point.latency_ms) else point.latency_ms,
                    "missing": point.missing,
                    "beside": dict(point.beside),
                }
                for point in self.points
            ],
        }


def parse_grid(settings: Sequence[str]) -> dict[str, list[Any]]:
    """``section.field=v1,v2,...`` -> field: values, each read as YAML. Raises ConfigError for anything else."""
    grid: dict[str, list[Any]] = {}
    for setting in settings:
        field, separator, values = setting.partition("=")
        if not separator or "." not in field or not values:
            raise ConfigError(f"{setting!r} is not a field to vary; write it as retrieval.top_k=5,10,20.")
        try:
            values_of = list(yaml.safe_load(f"[{values}]"))
        except yaml.YAMLError:
            raise ConfigError(f"The values of {field!r} cannot be read: {values!r}.") from None
        # True is 1 to Python, and 5.0 is 5: the first are two settings, the second one.
        kinds = [(isinstance(value, bool), value) for value in values_of]
        if twice := [value for n, (_, value) in enumerate(kinds) if kinds[n] in kinds[:n]]:
            raise ConfigError(f"{setting!r} names {twice[0]} twice: a sweep runs each setting once.")
        grid[field.strip()] = values_of
    return grid


def sweep(
    grid: Mapping[str, Sequence[Any]],
    run: RunPipeline,
    *,
    primary: str | None = None,
    seed: int = 0,
    alpha: float = ALPHA,
    progress: Callable[[int, int, str], None] | None = None,
) -> Sweep:
    """Run every combination of the grid, first value first. Ties go to the setting that comes first.

    `progress` is told (done, total, label) before each run. Raises ConfigError for an empty grid, fewer than four
    questions, or a primary metric that was not measured.
    """
    combinations = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    if len(combinations) < 2:
        raise ConfigError("A sweep needs at least two settings; write e.g. --vary retrieval.top_k=5,10,20.")
    runs = []
    for number, overrides in enumerate(combinations):
        if progress:
            progress(number, len(combinations), ", ".join(f"{k}={v}" for k, v in overrides.items()))
        runs.append(run(overrides))
    name = primary or default_primary(runs[0], runs[1:])
    if any(name not in found.metrics for found in runs):
        raise ConfigError(f"The primary metric {name!r} was not measured; the runs have {', '.join(runs[0].metrics)}.")
    metric = runs[0].metrics[name]
    tuning, held_out = split_questions(runs[0], metric.name, seed=seed)
    points = tuple(
        _point(overrides, found, metric, tuning, held_out) for overrides, found in zip(combinations, runs, strict=True)
    )
    sign = 1 if metric.direction == "higher" else -1
    chosen = max(points, key=lambda point: sign * point.tuning)
    challenger = max(points[1:], key=lambda point: sign * point.tuning)
    comparison = compare_runs(
        restrict(points[0].run, held_out),
        [restrict(challenger.run, held_out)],
        primary=metric.name,
        alpha=alpha,
        labels=(points[0].label, challenger.label),
    )
    return Sweep(metric, points, chosen, challenger, comparison, len(tuning), len(held_out))


def restrict(run: Run, questions: Collection[str]) -> Run:
    """The same run as if only these questions had been asked."""
    return replace(
        run,
        answers={key: record for key, record in run.answers.items() if record.question.id in questions},
        scores={key: score for key, score in run.scores.items() if score.question in questions},
    )


def split_questions(run: Run, metric: str, *, seed: int = 0) -> tuple[frozenset[str], frozenset[str]]:
    """Two halves of the questions that the metric applies to, alike in type and language, seeded.

    Raises ConfigError below four questions.
    """
    applicable = {s.question for s in run.scores.values() if s.metric == metric and s.status != "not_applicable"}
    groups: dict[tuple[str, str], list[Question]] = {}
    for question in run.questions.values():
        if question.id in applicable:
            groups.setdefault((question.type, question.lang), []).append(question)
    generator = random.Random(seed)
    order: list[str] = []
    for key in sorted(groups):
        members = sorted(question.id for question in groups[key])
        generator.shuffle(members)
        order += members
    require_questions(len(order), f"{run.path}", f" for {metric}")
    return frozenset(order[::2]), frozenset(order[1::2])


def require_questions(count: int, where: str, kind: str = "") -> None:
    """Raises ConfigError below `LEAST_QUESTIONS`."""
    if count < LEAST_QUESTIONS:
        raise ConfigError(
            f"{where} has {count} question{'' if count == 1 else 's'}{kind}; a sweep needs at least {LEAST_QUESTIONS} "
            "to split into halves."
        )


def _point(
    overrides: Overrides, run: Run, metric: MetricInfo, tuning: Collection[str], held_out: Collection[str]
) -> Point:
    worst = metric.range[0] if metric.direction == "higher" else metric.range[1]
    found: dict[str, list[float]] = {}
    for score in run.scores.values():
        if score.metric == metric.name and score.status != "not_applicable":
            found.setdefault(score.question, []).append(worst if score.value is None else score.value)
    halves = [[float(np.mean(found.get(q, worst))) for q in sorted(half)] for half in (tuning, held_out)]
    asked = [score for score in run.scores.values() if score.metric == metric.name]
    latencies = [record.latency_ms for record in run.answers.values() if record.status == "ok"]
    return Point(
        overrides,
        run,
        float(np.mean(halves[0])),
        float(np.mean(halves[1])),
        mean_interval(halves[1], bounds=metric.range),
        float(np.mean(latencies)) if latencies else math.nan,
        sum(score.status not in ("ok", "not_applicable") for score in asked),
        _beside(run, metric, held_out),
    )


def _beside(run: Run, metric: MetricInfo, held_out: Collection[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name in BESIDE:
        values = [v for question, each in run.values(name).items() if question in held_out for v in each]
        if values and name != metric.name:
            found[name] = float(np.mean(values))
    index = run.manifest.get("index") or {}
    for name, key in (("chunks", "chunks"), ("tokens a chunk", "mean_tokens")):
        if key in index:
            found[name] = float(index[key])
    return found
