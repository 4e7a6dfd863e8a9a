"""`crag eval run`: a suite, asked of pipelines, scored, and printed as the ladder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from crag.cli.eval_options import judge_options, judge_settings, missing_option
from crag.cli.options import console, counted, home_option, json_option, print_json
from crag.cli.progress import resumable, run_progress
from crag.evaluation import Bench
from crag.pipeline import load_pipeline
from eval.options import RunOptions
from eval.prices import load_prices
from eval.runner import RunResult
from eval.summary import judge_errors, ladder


@click.command()
@click.option("--suite", required=True, metavar="S", help="Suite folder, or a YAML, JSONL or CSV file of questions.")
@click.option("--pipeline", "names", metavar="P", multiple=True, required=True, help="Pipeline; may be repeated.")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where the runs go.")
@home_option
@click.option("--metrics", metavar="A,B", help="Metrics or groups (all that can be measured by default).")
@click.option("--repeat", default=1, show_default=True, metavar="N", help="Times that each question is asked.")
@click.option("--sample", type=int, metavar="N", help="Ask only N of the questions.")
@click.option("--stratify", default="type", show_default=True, metavar="FIELD", help="type, lang or answerable.")
@click.option("--seed", default=0, show_default=True, metavar="N", help="Of the sample.")
@click.option("--concurrency", default=4, show_default=True, metavar="N", help="Questions at a time.")
@click.option("--max-cost", type=float, metavar="USD", help="Stop before more than this is spent.")
@click.option("--prices", type=click.Path(path_type=Path), metavar="FILE", help="Your own price table.")
@click.option("--resume", is_flag=True, help="Go on with a run that stopped; nothing is asked twice.")
@click.option("--retry-errors", is_flag=True, help="With --resume: ask and judge again what failed.")
@click.option("--rescore", is_flag=True, help="With --resume: keep the answers, score them anew.")
@missing_option
@judge_options
@json_option
def run(*, suite: str, names: tuple[str, ...], out: Path, home: Path, as_json: bool, **settings: Any) -> None:
    """Ask a suite of pipelines and score the answers.

    One pipeline: DIR is the run's folder. Several: a sub-folder each. Without a judge (--judge MODEL) only metrics
    that need no language model are measured. Exit code 1 where the run is not whole or nothing was answered.
    """
    pipelines = [load_pipeline(name) for name in names]
    judge = judge_settings(settings)
    prices = load_prices(settings.pop("prices"))
    metrics = settings.pop("metrics")
    options = RunOptions(metrics=tuple(metrics.split(",")) if metrics else None, **settings)
    with resumable(out), Bench(suite, home=home, out=out) as bench, run_progress(show=not as_json) as bars:
        for remark in bench.suite.remarks:
            click.echo(remark, err=True)
        results = bench.run(
            pipelines, options=options, judge=judge, prices=prices, ingesting=bars.documents, progress=bars.run
        )
    if as_json:
        print_json({"runs": [_shape(result) for result in results]})
    else:
        print_runs(results, judged=judge is not None)
        _tell_stops(results, rescoring=options.rescore)
    whole = all(result.stopped is None for result in results)
    answered = any(result.run.summary["pipeline_errors"] < result.run.summary["answers"] for result in results)
    sys.exit(0 if whole and answered else 1)


_ON = {
    "max_cost": "The budget is spent: --resume with a larger --max-cost goes on.",
    "judge_unreachable": "The judge gave no reply ({reason}): once it does, --resume judges what is missing.",
    "judge_failed": "The judge gave no reply that could be used ({reason}): --resume --retry-errors asks it again.",
    "interrupted": "Metrics of an earlier call still lack scores: --resume with them, and their judge, goes on.",
}
"""What to do about each reason that a run has stopped for."""
_AGAIN = (
    "The new scoring did not end ({why}), so the scores are those that were there before: put that right "
    "and give --rescore again."
)


def _tell_stops(results: list[RunResult], *, rescoring: bool) -> None:
    """On stderr, once a reason."""
    for stopped, result in {result.stopped: result for result in results if result.stopped}.items():
        told = _AGAIN if rescoring else _ON[stopped]
        why = ": ".join(part for part in (stopped.replace("_", " "), result.reason) if part)
        click.echo(told.format(why=why, reason=result.reason), err=True)


def _shape(result: RunResult) -> dict[str, Any]:
    return {
        "path": str(result.run.path),
        "name": result.run.name,
        "stopped": result.stopped,
        "summary": result.run.summary,
    }


def print_runs(results: list[RunResult], *, judged: bool) -> None:
    from crag.cli.render import print_rows

    to = console()
    # A metric a line: a dozen metrics side by side fit no terminal.
    header, ladder_rows = ladder([result.run for result in results])
    names = ["metric", *(row[0] for row in ladder_rows)]
    rows = [[header[n], *(row[n] for row in ladder_rows)] for n in range(1, len(header))]
    print_rows(to, names, rows, right=tuple(names[1:]))
    to.print()
    for result in results:
        summary = result.run.summary
        failed = f", {summary['pipeline_errors']} failed" if summary["pipeline_errors"] else ""
        stopped = f", stopped: {result.stopped}" if result.stopped else ""
        to.print(
            f"{result.run.name}: {counted(summary['questions'], 'question')}{failed}{stopped}, in {result.run.path}"
        )
        if error := next((record.error for record in result.run.answers.values() if record.error), None):
            to.print(
                f"  The pipeline failed first with {error['type']}: {error['message']} --resume --retry-errors asks "
                "those questions again."
            )
        if result.stopped is None and (lacking := judge_errors(summary)):
            to.print(f"  {lacking} First reason: {result.reason}. --resume --retry-errors asks the judge again.")
    if unlocated := results[0].run.summary["unlocated"]:
        to.print(f"Scored without the evidence that is not in the documents, of {', '.join(unlocated)}.")
    if not judged:
        to.print("Scored without a judge: --judge MODEL adds faithfulness, relevancy and correctness.")
    if len(results) > 1:
        first, last = results[0].run.path, results[-1].run.path
        to.print(f"Is the last better than the first? crag eval compare {first} {last}")
