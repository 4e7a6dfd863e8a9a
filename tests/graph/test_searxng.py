"""SearXNG's JSON API over real HTTP, and the switch that forbids every web search."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from chunking.errors import ConfigError, ProviderError
from graph.config import WebConfig
from graph.web import WebPage, build_web
from tests.fakes.http import Reply, ScriptedServer

TODAY = datetime.now(UTC).date().isoformat()


def search(reply: Reply, query: str = "tower steps", **config: Any) -> tuple[list[WebPage], ScriptedServer]:
    with ScriptedServer(lambda request: reply) as server:
        provider = build_web(WebConfig(provider="searxng", base_url=f"{server.url}/", **config))
        assert provider is not None

        async def asked() -> list[WebPage]:
            try:
                return await provider.search(query)
            finally:
                await provider.aclose()

        return asyncio.run(asked()), server


def result(url: str, content: str = "The tower has 312 steps.", **more: Any) -> dict[str, Any]:
    return {"url": url, "title": "Tower", "content": content, "engine": "e", "score": 1.5, **more}


def test_results_become_pages_with_their_dates() -> None:
    found = Reply({"query": "q", "results": [result("https://e.org/a", publishedDate="2026-01-02T00:00:00")]})
    pages, server = search(found, "x" * 500, time_range="month")
    assert pages == [WebPage("https://e.org/a", "Tower", "The tower has 312 steps.", "2026-01-02", 1.5, TODAY)]
    (request,) = server.requests
    sent = parse_qs(urlsplit(request.path).query)
    assert urlsplit(request.path).path == "/search"
    assert (sent["format"], sent["time_range"], sent["q"]) == (["json"], ["month"], ["x" * 400])


def test_domains_are_kept_to_and_what_is_no_page_is_left_out() -> None:
    odd: list[Any] = [7, {"url": "ftp://e.org/"}, result("https://e.org/empty", " "), {"url": 1}]
    urls = [
        "https://docs.e.org/a",
        "https://bad.e.org/b",
        "https://note.org/c",
        "https://e.org/d",
        "https://fake-e.org/e",
    ]
    reply = Reply({"results": [*odd, *(result(url) for url in urls)]})
    pages, _ = search(reply, include_domains=("e.org",), exclude_domains=("bad.e.org",))
    assert [page.url for page in pages] == ["https://docs.e.org/a", "https://e.org/d"]
    assert len(search(reply, max_results=2)[0]) == 2


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Reply({}, 403), "search.formats"),
        (Reply({}, 429), "refuses further searches"),
        (Reply({}, 500), "status 500"),
        (Reply(b"<html>"), "not JSON"),
        (Reply(b"[" * 100_000), "not JSON"),
        (Reply({"results": "none"}), "without results"),
        (Reply([1]), "without results"),
        (Reply({"results": []}, delay=2.0), "within 0.3 s"),
    ],
)
def test_a_failing_search_says_what_to_do(reply: Reply, says: str) -> None:
    with pytest.raises(ProviderError, match=says):
        search(reply, timeout=0.3)


def test_an_address_is_needed_and_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEARXNG_URL", raising=False)
    with pytest.raises(ConfigError, match="SEARXNG_URL"):
        build_web(WebConfig(provider="searxng"))
    monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:9")
    built = build_web(WebConfig(provider="searxng"))
    assert built is not None
    with pytest.raises(ProviderError, match="cannot be reached"):
        asyncio.run(built.search("q"))


@pytest.mark.parametrize("value", ["off", "0", "No", "false"])
def test_the_switch_forbids_every_provider(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRAG_WEB", value)
    monkeypatch.setenv("TAVILY_API_KEY", "k")
    for provider in ("tavily", "searxng"):
        assert build_web(WebConfig(provider=provider, base_url="http://127.0.0.1:9")) is None
