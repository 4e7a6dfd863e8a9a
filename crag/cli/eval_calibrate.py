"""`crag eval calibrate`: make the confidence mean something on your own questions."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from crag.calibration import fit_calibration
from crag.cli.options import console, home_option, json_option, pipeline_option, print_json
from crag.evaluation import Bench
from crag.pipeline import load_pipeline
from graph.calibrate import Quality


@click.command()
@click.option("--suite", required=True, metavar="S", help="Suite folder, or a file of questions.")
@pipeline_option
@click.option("--keep", is_flag=True, help="Use it even where it is no better than what is in use.")
@home_option
@json_option
def calibrate(*, suite: str, pipeline: str, keep: bool, home: Path, as_json: bool) -> None:
    """Fit the confidence to your own questions.

    Every question is searched once with its evidence and once with it withheld; a logistic model learns to tell the
    two apart. Where it is better than what is in use, on the half that it did not see, it is written into the
    workspace, and pipelines of the same embedder and reranker use it from then on; else the exit code is 1. Delete the
    file to go back to the shipped calibration. It takes at least ten questions with `reference_spans` that find this
    evidence, in several documents, and better a hundred; those with `answerable: false` do not count.
    """
    chosen = load_pipeline(pipeline)
    with tempfile.TemporaryDirectory() as folder, Bench(suite, home=home, out=Path(folder)) as bench:
        fitted = fit_calibration(bench, chosen, home, keep=keep)
    if as_json:
        print_json(fitted.to_dict())
        sys.exit(0 if fitted.path else 1)
    from crag.cli.render import print_rows

    to = console()
    rows = [_row("before", fitted.before), _row("after", fitted.after)]
    headings = ("on the half that the fit did not see", "cases", "AUC", "calibration error", "Brier score")
    print_rows(to, headings, rows, right=headings[1:])
    to.print()
    reliability = [
        (f"{b.low:.1f} to {b.high:.1f}", str(b.count), f"{b.predicted:.2f}", f"{b.observed:.2f}")
        for b in fitted.after.bins
    ]
    print_rows(to, ("confidence", "questions", "said", "was"), reliability, right=("questions", "said", "was"))
    to.print()
    searches = f"{fitted.cases} search{'' if fitted.cases == 1 else 'es'}"
    if fitted.path:
        to.print(f"Fitted on {searches}; in use from now on: {fitted.path}")
        return
    to.print(
        f"Not kept: fitted on {searches} it is no better than what is in use, by the Brier score. More "
        "questions may help; --keep uses it all the same."
    )
    sys.exit(1)


def _row(name: str, found: Quality) -> tuple[str, ...]:
    return (name, str(found.count), f"{found.auc:.3f}", f"{found.ece:.3f}", f"{found.brier:.3f}")
