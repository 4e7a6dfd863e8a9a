"""`crag index`: the derived side of the workspace, which can always be made anew from the documents."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from chunking.errors import StoreError
from crag.app import Crag
from crag.cli.options import counted, home_option, json_option, pipeline_option, print_json
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
    found = shape["index"]
    click.echo(f"{counted(shape['documents'], 'document')} in {shape['home']}")
    rows = {
        "documents": f"{found['documents']} indexed" + (f", {found['missing']} missing" if found["missing"] else ""),
        "chunks": f"{found['chunks']}" + (f", {found['pending']} without a vector yet" if found["pending"] else ""),
        "vectors": f"{found['vectors']} ({_size(found['vector_bytes'])} on disk)",
        "chunking": _chosen(found["chunking"]),
        "embedder": found["embedder"],
        "index": found["fingerprint"],
    }
    for key, value in rows.items():
        click.echo(f"  {key:<12}{value}")
    if found["missing"]:
        click.echo("crag index rebuild takes the missing ones in.")


def _chosen(chunking: dict[str, Any]) -> str:
    """The strategy, and the settings that are not the defaults."""
    from chunking.config import ChunkingConfig

    usual = ChunkingConfig().model_dump()
    settings = (f"{key} {value}" for key, value in chunking.items() if key != "strategy" and value != usual[key])
    return ", ".join((chunking["strategy"], *settings))


def _size(count: int) -> str:
    if count < 1000:
        return counted(count, "byte")
    return f"{count / 1000:.0f} KB" if count < 999_500 else f"{count / 1e6:.1f} MB"


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
        click.echo(f"Documents, vectors and postings agree: {counted(found['chunks'], 'chunk')}.")
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
        documents, chunks = shape["index"]["documents"], shape["index"]["chunks"]
        click.echo(f"Rebuilt: {counted(documents, 'document')}, {counted(chunks, 'chunk')}.")
