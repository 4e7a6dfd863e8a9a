"""BM25 beside rank-bm25 at 20,000 chunks of 100 tokens, growth at 100,000, simplified questions on traditional text.

The library and the postings score the same tokens and the same 200 questions in turns. The texts follow a Zipf
vocabulary; a question is six words of one of them. The simplified questions are those of `drcd_zh_hant`, converted
by OpenCC, asked of the same passages as the originals.
"""

from __future__ import annotations

import json
import statistics
import time

import numpy as np
from rank_bm25 import BM25L, BM25Okapi, BM25Plus

from retrieval.config import EmbeddingConfig
from retrieval.embedders.local import build_local
from retrieval.lexical.bm25 import VARIANTS, BM25Index
from retrieval.lexical.tokenizer import tokenize
from tests.bench.embedders import DATASETS, packed

CHUNKS, GROWN, WORDS, QUERIES, TOP = 20_000, 100_000, 100, 200, 100
LIBRARY = {"okapi": BM25Okapi, "l": BM25L, "plus": BM25Plus}
TRADITIONAL = "drcd_zh_hant"


def main() -> None:
    rng = np.random.default_rng(7)
    words = np.minimum(rng.zipf(1.25, size=(GROWN, WORDS)), 60_000)
    texts = [[f"word{word}" for word in line] for line in words.tolist()]
    rows = rng.integers(0, CHUNKS, QUERIES).tolist()
    questions = [[f"word{word}" for word in rng.choice(words[row], 6, replace=False)] for row in rows]
    index = BM25Index()
    fill(index, texts[:CHUNKS])
    for variant in VARIANTS:
        beside_the_library(index, variant, texts[:CHUNKS], questions)
    fill(index, texts[CHUNKS:], CHUNKS)
    grow(index, texts[:20], questions)
    if (DATASETS / TRADITIONAL).is_dir():
        simplified()
    else:
        print(f"skipped: {TRADITIONAL} is not at {DATASETS}")


def fill(index: BM25Index, texts: list[list[str]], first: int = 0) -> None:
    index.add([(f"{number:06}", f"d{number}", index.encode(text)) for number, text in enumerate(texts, first)])


def beside_the_library(index: BM25Index, variant: str, texts: list[list[str]], questions: list[list[str]]) -> None:
    library = LIBRARY[variant](texts)
    index.match(questions[0], variant=variant)
    same, furthest = 0, 0.0
    ours, theirs = [], []
    for question in questions:
        started = time.perf_counter()
        matches = index.match(question, variant=variant)
        found = matches.top(TOP)
        ours.append(time.perf_counter() - started)
        started = time.perf_counter()
        scores = library.get_scores(question)
        order = np.argsort(-scores, kind="stable")[:TOP]
        theirs.append(time.perf_counter() - started)
        furthest = max(furthest, float(np.abs(matches.scores - scores).max()))
        # Rounding may turn ties of the two around: scores are compared rank by rank.
        same += bool(np.allclose([score for _, score in found], scores[order][: len(found)], rtol=0, atol=1e-9))
    print(
        f"{variant:6} {len(texts):,} texts: top {TOP} the same on {same} of {len(questions)} questions, scores within "
        f"{furthest:.0e}; {statistics.median(ours) * 1e3:.2f} ms beside the library's "
        f"{statistics.median(theirs) * 1e3:.1f} ms, {statistics.median(theirs) / statistics.median(ours):.0f} times",
        flush=True,
    )


def grow(index: BM25Index, texts: list[list[str]], questions: list[list[str]]) -> None:
    size, added, asked = len(index), [], []
    for number, text in enumerate(texts):
        started = time.perf_counter()
        index.add([(f"new{number}", f"n{number}", index.encode(text))])
        added.append(time.perf_counter() - started)
        index.match(questions[number])
        asked.append(time.perf_counter() - started)
    print(
        f"one text more at {size:,}: {statistics.median(added) * 1e3:.1f} ms, with the first question after it "
        f"{statistics.median(asked) * 1e3:.1f} ms",
        flush=True,
    )


def simplified() -> None:
    import opencc

    passages = packed(TRADITIONAL, build_local(EmbeddingConfig()))
    index = BM25Index()
    index.add([(f"{i:06}", passage[0], index.encode(tokenize(passage[3]))) for i, passage in enumerate(passages)])
    with (DATASETS / TRADITIONAL / "questions.jsonl").open(encoding="utf-8") as lines:
        questions = [json.loads(line) for line in lines]
    for name, convert in (("as asked", str), ("simplified", opencc.OpenCC("t2s").convert)):
        hits = 0
        for question in questions:
            spans = [(span["doc_id"], span["start"], span["end"]) for span in question["answer_spans"]]
            found = [passages[int(key)] for key, _ in index.match(tokenize(convert(question["question"]))).top(5)]
            hits += any(d == p[0] and p[1] <= a and b <= p[2] for p in found for d, a, b in spans)
        print(
            f"{TRADITIONAL}, {name}: recall@5 {hits / len(questions):.3f} over {len(questions)} questions", flush=True
        )


if __name__ == "__main__":
    main()
