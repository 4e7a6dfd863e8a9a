"""What the corrections are worth: ``make bench NAME=corrective`` writes docs/results/corrective.md.

Indexes are kept under ``build/corrective``, and vectors in the ladder's cache: a second run is quick.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from tests.bench.corrective import answers, followups, hops, near_misses, rewriting, web
from tests.bench.corrective.report import Section, render
from tests.bench.corrective.sets import POOLS, opened, read_lines
from tests.bench.ladder import DATASETS, ROOT, SCRATCH

T = TypeVar("T")

KEYS = ("TAVILY_API_KEY", "SEARXNG_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL")
"""Variables that `auto` would follow to a service: these figures are of none, and no question leaves the machine."""
OUT = ROOT / "build" / "corrective"
RESULTS = ROOT / "docs" / "results" / "corrective.md"


def written_questions(home: Path, out: Path, hashes: dict[str, str]) -> list[Section]:
    """Follow-ups, badly asked questions and near misses, all asked of all documents of a language in one index."""
    conversations, badly = read_lines(followups.FILE), read_lines(rewriting.FILE)
    unanswerable = read_lines(near_misses.FILE)
    followed: list[followups.FollowUp] = []
    repaired: list[rewriting.Rewritten] = []
    missed: list[near_misses.NearMiss] = []
    for language, sets in POOLS.items():
        print(f"{language} documents ...", flush=True)
        with opened(language, sets, home, out) as asked:
            hashes |= asked.hashes
            followed += followups.follow_ups(asked, [line for line in conversations if line.language == language])
            repaired += rewriting.rewritten(asked, [line for line in badly if line.language == language])
            missed += near_misses.near_misses(asked, [line for line in unanswerable if line.language == language])
    return [near_misses.section(missed), rewriting.section(repaired), followups.section(followed)]


def _each(sets: Iterable[str], measure: Callable[[str, Path, Path], list[T]], home: Path) -> list[T]:
    made: list[T] = []
    for name in sets:
        print(f"{measure.__name__} {name} ...", flush=True)
        made += measure(name, home, OUT)
    return made


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.corrective", description="Measure the corrections.")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="FILE")
    parser.add_argument("--home", type=Path, default=SCRATCH / "home", metavar="FOLDER", help="keeps the vectors")
    chosen = parser.parse_args(arguments)
    if missing := [name for sets in POOLS.values() for name in sets if not (DATASETS / name).is_dir()]:
        print(f"skipped: {', '.join(missing)} not at {DATASETS}")
        return
    for name in KEYS:
        os.environ.pop(name, None)
    started = time.perf_counter()
    hashes: dict[str, str] = {}
    sections = [
        answers.section(_each(answers.SETS, answers.both, chosen.home)),
        web.section(_each(web.SETS, web.searched, chosen.home)),
        *written_questions(chosen.home, OUT, hashes),
        hops.section(_each((hops.SET, hops.CONTROL), hops.hopped, chosen.home)),
    ]
    minutes = (time.perf_counter() - started) / 60
    chosen.out.write_text(render(sections, hops.PIPELINES, hashes, minutes), encoding="utf-8")
    print(f"Wrote {chosen.out}.")
