"""The command line as a person meets it: a process of its own, without keys, with the network forbidden."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "crag" / "samples" / "documents"


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def child_environment(**more: str) -> dict[str, str]:
    """What a child process sees: no key, and conftest's guard against the network on its PYTHONPATH."""
    return {**os.environ, **more}


def crag(
    *arguments: str | Path, home: Path | None = None, cwd: Path | None = None, timeout: float = 180, **env: str
) -> Ran:
    """Run `crag` with `arguments`; `home` becomes CRAG_HOME."""
    more = {**env, **({"CRAG_HOME": str(home)} if home else {})}
    ran = subprocess.run(
        [sys.executable, "-m", "crag", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        env=child_environment(**more),
        timeout=timeout,
        check=False,
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def sentence(ran: Ran) -> str:
    """The one sentence on stderr of a run that failed; asserts that there is nothing else."""
    lines = [line for line in ran.err.splitlines() if line.strip()]
    assert len(lines) == 1, ran.err
    assert lines[0].startswith("Error: "), ran.err
    assert "Traceback" not in ran.err
    return lines[0].removeprefix("Error: ")
