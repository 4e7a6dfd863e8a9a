"""The rebuilt model on disk: built once per user, found by what went into it, never half written."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from retrieval.embedders.e5.graph import BUILDER_VERSION, LAYOUT, write_graph
from retrieval.embedders.e5.smoothing import TEXTS, smoothing
from retrieval.embedders.e5.tokenizer import load_tokenizer, write_tokenizer
from retrieval.embedders.e5.weights import Floats, Weights, weights_hash


def cache_folder() -> Path:
    """``CRAG_CACHE``, else ``agentic-crag`` in the platform's folder for caches."""
    if chosen := os.environ.get("CRAG_CACHE"):
        return Path(chosen)
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "agentic-crag"


def fingerprint(weights: Path, precision: str) -> str:
    """Names what decides a vector: weights, precision and the builder's version."""
    return f"e5-{weights_hash(weights)}-{precision}-{BUILDER_VERSION}"


def _folder(weights: Path, precision: str) -> Path:
    return cache_folder() / f"{fingerprint(weights, precision)}.{LAYOUT}"


def prepare(weights: Path, precision: str) -> Path:
    """The folder with ``graph.onnx``, ``graph.onnx.data`` and ``tokenizer.model``, built where it is missing.

    It is filled aside and renamed into place: a crash leaves nothing that looks complete, and of two
    processes that build at once the later one keeps the earlier one's. Raises OSError or ValueError.
    """
    target = _folder(weights, precision)
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    _sweep(target)
    aside = Path(tempfile.mkdtemp(prefix=".building-", dir=target.parent))
    try:
        parsed = Weights(weights)
        write_tokenizer(parsed, aside / "tokenizer.model")
        write_graph(parsed, aside / "graph.onnx", steps=_STEPS[precision](parsed, aside / "tokenizer.model"))
        try:
            aside.rename(target)
        except OSError:
            if not target.is_dir():
                raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return target


def _sweep(target: Path) -> None:
    """Remove what a process that was killed while building left behind, and earlier layouts of the same vectors, some
    hundred megabytes each: a release that still wants one builds it anew."""
    for left in target.parent.glob(".building-*"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > 3600:
                shutil.rmtree(left, ignore_errors=True)
    for layout in ("", *(f".{number}" for number in range(2, LAYOUT))):
        shutil.rmtree(target.with_suffix(layout), ignore_errors=True)


def _smoothed(weights: Weights, tokenizer: Path) -> dict[str, Floats]:
    rows = load_tokenizer(tokenizer).encode(list(TEXTS))
    return smoothing(weights, [[weights.bos, *row, weights.eos] for row in rows])


_STEPS: dict[str, Callable[[Weights, Path], dict[str, Floats] | None]] = {
    "fp32": lambda weights, tokenizer: None,
    "int8": _smoothed,
}


def discard(weights: Path, precision: str) -> None:
    """Forget a damaged build."""
    shutil.rmtree(_folder(weights, precision), ignore_errors=True)
