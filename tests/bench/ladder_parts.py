"""The ladder's page on ranking: the fusion beside its two parts, the reranker beside the fusion, the usual start."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
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
        "questions; a question that needs several passages misses a share. The last row leaves such questions out, as "
        "no ranking has all their passages at rank 1. A passage that stands in several places counts where it was "
        "ranked best only, which costs `chroma_chunking`, whose texts repeat.",
        "",
    )
    rows = [[name, *_misses([runs])] for name, runs in sets.items()]
    rows.append(["**all**", *_misses(sets.values())])
    rows.append(["**all that one passage answers**", *_misses(sets.values(), lone=True)])
    heads = [f"{run} misses at {k}" for k in (1, 5) for run in (START, "hybrid-rerank")]
    yield from table(["set", *heads[:2], "ratio", *heads[2:], "ratio"], rows)
    yield ""


def _misses(sets: Iterable[Mapping[str, Run]], *, lone: bool = False) -> list[str]:
    counted = {(metric, run): 0.0 for metric in ("recall@1", "recall@5") for run in (START, "hybrid-rerank")}
    for runs in sets:
        for metric, name in counted:
            run = runs[name]
            asked = {record.question.id for record in run.answers.values() if not lone or len(record.gold) == 1}
            counted[metric, name] += sum(1 - v[0] for identity, v in run.values(metric).items() if identity in asked)
    cells = []
    for metric in ("recall@1", "recall@5"):
        before, after = counted[metric, START], counted[metric, "hybrid-rerank"]
        cells += [f"{before:.1f}", f"{after:.1f}", f"{after / before:.2f}" if before else "-"]
    return cells


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
