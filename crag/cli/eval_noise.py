"""`crag eval judge-noise`: the same answers, judged again and again."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from chunking.errors import ConfigError
from crag.cli.eval_options import judge_options, judge_settings
from crag.cli.options import console, json_option, print_json, unused_home_option
from crag.evaluation import similarity_embedder
from eval.judge import JudgeDownError
from eval.judge_config import NAME_A_JUDGE
from eval.judge_noise import judge_noise as measure
from eval.manifest import judge_identity
from eval.metrics import NEED_EMBEDDER
from eval.runner import judge_failure, score_records
from eval.runs import Run, read_run


@click.command("judge-noise")
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--rounds", default=2, show_default=True, type=click.IntRange(2, 20), metavar="N", help="Judgings in all."
)
@judge_options
@json_option
@unused_home_option
def judge_noise(*, folder: Path, rounds: int, as_json: bool, **settings: Any) -> None:
    """Measure how much the judge alone moves the scores.

    The answers of a finished run are judged anew, without the cache; what the scores move by is noise. Exit code 4
    where the judge gives no score.
    """
    judge = judge_settings(settings)
    if judge is None:
        raise ConfigError(f"No judge is named: {NAME_A_JUDGE}.")
    run = read_run(folder)
    judged = [name for name, info in run.metrics.items() if info.judged]
    if not judged:
        raise ConfigError(f"No metric of {folder} was judged: run the suite with a judge first.")

    if judge_identity(judge) != run.manifest["judge"]:
        raise ConfigError(
            f"{folder} was judged by {run.manifest['judge']['model']} and this judge has another model, endpoint, "
            "settings or prompts: measure the noise with the same judge."
        )
    embedder = similarity_embedder() if NEED_EMBEDDER & {*judged} else None

    async def again(number: int) -> Run:
        records = list(run.answers.values())
        scores = await score_records(records, judged, judge=judge, embedder=embedder, round=number)
        if judge_failure(run.metrics, scores):
            reason = next(score.reason for score in scores if score.status == "judge_error")
            raise JudgeDownError(
                f"The judge gave no score in judging {number + 1} ({reason}): correct it and try again.",
                provider=judge.model,
            )
        return replace(run, scores={score.key: score for score in scores})

    report = measure([run, *(asyncio.run(again(number)) for number in range(1, rounds))])
    if as_json:
        print_json(report.to_dict())
        return
    from crag.cli.render import print_rows

    to = console()
    headings = ("metric", "questions", "sd", "changed", "largest", "floor")
    rows = [
        (
            each.metric,
            str(each.questions),
            f"{each.sd:.3f}",
            f"{each.changed:.0%}",
            f"{each.largest:.3f}",
            f"{each.floor:.3f}",
        )
        for each in report.metrics
    ]
    print_rows(to, headings, rows, right=headings[1:])
    to.print(report.sentence)
