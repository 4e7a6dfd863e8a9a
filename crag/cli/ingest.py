"""`crag ingest`: read files and folders into the workspace."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from chunking.errors import DocumentError, NotFoundError
from crag.app import Crag
from crag.cli.options import collection_option, console, home_option, json_option, pipeline_option, print_json
from crag.cli.progress import ingest_progress
from retrieval.types import DEFAULT_COLLECTION


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@home_option
@pipeline_option
@collection_option("Collection that the documents go into, made where it is new (default by default).")
@click.option("--prune", is_flag=True, help="Also remove documents of these folders whose files are gone.")
@json_option
def ingest(
    paths: tuple[Path, ...], *, home: Path, pipeline: str, collection: str | None, prune: bool, as_json: bool
) -> None:
    """Read files or folders into the workspace.

    Files that did not change since the last time are left alone; files that cannot be read are reported and skipped.
    Exit code 1 when nothing at all could be read.
    """
    for path in paths:
        try:
            missing = not path.exists()
        except OSError:
            missing = True
        if missing:
            raise NotFoundError(f"There is no file or folder {str(path)!r}: check the path.")
    with Crag.open(home, pipeline, write=True) as crag, ingest_progress(show=not as_json) as progress:
        report = crag.ingest(
            paths, collection=collection or DEFAULT_COLLECTION, prune=prune, progress=progress
        ).to_dict()
    if as_json:
        print_json(report)
    else:
        from crag.cli.render import print_ingest

        print_ingest(console(), report)
    if not any(report[kind] for kind in ("added", "updated", "unchanged", "removed", "renamed")):
        if as_json:
            sys.exit(1)
        reason = f": {report['skipped'][0]['reason'].rstrip('.')}" if len(report["skipped"]) == 1 else ""
        named = ", ".join(str(path) for path in paths)
        raise DocumentError(f"Nothing in {named} could be read{reason}."[:400])
