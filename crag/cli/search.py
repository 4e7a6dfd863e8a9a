"""`crag search`: the passages that a question finds, without an answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crag.cli.options import console, filter_options, home_option, json_option, pipeline_option, print_json
from crag.cli.remote import server_for, shown_filters

if TYPE_CHECKING:
    from retrieval.types import Filters


@click.command()
@click.argument("question")
@home_option
@pipeline_option
@filter_options
@click.option("--top-k", metavar="N", type=click.IntRange(1, 200), help="Passages at most (the pipeline's by default).")
@json_option
def search(
    question: str, *, home: Path, pipeline: str, filters: Filters | None, top_k: int | None, as_json: bool
) -> None:
    """Show the passages that a question finds."""
    question = question.strip()
    if not question:
        raise click.UsageError("The question is empty.")
    found = _found(question, home, pipeline, filters, top_k)
    if as_json:
        print_json(found)
        return
    from crag.cli.render import print_hits

    print_hits(console(), found)
    if not found["hits"]:
        click.echo("Nothing was found.")


def _found(question: str, home: Path, pipeline: str, filters: Filters | None, top_k: int | None) -> dict[str, Any]:
    if served := server_for(home, pipeline):
        server, name = served
        return server.search(question, name, top_k=top_k, filters=shown_filters(filters))
    from crag.app import Crag, search_shape

    with Crag.open(home, pipeline) as crag:
        crag.require_index(filters=filters)
        return search_shape(question, *crag.search(question, top_k=top_k, filters=filters))
