"""One verb: `WebSearch.search`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

from graph.config import WebConfig
from graph.neutral import visible

_ADDRESS = re.compile(r"https?://[^\s<>\"`\x00-\x20\x7f]+")
"""What stands in a citation: no blank, line break or markup."""


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page as the search engine gave it. `text` is its content, or the engine's excerpt of it.

    `date` is the ISO day on which it was published, where the engine says so; `accessed` the one on which it was found.
    """

    url: str
    title: str
    text: str
    date: str | None = None
    score: float | None = None
    accessed: str | None = None


class WebSearch(Protocol):
    name: str

    async def search(self, query: str) -> list[WebPage]:
        """Pages, best first. Only `query` leaves the machine. Raises ProviderError."""
        ...

    async def aclose(self) -> None: ...


def read_page(result: Any, text: Any, date: Any, config: WebConfig) -> WebPage | None:
    """One result of an engine; None for what is no page on the web, has no text or lies outside the allowed domains."""
    if not isinstance(result, dict) or not isinstance(text, str) or not text.strip():
        return None
    url, title, score = result.get("url"), result.get("title"), result.get("score")
    if not isinstance(url, str) or not _ADDRESS.fullmatch(url) or not _allowed(url, config):
        return None
    text, url = visible(text), visible(url)
    if not text.strip() or not _ADDRESS.fullmatch(url):
        return None
    named = " ".join(visible(title).split()) if isinstance(title, str) else ""
    return WebPage(url=url, title=named or url, text=text, date=day(date), score=_number(score))


def day(written: Any) -> str | None:
    """The ISO day of a date as engines write it, ISO 8601 or RFC 5322; None for anything else."""
    if not isinstance(written, str):
        return None
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return read(written.strip()).date().isoformat()
        except (ValueError, OverflowError):
            continue
    return None


def _number(score: Any) -> float | None:
    try:
        return float(score) if isinstance(score, int | float) else None
    except OverflowError:
        return None


def _allowed(url: str, config: WebConfig) -> bool:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    if any(_within(host, domain) for domain in config.exclude_domains):
        return False
    return not config.include_domains or any(_within(host, domain) for domain in config.include_domains)


def _within(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")
