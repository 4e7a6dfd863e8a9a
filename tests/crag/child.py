"""`python -m crag` in a process of its own, forked from one that has the imports behind it (see `tests.crag.warm`)."""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path


class Child:
    """The part of `subprocess.Popen` that tests use. What it prints goes to `out` and `err`, files or fifos."""

    def __init__(self, arguments: Sequence[str], *, env: Mapping[str, str], cwd: Path, out: Path, err: Path) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tests.crag.warm"])
        self.args = ["crag", *arguments]
        self._process = context.Process(
            target=_become_crag, args=(self.args, dict(env), str(cwd), str(out), str(err)), daemon=False
        )
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, or minus the signal's number. Raises subprocess.TimeoutExpired."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return self._process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        if self._process.exitcode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _become_crag(arguments: list[str], env: dict[str, str], cwd: str, *outputs: str) -> None:
    for number, path in enumerate(outputs, 1):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.FileIO(number, "w", closefd=False), encoding="utf-8", write_through=True)
        for number in (1, 2)
    )
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = arguments
    from crag.cli import main

    main()
