"""The default embedder: multilingual-e5-small on this machine, no key, no download."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np

from retrieval.config import EmbeddingConfig
from retrieval.embedders.base import Embedder, Role, Vectors
from retrieval.embedders.e5 import artefact
from retrieval.embedders.e5.engine import EngineEmbedder
from retrieval.embedders.e5.tokenizer import load_tokenizer
from retrieval.embedders.e5.tokens import BOS, EOS, POSITIONS, PREFIX, E5TokenReader
from retrieval.embedders.e5.weights import model_file
from retrieval.embedders.interrupt import pause


class LocalEmbedder:
    """Mean-pooled unit vectors with e5's role prefixes; what lies beyond 512 tokens is not read.

    Texts run one by one, longest first, on as many threads as this process may use cores: a vector is the same
    to the last bit whatever else is in the call.
    """

    degraded: str | None = None

    def __init__(self, folder: Path, fingerprint: str, precision: str) -> None:
        import onnxruntime

        self.name = f"local (multilingual-e5-small, {precision})"
        self.fingerprint = fingerprint
        self._tokenizer = load_tokenizer(folder / "tokenizer.model")
        self._threads = _cores()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        path = str(folder / "graph.onnx")
        self._session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="embed")
        self.dimension = len(self._session.run(["mean"], {"ids": np.array([[BOS, EOS]], np.int64)})[0][0])
        self.max_tokens = POSITIONS - 2 - max(self.count_tokens(list(PREFIX.values())))
        self.tokens = E5TokenReader(self._session, self._tokenizer, self._pool)

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        ids = self._encode([PREFIX[role] + text for text in texts])
        vectors = np.empty((len(ids), self.dimension), np.float32)

        def run(row: int) -> None:
            tokens = np.array([[BOS, *ids[row][: POSITIONS - 2], EOS]], np.int64)
            (vectors[row],) = self._session.run(["mean"], {"ids": tokens})[0]

        order = sorted(range(len(ids)), key=lambda row: len(ids[row]), reverse=True)
        if len(order) == 1:
            run(0)
        else:
            self._run_all(run, order)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)

    def _run_all(self, run: Callable[[int], None], rows: Sequence[int]) -> None:
        runs: deque[Future[None]] = deque()
        try:
            for row in rows:
                # Few at a time: a question's sentences are read in the same pool, and would wait for all before them.
                if len(runs) == 2 * self._threads:
                    runs.popleft().result()
                    pause()
                runs.append(self._pool.submit(run, row))
            while runs:
                runs.popleft().result()
                pause()
        finally:  # Or the pool would work off what nobody waits for any more, after Ctrl-C too.
            for each in runs:
                each.cancel()

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in self._encode(texts)]

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        # Bytes, because a lone surrogate (legal in JSON) cannot be encoded strictly.
        encoded: list[list[int]] = self._tokenizer.encode([text.encode("utf-8", "replace") for text in texts])
        return encoded


def build_local(config: EmbeddingConfig) -> Embedder:
    """The graph, or the package's own engine where it cannot be built here; `degraded` then says why."""
    weights = model_file()
    try:
        return _open(weights, config.precision)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    return EngineEmbedder(
        weights,
        degraded=f"the fast local embedder could not be built in {artefact.cache_folder()} ({reason}), so the slower "
        "bundled engine is used: set CRAG_CACHE to a writable folder with 200 MB free.",
    )


def _open(weights: Path, precision: str) -> LocalEmbedder:
    fingerprint = artefact.fingerprint(weights, precision)
    try:
        return LocalEmbedder(artefact.prepare(weights, precision), fingerprint, precision)
    except Exception:
        # A damaged build is not told apart from a failing one: a fresh build settles it.
        artefact.discard(weights, precision)
        return LocalEmbedder(artefact.prepare(weights, precision), fingerprint, precision)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
