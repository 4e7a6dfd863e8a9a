"""`crag feedback`: what readers thought of answers, and a suite to be made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chunking.normalize import clean
from crag.api.feedback import read_feedback
from crag.cli.options import console, counted, home_again, home_option, json_option, print_json

if TYPE_CHECKING:
    from eval.testset import Draft


@click.group()
def feedback() -> None:
    """List ratings of answers, or export them as drafts of a suite."""


@feedback.command("list")
@home_option
@json_option
def list_feedback(home: Path, as_json: bool) -> None:
    """List the ratings, the latest first. With --json each has its answer and trace."""
    entries = read_feedback(home)
    if as_json:
        print_json({"feedback": entries})
        return
    from crag.cli.render import print_rows

    rows = [
        # Clients wrote these: an escape sequence would reach the terminal of whoever looks.
        (entry["rating"], entry["trace"]["status"], clean(entry["trace"]["question"]), clean(entry["comment"] or ""))
        for entry in entries
    ]
    print_rows(console(), ("rating", "status", "question", "comment"), rows)
    click.echo(f"{counted(len(entries), 'rating')}.")


@feedback.command()
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Where the drafts go.")
@click.option("--rating", type=click.Choice(["up", "down"]), help="Only these.")
@home_option
@json_option
def export(out: Path, rating: str | None, home: Path, as_json: bool) -> None:
    """Write the rated answers as drafts, for 'crag eval testset review'."""
    from eval.testset import save_drafts

    if out.exists():
        raise click.UsageError(f"{out} is there already: review it, or give another --out.")
    drafts = drafts_of([entry for entry in read_feedback(home) if rating in (None, entry["rating"])])
    save_drafts(out, drafts)
    if as_json:
        print_json({"path": str(out), "drafts": len(drafts)})
    else:
        click.echo(f"{counted(len(drafts), 'draft')} in {out}. Next: crag eval testset review {out}{home_again()}")


def drafts_of(entries: Sequence[Mapping[str, Any]]) -> list[Draft]:
    """One draft a rating, for a person to complete.

    An answer that was liked proposes its text as the reference and its quotes as the evidence. Of one that was not,
    the question is kept with what was cited, and the comment tells the reviewer what was missed.
    """
    from eval.testset import Draft, Passage, numbered
    from graph.language import language_of
    from graph.markers import without_markers

    drafts = []
    for entry in entries:
        answer = entry["trace"]
        liked, refused = entry["rating"] == "up", answer["status"] == "abstained"
        passages = [
            Passage(cited["source"], cited["title"], cited["start"], cited["end"], cited["quote"])
            for cited in answer["citations"]
            if not cited["url"]
        ]
        drafts.append(
            Draft(
                id="",
                question=clean(answer["question"]),
                reference=without_markers(answer["text"]).strip() if liked and not refused else "",
                type="unanswerable" if liked and refused else "factual",
                lang=language_of(answer["question"]),
                answerable=not (liked and refused),
                passages=tuple(passages),
                how=f"feedback, {entry['rating']}" + (f": {clean(entry['comment'])}" if entry["comment"] else ""),
            )
        )
    return numbered(drafts)
