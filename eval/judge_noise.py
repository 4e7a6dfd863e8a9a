"""How much does the judge alone move the scores? The A/A floor of a comparison.

    judge_noise(scorings) -> NoiseReport      two or more scorings of the same frozen answers, as Runs
    NoiseReport.to_dict() / read_noise(path)  JSON; compare_runs(..., noise=report.floors) then warns below the floor

The caller has the same answers judged again without the cache of the first time, and hands both runs over. The floor
is the half-width of the 95% band within which the mean difference of two judgings of this many questions falls.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from chunking.errors import ConfigError, NotFoundError
from eval.intervals import TIE, scipy_stats
from eval.runs import Run


@dataclass(frozen=True, slots=True)
class MetricNoise:
    """`sd` of one judging of one question, `changed` share of questions whose score moved, `floor` as in the module."""

    metric: str
    questions: int
    sd: float
    changed: float
    largest: float
    floor: float


@dataclass(frozen=True, slots=True)
class NoiseReport:
    judge: str
    rounds: int
    metrics: tuple[MetricNoise, ...]
    unmeasured: tuple[str, ...] = ()
    """Judged metrics that fewer than two questions have a score of in every judging."""

    @property
    def floors(self) -> dict[str, float]:
        return {entry.metric: entry.floor for entry in self.metrics}

    @property
    def sentence(self) -> str:
        aside = f" Too few answers were scored every time to tell of {', '.join(self.unmeasured)}."
        return f"{self._measured}{aside if self.unmeasured else ''}"

    @property
    def _measured(self) -> str:
        if not any(entry.changed for entry in self.metrics):
            return f"{self.judge} gave every answer the same scores {self.rounds} times."
        worst = max(self.metrics, key=lambda entry: entry.floor)
        return (
            f"{self.judge} moved up to {max(entry.changed for entry in self.metrics):.0%} of the scores between "
            f"{self.rounds} judgings of the same answers; differences below {worst.floor:.3f} on {worst.metric} are "
            "within its own noise."
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "judge": self.judge,
            "rounds": self.rounds,
            "sentence": self.sentence,
            "unmeasured": list(self.unmeasured),
            "metrics": [asdict(entry) for entry in self.metrics],
        }


def judge_noise(scorings: Sequence[Run]) -> NoiseReport:
    """Raises ConfigError where there are fewer than two scorings, their answers differ, no metric is judged, or none
    has two questions with a score in all of them."""
    if len(scorings) < 2:
        raise ConfigError("Judge noise needs the same answers judged at least twice.")
    first = scorings[0]
    for other in scorings[1:]:
        if _answers(first) != _answers(other):
            raise ConfigError(f"{first.path} and {other.path} hold different answers; judge one run's answers twice.")
        if other.manifest["judge"] != first.manifest["judge"]:
            raise ConfigError(f"{first.path} and {other.path} were judged by different judges.")
    judged = [name for name, info in first.metrics.items() if info.judged]
    if not judged:
        raise ConfigError(f"No metric of {first.path} is judged by a language model; configure a judge first.")
    noise = {name: _noise(name, [run.values(name) for run in scorings]) for name in judged}
    measured = tuple(entry for entry in noise.values() if entry)
    if not measured:
        raise ConfigError(
            f"No metric of {first.path} has two questions that were scored in all {len(scorings)} judgings: judge more "
            "answers, or correct the judge."
        )
    judge = first.manifest["judge"]
    name = str(judge["model"]) if judge else "the judge"
    return NoiseReport(name, len(scorings), measured, tuple(name for name, entry in noise.items() if not entry))


def read_noise(path: str | Path) -> dict[str, float]:
    """The floors of a saved report, for `compare_runs(noise=...)`."""
    file = Path(path)
    try:
        report = json.loads(file.read_text(encoding="utf-8"))
        return {entry["metric"]: float(entry["floor"]) for entry in report["metrics"]}
    except FileNotFoundError:
        raise NotFoundError(f"{file} does not exist; make it with 'crag eval judge-noise --json'.") from None
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"{file} is not a judge-noise report ({error}); make it again.") from None


def _noise(metric: str, rounds: Sequence[Mapping[str, Sequence[float]]]) -> MetricNoise | None:
    shared = [question for question in rounds[0] if all(question in scores for scores in rounds[1:])]
    if len(shared) < 2:
        return None
    scores = np.array([[float(np.mean(found[question])) for question in shared] for found in rounds])
    sd = math.sqrt(float(scores.var(axis=0, ddof=1).mean()))
    spans = np.ptp(scores, axis=0)
    observed = max(abs(float((a - b).mean())) for a, b in combinations(scores, 2))
    band = float(scipy_stats().norm.ppf(0.975)) * sd * math.sqrt(2 / len(shared))
    return MetricNoise(metric, len(shared), sd, float((spans > TIE).mean()), float(spans.max()), max(band, observed))


def _answers(run: Run) -> dict[Any, tuple[str, tuple[str, ...]]]:
    return {key: (record.text, tuple(c.text for c in record.contexts)) for key, record in run.answers.items()}
