"""One verb: `WebSearch.search`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page as the search engine gave it. `text` is its content, or the engine's excerpt of it."""

    url: str
    title: str
    text: str
    date: str | None = None
    score: float | None = None


class WebSearch(Protocol):
    name: str

    async def search(self, query: str) -> list[WebPage]:
        """Pages, best first. Only `query` leaves the machine. Raises ProviderError."""
        ...

    async def aclose(self) -> None: ...
