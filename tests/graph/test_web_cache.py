"""The door to the web: what was found lately costs no search, and nothing that happens to the cache stops one."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from chunking.errors import ProviderError
from graph.config import WebConfig
from graph.web import WebPage, build_web
from graph.web.base import day
from graph.web.cache import PageCache
from tests.fakes.http import ScriptedServer
from tests.fakes.tavily import page, refusal, results

PAGE = page("https://e.org/tower", "312 steps.", raw="The tower has 312 steps.", published="2026-03-01")
TODAY = datetime.now(UTC).date().isoformat()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-test")
    with ScriptedServer(lambda request: results(PAGE)) as running:
        yield running


def search(server: ScriptedServer, cache: Path | None, *queries: str, **config: Any) -> list[list[WebPage]]:
    provider = build_web(WebConfig(provider="tavily", base_url=server.url, **config), cache)
    assert provider is not None

    async def asked() -> list[list[WebPage]]:
        try:
            return [await provider.search(query) for query in queries]
        finally:
            await provider.aclose()

    return asyncio.run(asked())


def test_a_search_is_asked_once_and_outlives_the_process(
    server: ScriptedServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = tmp_path / "home" / "web.sqlite3"
    with caplog.at_level(logging.INFO, logger="graph.web.door"):
        first, again = search(server, cache, "tower steps", "tower steps")
        ((later,), other) = search(server, cache, "tower steps"), search(server, cache, "bridge")
    assert (
        first
        == again
        == later
        == [WebPage("https://e.org/tower", "https://e.org/tower", "The tower has 312 steps.", "2026-03-01", 0.9, TODAY)]
    )
    assert other
    assert [request.body["query"] for request in server.requests] == ["tower steps", "bridge"]
    # What leaves the machine is logged, and nothing else is.
    assert [record.getMessage() for record in caplog.records] == [
        "web search with tavily: 'tower steps'",
        "web search with tavily: 'bridge'",
    ]


@pytest.mark.parametrize(
    "other",
    [
        {"include_domains": ("e.org",)},
        {"exclude_domains": ("x.org",)},
        {"time_range": "week"},
        {"max_results": 3},
        {"raw_content": False},
    ],
)
def test_another_way_of_asking_is_another_search(server: ScriptedServer, tmp_path: Path, other: dict[str, Any]) -> None:
    search(server, tmp_path / "web", "q")
    search(server, tmp_path / "web", "q", **other)
    search(server, tmp_path / "web", "q", timeout=3.0)
    assert len(server.requests) == 2


def test_switched_off_every_search_goes_out(server: ScriptedServer, tmp_path: Path) -> None:
    search(server, tmp_path / "web", "q", "q", cache_hours=0)
    search(server, None, "q", "q")
    assert len(server.requests) == 4
    assert not (tmp_path / "web").exists()


def test_failures_and_empty_results_are_not_kept(server: ScriptedServer, tmp_path: Path) -> None:
    server.enqueue(refusal(429), results())
    with pytest.raises(ProviderError, match="refuses further searches"):
        search(server, tmp_path / "web", "q")
    assert search(server, tmp_path / "web", "q", "q") == [[], search(server, tmp_path / "web", "q")[0]]
    assert len(server.requests) == 3


def test_excerpts_alone_are_asked_for_where_whole_pages_are_not_wanted(server: ScriptedServer) -> None:
    search(server, None, "q")
    search(server, None, "q", raw_content=False)
    assert [request.body["include_raw_content"] for request in server.requests] == ["markdown", False]


def test_a_page_of_a_denied_domain_is_left_out_whatever_the_engine_sends(server: ScriptedServer) -> None:
    server.enqueue(results(page("https://www.bad.org/", "Text."), PAGE, page("https://[bad", "Text.")))
    ((found,),) = search(server, None, "q", exclude_domains=("bad.org",))
    assert found.url == "https://e.org/tower"
    server.enqueue(results(page("https://elsewhere.org/", "Text."), PAGE))
    ((found,),) = search(server, None, "q", include_domains=("e.org",))
    assert found.url == "https://e.org/tower"


class Clock:
    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        self.now += 1
        return self.now


def test_entries_age_and_the_oldest_make_room(tmp_path: Path) -> None:
    clock = Clock()
    cache = PageCache(tmp_path / "web", lifetime=100, max_bytes=2500, clock=clock)
    found = [WebPage("https://e.org/", "T", "塔" * 300)]
    for name in (b"a", b"b", b"c"):
        cache.put(name, found)
    assert [cache.get(name) for name in (b"a", b"b", b"c")] == [None, found, found]
    cache.put(b"huge", [WebPage("https://e.org/", "T", "x" * 4000)])
    assert cache.get(b"huge") is None
    assert cache.get(b"c") == found
    clock.now += 100
    assert cache.get(b"c") is None
    clock.now -= 1000
    assert cache.get(b"c") is None
    clock.now += 1000
    cache.put(b"d", found)
    cache.close()
    with sqlite3.connect(tmp_path / "web") as file:
        assert file.execute("SELECT COUNT(*) FROM searches").fetchone() == (1,)
    file.close()


@pytest.mark.parametrize("content", [b"no database at all" * 100, b""])
def test_a_damaged_file_is_passed_over_and_made_anew(server: ScriptedServer, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "web").write_bytes(content)
    search(server, tmp_path / "web", "q", "q")
    search(server, tmp_path / "web", "q")
    assert len(server.requests) == 1
    assert search(server, tmp_path / "web", "q")[0]


def test_a_file_that_cannot_be_written_stops_nothing(server: ScriptedServer, tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    assert [len(pages) for pages in search(server, tmp_path / "web", "q", "q")] == [1, 1]
    (tmp_path / "home").write_text("a file")
    assert search(server, tmp_path / "home" / "web", "q")[0]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-03-01", "2026-03-01"),
        ("2026-03-01T12:00:00Z", "2026-03-01"),
        ("2026-03-01T12:00:00.123+08:00", "2026-03-01"),
        ("Sun, 01 Mar 2026 10:00:00 GMT", "2026-03-01"),
        ("last week", None),
        ("", None),
        (20260301, None),
        (None, None),
    ],
)
def test_dates_become_days(written: Any, read: str | None) -> None:
    assert day(written) == read
