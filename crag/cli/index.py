"""`crag index`: the derived side of the workspace, which can always be made anew from the documents."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from chunking.errors import StoreError
from crag.app import Crag
from crag.cli.options import home_option, json_option, pipeline_option, print_json
from crag.cli.progress import ingest_progress


@click.group()
def index() -> None:
    """Check or rebuild the search index."""


@index.command()
@home_option
@pipeline_option
@json_option
def status(home: Path, pipeline: str, as_json: bool) -> None:
    """Say what is in the workspace and in the pipeline's index."""
    with Crag.open(home, pipeline) as crag:
        shape = crag.index_status()
    if as_json:
        print_json(shape)
        return
    click.echo(f"{shape['documents']} documents in {shape['home']}")
    for key, value in shape["index"].items():
        shown = ", ".join(f"{name} {each}" for name, each in value.items()) if isinstance(value, dict) else value
        click.echo(f"  {key:<14}{shown}")


@index.command()
@home_option
@pipeline_option
@json_option
def verify(home: Path, pipeline: str, as_json: bool) -> None:
    """Prove that documents, vectors and postings agree. Exit code 1 where they do not."""
    with Crag.open(home, pipeline) as crag:
        found = crag.verify_index()
    if as_json:
        print_json(found)
        sys.exit(0 if found["ok"] else 1)
    if found["ok"]:
        click.echo(f"Documents, vectors and postings agree: {found['chunks']} chunks.")
        return
    wrong = ", ".join(
        f"{value} {key.replace('_', ' ')}" for key, value in found.items() if key not in ("ok", "chunks") and value
    )
    raise StoreError(f"The index disagrees with the documents ({wrong}): run crag index rebuild.")


@index.command()
@home_option
@pipeline_option
@json_option
def rebuild(home: Path, pipeline: str, as_json: bool) -> None:
    """Make vectors and postings anew from the documents; cached embeddings are used again."""
    with Crag.open(home, pipeline, write=True) as crag, ingest_progress(show=not as_json) as progress:
        shape = crag.rebuild_index(progress)
    if as_json:
        print_json(shape)
    else:
        click.echo(f"Rebuilt: {shape['index']['documents']} documents, {shape['index']['chunks']} chunks.")
