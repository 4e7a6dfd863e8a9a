"""SearXNG, a search engine that one hosts oneself, through its JSON API (``search.formats`` must list ``json``).

https://docs.searxng.org/dev/search_api.html. It has no key, takes no domains (those are filtered here) and gives
excerpts alone, so `web.raw_content` says nothing to it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from chunking.errors import ConfigError, ProviderError, code_of_status
from graph.config import WebConfig
from graph.loops import PerLoop
from graph.web.base import WebPage, read_page

if TYPE_CHECKING:
    import httpx

QUERY_LIMIT = 400
"""Characters, as for Tavily: a question's worth."""


class SearxngSearch:
    """Excerpts of pages, as the engines behind it give them. Raises ConfigError where no address is given."""

    name = "searxng"

    def __init__(self, config: WebConfig) -> None:
        url = config.base_url or os.environ.get("SEARXNG_URL")
        if not url:
            raise ConfigError("web.provider searxng needs its address: set web.base_url or SEARXNG_URL.")
        self._config = config
        self._url = url.rstrip("/")
        self._clients: PerLoop[httpx.AsyncClient] = PerLoop(
            lambda: _client(config.timeout), lambda client: client.aclose()
        )

    async def search(self, query: str) -> list[WebPage]:
        import httpx

        parameters = {"q": query[:QUERY_LIMIT], "format": "json", "safesearch": "1"}
        if self._config.time_range is not None:
            parameters["time_range"] = self._config.time_range
        try:
            reply = await self._clients.get().get(f"{self._url}/search", params=parameters)
            reply.raise_for_status()
            found = reply.json()
        except httpx.TimeoutException as error:
            raise self._error(
                f"gave no answer within {self._config.timeout:g} s: raise web.timeout", "timeout"
            ) from error
        except httpx.HTTPStatusError as error:
            raise self._error(
                _advice(error.response.status_code), code_of_status(error.response.status_code)
            ) from error
        except httpx.HTTPError as error:
            raise self._error(
                f"cannot be reached ({type(error).__name__}): check web.base_url", "unreachable"
            ) from error
        except (ValueError, RecursionError) as error:
            raise self._error("sent something that is not JSON: check web.base_url", "bad_reply") from error
        results = found.get("results") if isinstance(found, dict) else None
        if not isinstance(results, list):
            raise self._error("sent a reply without results: check web.base_url", "bad_reply")
        pages = [page for result in results if (page := self._page(result)) is not None]
        return pages[: self._config.max_results]

    async def aclose(self) -> None:
        await self._clients.aclose()

    def _page(self, result: Any) -> WebPage | None:
        given = result if isinstance(result, dict) else {}
        return read_page(result, given.get("content"), given.get("publishedDate"), self._config)

    def _error(self, what: str, code: str) -> ProviderError:
        return ProviderError(f"SearXNG at {self._url} {what}.", provider="searxng", code=code)


def _advice(status: int) -> str:
    if status == 403:
        return "refuses JSON (status 403): add json to search.formats in its settings.yml"
    if status == 429:
        return "refuses further searches for now (status 429): wait, or loosen its limiter"
    return f"answered with status {status}: look at its log"


def _client(timeout: float) -> httpx.AsyncClient:
    import httpx

    return httpx.AsyncClient(timeout=timeout)
