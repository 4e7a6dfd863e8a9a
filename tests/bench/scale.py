"""Search at 100,000 chunks, the question embedded already: this index beside LangChain's EnsembleRetriever.

Both hold the same texts (a Zipf vocabulary, 100 words each) and the same vectors (unit, around cluster centres), and
take 50 candidates from each side. Each runs in a process of its own, so that its resident memory is its own.
`CRAG_BENCH_CHUNKS` sets another size.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from chunking.config import ChunkingConfig
from chunking.types import Chunk, Document, chunk_id, document_id
from retrieval.config import RetrievalConfig
from retrieval.embedders.base import Role, Vectors
from retrieval.registry import Place
from retrieval.retriever import Retriever
from retrieval.types import Filters
from retrieval.workspace import Workspace

CHUNKS = int(os.environ.get("CRAG_BENCH_CHUNKS", "100000"))
DIMENSION, WORDS, PER_DOCUMENT, PEER_QUERIES, QUERIES, ADDED = 384, 100, 10, 20, 200, 20


class Known:
    """The vector of a text that begins with its number; of any other, as a question, one near a chunk's."""

    name = fingerprint = "known"
    dimension, max_tokens = DIMENSION, 512

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        return np.stack([self._vectors[int(text.split(" ", 1)[0])] for text in texts])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [text.count(" ") + 1 for text in texts]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.embed(texts, "passage").tolist()  # type: ignore[no-any-return]

    def embed_query(self, text: str) -> list[float]:
        return self.embed([text], "query")[0].tolist()  # type: ignore[no-any-return]


def corpus() -> tuple[Vectors, list[str], list[str]]:
    """Vectors, texts and questions of six words, each of which begins with the number of its vector."""
    rng = np.random.default_rng(7)
    centres = rng.normal(size=(max(2, CHUNKS // 200), DIMENSION))
    vectors = (centres[rng.integers(0, len(centres), CHUNKS)] + 0.7 * rng.normal(size=(CHUNKS, DIMENSION))).astype("f4")
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    words = np.minimum(rng.zipf(1.25, size=(CHUNKS, WORDS)), 60_000)
    texts = [f"{row} " + " ".join(f"word{w}" for w in line) for row, line in enumerate(words.tolist())]
    asked = rng.integers(0, CHUNKS, QUERIES)
    questions = [f"{row} " + " ".join(f"word{w}" for w in rng.choice(words[row], 6)) for row in asked.tolist()]
    return vectors, texts, questions


def main() -> None:
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("ours", "ours, cold", "ours, one more", "LangChain"):
            receive, send = context.Pipe(duplex=False)
            process = context.Process(target=_run, args=(name, Path(folder), send))
            process.start()
            send.close()
            while True:
                try:
                    print(json.dumps({"system": name, **receive.recv()}), flush=True)
                except EOFError:
                    break
            process.join()


def _run(name: str, folder: Path, send: Connection) -> None:
    {"ours": _build, "ours, cold": _ours, "ours, one more": _grow, "LangChain": _peer}[name](folder, send)


def _build(folder: Path, send: Connection) -> None:
    vectors, texts, _ = corpus()
    started = time.perf_counter()
    with Workspace.open(folder / "home", write=True) as workspace:
        index = workspace.index(ChunkingConfig(), Known(vectors))
        for first in range(0, CHUNKS, 5000):
            batch = []
            for start in range(first, min(first + 5000, CHUNKS), PER_DOCUMENT):
                origin, body = f"/d/{start}", "\n".join(texts[start : start + PER_DOCUMENT])
                document = Document(document_id(origin), f"{start % 7}/{start}.txt", "t", "text/plain", "h", body, ())
                chunks, at = [], 0
                for text in texts[start : start + PER_DOCUMENT]:
                    key = chunk_id(document.id, at, at + len(text), text)
                    chunks.append(Chunk(key, document.id, at, at + len(text), text, WORDS))
                    at += len(text) + 1
                batch.append((document, Place(origin), chunks))
            index.write(batch, {})
    send.send({"write": round(time.perf_counter() - started, 1)})


def _ours(folder: Path, send: Connection) -> None:
    vectors, texts, questions = corpus()
    del texts
    base = _resident()
    with Workspace.open(folder / "home", write=False) as workspace:
        embedder = Known(vectors)
        started = time.perf_counter()
        retriever = Retriever(workspace.index(ChunkingConfig(), embedder), embedder, RetrievalConfig())
        retriever.retrieve(questions[0])
        send.send({"cold_open_s": round(time.perf_counter() - started, 2)})
        send.send({**_timed(retriever.retrieve, questions), "resident_mb": _resident() - base})
        for share in ("0/*", "[0-5]/*", "0/1*0.txt"):
            filters = Filters(source=share)
            kept = len(workspace.registry.matching(filters) or ())
            found = _timed(lambda q, f=filters: retriever.retrieve(q, filters=f), questions[:30])  # type: ignore[misc]
            send.send({"filter": share, "documents": kept, **found})


def _grow(folder: Path, send: Connection) -> None:
    """A document of one chunk, committed and followed by vectors and postings, and the first search after it."""
    vectors, texts, questions = corpus()
    added, asked = [], []
    with Workspace.open(folder / "home", write=True) as workspace:
        embedder = Known(vectors)
        index = workspace.index(ChunkingConfig(), embedder)
        retriever = Retriever(index, embedder, RetrievalConfig())
        retriever.retrieve(questions[0])
        for number in range(ADDED):
            body, origin = texts[number], f"/new/{number}"
            document = Document(document_id(origin), f"new/{number}.txt", "t", "text/plain", "h", body, ())
            chunk = Chunk(chunk_id(document.id, 0, len(body), body), document.id, 0, len(body), body, WORDS)
            started = time.perf_counter()
            index.write([(document, Place(origin), [chunk])], {})
            added.append(time.perf_counter() - started)
            retriever.retrieve(questions[number])
            asked.append(time.perf_counter() - started)
    send.send({"added": ADDED, "p50_ms": _ms(added), "with_the_first_search_p50_ms": _ms(asked)})


def _peer(folder: Path, send: Connection) -> None:
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_community.retrievers import BM25Retriever
    from langchain_community.vectorstores import Chroma

    vectors, texts, questions = corpus()
    base = _resident()
    store: Any = Chroma(
        collection_name="peer", embedding_function=Known(vectors), persist_directory=str(folder / "peer")
    )
    for first in range(0, CHUNKS, 5000):
        store.add_texts(texts[first : first + 5000])
    words = BM25Retriever.from_texts(texts)
    words.k = 50
    both: Any = EnsembleRetriever(retrievers=[words, store.as_retriever(search_kwargs={"k": 50})], weights=[0.5, 0.5])
    both.invoke(questions[0])
    send.send({**_timed(both.invoke, questions[:PEER_QUERIES]), "resident_mb": _resident() - base})


def _timed(ask: Callable[[str], Any], questions: Sequence[str]) -> dict[str, float]:
    seconds = []
    for question in questions:
        started = time.perf_counter()
        ask(question)
        seconds.append(time.perf_counter() - started)
    p50, p95 = np.percentile(np.array(seconds) * 1000, [50, 95])
    return {"questions": len(questions), "p50_ms": round(float(p50), 1), "p95_ms": round(float(p95), 1)}


def _ms(seconds: Sequence[float]) -> float:
    return round(float(np.median(seconds)) * 1000, 1)


def _resident() -> int:
    import psutil

    return round(psutil.Process().memory_info().rss / 1e6)


if __name__ == "__main__":
    main()
