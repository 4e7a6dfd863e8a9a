"""The ladder over the public sets: ``make results`` asks `vector` to `crag` every question and writes the tables.

    python -m tests.bench.ladder [SET ...] [--out FILE]

Without arguments all sets that are at hand, into ``docs/results/ladder.md``. A set's runs lie under ``build/ladder``
in a folder named by a hash of the program and its packages: what stopped goes on, what changed is asked anew. Texts
are embedded once for all of them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crag.evaluation import Bench
from crag.pipeline import LADDER, load_pipeline
from eval.compare import CandidateResult, compare_runs
from eval.manifest import installed
from eval.metrics.catalog import CATALOG
from eval.options import RunOptions
from eval.paired import MetricResult
from eval.report.markdown import table
from eval.runs import SUMMARY, Run
from eval.verdicts import number, p_value, signed
from tests.bench.ladder_parts import ACROSS, parts, render_parts, write_across

ROOT = Path(__file__).parents[2]
DATASETS = ROOT.parent / "shared" / "datasets"
SCRATCH = ROOT / "build" / "ladder"
RESULTS = ROOT / "docs" / "results" / "ladder.md"
SETS = (
    "cmrc2018_zh", "drcd_zh_hant", "xquad_en", "xquad_zh", "docs_seatunnel_en", "docs_seatunnel_zh", "multihop_en",
    "uda_wiki_html_en", "chroma_chunking", ACROSS,
)  # fmt: skip
METRICS = (
    "recall@1", "recall@5", "recall@10", "mrr", "ndcg@10", "coverage@1500", "contains_reference", "refusal_accuracy",
)  # fmt: skip
PRIMARY = "coverage@1500"
"""Declared ahead: the context recall that can be had without a judge. Evidence inside what generation may read."""
PAIRS = (("vector", "hybrid-rerank"), ("vector", "crag"), ("hybrid-rerank", "crag"))
ARTICLES = (0.62, 0.70, 0.74, 0.78)
"""Context recall from rung to rung, as the articles report it."""
STEPS = (
    *((LADDER[n], LADDER[n + 1], ARTICLES[n + 1] - ARTICLES[n]) for n in range(3)),
    (LADDER[0], LADDER[-1], ARTICLES[-1] - ARTICLES[0]),
)


@dataclass(frozen=True)
class SetResult:
    name: str
    runs: dict[str, Run]
    _judged: dict[tuple[str, str], CandidateResult] = field(default_factory=dict, repr=False)

    def against(self, base: str, candidate: str) -> CandidateResult:
        """One pair, judged on its own."""
        if (base, candidate) not in self._judged:
            compared = compare_runs(self.runs[base], [self.runs[candidate]], primary=PRIMARY)
            self._judged[base, candidate] = compared.candidates[0]
        return self._judged[base, candidate]


def program_hash() -> str:
    """12 hex digits over everything that an answer or a score depends on."""
    digest = hashlib.sha256(json.dumps(installed(), sort_keys=True).encode())
    for package in ("chunking", "retrieval", "graph", "eval", "crag"):
        for path in sorted((ROOT / package).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def run_set(name: str, scratch: Path) -> SetResult:
    out = scratch / name
    pipelines = [*(load_pipeline(rung) for rung in LADDER), *parts()]
    suite = write_across(DATASETS, SCRATCH / "suites" / name) if name == ACROSS else DATASETS / name
    with Bench(suite, home=SCRATCH / "home", out=out) as bench:
        # One question at a time: latencies of a busy machine would be those of the queue.
        options = RunOptions(metrics=METRICS, concurrency=1, resume=True)
        results = bench.run(pipelines, options=options)
    for result in results:
        if result.stopped or result.run.summary["pipeline_errors"]:
            raise SystemExit(f"{result.run.path} is not whole: see its {SUMMARY}")
    return SetResult(name, {result.run.name: result.run for result in results})


def render(results: Sequence[SetResult], skipped: Sequence[str], program: str) -> str:
    lines = [
        "# The ladder on public question sets",
        "",
        "Written by `make results`: every question of every set, asked of the four shipped pipelines, of BM25 alone "
        "and of vectors over fixed windows, in embedded mode (no key, no download, no judge), scored by spans. "
        "Differences are paired by question; the interval is the 95% one, p is the sign-flip permutation's, and "
        "`coverage@1500` was declared ahead as the metric that decides. "
        "Other metrics are Holm-adjusted among themselves. All questions of these sets have an answer: "
        "`refusal_accuracy` is the share that was not refused. Latency is one question at a time, on "
        f"{os.cpu_count()} cores.",
        "",
        *(f"- Skipped: `{name}` is not at hand." for name in skipped),
        *([""] if skipped else []),
        *_articles([result for result in results if result.name != ACROSS]),
        *render_parts({result.name: result.runs for result in results}),
    ]
    for result in results:
        lines += _of_set(result)
    lines += _manifest(results, program)
    return "\n".join(lines).rstrip() + "\n"


def _articles(results: Sequence[SetResult]) -> Iterator[str]:
    yield "## Where the articles' ladder appears"
    yield ""
    yield (
        "The articles report a context recall of .62, .70, .74 and .78 from vectors alone to full CRAG, and a "
        "faithfulness of .72 to .85, on their own unpublished questions and judged by a language model. The nearest "
        "measure without a judge is "
        "`coverage@1500`: the share of the evidence inside the best passages of 1,500 tokens, which is what generation "
        "reads. Faithfulness needs a judge and is not measured here."
    )
    yield ""
    heads = [f"{candidate} over {base} (articles {signed(gain)})" for base, candidate, gain in STEPS]
    rows = [["*articles, context recall*", *map(number, ARTICLES), *([""] * len(STEPS))]]
    for result in results:
        means = [number(result.runs[rung].summary["metrics"][PRIMARY]["mean"]) for rung in LADDER]
        steps = [result.against(base, candidate).primary for base, candidate, _ in STEPS]
        rows.append([result.name, *means, *(f"{signed(step.test.difference)} {_word(step)}" for step in steps)])
    yield from table([PRIMARY, *LADDER, *heads], rows)
    yield ""
    for metric in (PRIMARY, "recall@1", "contains_reference"):
        yield f"- **`{metric}`**, the whole ladder (crag over vector): {_statement(results, metric)}"
    yield ""


def _statement(results: Sequence[SetResult], metric: str) -> str:
    found: dict[str, list[str]] = {}
    for result in results:
        tested = next(m for m in result.against("vector", "crag").metrics if m.info.name == metric)
        found.setdefault(tested.verdict, []).append(f"{result.name} ({signed(tested.test.difference)})")
    words = {
        "BETTER": "the gain appears on",
        "WORSE": "it is a loss on",
        "NO DIFFERENCE SHOWN": "no difference is shown on",
        "INCONCLUSIVE": "undecided on",
    }
    return "; ".join(f"{words[verdict]} {', '.join(found[verdict])}" for verdict in words if verdict in found) + "."


def _of_set(result: SetResult) -> Iterator[str]:
    first = next(iter(result.runs.values()))
    suite, corpus = first.manifest["suite"], first.manifest["corpus"]
    yield from (f"## {result.name}", "", f"{suite['questions']} questions over {corpus['documents']:,} documents.", "")
    rows = []
    for name, run in result.runs.items():
        summary = run.summary
        means = [number(summary["metrics"][metric]["mean"]) for metric in METRICS]
        latency = summary["latency_ms"]["total"]
        rows.append([name, *means, f"{latency['p50']:.0f}", f"{latency['p95']:.0f}"])
    yield from table(["pipeline", *METRICS, "p50 ms", "p95 ms"], rows)
    yield ""
    pairs = [result.against(base, candidate) for base, candidate in PAIRS]
    for candidate in pairs:
        yield f"- {candidate.sentence}"
    yield ""
    compared = [{m.info.name: m for m in (*each.metrics, *each.economy)} for each in pairs]
    rows = [[name, *(_difference(each[name]) for each in compared)] for name in (*METRICS, "latency_ms")]
    yield from table(["metric", *(f"{candidate} − {base}" for base, candidate in PAIRS)], rows)
    yield ""


def _difference(result: MetricResult) -> str:
    test = result.test
    interval = f" ({signed(test.interval.low)} to {signed(test.interval.high)})" if test.interval else ""
    return f"{signed(test.difference)}{interval}, {p_value(result.p)}, {_word(result)}"


def _word(result: MetricResult) -> str:
    if result.info.name == "latency_ms":
        return {"BETTER": "faster", "WORSE": "slower"}.get(result.verdict, "no difference shown")
    return result.verdict.lower()


def _manifest(results: Sequence[SetResult], program: str) -> Iterator[str]:
    first = next(iter(results[0].runs.values())).manifest
    yield from ("## Manifest", "")
    rows = [
        [r.name, m["suite"]["hash"], m["corpus"]["hash"], str(m["suite"]["questions"]), str(m["corpus"]["documents"])]
        for r in results
        for m in [next(iter(r.runs.values())).manifest]
    ]
    yield from table(["set", "suite hash", "documents' hash", "questions", "documents"], rows)
    yield ""
    rows = []
    for name, run in results[0].runs.items():
        resolved = run.manifest["pipeline"]["resolved"]
        models = ", ".join(f"{role} {model}" for role, model in resolved["models"].items())
        rows.append([name, run.manifest["pipeline"]["version"], models])
    yield from table(["pipeline", "version", "models"], rows)
    yield ""
    git = first["git"]
    state = f"{git['commit'][:12]}{' with changes' if git['dirty'] else ''}" if git else "unknown"
    yield f"- Program: commit {state}, hash of the program and its packages {program}"
    yield f"- Primary metric: {PRIMARY}, {CATALOG[PRIMARY].description}"
    yield f"- Packages: {', '.join(f'{name} {version}' for name, version in first['packages'].items())}"
    load = f"{os.getloadavg()[2]:.1f} processes ready to run at the end (mean of 15 minutes)"
    yield f"- Machine: {platform.system()} {platform.machine()}, {os.cpu_count()} cores, {load}"
    yield f"- Started: {first['started']}"


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.ladder", description="Write the ladder's tables.")
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}; all by default")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="FILE")
    chosen = parser.parse_args(arguments)
    names = chosen.sets or SETS
    skipped = [name for name in names if not (DATASETS / ("xquad_zh" if name == ACROSS else name)).is_dir()]
    for name in skipped:
        print(f"skipped: {name} is not at {DATASETS / name}", flush=True)
    program = program_hash()
    results = []
    for name in names:
        if name not in skipped:
            print(f"{name} ...", flush=True)
            results.append(run_set(name, SCRATCH / program))
    if not results:
        return
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(render(results, skipped, program), encoding="utf-8")
    print(f"Wrote {chosen.out}.")


if __name__ == "__main__":
    main(sys.argv[1:])
