"""Progress while documents are read and suites are run: bars on a terminal, plain lines of a run elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
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


def resumable(out: Path) -> contextlib.AbstractContextManager[None]:
    """For commands with --resume: true as soon as a run is written down below `out`."""
    from eval.runs import MANIFEST

    sentence = f"What is done is kept in {out}: the same command with --resume goes on."
    return keeping(sentence, lambda: any(out.rglob(MANIFEST)))


class PlainProgress:
    """A line about every tenth of a stage, but none sooner than `pause` seconds after another, and one each `patience`.

    What is over within `pause` says nothing.
    """

    def __init__(
        self,
        write: Callable[[str], object],
        clock: Callable[[], float] = time.monotonic,
        *,
        pause: float = 5.0,
        patience: float = 30.0,
    ) -> None:
        self._write, self._clock, self._pause, self._patience = write, clock, pause, patience
        self._told = clock()
        self._tenths: dict[str, int] = {}

    def __call__(self, stage: str, done: int, total: int, seconds_left: float | None = None, spent: float = 0) -> None:
        now, tenths = self._clock(), 10 * done // max(total, 1)
        if done <= 1:
            self._tenths[stage] = 0
        due = self._pause if tenths > self._tenths.get(stage, 0) else self._patience
        if now - self._told < due:
            return
        self._told, self._tenths[stage] = now, tenths
        left = f", about {_duration(seconds_left)} left" if seconds_left and done < total else ""
        self._write(f"{stage}: {done} of {total}{left}{f', ${spent:.4f} spent' if spent else ''}")


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


@dataclass(frozen=True)
class RunBars:
    """Callbacks of an evaluation, None where nobody looks."""

    documents: Progress | None = None
    run: Callable[[RunProgress], None] | None = None


@contextlib.contextmanager
def run_progress(*, show: bool) -> Iterator[RunBars]:
    """Bars or lines for documents, answers and scores, with the time left and the money spent."""
    if not show:
        yield RunBars()
        return
    if not sys.stderr.isatty():
        tell = PlainProgress(lambda line: click.echo(line, err=True))
        yield RunBars(
            lambda done, total, source: tell("documents", done, total),
            lambda now: tell(now.stage, now.done, now.total, now.seconds_left, now.spent),
        )
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
