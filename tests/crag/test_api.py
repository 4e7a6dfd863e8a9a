"""The chat API as the official client and plain HTTP meet it, on a running server."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from openai.types.chat import ChatCompletionChunk

from tests.crag.cli import ROOT, crag
from tests.crag.serving import Serving, serving
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.openai import chat_stream

QUESTION = "When does the nightly Ragas run start?"
UNANSWERABLE = "Who won the 1987 chess championship of Reykjavik?"


def ask(text: str, **more: Any) -> dict[str, Any]:
    return {"model": "crag", "messages": [{"role": "user", "content": text}], **more}


@pytest.fixture
def client(server: Serving) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="any") as client:
        yield client


def test_the_readmes_client_runs(server: Serving, capsys: pytest.CaptureFixture[str]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```python\n(from openai.*?)```", readme, flags=re.DOTALL)
    exec(compile(shown.replace("http://127.0.0.1:8000", server.url), "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("The nightly run starts at 02:30")


def test_a_plain_answer_carries_text_sources_and_route(client: openai.OpenAI, server: Serving) -> None:
    reply = client.chat.completions.create(**ask(QUESTION))
    assert reply.model_extra is not None
    answer = reply.model_extra["crag"]
    message = reply.choices[0].message
    assert message.content == answer["text"]
    assert "[1]" in answer["text"]
    assert answer["status"] == "grounded"
    assert {"route", "confidence", "citations", "degraded", "timings", "pipeline", "models"} <= answer.keys()
    assert reply.choices[0].finish_reason == "stop"
    assert reply.usage is not None
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens
    assert message.annotations
    for annotation in message.annotations:
        cited = annotation.url_citation
        assert answer["text"][cited.start_index : cited.end_index].startswith("[")
        assert cited.url.startswith(f"{server.url}/#/document/")


def test_a_greeting_is_told_from_a_refusal_by_its_timings(http: httpx.Client) -> None:
    said, refused = (
        http.post("/v1/chat/completions", json=ask(text)).json()["crag"] for text in ("Hello", UNANSWERABLE)
    )
    assert [(each["status"], each["route"]) for each in (said, refused)] == [("abstained", "incorrect")] * 2
    assert ["reply" in each["timings"] for each in (said, refused)] == [True, False]
    assert ["retrieve" in each["timings"] for each in (said, refused)] == [False, True]


def test_a_citation_is_the_documents_own_text(client: openai.OpenAI, http: httpx.Client) -> None:
    reply = client.chat.completions.create(**ask("每日备份保留多少天？"))
    assert reply.model_extra is not None
    citations = reply.model_extra["crag"]["citations"]
    assert citations
    for citation in citations:
        document = http.get(f"/v1/documents/{citation['document']}").json()
        assert document["text"][citation["start"] : citation["end"]] == citation["quote"]


def test_a_question_that_the_documents_do_not_answer_is_refused(client: openai.OpenAI) -> None:
    reply = client.chat.completions.create(**ask(UNANSWERABLE))
    assert reply.model_extra is not None
    answer = reply.model_extra["crag"]
    assert (answer["status"], answer["citations"]) == ("abstained", [])
    assert answer["route"] != "correct"


def test_a_stream_has_role_progress_text_answer_finish_and_usage_in_order(client: openai.OpenAI) -> None:
    options = {"include_usage": True}
    chunks = list(client.chat.completions.create(**ask(QUESTION, stream=True, stream_options=options)))
    kinds = [_kind(chunk) for chunk in chunks]
    runs = [kind for kind, before in zip(kinds, [None, *kinds], strict=False) if kind != before]
    assert runs == ["role", "progress", "text", "crag", "finish", "usage"]
    assert len({chunk.id for chunk in chunks}) == 1
    extra = next(chunk.model_extra for chunk in chunks if _kind(chunk) == "crag")
    assert extra is not None
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == extra["crag"]["text"]
    plain = client.chat.completions.create(**ask(QUESTION))
    assert plain.choices[0].message.content == text
    assert plain.id != chunks[0].id


def _kind(chunk: ChatCompletionChunk) -> str:
    if chunk.usage is not None:
        return "usage"
    delta = chunk.choices[0].delta
    if delta.role:
        return "role"
    if chunk.choices[0].finish_reason:
        return "finish"
    if chunk.model_extra and "crag" in chunk.model_extra:
        return "crag"
    return "progress" if "reasoning_content" in (delta.model_extra or {}) else "text"


def test_the_stream_on_the_wire_is_server_sent_events(http: httpx.Client) -> None:
    with http.stream("POST", "/v1/chat/completions", json=ask(QUESTION, stream=True)) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["x-accel-buffering"] == "no"
        events = response.read().decode().split("\n\n")
    assert events[-2:] == ["data: [DONE]", ""]
    for event in events[:-2]:
        assert event.startswith("data: ")
        assert json.loads(event[6:])["object"] == "chat.completion.chunk"


def test_a_follow_up_is_understood_from_the_turns_before(client: openai.OpenAI) -> None:
    first = "BM25 的参数 k1 取多少？"
    turns = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": first},
        {"role": "assistant", "content": "…"},
        {"role": "user", "content": [{"type": "text", "text": "那它为什么要先分词？"}]},
    ]
    reply = client.chat.completions.create(model="crag", messages=turns, extra_body={"crag": {"trace": True}})  # type: ignore[arg-type]
    assert reply.model_extra is not None
    trace = reply.model_extra["crag"]["trace"]
    assert trace[0]["node"] == "condense"
    assert trace[0]["detail"]["question"].startswith("BM25 的参数 k1")
    assert trace[0]["detail"]["question"].endswith("为什么要先分词？")


def test_models_are_the_pipelines(client: openai.OpenAI) -> None:
    models = {model.id: model.model_extra["crag"] for model in client.models.list() if model.model_extra}
    assert set(models) == {"crag", "hybrid-rerank", "hybrid", "vector"}
    reply = client.chat.completions.create(**{**ask(QUESTION), "model": "vector"})
    assert reply.model_extra is not None
    assert reply.model_extra["crag"]["pipeline"] == {"name": "vector", "version": models["vector"]["version"]}
    assert client.models.retrieve("hybrid").id == "hybrid"


def test_unknown_parameters_are_tolerated(client: openai.OpenAI) -> None:
    more = {"top_p": 0.5, "seed": 1, "presence_penalty": 0.1, "user": "somebody"}
    assert client.chat.completions.create(**ask(QUESTION, **more)).choices[0].message.content


def test_what_the_standard_lets_be_null_may_be_null(http: httpx.Client) -> None:
    nulls: dict[str, Any] = {"stream": None, "stream_options": {"include_usage": None}, "crag": None}
    refused = {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]}
    turns = [{"role": "user", "content": "Hello"}, refused, *ask(QUESTION)["messages"]]
    body = {**ask(QUESTION, **nulls, response_format={"type": None}), "messages": turns}
    reply = http.post("/v1/chat/completions", json=body)
    assert reply.status_code == 200, reply.text
    body["messages"] = [{**refused, "role": "user"}]
    assert http.post("/v1/chat/completions", json=body).status_code == 400


@pytest.mark.parametrize(
    ("body", "status", "param"),
    [
        (ask(QUESTION, n=2), 400, "n"),
        (ask(QUESTION, tools=[{"type": "function"}]), 400, "tools"),
        ({**ask(QUESTION), "model": "gpt-4o"}, 404, "model"),
        ({"model": "crag", "messages": []}, 400, "messages"),
        ({"model": "crag", "messages": [{"role": "system", "content": "x"}]}, 400, "messages"),
        (ask("   "), 400, "messages"),
        (ask(QUESTION, temperature=9), 400, "temperature"),
        (ask(QUESTION, crag={"tracing": True}), 400, "crag.tracing"),
        ({**ask(""), "messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, 400, "messages.0.content"),
        ({**ask(""), "messages": [{"role": "user", "content": 3}]}, 400, "messages.0.content"),
        ({**ask(""), "messages": [{"role": "user", "content": {"str": 3}}]}, 400, "messages.0.content"),
        ({**ask(""), "messages": [{"role": "user", "content": [{"text": "x"}]}]}, 400, "messages.0.content.0.type"),
        ({**ask(""), "messages": [{"content": "x"}]}, 400, "messages.0.role"),
        (ask("x" * 100_001), 400, "messages.0.content"),
        (ask("x", stream=True, messages=["x"]), 400, "messages.0"),
    ],
)
def test_what_cannot_be_done_is_refused(http: httpx.Client, body: dict[str, Any], status: int, param: str) -> None:
    reply = http.post("/v1/chat/completions", json=body)
    assert reply.status_code == status
    error = reply.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["param"] == param


def test_the_official_client_raises_its_own_errors(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="There is no model 'nope'"):
        client.chat.completions.create(**{**ask(QUESTION), "model": "nope"})
    with pytest.raises(openai.BadRequestError, match="one answer"):
        client.chat.completions.create(**ask(QUESTION, n=3))


@pytest.mark.parametrize(
    ("method", "path", "content", "status"),
    [
        ("POST", "/v1/chat/completions", b"{not json", 400),
        ("POST", "/v1/chat/completions", b"[" * 100_000, 400),
        ("POST", "/v1/chat/completions", b"x" * (4 * 1024 * 1024 + 1), 413),
        ("GET", "/v1/nothing", b"", 404),
        ("GET", "/v1/documents/0123456789abcdef", b"", 404),
        ("GET", "/../../etc/passwd", b"", 404),
        ("DELETE", "/v1/models", b"", 405),
        ("POST", "/v1/search", b'{"question": ""}', 400),
        ("POST", "/v1/search", b'{"question": "x", "pipeline": "nope"}', 404),
        ("POST", "/v1/search", b'{"question": "x", "filters": {"path": "y"}}', 400),
    ],
)
def test_bad_requests_get_a_true_status_and_one_shape(
    http: httpx.Client, method: str, path: str, content: bytes, status: int
) -> None:
    reply = http.request(method, path, content=content, headers={"content-type": "application/json"})
    assert reply.status_code == status
    assert set(reply.json()["error"]) == {"message", "type", "param", "code"}
    assert "Traceback" not in reply.text


def test_a_body_without_a_length_is_cut_off_too(http: httpx.Client) -> None:
    endless = (b" " * 65536 for _ in range(100))
    chunked = http.post("/v1/chat/completions", content=endless)
    declared = http.post("/v1/chat/completions", content=b" " * 6_000_000)
    assert (chunked.status_code, declared.status_code) == (413, 413)
    assert chunked.json() == declared.json()
    assert chunked.json()["error"]["code"] == "body_too_large"


@pytest.mark.parametrize(
    ("content", "kind", "status", "says"),
    [
        (b'{"question": "x"}', "text/plain", 415, "content-type: application/json"),
        (b"question=x", "application/x-www-form-urlencoded", 415, "content-type: application/json"),
        (b'{"question": "x"}', None, 415, "content-type: application/json"),
        (b"[" * 100_000, "application/json", 400, "nests too deeply"),
        (b'{"question": "\xff"}', "application/json", 400, "send UTF-8 text"),
        (b'{"top_k": ' + b"9" * 5000 + b"}", "application/json", 400, "numbers of ordinary length"),
        (b"", "application/json", 400, "The body is empty"),
    ],
)
def test_a_body_that_cannot_be_read_is_told_in_a_sentence(
    http: httpx.Client, content: bytes, kind: str | None, status: int, says: str
) -> None:
    headers = {"content-type": kind} if kind else {}
    reply = http.post("/v1/search", content=content, headers=headers)
    assert reply.status_code == status
    assert says in reply.json()["error"]["message"]


HALF = "half \ud800 pair"
"""JSON can write half of a surrogate pair; UTF-8 cannot."""


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"messages": [{"role": "user", "content": HALF}]}, "messages.0.content"),
        ({"messages": [{"role": "assistant", "content": HALF}, *ask(QUESTION)["messages"]]}, "messages.0.content"),
        ({"messages": [{"role": "system", "content": HALF}, *ask(QUESTION)["messages"]]}, "messages.0.content"),
        ({"messages": [{"role": HALF, "content": QUESTION}]}, "messages.0.role"),
        (
            {"messages": [{"role": "user", "content": [{"type": "text", "text": HALF}]}]},
            "messages.0.content.0.text",
        ),
        ({"messages": [{"role": "user", "content": [{"type": HALF}]}]}, "messages.0.content.0.type"),
        ({"model": HALF}, "model"),
        ({"user": HALF}, "user"),
        ({"crag": {"filters": {"source": HALF}}}, "crag.filters.source"),
        ({"crag": {"filters": {"media_type": HALF}}}, "crag.filters.media_type"),
        ({"crag": {"filters": {"documents": [HALF]}}}, "crag.filters.documents.0"),
        ({"crag": {HALF: 1}}, "crag"),
        ({"temperature": HALF}, "temperature"),
    ],
)
def test_half_a_surrogate_pair_is_refused_wherever_it_stands(
    http: httpx.Client, change: dict[str, Any], param: str, stream: bool
) -> None:
    body = json.dumps({**ask(QUESTION, stream=stream), **change}).encode()
    reply = http.post("/v1/chat/completions", content=body, headers={"content-type": "application/json"})
    assert (reply.status_code, reply.json()["error"]["param"]) == (400, param)


def test_half_a_surrogate_pair_in_a_field_that_nobody_reads_does_no_harm(http: httpx.Client) -> None:
    body = json.dumps({**ask(QUESTION), "metadata": {HALF: HALF}}).encode()
    reply = http.post("/v1/chat/completions", content=body, headers={"content-type": "application/json"})
    assert reply.status_code == 200


def test_search_gives_what_the_command_line_gives(server: Serving, http: httpx.Client, home: Path) -> None:
    body = {"question": QUESTION, "pipeline": "hybrid-rerank", "top_k": 3}
    over_http = http.post("/v1/search", json=body).json()
    ran = crag("search", QUESTION, "--pipeline", "hybrid-rerank", "--top-k", "3", "--json", home=home)
    assert ran.json == over_http
    assert [hit["rank"] for hit in over_http["hits"]] == [1, 2, 3]


def test_search_can_be_narrowed_to_some_documents(http: httpx.Client) -> None:
    body = {"question": "reranker 重排", "filters": {"source": "*/zh/*"}}
    hits = http.post("/v1/search", json=body).json()["hits"]
    assert hits
    assert all("/zh/" in hit["source"] for hit in hits)


def test_documents_are_listed_without_the_servers_paths(http: httpx.Client, ingested: Path) -> None:
    listed = http.get("/v1/documents").json()["data"]
    assert len(listed) >= 12
    one = http.get(f"/v1/documents/{listed[0]['id']}")
    assert one.json()["text"]
    assert "origin" not in one.json()
    assert str(Path(__file__).parents[2]) not in one.text


def test_health_and_headers(http: httpx.Client) -> None:
    assert http.get("/healthz").json() == {"status": "ok"}
    assert http.get("/readyz").json()["status"] == "ready"
    page = http.get("/")
    assert page.status_code == 200
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "://" not in page.text.replace("http://www.w3.org/", "")
    assert http.get("/openapi.json").json()["paths"].keys() >= {"/v1/chat/completions", "/v1/models", "/v1/search"}


class Counted(list[str]):
    """Events of a stream that notes how many have gone out."""

    sent = 0

    def __iter__(self) -> Iterator[str]:
        for event in super().__iter__():
            self.sent += 1
            yield event


def test_the_model_is_hung_up_on_when_the_client_leaves(copy_of_samples: Callable[[], Path]) -> None:
    slow = chat_stream([*["The nightly Ragas run starts at 02:00 [1]. "] * 2, *["and more "] * 400], gap=0.05)
    events = Counted(slow.events or ())

    def far_end(request: Request) -> Reply:
        return Reply(events=events, gap=slow.gap)

    with (
        ScriptedServer(far_end) as model,
        serving(copy_of_samples(), OPENAI_BASE_URL=f"{model.url}/v1", CRAG_CHAT_MODEL="scripted") as server,
        httpx.Client(base_url=server.url, timeout=60) as http,
    ):
        assert "openai:scripted" in server.banner
        with http.stream("POST", "/v1/chat/completions", json=ask(QUESTION, stream=True)) as response:
            pieces = response.iter_text()
            assert next(pieces)
            _wait(lambda: events.sent > 2)
        time.sleep(0.5)
        after = events.sent
        time.sleep(1)
        assert after < 200
        assert events.sent <= after + 1
        # The server is as well as before.
        assert http.get("/readyz").status_code == 200


def test_a_model_that_is_down_degrades_to_quotes(copy_of_samples: Callable[[], Path]) -> None:
    home = copy_of_samples()
    with serving(home, OPENAI_BASE_URL="http://127.0.0.1:9/v1", CRAG_CHAT_MODEL="scripted") as server:
        with openai.OpenAI(base_url=f"{server.url}/v1", api_key="any") as client:
            reply = client.chat.completions.create(**ask(QUESTION))
        assert reply.model_extra is not None
        answer = reply.model_extra["crag"]
        assert answer["citations"]
        assert [entry["stage"] for entry in answer["degraded"]] == ["generate"]
        assert "127.0.0.1:9" in answer["degraded"][0]["reason"]


def _wait(condition: Callable[[], bool], limit: float = 20) -> None:
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
