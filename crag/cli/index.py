"""`crag index`: the derived side of the workspace, which can always be made anew from the documents."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from chunking.errors import StoreError
from crag.app import Crag
from crag.cli.options import console, counted, home_option, json_option, pipeline_option, print_json
from crag.cli.progress import ingest_progress


@click.group()
def index() -> None:
    """Check, rebuild, list, prune, export or import the search index."""


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
    counts = {key: value for key, value in found.items() if key not in ("ok", "chunks", "damage") and value}
    wrong = ", ".join([f"{value} {key.replace('_', ' ')}" for key, value in counts.items()])
    if found["damage"]:
        raise StoreError(f"SQLite finds damage ({found['damage']}{wrong and '; '}{wrong}): run crag index rebuild.")
    raise StoreError(f"The index disagrees with the documents ({wrong}): run crag index rebuild.")


@index.command()
@home_option
@pipeline_option
@json_option
def rebuild(home: Path, pipeline: str, as_json: bool) -> None:
    """Make vectors and postings anew from the documents. Cached embeddings are used again."""
    with Crag.open(home, pipeline, write=True) as crag, ingest_progress(show=not as_json) as progress:
        shape = crag.rebuild_index(progress)
    if as_json:
        print_json(shape)
    else:
        documents, chunks = shape["index"]["documents"], shape["index"]["chunks"]
        click.echo(f"Rebuilt: {counted(documents, 'document')}, {counted(chunks, 'chunk')}.")


@index.command("list")
@home_option
@json_option
def list_(home: Path, as_json: bool) -> None:
    """List the indexes and the pipelines that they answer for. Each choice of chunking and embedding has one."""
    with Crag.open(home) as crag:
        found = crag.indexes()
    if as_json:
        print_json({"indexes": found})
        return
    from crag.cli.render import print_rows

    rows = [
        (each["fingerprint"], str(each["documents"]), str(each["missing"]), ", ".join(each["pipelines"]) or "-",
         each["embedder"])
        for each in found
    ]  # fmt: skip
    columns = ("index", "documents", "missing", "answers for", "embedder")
    print_rows(console(), columns, rows, right=("documents", "missing"))


@index.command()
@click.argument("fingerprints", metavar="[INDEX...]", nargs=-1)
@home_option
@pipeline_option
@json_option
def prune(fingerprints: tuple[str, ...], home: Path, pipeline: str, as_json: bool) -> None:
    """Remove the indexes that answer for no pipeline any more. Or those that are named; documents stay."""
    with Crag.open(home, pipeline, write=True) as crag:
        removed = crag.prune_indexes(fingerprints)
    if as_json:
        print_json({"removed": removed})
        return
    for each in removed:
        click.echo(f"Removed {each['fingerprint']} ({each['embedder']}).")
    if not removed:
        click.echo("Nothing to remove: every index answers for a pipeline.")


@index.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@home_option
@json_option
def export(file: Path, home: Path, as_json: bool) -> None:
    """Write the workspace to one file. It holds documents, chunks, embeddings and uploads; keys and logs stay here."""
    from retrieval.archive import export_workspace

    manifest = export_workspace(home, file)
    if as_json:
        print_json(manifest)
        return
    click.echo(f"Wrote {counted(manifest['documents'], 'document')} to {file} ({_size(file.stat().st_size)}).")


@index.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@home_option
@pipeline_option
@json_option
def import_(file: Path, home: Path, pipeline: str, as_json: bool) -> None:
    """Unpack an exported workspace into a new --home. Its vectors and postings are written there.

    Exit code 1 where it was embedded by another model than the pipeline's: the documents are there then, and crag
    index rebuild embeds them anew.
    """
    from retrieval.archive import import_workspace

    manifest = import_workspace(file, home)
    with Crag.open(home, pipeline, write=True) as crag:
        own = crag.embedder().fingerprint
        theirs = sorted({each["embedder"] for each in manifest["indexes"]})
        if own not in theirs and theirs:
            raise StoreError(
                f"The documents are in {home}, but they were embedded by {', '.join(theirs)} and this pipeline embeds "
                f"by {own}: name a pipeline that fits with --pipeline, or run crag index rebuild to embed them anew."
            )
        with ingest_progress(show=not as_json) as progress:
            shape = crag.follow_index(progress)
    if as_json:
        print_json(shape)
        return
    click.echo(f"Imported {counted(shape['documents'], 'document')} into {home}.")
