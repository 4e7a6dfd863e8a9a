"""`crag eval sweep`: vary pipeline fields over a suite; the winner is reported on questions that did not choose it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from crag.cli.eval_options import judge_options, judge_settings, missing_option
from crag.cli.options import console, counted, home_option, json_option, pipeline_option, print_json
from crag.cli.progress import resumable, run_progress
from crag.evaluation import Bench
from crag.pipeline import load_pipeline, vary
from eval.options import RunOptions
from eval.report import render_html
from eval.runs import Run
from eval.sweep import Overrides, Sweep, parse_grid, require_questions
from eval.sweep import sweep as run_sweep


@click.command()
@click.option("--suite", required=True, metavar="S", help="Suite folder, or a file of questions.")
@click.option("--vary", "settings", metavar="FIELD=A,B,...", multiple=True, required=True, help="May be repeated.")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where the runs go.")
@pipeline_option
@home_option
@click.option("--primary", metavar="METRIC", help="The metric that chooses, declared ahead.")
@click.option("--metrics", metavar="A,B", help="Metrics or groups to measure.")
@click.option("--seed", default=0, show_default=True, metavar="N", help="Of the halves.")
@click.option("--concurrency", default=4, show_default=True, metavar="N", help="Questions at a time.")
@click.option("--resume", is_flag=True, help="Go on with a sweep that stopped.")
@click.option("--html", type=click.Path(path_type=Path), metavar="OUT", help="Write one self-contained report.")
@missing_option
@judge_options
@json_option
def sweep(
    *,
    suite: str,
    settings: tuple[str, ...],
    out: Path,
    pipeline: str,
    home: Path,
    primary: str | None,
    metrics: str | None,
    seed: int,
    html: Path | None,
    as_json: bool,
    **more: Any,
) -> None:
    """Vary pipeline fields, choose on one half, report on the other."""
    base, grid, judge = load_pipeline(pipeline), parse_grid(settings), judge_settings(more)
    options = RunOptions(metrics=tuple(metrics.split(",")) if metrics else None, **more)
    with resumable(out), Bench(suite, home=home, out=out) as bench:
        require_questions(len(bench.suite.questions), f"The suite {bench.suite.name}")

        def run(overrides: Overrides) -> Run:
            changed = vary(base, overrides)
            name = ",".join(f"{field}={value}" for field, value in overrides.items()).replace("/", "-")
            with run_progress(show=not as_json) as bars:
                (result,) = bench.run(
                    [changed], out / name, options=options, judge=judge, ingesting=bars.documents, progress=bars.run
                )
            return result.run

        found = run_sweep(grid, run, primary=primary, seed=seed)
    if html:
        html.write_text(render_html(found.comparison, sweep=found), encoding="utf-8")
    if as_json:
        print_json(found.to_dict())
    else:
        print_sweep(found)


def print_sweep(found: Sweep) -> None:
    from rich.text import Text

    from crag.cli.render import print_rows

    to = console()
    rows = [
        (
            *map(str, point.overrides.values()),
            f"{point.tuning:.3f}",
            f"{point.held_out:.3f}",
            f"{point.interval.low:.3f} to {point.interval.high:.3f}" if point.interval else "-",
            *(_figure(point.beside.get(name)) for name in found.columns),
            f"{point.latency_ms:.0f}",
            "chosen" if found.decided and point is found.chosen else "",
        )
        for point in found.points
    ]
    fields = [field.rpartition(".")[2] for field in found.points[0].overrides]
    figures = ("chose", "held out", "95% interval", *found.columns, "ms")
    print_rows(to, (*fields, *figures, ""), rows, right=figures)
    halves = f"{found.metric.name} on the half that chose and on the other; what stands beside is of the other."
    to.print(Text(halves, style="dim"))
    for point in found.points:
        if point.missing:
            to.print(f"{point.label}: {counted(point.missing, 'score')} failed and count as the worst there is.")
    to.print(found.sentence)


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if value <= 1 else f"{value:,.0f}"
