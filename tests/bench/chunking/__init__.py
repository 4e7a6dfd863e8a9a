"""Which chunking earns its place: ``make bench NAME=chunking`` writes docs/results/chunking.md.

Retrieval at equal sizes, topic boundaries and speed. Vectors are kept under ``build/chunking``: a second run is quick.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from chunking.config import ChunkingConfig
from chunking.strategies import fingerprint
from eval.manifest import git_state, installed
from eval.report.markdown import table
from eval.statistics import decide, paired_test
from eval.verdicts import number, signed
from retrieval.config import EmbeddingConfig
from retrieval.embedders import build_embedder
from retrieval.embedders.cache import EmbeddingCache
from tests.bench.chunking import retrieval, segments, speed
from tests.bench.chunking.notes import FINDINGS
from tests.bench.ladder import program_hash

ROOT = Path(__file__).parents[3]
DATASETS = ROOT.parent / "shared" / "datasets"
CACHE = ROOT / "build" / "chunking" / "cache.sqlite3"
SPLITTERS = ("chonkie", "langchain_experimental")
RESULTS = ROOT / "docs" / "results" / "chunking.md"


def main() -> None:
    found = [name for name in retrieval.SETS if (DATASETS / name).is_dir()]
    if not found:
        print(f"skipped: the public data sets are not at {DATASETS}")
        return
    CACHE.parent.mkdir(parents=True, exist_ok=True)
    with EmbeddingCache(CACHE) as cache:
        embedder = build_embedder(EmbeddingConfig(provider="local"), cache)
        compared, used = {}, []
        for name in found:
            print(f"{name} ...", flush=True)
            bed = retrieval.load(DATASETS / name, embedder)
            compared[name] = retrieval.compare(bed)
            used.append([name, bed.corpus.hash, str(len(bed.questions)), str(len(bed.corpus.documents))])
        texts = segments.load(DATASETS / "seg_drcd_zh", lambda sentences: embedder.embed(sentences, "passage"))
    print("speed ...", flush=True)
    lines = [*_head(), *_retrieval(compared), *_segments(texts), *_speed(), *FINDINGS, "", *_manifest(used)]
    RESULTS.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    print(f"Wrote {RESULTS}.")


def _head() -> Iterator[str]:
    yield "# Chunking on public data"
    yield ""
    yield (
        "Written by `make bench NAME=chunking`. Embedded mode: the bundled multilingual embedder, no key, no download. "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores."
    )
    yield ""


def _manifest(used: list[list[str]]) -> Iterator[str]:
    yield from ("## Manifest", "")
    yield from table(["set", "documents' hash", "questions with evidence", "documents"], used)
    yield ""
    git = git_state()
    state = f"{git['commit'][:12]}{' with changes' if git['dirty'] else ''}" if git else "unknown"
    yield f"- Program: commit {state}, hash of the program and its packages {program_hash()}"
    yield f"- Default configuration of chunking: {fingerprint(ChunkingConfig())}"
    yield f"- Packages: {', '.join(f'{name} {version}' for name, version in installed().items())}"
    yield f"- Splitters: {', '.join(f'{name} {version(name)}' for name in SPLITTERS if find_spec(name))}"


def _retrieval(compared: dict[str, list[retrieval.Row]]) -> Iterator[str]:
    yield "## Retrieval at equal sizes"
    yield ""
    yield (
        f"Dense retrieval alone. `cover` is the share of the evidence inside the best chunks of {retrieval.BUDGET:,} "
        "tokens, recall@5 that of answers held whole by the first five. Strategies are brought to the mean size of the "
        "shipped default (hybrid, 200 tokens) on each set, by target size or, for semantic ones, by bound; paragraphs "
        "and semantic chunks reach it as far as their structure allows. The difference is that of `cover`, the default "
        "minus the row, paired by question, with its 95% interval."
    )
    yield ""
    for name, rows in compared.items():
        yield f"### {name}"
        yield ""
        first = rows[0]
        yield from table(
            [
                "strategy",
                "mean tokens",
                "chunks",
                "cover",
                "recall@5",
                "default − this, cover",
                "verdict on the default",
            ],
            [
                [
                    row.name,
                    f"{row.mean_tokens:.0f}",
                    str(row.chunks),
                    number(float(np.mean(row.coverage))),
                    number(float(np.mean(row.recall5))),
                    *(_against(row, first) if row is not first else ("", "")),
                ]
                for row in rows
            ],
        )
        yield ""
    yield from _bars(compared)


def _against(row: retrieval.Row, default: retrieval.Row) -> tuple[str, str]:
    test = paired_test(row.coverage, default.coverage, bounds=(0, 1))
    interval = f" ({signed(test.interval.low)} to {signed(test.interval.high)})" if test.interval else ""
    return f"{signed(test.difference)}{interval}", decide(test).lower()


def _bars(compared: dict[str, list[retrieval.Row]]) -> Iterator[str]:
    yield "### What the default is held to"
    yield ""
    for other in (retrieval.FIXED, retrieval.PACKED, f"{retrieval.PACKED}, no headings"):
        parts = []
        for name, rows in compared.items():
            row = next(row for row in rows if row.name == other)
            difference = float(np.mean(rows[0].coverage) - np.mean(row.coverage))
            parts.append(f"{name} {signed(difference)} ({_against(row, rows[0])[1]})")
        yield f"- Against `{other}`, cover: {'; '.join(parts)}."
    yield ""


def _segments(texts: Sequence[segments.Text]) -> Iterator[str]:
    rows, tuned, judged = segments.scores(texts)
    yield "## Topic boundaries (seg_drcd_zh)"
    yield ""
    yield (
        f"Bound and window with the least Pk on {tuned} documents, scored on the other {judged} (lower is better). "
        "The last column is the bound that ships, untouched, with a window of three."
    )
    yield ""
    yield from table(
        ["method", "bound chosen", "window chosen", "Pk", "WindowDiff", "Pk of the shipped bound"],
        [
            [
                row.method,
                row.bound,
                row.window,
                number(row.pk),
                number(row.windowdiff),
                "" if row.shipped_pk is None else number(row.shipped_pk),
            ]
            for row in rows
        ],
    )
    yield ""


def _speed() -> Iterator[str]:
    yield "## Speed"
    yield ""
    yield from speed.report()
    yield ""
