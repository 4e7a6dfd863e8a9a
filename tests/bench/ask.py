"""How long a person waits: the help, a warm question through the server, and the same on the command line."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from tests.crag.cli import ROOT, SAMPLES, child_environment, crag
from tests.crag.serving import serving

HELP_BAR, ASK_BAR = 500, 150
"""Milliseconds, both at the median."""


def main() -> None:
    lines = (ROOT / "crag" / "samples" / "suite" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines]
    command = [sys.executable, "-m", "crag", "--help"]
    report("crag --help, a process", [timed(lambda: quiet(command)) for _ in range(15)], HELP_BAR)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        ran = crag("ingest", SAMPLES, "--json", home=home)
        print(f"  ingest of {ran.json['added']} samples: {ran.json['seconds']:.1f} s, {ran.json['chunks']} chunks")
        with serving(home) as server, httpx.Client(base_url=server.url, timeout=60) as http:
            url = "/v1/chat/completions"

            def ask(question: str) -> dict[str, float]:
                body = {"model": "crag", "messages": [{"role": "user", "content": question}]}
                timings: dict[str, float] = http.post(url, json=body).raise_for_status().json()["crag"]["timings"]
                return timings

            first = [timed(lambda question=question: ask(question)) for question in questions]
            report("warm server, every question new to it", first, ASK_BAR)
            timings = [ask(question) for question in questions]
            again = [timed(lambda question=question: ask(question)) for question in questions]
            report("warm server, questions asked before", again, ASK_BAR)
            nodes = {node: statistics.median(t.get(node, 0.0) for t in timings) for node in timings[0]}
            print("  median by node, ms: " + ", ".join(f"{node} {value:.1f}" for node, value in nodes.items()))
            command = [sys.executable, "-m", "crag", "ask", questions[0], "--json", "--home", folder]
            report(
                "crag ask through the server, a process", [timed(lambda: quiet(command)) for _ in range(15)], ASK_BAR
            )


def quiet(command: list[str]) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=child_environment())


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def report(what: str, milliseconds: list[float], bar: float) -> None:
    ordered = sorted(milliseconds)
    p50, p95 = statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))]
    verdict = "ok" if p50 <= bar else "OVER"
    print(f"  {what}: p50 {p50:.0f} ms, p95 {p95:.0f} ms (bar p50 {bar} ms: {verdict})")
