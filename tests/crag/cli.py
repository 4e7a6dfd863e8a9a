"""The command line as a person meets it: a process of its own, without keys, with the network forbidden."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.crag.child import Child

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
    with tempfile.TemporaryDirectory() as folder:
        out, err = (Path(folder) / name for name in ("out", "err"))
        child = Child(
            [str(argument) for argument in arguments],
            env=child_environment(**more), cwd=cwd or Path.cwd(), out=out, err=err,
        )  # fmt: skip
        try:
            code = child.wait(timeout)
        except subprocess.TimeoutExpired:
            child.kill()
            raise
        return Ran(code, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8"))


def sentence(ran: Ran) -> str:
    """The one sentence on stderr of a run that failed; asserts that there is nothing else."""
    lines = [line for line in ran.err.splitlines() if line.strip()]
    assert len(lines) == 1, ran.err
    assert lines[0].startswith("Error: "), ran.err
    assert "Traceback" not in ran.err
    return lines[0].removeprefix("Error: ")
