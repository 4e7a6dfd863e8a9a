"""`crag docs`: the documents of the workspace."""

from __future__ import annotations

from pathlib import Path

import click

from crag.app import Crag
from crag.cli.options import collection_option, console, counted, home_option, json_option, print_json
from retrieval.types import DEFAULT_COLLECTION


@click.group()
def docs() -> None:
    """List, show or remove documents."""


@docs.command("list")
@home_option
@collection_option("Documents of this collection only.")
@json_option
def list_(home: Path, collection: str | None, as_json: bool) -> None:
    """List the documents of the workspace."""
    with Crag.open(home) as crag:
        documents = crag.documents(collection)
    if as_json:
        print_json({"documents": documents})
        return
    from crag.cli.render import print_rows

    columns: tuple[str, ...] = ("id", "source", "title", "characters")
    if any(each["collection"] != DEFAULT_COLLECTION for each in documents):
        columns = ("id", "collection", *columns[1:])
    rows = [tuple(str(each[column]) for column in columns) for each in documents]
    print_rows(console(), columns, rows, right=("characters",))
    click.echo(counted(len(documents), "document") if documents else "No documents yet: crag ingest PATH adds some.")


@docs.command()
@click.argument("document", metavar="ID|SOURCE")
@home_option
@json_option
def show(document: str, home: Path, as_json: bool) -> None:
    """Print one document as it was read."""
    with Crag.open(home) as crag:
        found = crag.document(document)
    if as_json:
        print_json(found)
        return
    click.secho(f"{found['title']}  ({found['source']}, {found['media_type']}, id {found['id']})", bold=True)
    for note in found["notes"]:
        click.secho(f"note: {note}", dim=True)
    click.echo()
    click.echo(found["text"])


@docs.command()
@click.argument("documents", metavar="ID|SOURCE...", nargs=-1, required=True)
@home_option
@json_option
def remove(documents: tuple[str, ...], home: Path, as_json: bool) -> None:
    """Remove documents from the workspace; the files themselves stay."""
    with Crag.open(home, write=True) as crag:
        removed = crag.remove(documents)
    if as_json:
        print_json({"removed": removed})
        return
    for each in removed:
        click.echo(f"Removed {each['source']}.")
