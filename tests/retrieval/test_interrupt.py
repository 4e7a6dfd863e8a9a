"""An embedding of many texts ends where whoever waits for it says so, and only there."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from retrieval.config import EmbeddingConfig
from retrieval.embedders import build_embedder
from retrieval.embedders.cache import EmbeddingCache
from retrieval.embedders.interrupt import interruptible

TEXTS = [f"The machine M-{number} is serviced every {number} days." for number in range(40)]


class StopError(Exception):
    pass


def test_it_ends_between_two_texts_in_the_thread_that_waits(tmp_path: Path) -> None:
    with EmbeddingCache(tmp_path / "cache.sqlite3") as cache:
        embedder = build_embedder(EmbeddingConfig(provider="local"), cache)
        checks = []

        def check() -> None:
            checks.append(threading.current_thread())
            if len(checks) == 3:
                raise StopError

        with interruptible(check):
            with pytest.raises(StopError):
                embedder.embed(TEXTS, "passage")
            other = threading.Thread(target=embedder.embed, args=(TEXTS[:5], "passage"))
            other.start()
            other.join()
        assert checks == [threading.current_thread()] * 3
        whole = embedder.embed(TEXTS, "passage")
        assert whole.shape == (40, embedder.dimension)
        assert np.array_equal(whole[7], embedder.embed([TEXTS[7]], "passage")[0])
