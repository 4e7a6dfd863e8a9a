"""Questions whose answer lies in several places: what of it is inside the evidence that generation may read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.asking import contexts_of
from eval.metrics.retrieval import coverage, within_budget
from eval.report.markdown import table
from eval.statistics import PairedTest, paired_test
from eval.verdicts import signed
from tests.bench.corrective.report import Bar, Section, share
from tests.bench.corrective.sets import opened, reported

SET, CONTROL = "multihop_en", "xquad_en"
PIPELINES = ("vector", "hybrid-rerank", "crag")
BUDGET = 1500
GAIN = 0.08


@dataclass(frozen=True)
class Hopped:
    set: str
    id: str
    covered: dict[str, bool]
    """By pipeline: all of the evidence is inside the best passages of `BUDGET` tokens."""
    refused: bool
    """By `crag`: then nothing was handed to generation."""


def hopped(name: str, home: Path, out: Path) -> list[Hopped]:
    made = []
    with opened(name, [name], home, out) as asked:
        for question in asked.suites[name].questions:
            if name == CONTROL and not reported(question.id):
                continue
            evidence = asked.corpora[name].locate(question).evidence
            answers = {pipeline: asked.ask(question.question, pipeline) for pipeline in PIPELINES}
            covered = {
                pipeline: coverage(evidence, within_budget(contexts_of(answer), BUDGET)) == 1.0
                for pipeline, answer in answers.items()
            }
            made.append(Hopped(name, question.id, covered, answers["crag"].status == "abstained"))
    return made


def section(made: Sequence[Hopped]) -> Section:
    multi, control = ([each for each in made if each.set == name] for name in (SET, CONTROL))
    held = [each for each in multi if reported(each.id)]
    gain, same = _test(held), _test(control)
    interval = f" (95% interval {signed(gain.interval.low)} to {signed(gain.interval.high)})" if gain.interval else ""
    bars = (
        Bar(
            10,
            "hops",
            f"all evidence within {BUDGET:,} tokens for {GAIN:g} more of {SET} with crag than with hybrid-rerank",
            f"{signed(gain.difference)}: {gain.mean_candidate:.3f} against {gain.mean_base:.3f}, {len(held)} questions",
            gain.difference >= GAIN,
        ),
        Bar(
            10,
            "hops, one place",
            f"no worse on {CONTROL}",
            f"{same.mean_candidate:.3f} against {same.mean_base:.3f}, {len(control)} questions",
            same.difference >= 0,
        ),
    )
    groups = (
        (f"{SET}, reported half", held),
        (f"{SET}, other half", [each for each in multi if each not in held]),
        (f"{CONTROL}, reported half", control),
    )
    rows = [
        [
            name,
            str(len(some)),
            *(share([each.covered[pipeline] for each in some]) for pipeline in PIPELINES),
            share([each.covered["crag"] and not each.refused for each in some]),
        ]
        for name, some in groups
    ]
    lines = (
        f"Questions whose every piece of evidence lies whole inside the best passages of {BUDGET:,} tokens, the order "
        "in which generation would read them; *answered* counts only those that `crag` did not refuse. `crag` hops as "
        f"it ships. On the reported half it is at {signed(gain.difference)}{interval} over `hybrid-rerank`.",
        "",
        *table(["questions", "number", *PIPELINES, "crag, answered"], rows),
    )
    return Section(bars, "Several hops", lines)


def _test(some: Sequence[Hopped]) -> PairedTest:
    base, candidate = ([float(each.covered[name]) for each in some] for name in ("hybrid-rerank", "crag"))
    return paired_test(base, candidate, bounds=(0, 1))
