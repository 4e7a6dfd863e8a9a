"""What an evaluation asks: anything that answers questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from graph.types import Answer, Turn


class System(Protocol):
    """A pipeline under test. `version` changes when its answers may."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def manifest(self) -> Mapping[str, Any]:
        """The resolved settings, as JSON, for the run's manifest."""
        ...

    async def ready(self) -> Mapping[str, Any]:
        """Called before the first question, and only where there is one; what it loads is in no answer's latency.

        What it returns is the manifest's ``index``: ``{"chunks": int, "mean_tokens": float}`` where there is one.
        """
        ...

    async def ask(self, question: str, history: Sequence[Turn]) -> Answer:
        """`Answer.hits` is the final ranking, best first. Any exception becomes a `pipeline_error`."""
        ...
