"""Progress where no terminal is, and what an interrupted run says."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

from crag.cli.progress import PlainProgress
from tests.crag.cli import ROOT, child_environment
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.judge import judge

SUITE = ROOT / "crag" / "samples" / "suite"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_lines_come_with_each_tenth_or_each_half_minute_and_none_too_soon() -> None:
    lines: list[str] = []
    clock = Clock()
    tell = PlainProgress(lines.append, clock)
    for done in range(1, 101):
        clock.now += 0.01
        tell("documents", done, 100)
    assert lines == [], "what is over at once says nothing"
    for done in range(1, 101):
        clock.now += 1
        tell("answers", done, 100, 100.0 - done, 0.5)
    assert len(lines) == 10
    assert lines[0] == "answers: 10 of 100, about 2 min left, $0.5000 spent"
    assert lines[-1] == "answers: 100 of 100, $0.5000 spent"
    del lines[:]
    for done in range(1, 5):
        clock.now += 20
        tell("scores", done, 1000)
    assert lines == ["scores: 2 of 1000", "scores: 4 of 1000"]


def test_an_interrupted_run_says_what_is_kept_and_how_to_go_on(home: Path, tmp_path: Path) -> None:
    asked, end = Event(), Event()

    def slow(request: Request) -> Reply:
        asked.set()
        end.wait(60)
        return judge(request)

    with ScriptedServer(slow) as server:
        command = [sys.executable, "-m", "crag", "eval", "run", "--suite", str(SUITE), "--sample", "2"]
        command += ["--pipeline", "vector", "--metrics", "faithfulness", "--out", str(tmp_path / "run")]
        command += ["--judge", "scripted", "--judge-url", f"{server.url}/v1"]
        env = child_environment(CRAG_HOME=str(home))
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
            try:
                assert asked.wait(120)
            finally:
                os.kill(process.pid, signal.SIGINT)
                end.set()
            _, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    last = told.splitlines()[-1]
    assert last == f"Interrupted. What is done is kept in {tmp_path / 'run'}: the same command with --resume goes on."
