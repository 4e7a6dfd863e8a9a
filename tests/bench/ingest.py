"""Ingest of 1,000 documents: the share of the time that is the embedder's, the second run, and one changed document.

The bundled embedder, no sentences warmed, documents of some 300 tokens; `CRAG_BENCH_DOCUMENTS` sets another number.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from chunking.config import ChunkingConfig
from retrieval.config import EmbeddingConfig
from retrieval.embedders import EMBEDDERS
from retrieval.embedders.base import Embedder, Role, Vectors
from retrieval.embedders.cache import CachedEmbedder
from retrieval.ingest import ingest
from retrieval.workspace import Workspace

DOCUMENTS = int(os.environ.get("CRAG_BENCH_DOCUMENTS", "1000"))
SHARE_BAR, SECOND_BAR = 0.85, 2.0


class Timed:
    """An embedder, and the seconds and texts that went into it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.fingerprint, self.max_tokens = embedder.name, embedder.fingerprint, embedder.max_tokens
        self.dimension = embedder.dimension
        self.seconds, self.texts = 0.0, 0

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        started = time.perf_counter()
        try:
            return self._embedder.embed(texts, role)
        finally:
            self.seconds += time.perf_counter() - started
            self.texts += len(texts)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)


def write(folder: Path) -> None:
    dice = random.Random(5)
    words = [f"{a}{b}" for a in ("pump", "valve", "seal", "motor", "sensor", "panel") for b in ("", "s", "ed", "ing")]
    folder.mkdir()
    for number in range(DOCUMENTS):
        parts = []
        for part in range(4):
            lines = (" ".join(dice.choices(words, k=11)).capitalize() + f" {dice.randrange(9999)}." for _ in range(4))
            parts.append(f"## Part {part}\n\n" + " ".join(lines))
        (folder / f"doc{number:05}.md").write_text(f"# Document {number}\n\n" + "\n\n".join(parts))


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "docs"
        write(folder)
        timed = Timed(EMBEDDERS["local"](EmbeddingConfig(provider="local")))
        timed.embed(["warm"], "passage")
        with Workspace.open(Path(name) / "home", write=True) as workspace:
            index = workspace.index(ChunkingConfig(), CachedEmbedder(timed, workspace.cache))
            for what in ("first", "second", "one changed"):
                timed.seconds, timed.texts = 0.0, 0
                if what == "one changed":
                    path = folder / "doc00007.md"
                    path.write_text(path.read_text() + "\n\nOne more sentence at the end.")
                report = ingest(workspace, index, [folder], warm_sentences=False)
                print(
                    f"  {what}: {report.seconds:.2f} s, {report.chunks} chunks, {timed.texts} texts embedded in "
                    f"{timed.seconds:.2f} s, share {timed.seconds / report.seconds:.3f}",
                    flush=True,
                )
        print(f"  bars: share of the first at least {SHARE_BAR}, the second under {SECOND_BAR} s")


if __name__ == "__main__":
    main()
