"""What strategies find at the same mean chunk size: dense retrieval alone, the same embedder, a budget of tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chunking.config import ChunkingConfig
from chunking.strategies import build_chunker
from chunking.types import Chunk
from eval.corpus import Corpus, corpus_of_suite
from eval.metrics.retrieval import coverage, found_ranks, recall, within_budget
from eval.questions import SuiteQuestion
from eval.runs import Context
from eval.suite import load_suite
from retrieval.embedders.base import Embedder

BUDGET = 1_500
"""Tokens that the best chunks may have together: the measure that is fair across chunk sizes."""
SETS = ("drcd_zh_hant", "xquad_en", "docs_seatunnel_zh", "docs_seatunnel_en", "chroma_chunking")

DEFAULT = "hybrid (shipped)"
PACKED = "sentence"
FIXED = "fixed 512/40"

Settings = dict[str, object]

FIXED_SIZES: dict[str, Settings] = {
    FIXED: {"strategy": "fixed", "target_tokens": 512, "max_tokens": 512, "overlap": 40, "headings": False},
    "fixed 320/20": {"strategy": "fixed", "target_tokens": 320, "max_tokens": 512, "overlap": 20, "headings": False},
}
"""As they are used elsewhere: no headings, sizes of their own."""
MATCHED: dict[str, Settings] = {
    PACKED: {"strategy": "sentence"},
    "sentence, no headings": {"strategy": "sentence", "headings": False},
    "semantic depth": {"strategy": "semantic", "breakpoint": "depth"},
    "semantic optimal": {"strategy": "semantic", "breakpoint": "optimal"},
    "paragraph": {"strategy": "paragraph"},
    "fixed, no headings": {"strategy": "fixed", "headings": False},
    "hybrid, no headings": {"strategy": "hybrid", "headings": False},
}
"""Brought to the shipped default's mean size on each set, by `target_tokens` or, for semantic ones, the bound."""
_REACH = {"depth": (-2.0, 3.0), "optimal": (0.1, 8.0), "target_tokens": (60.0, 400.0)}
_STEPS = 7


@dataclass(frozen=True)
class Row:
    """One strategy on one set. Scores are in the order of the set's questions."""

    name: str
    mean_tokens: float
    chunks: int
    coverage: tuple[float, ...]
    recall5: tuple[float, ...]


@dataclass(frozen=True)
class Bed:
    """A set, parsed and located once, with its questions' vectors."""

    name: str
    corpus: Corpus
    questions: tuple[SuiteQuestion, ...]
    queries: np.ndarray
    embedder: Embedder

    def cut(self, settings: Settings) -> list[Chunk]:
        chunker = build_chunker(
            ChunkingConfig.model_validate(settings),
            self.embedder.count_tokens,
            lambda texts: self.embedder.embed(texts, "passage"),
        )
        return [chunk for document in self.corpus.documents for chunk in chunker.chunk(document)]

    def measure(self, name: str, chunks: Sequence[Chunk]) -> Row:
        vectors = self.embedder.embed([chunk.embedded_text for chunk in chunks], "passage")
        covered, found = [], []
        for question, scores in zip(self.questions, self.queries @ vectors.T, strict=True):
            order = np.argsort(-scores, kind="stable")[:60]
            contexts = [context(rank, chunks[i]) for rank, i in enumerate(order, 1)]
            located = self.corpus.locate(question)
            covered.append(coverage(located.evidence, within_budget(contexts, BUDGET)))
            found.append(recall(found_ranks(located.gold, contexts), 5))
        return Row(name, mean_tokens(chunks), len(chunks), tuple(covered), tuple(found))

    def matched(self, settings: Settings, mean: float) -> Settings:
        """The settings with the size or bound that brings the mean size nearest to `mean`, by bisection."""
        method = str(settings.get("breakpoint", "target_tokens"))
        low, high = _REACH[method]
        best, least = settings, float("inf")
        for _ in range(_STEPS):
            middle = (low + high) / 2
            tried = (
                {**settings, "target_tokens": round(middle)}
                if method == "target_tokens"
                else {**settings, "threshold": middle}
            )
            size = mean_tokens(self.cut(tried))
            if abs(size - mean) < least:
                best, least = tried, abs(size - mean)
            if size < mean:
                low = middle
            else:
                high = middle
        return best


def context(rank: int, chunk: Chunk) -> Context:
    return Context(
        rank, chunk.document_id, "", "", chunk.start, chunk.end, chunk.text, chunk.tokens, None, None, 0.0, {}, {}
    )


def mean_tokens(chunks: Sequence[Chunk]) -> float:
    return float(np.mean([chunk.tokens for chunk in chunks]))


def load(folder: Path, embedder: Embedder) -> Bed:
    suite = load_suite(folder)
    corpus = corpus_of_suite(suite)
    questions = tuple(q for q in suite.questions if corpus.locate(q).evidence)
    queries = embedder.embed([question.question for question in questions], "query")
    return Bed(folder.name, corpus, questions, queries, embedder)


def compare(bed: Bed) -> list[Row]:
    """The shipped default first, then those of the same mean size, then the fixed sizes."""
    shipped = bed.cut({})
    mean = mean_tokens(shipped)
    rows = [bed.measure(DEFAULT, shipped)]
    for name, settings in MATCHED.items():
        rows.append(bed.measure(name, bed.cut(bed.matched(settings, mean))))
        print(f"  {name}: {rows[-1].mean_tokens:.0f} tokens", flush=True)
    rows += [bed.measure(name, bed.cut(settings)) for name, settings in FIXED_SIZES.items()]
    return rows


def held_out(name: str) -> bool:
    """Which half a document or question belongs to: by a hash of its name, so that it never moves."""
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 1
