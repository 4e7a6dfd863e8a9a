"""The page: a table of the bars, one section for each, and what was measured with."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crag.auto import resolve
from crag.pipeline import load_pipeline
from eval.manifest import git_state, installed
from eval.report.markdown import table
from tests.bench.ladder import program_hash


@dataclass(frozen=True)
class Bar:
    """What was promised, in one sentence, and what came of it."""

    number: int
    subject: str
    asked: str
    measured: str
    reached: bool


@dataclass(frozen=True)
class Section:
    bars: tuple[Bar, ...]
    title: str
    lines: tuple[str, ...]


def render(sections: Sequence[Section], pipelines: Sequence[str], datasets: dict[str, str], minutes: float) -> str:
    bars = sorted((bar for section in sections for bar in section.bars), key=lambda bar: (bar.number, bar.subject))
    lines = [
        "# What the corrections are worth",
        "",
        "Written by `make bench NAME=corrective`, embedded: no key, no download, no language model. Rules are tuned on "
        "one half of the questions written for this page, by a hash of their ids, and the figures are of the other "
        "half, unless a line says otherwise.",
        "",
        *table(
            ["bar", "asked for", "measured", ""],
            [[bar.subject, bar.asked, bar.measured, "reached" if bar.reached else "**not reached**"] for bar in bars],
        ),
        "",
    ]
    for section in sections:
        lines += [f"## {section.title}", "", *section.lines, ""]
    lines += _manifest(pipelines, datasets, minutes)
    return "\n".join(lines).rstrip() + "\n"


def _manifest(pipelines: Sequence[str], datasets: dict[str, str], minutes: float) -> Iterator[str]:
    yield from ("## Manifest", "")
    resolved = [resolve(load_pipeline(name)) for name in pipelines]
    rows = [
        [each.pipeline.name, each.pipeline.version, ", ".join(f"{role} {model}" for role, model in each.models.items())]
        for each in resolved
    ]
    yield from table(["pipeline", "version", "models"], rows)
    yield ""
    yield from table(["set", "documents' hash"], [list(pair) for pair in sorted(datasets.items())])
    yield ""
    git = git_state()
    state = f"{git['commit'][:12]}{' with changes' if git['dirty'] else ''}" if git else "unknown"
    yield f"- Program: commit {state}, hash of the program and its packages {program_hash()}"
    yield f"- Packages: {', '.join(f'{name} {version}' for name, version in installed().items())}"
    yield f"- Machine: {platform.system()} {platform.machine()}, {os.cpu_count()} cores; {minutes:.0f} minutes"


def share(values: Sequence[bool] | Sequence[float]) -> str:
    """A mean as the tables write it; empty where there is nothing to average."""
    return f"{sum(values) / len(values):.3f}" if values else ""
