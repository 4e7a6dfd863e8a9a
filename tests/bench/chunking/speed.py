"""The semantic strategy beside two widely used ones: the same text, free sentence vectors, the same token counter."""

from __future__ import annotations

import json
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from chunking.config import ChunkingConfig
from chunking.loaders import load_bytes
from chunking.sentences import split_sentences
from chunking.strategies import build_chunker
from eval.report.markdown import table

DATASETS = Path(__file__).parents[4] / "shared" / "datasets"
TEXTS = {"English": "xquad_en", "Chinese": "drcd_zh_hant"}
CAP = 480
ROUNDS = 5
COMPARED = 400_000
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)

Piece = tuple[int, int, str]
"""start, end, text, as a chunker states them."""
Cut = Callable[[], list[Piece]]
"""Cuts the text that it was made for."""

_VECTORS = np.random.default_rng(0).normal(size=(4096, 384)).astype(np.float32)
_VECTORS /= np.linalg.norm(_VECTORS, axis=1, keepdims=True)


def count(texts: Sequence[str]) -> list[int]:
    """Two thirds of a token for a character above ASCII, a quarter for one of it: cheap, so that it hides nothing."""
    return [(len(text) + (len(text.encode()) - len(text)) // 2 * 5 // 3) // 4 for text in texts]


def embed(texts: Sequence[str]) -> np.ndarray:
    return _VECTORS[np.arange(len(texts)) % len(_VECTORS)]


def ours(text: str) -> Cut:
    """A `Document` is to this chunker what a string is to the others: parsing it is timed by itself."""
    document = load_bytes(text.encode(), source="a.txt")
    chunker = build_chunker(ChunkingConfig(strategy="semantic"), count, embed)
    return lambda: [(chunk.start, chunk.end, chunk.text) for chunk in chunker.chunk(document)]


def ours_from_bytes(text: str) -> Cut:
    def cut() -> list[Piece]:
        return ours(text)()

    return cut


def langchain(text: str) -> Cut:
    return _langchain(text)


def langchain_with_marks(text: str) -> Cut:
    """Its own expression knows no Chinese marks."""
    return _langchain(text, sentence_split_regex=r"(?<=[.?!])\s+|(?<=[。！？])")


def _langchain(text: str, **settings: Any) -> Cut:
    from langchain_core.embeddings import Embeddings
    from langchain_experimental.text_splitter import SemanticChunker

    class Free(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return embed(texts)  # type: ignore[return-value]

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    splitter = SemanticChunker(Free(), add_start_index=True, **settings)

    def cut() -> list[Piece]:
        found = []
        for each in splitter.create_documents([text]):
            start = each.metadata["start_index"]
            found.append((start, start + len(each.page_content), each.page_content))
        return found

    return cut


def chonkie(text: str) -> Cut:
    from chonkie import BaseEmbeddings, SemanticChunker

    class Free(BaseEmbeddings):
        def embed(self, text: str) -> Any:
            return _VECTORS[0]

        def embed_batch(self, texts: list[str]) -> list[Any]:
            return list(embed(texts))

        @property
        def dimension(self) -> int:
            return _VECTORS.shape[1]

        def get_tokenizer(self) -> Any:
            return lambda text: count([text])[0]

    chunker = SemanticChunker(
        Free(), chunk_size=CAP, delim=[". ", "! ", "? ", "\n", "。", "！", "？"], min_characters_per_sentence=8
    )
    return lambda: [(chunk.start_index, chunk.end_index, chunk.text) for chunk in chunker.chunk(text)]


CHUNKERS: dict[str, tuple[str, Callable[[str], Cut]]] = {
    "semantic": ("chunking", ours),
    "semantic, parsing included": ("chunking", ours_from_bytes),
    "LangChain SemanticChunker": ("langchain_experimental", langchain),
    "LangChain, Chinese marks added": ("langchain_experimental", langchain_with_marks),
    "chonkie SemanticChunker": ("chonkie", chonkie),
}


@dataclass(frozen=True)
class Quality:
    chunks: int
    over: int
    torn: int
    wrong: int


def sample(name: str, size: int) -> str:
    """At least `size` UTF-8 bytes of a set's documents, repeated where they do not reach."""
    rows = (DATASETS / name / "documents.jsonl").read_text("utf-8").strip().split("\n")
    text = "\n\n".join(json.loads(row)["text"] for row in rows)
    return (text + "\n\n") * (size // len(text.encode()) + 1) if len(text.encode()) < size else text


def cut_to(text: str, size: int) -> str:
    return text.encode()[:size].decode(errors="ignore").strip()


def report() -> Iterator[str]:
    rows = [
        row for language, name in TEXTS.items() for row in _compared(language, cut_to(sample(name, COMPARED), COMPARED))
    ]
    yield (
        f"{COMPARED / 1e6:g} MB a language, sentence vectors free (rows of one table) and one cheap counter for all; "
        f"the chunkers take turns and the median of {ROUNDS} counts, in processor time. `semantic` is handed a parsed "
        f"document, the others a string. Over the cap: above {CAP} tokens (LangChain's has none). Torn: ends inside a "
        "sentence. Offsets: text that is not what its offsets say. Peak: Python's own memory."
    )
    yield ""
    yield from table(
        ["text", "chunker", "MB/s", "`semantic` is", "peak MB", "chunks", "over the cap", "torn", "wrong offsets"], rows
    )
    yield ""
    yield "Processor time of `semantic`, parsing included, from 10 KB to 10 MB, one run each:"
    yield ""
    lines = []
    for language, name in TEXTS.items():
        text = sample(name, SIZES[-1])
        cells = []
        for size in SIZES:
            part = cut_to(text, size)
            seconds = _timed(ours_from_bytes(part))
            cells.append(f"{seconds:.3g} s, {size / seconds / 1e6:.2f} MB/s")
        lines.append([language, *cells])
    yield from table(["text", "10 KB", "100 KB", "1 MB", "10 MB"], lines)


def _compared(language: str, text: str) -> Iterator[list[str]]:
    cutters = {name: build(text) for name, (package, build) in CHUNKERS.items() if find_spec(package)}
    seconds: dict[str, list[float]] = {name: [] for name in cutters}
    for _ in range(ROUNDS):
        for name, cut in cutters.items():
            seconds[name].append(_timed(cut))
    speeds = {name: len(text.encode()) / statistics.median(times) / 1e6 for name, times in seconds.items()}
    for name, cut in cutters.items():
        tracemalloc.start()
        found = cut()
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        quality = _quality(text, found)
        ratio = speeds["semantic"] / speeds[name]
        yield [
            language, name, f"{speeds[name]:.2f}", "" if name == "semantic" else f"{ratio:.2g} times as fast",
            f"{peak:.0f}", str(quality.chunks), str(quality.over), str(quality.torn), str(quality.wrong),
        ]  # fmt: skip


def _timed(cut: Cut) -> float:
    began = time.process_time()
    cut()
    return time.process_time() - began


def _quality(text: str, found: Sequence[Piece]) -> Quality:
    ends = {end for _, end in split_sentences(text)}
    torn = sum(start + len(piece.rstrip()) not in ends for start, _, piece in found)
    wrong = sum(text[start:end] != piece for start, end, piece in found)
    return Quality(len(found), sum(tokens > CAP for tokens in count([piece for _, _, piece in found])), torn, wrong)
