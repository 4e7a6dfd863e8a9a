"""Tavily, through its own client. The key is TAVILY_API_KEY."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from chunking.errors import ConfigError, ProviderError
from graph.config import WebConfig
from graph.loops import PerLoop
from graph.web.base import WebPage, read_page

if TYPE_CHECKING:
    from tavily import AsyncTavilyClient

QUERY_LIMIT = 400
"""Characters. Tavily's API refuses longer queries."""
_DEFAULT_URL = "https://api.tavily.com"


class TavilySearch:
    """Raises ConfigError where the key is missing: the client's keyless mode would send queries unasked."""

    name = "tavily"

    def __init__(self, config: WebConfig) -> None:
        key = os.environ.get("TAVILY_API_KEY")
        if not key:
            raise ConfigError("web.provider tavily needs a key: set TAVILY_API_KEY, or set web.provider to none.")
        self._config = config
        self._url = (config.base_url or _DEFAULT_URL).rstrip("/")
        self._clients: PerLoop[AsyncTavilyClient] = PerLoop(lambda: _client(key, self._url), lambda c: c.close())

    async def search(self, query: str) -> list[WebPage]:
        import httpx
        from tavily import BadRequestError, InvalidAPIKeyError, UsageLimitExceededError
        from tavily.errors import ForbiddenError
        from tavily.errors import TimeoutError as TavilyTimeoutError

        try:
            reply = await self._clients.get().search(
                query[:QUERY_LIMIT],
                max_results=self._config.max_results,
                include_domains=list(self._config.include_domains) or None,
                exclude_domains=list(self._config.exclude_domains) or None,
                include_raw_content="markdown" if self._config.raw_content else False,
                **({"time_range": self._config.time_range} if self._config.time_range else {}),
                timeout=self._config.timeout,
            )
        except TavilyTimeoutError as error:
            raise self._error(
                f"gave no answer within {self._config.timeout:g} s: raise web.timeout", "timeout"
            ) from error
        except UsageLimitExceededError as error:
            raise self._error(
                f"refuses further searches for now ({error}): wait, or raise the plan's limit", "rate_limited"
            ) from error
        except InvalidAPIKeyError as error:
            raise self._error("does not accept the key: check TAVILY_API_KEY", "key_refused") from error
        except ForbiddenError as error:
            raise self._error(f"refuses the search ({error}): check the plan and its quota", "key_refused") from error
        except BadRequestError as error:
            raise self._error(f"calls the request wrong ({error}): check the web section", "bad_reply") from error
        except httpx.HTTPStatusError as error:
            what = f"answered with status {error.response.status_code}: try again later"
            raise self._error(what, "bad_reply") from error
        except httpx.HTTPError as error:
            raise self._error(
                f"cannot be reached ({type(error).__name__}): check the connection", "unreachable"
            ) from error
        except (ValueError, RecursionError) as error:
            raise self._error("sent something that is not JSON: check web.base_url", "bad_reply") from error
        except (AttributeError, TypeError) as error:
            # What the client lets through when a reply is JSON of another shape.
            raise self._error("sent a reply in no known form: check web.base_url", "bad_reply") from error
        return self._pages(reply)

    async def aclose(self) -> None:
        await self._clients.aclose()

    def _pages(self, reply: Any) -> list[WebPage]:
        results = reply.get("results") if isinstance(reply, dict) else None
        # The client puts an empty list where there is none; Tavily repeats the query in whatever it sends.
        if not isinstance(results, list) or (not results and "query" not in reply):
            raise self._error("sent a reply without results: check web.base_url", "bad_reply")
        found = [result for result in results if isinstance(result, dict)]
        pages = [read_page(result, _text(result), result.get("published_date"), self._config) for result in found]
        return [page for page in pages if page is not None]

    def _error(self, what: str, code: str) -> ProviderError:
        return ProviderError(f"Tavily at {self._url} {what}.", provider="tavily", code=code)


def _text(result: dict[str, Any]) -> Any:
    raw = result.get("raw_content")
    return raw if isinstance(raw, str) and raw.strip() else result.get("content")


def _client(key: str, url: str) -> AsyncTavilyClient:
    from tavily import AsyncTavilyClient

    return AsyncTavilyClient(api_key=key, api_base_url=url)
