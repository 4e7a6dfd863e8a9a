"""`crag ask`: one question, one sourced answer."""

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
@json_option
@click.option("--trace", is_flag=True, help="Show the path through the graph and the evidence too.")
def ask(question: str, *, home: Path, pipeline: str, filters: Filters | None, as_json: bool, trace: bool) -> None:
    """Answer a question from the documents, with sources.

    \b
    crag ask "How often is the pump serviced?"
    crag ask "How often is the pump serviced?" --filter 'source=manuals/*' --trace

    An honest refusal is an answer too: exit code 0.
    """
    question = question.strip()
    if not question:
        raise click.UsageError("The question is empty.")
    # A person is told what else was searched for, which only the trace knows.
    answer = _answer(question, home, pipeline, filters, trace or not as_json)
    if as_json:
        print_json(answer)
        return
    from crag.cli.render import print_answer, print_trace

    to = console()
    print_answer(to, answer)
    if trace:
        print_trace(to, answer)


def _answer(question: str, home: Path, pipeline: str, filters: Filters | None, trace: bool) -> dict[str, Any]:
    if found := server_for(home, pipeline):
        server, name = found
        return server.ask(question, name, trace=trace, filters=shown_filters(filters))
    from crag.app import Crag

    with Crag.open(home, pipeline) as crag:
        crag.require_index(filters=filters)
        return crag.ask(question, filters=filters).to_dict(trace=trace)
