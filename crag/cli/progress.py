"""A progress bar while documents are read, on a terminal only."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

from crag.cli.options import console

Progress = Callable[[int, int, str], None]
"""Called with documents done, documents in all, and the one that is being read."""


@contextlib.contextmanager
def ingest_progress(*, show: bool) -> Iterator[Progress | None]:
    """A callback that moves the bar, or None where nobody looks."""
    if not (show and sys.stderr.isatty()):
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console(err=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def move(done: int, total: int, source: str) -> None:
            bar.update(task, completed=done, total=total, description=source[-60:])

        yield move
