"""`crag ingest`: read files and folders into the workspace."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from chunking.errors import DocumentError, NotFoundError, ProviderError
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
@click.option(
    "--watch", is_flag=True, help="Go on until Ctrl-C: follow what changes in these folders, --prune included."
)
@json_option
def ingest(
    paths: tuple[Path, ...],
    *,
    home: Path,
    pipeline: str,
    collection: str | None,
    prune: bool,
    watch: bool,
    as_json: bool,
) -> None:
    """Read files or folders into the workspace.

    Files that did not change since the last time are left alone; files that cannot be read are reported and skipped.
    Exit code 1 when nothing at all could be read. With --watch and --json each change prints one line.
    """
    for path in paths:
        try:
            missing = not path.exists()
        except OSError:
            missing = True
        if missing:
            raise NotFoundError(f"There is no file or folder {str(path)!r}: check the path.")
    into = collection or DEFAULT_COLLECTION
    if watch:
        if files := [str(path) for path in paths if not path.is_dir()]:
            raise click.UsageError(f"--watch follows folders, and {files[0]} is none: name the folder that it is in.")
        with Crag.open(home, pipeline, write=True) as crag:
            _follow(crag, paths, into, as_json=as_json)
        return
    with Crag.open(home, pipeline, write=True) as crag, ingest_progress(show=not as_json) as progress:
        report = crag.ingest(paths, collection=into, prune=prune, progress=progress).to_dict()
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


_DONE = ("added", "updated", "removed", "renamed")


def _follow(crag: Crag, folders: Sequence[Path], collection: str, *, as_json: bool) -> None:
    """Ingest now and after every change, until Ctrl-C or SIGTERM. A provider that fails is asked again later."""
    from crag.cli.render import print_ingest
    from retrieval.watch import changes

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    skipped: list[Any] | None = None
    due = False
    with contextlib.suppress(KeyboardInterrupt):
        for changed in changes(folders):
            if not (changed or due):
                continue
            try:
                report = crag.ingest(folders, collection=collection, prune=True).to_dict()
                due = False
            except ProviderError as error:
                click.echo(f"Error: {error} It is tried again.", err=True)
                due = True
                continue
            if report["skipped"] == skipped and not any(report[kind] for kind in _DONE):
                continue
            skipped = report["skipped"]
            if as_json:
                click.echo(json.dumps(report, ensure_ascii=False))
            else:
                print_ingest(console(), report)
            sys.stdout.flush()
    if not as_json:
        click.echo("Stopped.")
