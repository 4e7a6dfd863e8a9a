"""What the corrections are worth: ``make bench NAME=corrective`` writes docs/results/corrective.md.

Indexes are kept under ``build/corrective``, and vectors in the ladder's cache: a second run is quick.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from tests.bench.corrective import followups, rewriting
from tests.bench.corrective.report import Section, render
from tests.bench.corrective.sets import POOLS, opened, read_lines
from tests.bench.ladder import DATASETS, ROOT, SCRATCH

OUT = ROOT / "build" / "corrective"
RESULTS = ROOT / "docs" / "results" / "corrective.md"


def written_questions(home: Path, out: Path, hashes: dict[str, str]) -> list[Section]:
    """Follow-ups and badly asked questions, both asked of all documents of a language in one index."""
    conversations, badly = read_lines(followups.FILE), read_lines(rewriting.FILE)
    followed: list[followups.FollowUp] = []
    repaired: list[rewriting.Rewritten] = []
    for language, sets in POOLS.items():
        print(f"{language} documents ...", flush=True)
        with opened(language, sets, home, out) as asked:
            hashes |= asked.hashes
            followed += followups.follow_ups(asked, [line for line in conversations if line.language == language])
            repaired += rewriting.rewritten(asked, [line for line in badly if line.language == language])
    return [rewriting.section(repaired), followups.section(followed)]


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.corrective", description="Measure the corrections.")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="FILE")
    parser.add_argument("--home", type=Path, default=SCRATCH / "home", metavar="FOLDER", help="keeps the vectors")
    chosen = parser.parse_args(arguments)
    if missing := [name for sets in POOLS.values() for name in sets if not (DATASETS / name).is_dir()]:
        print(f"skipped: {', '.join(missing)} not at {DATASETS}")
        return
    started = time.perf_counter()
    hashes: dict[str, str] = {}
    sections = written_questions(chosen.home, OUT, hashes)
    minutes = (time.perf_counter() - started) / 60
    chosen.out.write_text(render(sections, ["crag"], hashes, minutes), encoding="utf-8")
    print(f"Wrote {chosen.out}.")
