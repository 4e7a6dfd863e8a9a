"""The real Tavily client, through the graph, against a scripted endpoint."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest

from chunking.errors import ConfigError
from graph.config import WebConfig
from graph.engine import Engine
from graph.types import Answer, Turn
from graph.web import build_web
from tests.fakes.graph import ScriptedGrader, deps, hit, rank_pages
from tests.fakes.http import Reply, ScriptedServer
from tests.fakes.tavily import page, refusal, results

PASSAGES = [hit("The bridge was closed in 1950 for repairs.", source="bridge.md", title="Bridge")]
QUESTION = "How many steps does the tower have?"
PAGE = page("https://example.org/tower", "Visitors climb 312 steps in the tower.", title="Tower guide")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-test")
    with ScriptedServer() as running:
        yield running


def answer(
    server: ScriptedServer,
    confidences: list[float] | None = None,
    question: str = QUESTION,
    generation: dict[str, Any] | None = None,
    history: Sequence[Turn] = (),
    **web: Any,
) -> Answer:
    config = WebConfig(provider="tavily", base_url=server.url, **web)
    parts = deps(PASSAGES, calibration=ScriptedGrader(confidences or [0.3, 0.9]), web=config)
    engine = Engine(
        deps(
            PASSAGES,
            calibration=parts.calibration,
            web=config,
            web_search=build_web(config),
            rank_web=rank_pages,
            generation=parts.generation.model_copy(update=generation or {}),
        )
    )

    async def ask() -> Answer:
        try:
            return await engine.ask(question, history)
        finally:
            await engine.aclose()

    return asyncio.run(ask())


def test_pages_become_cited_evidence(server: ScriptedServer, caplog: pytest.LogCaptureFixture) -> None:
    server.enqueue(results(PAGE))
    with caplog.at_level(logging.INFO, logger="graph.web.door"):
        got = answer(
            server, time_range="week", include_domains=("example.org",), exclude_domains=("bad.org",), max_results=3
        )
    assert got.text.startswith("Visitors climb 312 steps in the tower. [1]")
    assert got.citations[0].url == "https://example.org/tower"
    assert got.citations[0].title == "Tower guide"
    (request,) = server.requests
    assert request.headers["Authorization"] == "Bearer tvly-test"
    assert request.body["query"] == QUESTION
    assert request.body["include_domains"] == ["example.org"]
    assert request.body["exclude_domains"] == ["bad.org"]
    assert request.body["max_results"] == 3
    assert request.body["time_range"] == "week"
    assert QUESTION in caplog.text


@pytest.mark.parametrize("published", ["Sun, 01 Mar 2026 08:00:00 GMT", "some day", None])
def test_a_page_is_cited_with_its_dates(server: ScriptedServer, published: str | None) -> None:
    server.enqueue(results(page("https://e.org/", "Visitors climb 312 steps in the tower.", published=published)))
    (citation, *_) = answer(server).citations
    known = "2026-03-01" if published and "2026" in published else None
    assert citation.url == "https://e.org/"
    assert citation.date == known
    assert citation.accessed is not None
    assert 0 <= (datetime.now(UTC).date() - date.fromisoformat(citation.accessed)).days <= 1
    assert citation.to_dict()["date"] == known


def test_the_raw_content_is_preferred_and_the_query_is_cut(server: ScriptedServer) -> None:
    server.enqueue(results(page("https://e.org/", "Short.", raw="# Tower\n\nThe tower has 312 steps.\n")))
    got = answer(server, question="How many steps? " + "very " * 200)
    assert "312 steps" in got.text
    assert len(server.requests[0].body["query"]) == 400


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (refusal(429), "refuses further searches"),
        (refusal(432, "plan limit"), "plan limit"),
        (refusal(433), "quota"),
        (refusal(401), "TAVILY_API_KEY"),
        (refusal(403), "refuses the search"),
        (refusal(400, "query too short"), "query too short"),
        (refusal(500), "status 500"),
        (Reply(b"", 302), "status 302"),
        (Reply(b"not json"), "not JSON"),
        (Reply(b"[" * 100_000), "not JSON"),
        (Reply(b'{"results": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"), "not JSON"),
        (Reply({"detail": "odd"}, 503), "status 503"),
        (Reply({"results": "none"}), "without results"),
        (Reply([1]), "no known form"),
        (Reply(delay=5.0), "within 0.5 s"),
    ],
)
def test_a_failing_search_leaves_the_documents(server: ScriptedServer, reply: Reply, says: str) -> None:
    server.enqueue(reply)
    started = time.perf_counter()
    got = answer(server, question="When was the bridge closed?", timeout=0.5)
    assert time.perf_counter() - started < 3
    assert got.status == "grounded"
    assert "1950" in got.text
    (entry,) = got.degraded
    assert entry.stage == "web"
    assert says in entry.reason
    assert "indexed documents" in entry.action


def test_a_refused_connection_leaves_the_documents(server: ScriptedServer) -> None:
    with ScriptedServer() as gone:
        pass
    got = answer(gone, question="When was the bridge closed?")
    assert "cannot be reached" in got.degraded[0].reason


def test_no_or_unusable_results_end_in_a_refusal(server: ScriptedServer) -> None:
    for pages in ([], [page("https://e.org/", "   ")], [page("ftp://e.org/", "Text.")], [{"url": 7}], ["x"]):
        server.enqueue(results(*pages))  # type: ignore[arg-type]
        got = answer(server, [0.1, 0.1, 0.9])
        assert (got.status, got.route) == ("abstained", "incorrect")


def test_without_a_key_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="TAVILY_API_KEY"):
        build_web(WebConfig(provider="tavily"))
    assert build_web(WebConfig()) is None
    with pytest.raises(ConfigError, match="none or one of tavily"):
        build_web(WebConfig(provider="altavista"))


@pytest.mark.parametrize(
    ("earlier", "question", "sent"),
    [
        (
            "My password is hunter2, what does error E07 mean?",
            "And the E21 of the HX-400?",
            "error E21 mean HX-400",
        ),
        ("My password is hunter2 what does error E07 mean?", "And E21?", "error E21 mean"),
        ("password: hunter2, what is E07? I live in 12 Baker Street", "And E21?", "E21"),
        ("For the HX-400, what does E07 mean?", "And E21?", "For the HX-400, what does E21 mean?"),
        ("我的密码是hunter2，E07是什么意思？", "那E21呢？", "E21"),
        (
            "My password is hunter2.",
            "What does error E21 of the HX-400 mean?",
            "What does error E21 of the HX-400 mean?",
        ),
    ],
)
def test_of_earlier_turns_only_the_terms_asked_about_go_out(
    server: ScriptedServer, earlier: str, question: str, sent: str
) -> None:
    server.enqueue(results(PAGE))
    answer(server, question=question, history=[("user", earlier), ("assistant", "hunter3 [1]")])
    assert [request.body["query"] for request in server.requests] == [sent]


@pytest.mark.parametrize(
    "url", ["https://a b.example/", "https://a.example/\nx", "https://a.example/<script>", "ftp://a.b/"]
)
def test_what_is_no_address_is_no_page(server: ScriptedServer, url: str) -> None:
    server.enqueue(results(page(url, "Visitors climb 999 steps in the tower."), PAGE))
    assert {citation.url for citation in answer(server).citations} == {"https://example.org/tower"}


@pytest.mark.parametrize("raw", [7, ["x"], "  ", None])
def test_raw_content_that_is_no_text_leaves_the_excerpt(server: ScriptedServer, raw: Any) -> None:
    server.enqueue(results({**PAGE, "raw_content": raw}))
    assert "312 steps" in answer(server).text


@pytest.mark.parametrize("bad", ["text \ud800", "\ud83d", "\udc00 312 steps", "\x00"])
def test_a_result_that_cannot_be_written_costs_itself_alone(server: ScriptedServer, bad: str) -> None:
    odd = [{**PAGE, key: bad, "score": 10**400} for key in ("url", "title", "content")]
    server.enqueue(results(*odd, PAGE))
    got = answer(server)
    assert "312 steps" in got.text
    assert not got.degraded
    json.dumps(got.to_dict(), ensure_ascii=False).encode()


def test_a_title_is_one_line_without_what_does_not_show(server: ScriptedServer) -> None:
    server.enqueue(results({**PAGE, "title": "Tower\x00 \x1b[1mgu\u202eide\nof\tall\u200b \ud800"}))
    assert answer(server).citations[0].title == "Tower [1mguide of all"
