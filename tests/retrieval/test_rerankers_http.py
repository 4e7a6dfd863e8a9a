from __future__ import annotations

import time
from typing import Any

import pytest

from chunking.errors import ConfigError, ProviderError
from chunking.types import Chunk
from retrieval.config import RerankConfig
from retrieval.rerankers import build_reranker
from retrieval.rerankers.base import Reranker
from retrieval.types import DocumentInfo, Hit
from tests.fakes.http import Reply, Request, ScriptedServer

TEXTS = ["first passage", "second passage", "third passage"]


def hits(texts: list[str] = TEXTS) -> list[Hit]:
    info = DocumentInfo(id="d", source="d.md", title="D", media_type="text/markdown")
    chunks = [Chunk(id=f"c{i}", document_id="d", start=0, end=len(t), text=t, tokens=2) for i, t in enumerate(texts)]
    return [Hit(chunk, info, score=1.0, scores={"dense": 0.5}, ranks={"dense": 1}) for chunk in chunks]


def reranker(server: ScriptedServer, **options: Any) -> Reranker:
    built = build_reranker(RerankConfig(provider="http", base_url=server.url, **options), embedder=None)  # type: ignore[arg-type]
    assert built is not None
    return built


def results(*scores: object) -> dict[str, object]:
    return {"results": [{"index": i, "relevance_score": score} for i, score in enumerate(scores)]}


def test_orders_by_the_endpoints_scores_and_keeps_earlier_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret-key")
    reply = {"results": [{"index": 2, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.4}]}
    reply["results"].append({"index": 1, "relevance_score": 0.1})
    with ScriptedServer(lambda request: Reply(reply)) as server:
        ranked = reranker(server, model="m", api_key_env="MY_KEY").rerank("a question", hits())
        (request,) = server.requests
    assert [hit.chunk.id for hit in ranked] == ["c2", "c0", "c1"]
    assert [(hit.scores["rerank"], hit.ranks["rerank"]) for hit in ranked] == [(0.9, 1), (0.4, 2), (0.1, 3)]
    assert ranked[0].scores["dense"] == 0.5
    assert (request.path, request.headers["Authorization"]) == ("/rerank", "Bearer secret-key")
    assert request.body == {"model": "m", "query": "a question", "documents": TEXTS, "top_n": 3}


def test_speaks_text_embeddings_inference() -> None:
    with ScriptedServer(lambda request: Reply([{"index": 1, "score": 3}, {"index": 0, "score": -2.5}])) as server:
        ranked = reranker(server, protocol="tei").rerank("q", hits(TEXTS[:2]))
        (request,) = server.requests
    assert [hit.chunk.id for hit in ranked] == ["c1", "c0"]
    assert request.body == {"query": "q", "texts": TEXTS[:2], "truncate": True}


def test_many_passages_go_in_several_requests() -> None:
    def by_number(request: Request) -> Reply:
        return Reply(results(*(int(text.split()[1]) for text in request.body["documents"])))

    with ScriptedServer(by_number) as server:
        ranked = reranker(server).rerank("q", hits([f"passage {n}" for n in range(70)]))
        assert [len(request.body["documents"]) for request in server.requests] == [32, 32, 6]
    assert [hit.chunk.id for hit in ranked] == [f"c{n}" for n in reversed(range(70))]


def test_no_hits_ask_nothing() -> None:
    with ScriptedServer() as server:
        assert reranker(server).rerank("q", []) == []
        assert server.requests == []


def test_a_busy_server_is_asked_again() -> None:
    with ScriptedServer() as server:
        server.enqueue(Reply({}, 429, {"Retry-After": "0"}), Reply({}, 503), Reply(results(1, 2, 3)))
        assert [hit.chunk.id for hit in reranker(server).rerank("q", hits())] == ["c2", "c1", "c0"]
        assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(results(1, 2)), "2 scores for 3 passages"),
        (Reply(results(1, 2, 3, 4)), "4 scores for 3 passages"),
        (Reply({"results": [{"index": 0, "score": 1}] * 3}), "3 scores for 3 passages"),
        (
            Reply(b'{"results": [{"index": 0, "score": NaN}, {"index": 1, "score": 1}, {"index": 2, "score": 1}]}'),
            "finite",
        ),
        (Reply(results(1, None, 3)), "finite"),
        (Reply(results(1, "high", 3)), "finite"),
        (Reply(results(1, 10**400, 3)), "finite"),
        (Reply(b"[" * 200_000), "not a list of results"),
        (Reply(b"<html>"), "not a list of results"),
        (Reply({"data": []}), "not a list of results"),
        (Reply({"results": [1, 2, 3]}), "not a list of results"),
        (Reply({}, 401), "RERANK_API_KEY"),
        (Reply({}, 422), "rerank.protocol"),
    ],
)
def test_a_wrong_reply_is_one_sentence_that_names_the_endpoint(reply: Reply, said: str) -> None:
    with ScriptedServer() as server:
        server.enqueue(reply)
        with pytest.raises(ProviderError) as caught:
            reranker(server).rerank("q", hits())
        assert server.url in str(caught.value)
        assert said in str(caught.value)
        assert len(server.requests) == 1


def test_a_server_that_stays_down_is_given_up() -> None:
    with ScriptedServer(lambda request: Reply({}, 503, {"Retry-After": "0"})) as server:
        with pytest.raises(ProviderError, match="answered 503"):
            reranker(server).rerank("q", hits())
        assert len(server.requests) == 3


@pytest.mark.parametrize(
    "late",
    [
        Reply(results(1, 2, 3), delay=3.0),
        Reply(events=["x"] * 100, gap=0.05),
        Reply({}, 429, {"Retry-After": "60"}),
    ],
    ids=["silent", "dripping", "told to wait"],
)
def test_nothing_takes_longer_than_the_deadline(late: Reply) -> None:
    with ScriptedServer() as server:
        server.enqueue(late)
        started = time.monotonic()
        with pytest.raises(ProviderError):
            reranker(server, timeout=0.5).rerank("q", hits())
        assert time.monotonic() - started < 1.5


def test_a_server_that_is_gone_is_named() -> None:
    with ScriptedServer() as server:
        gone = reranker(server)
    with pytest.raises(ProviderError, match=r"cannot be reached .*rerank\.base_url"):
        gone.rerank("q", hits())


@pytest.mark.parametrize("address", [None, "", "localhost:80", "ftp://host", "http://"])
def test_an_address_that_http_cannot_use_is_refused(address: str | None) -> None:
    with pytest.raises(ConfigError, match=r"rerank\.base_url"):
        build_reranker(RerankConfig(provider="http", base_url=address), embedder=None)  # type: ignore[arg-type]


def test_a_key_that_no_header_can_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RERANK_API_KEY", "half\na key")
    with pytest.raises(ConfigError, match="RERANK_API_KEY") as caught:
        build_reranker(RerankConfig(provider="http", base_url="http://host"), embedder=None)  # type: ignore[arg-type]
    assert "half" not in str(caught.value)
