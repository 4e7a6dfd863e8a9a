"""`crag serve` as a process of its own, on a port that the system chooses."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from tests.crag.child import Child
from tests.crag.cli import child_environment

READY_WITHIN, STOPS_WITHIN = 120, 60
"""Seconds, on a machine that has much else to do."""


@dataclass(frozen=True)
class Serving:
    url: str
    home: Path
    process: Child
    banner: str
    """What it printed before it was ready."""


@contextmanager
def serving(home: Path, *arguments: str, **env: str) -> Iterator[Serving]:
    """Serve `home` until the block ends; then it is interrupted as by Ctrl-C and has to stop by itself.

    A block may kill the process too.
    """
    with tempfile.TemporaryDirectory() as folder:
        out, err = (Path(folder) / name for name in ("out", "err"))
        os.mkfifo(out)
        process = Child(
            ["serve", "--port", "0", *arguments],
            env=child_environment(CRAG_HOME=str(home), **env), cwd=Path.cwd(), out=out, err=err,
        )  # fmt: skip
        with out.open(encoding="utf-8") as printed:
            try:
                banner = _until_ready(process, printed, err)
                found = re.search(r"http://\S+?(?=/\s)", banner)
                assert found, banner
                yield Serving(found[0], home, process, banner)
            finally:
                process.send_signal(signal.SIGINT)
                try:
                    process.wait(STOPS_WITHIN)
                except subprocess.TimeoutExpired:
                    process.kill()
                    raise AssertionError("the server did not stop on Ctrl-C") from None
        assert process.returncode in (0, -signal.SIGKILL)


def _until_ready(process: Child, printed: TextIO, err: Path) -> str:
    late = threading.Timer(READY_WITHIN, process.kill)
    late.start()
    seen = ""
    while "Ctrl-C" not in seen:
        line = printed.readline()
        if not line:
            raise AssertionError(f"the server ended, or took {READY_WITHIN} s: {seen}{err.read_text()}")
        seen += line
    late.cancel()
    return seen
