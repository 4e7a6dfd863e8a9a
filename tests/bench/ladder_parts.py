"""The ladder's page on ranking: the fusion beside its two parts, the reranker beside the fusion, the usual start."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from crag.pipeline import Pipeline, load_pipeline, vary
from eval.report.markdown import table
from eval.runs import Run
from eval.statistics import pair, paired_test
from eval.verdicts import number, signed

BM25, START = "bm25", "fixed-512"
RANKED = ("recall@1", "recall@5", "recall@10", "mrr", "ndcg@10")
ACROSS = "xquad_zh_on_en"
"""Chinese questions on English documents."""


def parts() -> list[Pipeline]:
    """What the ladder is held against: BM25 alone, and vectors over windows of 512 tokens that share 40."""
    vector = load_pipeline("vector")
    windows = {"strategy": "fixed", "target_tokens": 512, "max_tokens": 512, "overlap": 40, "headings": False}
    return [
        vary(vector, {"name": BM25, "retrieval.dense": False, "retrieval.lexical": True}),
        vary(vector, {"name": START, **{f"chunking.{field}": value for field, value in windows.items()}}),
    ]


def write_across(datasets: Path, folder: Path) -> Path:
    """`xquad_en` with its questions as `xquad_zh` asks them, as a suite folder."""
    folder.mkdir(parents=True, exist_ok=True)
    english = datasets / "xquad_en"
    (folder / "documents.jsonl").write_bytes((english / "documents.jsonl").read_bytes())
    asked = {value["id"]: value["question"] for value in _lines(datasets / "xquad_zh" / "questions.jsonl")}
    questions = [
        json.dumps({**value, "question": asked[value["id"]]}, ensure_ascii=False)
        for value in _lines(english / "questions.jsonl")
    ]
    (folder / "questions.jsonl").write_text("\n".join(questions) + "\n", encoding="utf-8", newline="")
    return folder


def render_parts(sets: Mapping[str, Mapping[str, Run]]) -> Iterator[str]:
    """Sections of the page; `sets` maps a set to its runs by pipeline, and holds those of all `parts`."""
    yield from (
        "## The fusion and its parts",
        "",
        "`better part` is vectors or BM25 alone, whichever is better on that set and metric; the difference is paired "
        "by question, with its 95% interval, not adjusted for the many of them.",
        "",
    )
    rows = [_row(name, metric, runs) for name, runs in sets.items() for metric in RANKED]
    heads = ["set", "metric", "vector", BM25, "hybrid", "hybrid-rerank"]
    yield from table([*heads, "hybrid − better part", "hybrid-rerank − hybrid"], rows)
    yield ""
    yield from _start({name: runs for name, runs in sets.items() if name != ACROSS})


def _row(name: str, metric: str, runs: Mapping[str, Run]) -> list[str]:
    means = {rung: _mean(runs[rung], metric) for rung in ("vector", BM25, "hybrid", "hybrid-rerank")}
    better = max(("vector", BM25), key=lambda part: means[part])
    differences = [_difference(runs[a], runs[b], metric) for a, b in ((better, "hybrid"), ("hybrid", "hybrid-rerank"))]
    return [name, metric, *map(number, means.values()), *differences]


def _start(sets: Mapping[str, Mapping[str, Run]]) -> Iterator[str]:
    yield from (
        "## Against the usual start",
        "",
        f"`{START}`: windows of 512 tokens that share 40, vectors alone. Misses are what recall lacks, summed over the "
        "questions; a question that needs several passages misses a share.",
        "",
    )
    rows = []
    totals = [0.0] * 4
    for name, runs in sets.items():
        misses = [
            sum(1 - values[0] for values in runs[run].values(metric).values())
            for metric in ("recall@1", "recall@5")
            for run in (START, "hybrid-rerank")
        ]
        totals = [total + own for total, own in zip(totals, misses, strict=True)]
        rows.append([name, *_misses(misses)])
    rows.append(["**all**", *_misses(totals)])
    heads = [f"{run} misses at {k}" for k in (1, 5) for run in (START, "hybrid-rerank")]
    yield from table(["set", *heads[:2], "ratio", *heads[2:], "ratio"], rows)
    yield ""


def _misses(counts: Sequence[float]) -> list[str]:
    first = [f"{counts[0]:.1f}", f"{counts[1]:.1f}", f"{counts[1] / counts[0]:.2f}" if counts[0] else "-"]
    return [*first, f"{counts[2]:.1f}", f"{counts[3]:.1f}", f"{counts[3] / counts[2]:.2f}" if counts[2] else "-"]


def _mean(run: Run, metric: str) -> float:
    values = run.values(metric)
    return sum(value[0] for value in values.values()) / len(values)


def _difference(base: Run, candidate: Run, metric: str) -> str:
    pairs = pair(base.values(metric), candidate.values(metric))
    test = paired_test(pairs.base, pairs.candidate, bounds=(0, 1))
    interval = f" ({signed(test.interval.low)} to {signed(test.interval.high)})" if test.interval else ""
    return f"{signed(test.difference)}{interval}"


def _lines(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from map(json.loads, file)
