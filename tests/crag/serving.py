"""`crag serve` as a process of its own, on a port that the system chooses."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.crag.cli import child_environment


@dataclass(frozen=True)
class Serving:
    url: str
    process: subprocess.Popen[str]
    banner: str
    """What it printed before it was ready."""


@contextmanager
def serving(home: Path, *arguments: str, **env: str) -> Iterator[Serving]:
    """Serve `home` until the block ends; then it is interrupted as by Ctrl-C and has to stop by itself.

    A block may kill the process too.
    """
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "crag", "serve", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=child_environment(CRAG_HOME=str(home), **env),
    ) as process:
        try:
            banner = _until_ready(process, 120)
            found = re.search(r"http://\S+?(?=/\s)", banner)
            assert found, banner
            yield Serving(found[0], process, banner)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                raise AssertionError("the server did not stop on Ctrl-C") from None
    assert process.returncode in (0, -signal.SIGKILL)


def _until_ready(process: subprocess.Popen[str], limit: float) -> str:
    assert process.stdout is not None
    assert process.stderr is not None
    late = threading.Timer(limit, process.kill)
    late.start()
    seen = ""
    while "Ctrl-C" not in seen:
        line = process.stdout.readline()
        if not line:
            raise AssertionError(f"the server ended, or took {limit} s: {seen}{process.stderr.read()}")
        seen += line
    late.cancel()
    return seen
