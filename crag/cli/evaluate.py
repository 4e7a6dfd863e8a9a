"""`crag eval`: runs, comparisons and what surrounds them. Each command's module is imported when it runs."""

from __future__ import annotations

import click

from crag.cli.lazy import LazyGroup

COMMANDS = {
    "run": ("crag.cli.eval_run:run", "Ask a suite of pipelines and score the answers."),
    "compare": ("crag.cli.eval_compare:compare", "Say which run is better, by how much, how sure."),
    "sweep": ("crag.cli.eval_sweep:sweep", "Vary pipeline fields, choose on one half, report on the other."),
    "testset": ("crag.cli.eval_testset:testset", "Draft, review and write question-answer pairs of your own."),
    "calibrate": ("crag.cli.eval_calibrate:calibrate", "Fit the confidence to your own questions."),
    "judge-noise": ("crag.cli.eval_noise:judge_noise", "Measure how much the judge alone moves the scores."),
}


@click.group(cls=LazyGroup, commands_at=COMMANDS)
def evaluate() -> None:
    """Run a suite over pipelines and compare the runs."""
