"""A progress bar while documents are read, on a terminal only."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from crag.cli.options import console

if TYPE_CHECKING:
    from eval.runner import Progress as RunProgress

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


@contextlib.contextmanager
def keeping(sentence: str, where: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Who interrupts the block is told `sentence`, what is kept and how to go on, if `where` holds then."""
    try:
        yield
    except (KeyboardInterrupt, click.Abort):
        raise click.Abort(sentence if where() else "") from None


@dataclass(frozen=True)
class RunBars:
    """Callbacks of an evaluation, None where nobody looks."""

    documents: Progress | None = None
    run: Callable[[RunProgress], None] | None = None


@contextlib.contextmanager
def run_progress(*, show: bool) -> Iterator[RunBars]:
    """A bar each for documents, answers and scores, with the time left and the money spent."""
    if not (show and sys.stderr.isatty()):
        yield RunBars()
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description:<9}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[spent]}"), console=console(err=True), transient=True,
    ) as bar:  # fmt: skip
        stages = ("documents", "answers", "scores")
        tasks = {stage: bar.add_task(stage, total=None, spent="", visible=False) for stage in stages}

        def read(done: int, total: int, source: str) -> None:
            bar.update(tasks["documents"], completed=done, total=total, visible=True)

        def move(now: RunProgress) -> None:
            spent = f"${now.spent:.4f}" if now.spent else ""
            bar.update(tasks[now.stage], completed=now.done, total=now.total, spent=spent, visible=True)

        yield RunBars(read, move)
