"""`crag index`: the derived side of the workspace, which can always be made anew from the documents."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from crag.app import Crag
from crag.cli.options import home_option, json_option, pipeline_option, print_json


@click.group()
def index() -> None:
    """Check or rebuild the search index."""


@index.command()
@home_option
@json_option
def status(home: Path, as_json: bool) -> None:
    """Say what is in the workspace."""
    with Crag.open(home) as crag:
        shape = crag.index_status()
    if as_json:
        print_json(shape)
        return
    click.echo(f"{shape['documents']} documents in {shape['home']}")
    for each in shape["indexes"]:
        click.echo("  " + ", ".join(f"{key} {value}" for key, value in each.items()))


@index.command()
@home_option
@pipeline_option
@json_option
def verify(home: Path, pipeline: str, as_json: bool) -> None:
    """Prove that documents, vectors and postings agree. Exit code 1 where they do not."""
    with Crag.open(home, pipeline) as crag:
        problems = crag.verify_index()
    if as_json:
        print_json({"ok": not problems, "problems": problems})
    elif problems:
        for problem in problems:
            click.echo(f"  {problem}")
        click.echo("The index disagrees with the documents: crag index rebuild makes it anew.")
    else:
        click.echo("The index agrees with the documents.")
    sys.exit(1 if problems else 0)


@index.command()
@home_option
@pipeline_option
@json_option
def rebuild(home: Path, pipeline: str, as_json: bool) -> None:
    """Make vectors and postings anew from the documents; cached embeddings are used again."""
    with Crag.open(home, pipeline, write=True) as crag:
        crag.rebuild_index()
        shape = crag.index_status()
    if as_json:
        print_json(shape)
    else:
        click.echo(f"Rebuilt the index of {shape['documents']} documents.")
