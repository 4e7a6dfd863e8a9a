"""One verb: `Reranker.rerank`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from retrieval.types import Hit


class Reranker(Protocol):
    name: str
    fingerprint: str

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        """All hits, best first, each `at_stage("rerank", ...)`. Thread-safe. Raises ProviderError."""
        ...
