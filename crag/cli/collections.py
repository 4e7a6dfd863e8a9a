"""`crag collections`: the knowledge bases of one workspace."""

from __future__ import annotations

from pathlib import Path

import click

from crag.app import Crag
from crag.cli.options import console, counted, home_option, json_option, print_json


@click.group()
def collections() -> None:
    """List or remove collections of documents."""


@collections.command("list")
@home_option
@json_option
def list_(home: Path, as_json: bool) -> None:
    """List the collections of the workspace. To make one: crag ingest PATH --collection NAME."""
    with Crag.open(home) as crag:
        found = crag.collections()
    if as_json:
        print_json({"collections": found})
        return
    from crag.cli.render import print_rows

    rows = [(each["name"], str(each["documents"])) for each in found]
    print_rows(console(), ("collection", "documents"), rows, right=("documents",))


@collections.command()
@click.argument("name")
@home_option
@json_option
def remove(name: str, home: Path, as_json: bool) -> None:
    """Remove a collection and its documents from the workspace. The files themselves stay."""
    with Crag.open(home, write=True) as crag:
        removed = crag.remove_collection(name)
    if as_json:
        print_json({"removed": removed})
        return
    click.echo(f"Removed the collection {name} with {counted(len(removed), 'document')}.")
