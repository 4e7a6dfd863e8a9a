"""What chat clients of the common kinds send: answered where it means one thing, else refused in a sentence that helps.

The shapes are those of Open WebUI, LibreChat, Cherry Studio, Chatbox, NextChat and LobeChat.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crag.api.paths import usual
from tests.crag.serving import Serving

ASK = {"role": "user", "content": "When does the nightly Ragas run start?"}
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
FILE = {"type": "file", "file": {"file_data": "data:application/pdf;base64,AAAA", "filename": "a.pdf"}}
TOOL = {"type": "function", "function": {"name": "look", "parameters": {}}}


def ask(http: httpx.Client, path: str = "/v1/chat/completions", **more: Any) -> httpx.Response:
    return http.post(path, json={"model": "crag", "messages": [ASK], **more})


@pytest.mark.parametrize("base", ["", "/", "/v1", "/v1/", "//v1", "/v1//", "/v1/v1", "/v1/v1/v1/"])
def test_a_base_url_means_one_thing_however_it_was_typed(http: httpx.Client, server: Serving, base: str) -> None:
    base = server.url + base  # httpx would take two slashes at the beginning for a host.
    assert "02:30" in ask(http, f"{base}/chat/completions").json()["choices"][0]["message"]["content"]
    assert http.get(f"{base}/models/").json()["data"][0]["id"] == "crag"
    assert http.get(f"{base}/models/crag").json()["id"] == "crag"


@given(st.lists(st.sampled_from(["/", "v1", "models", "chat/completions", "documents", "x"]), max_size=8).map("".join))
def test_the_usual_path_is_its_own_and_has_no_slash_too_many(path: str) -> None:
    found = usual(f"/{path}")
    assert usual(found) == found
    assert found.startswith("/")
    assert "//" not in found
    assert not f"{found}/".startswith("/v1/v1/")
    assert found == "/" or not found.endswith("/")


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/metrics", "/v1/models", "/v1/documents/"])
def test_head_is_get_without_a_body(http: httpx.Client, path: str) -> None:
    whole, head = http.get(path), http.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == whole.headers["content-type"]
    assert http.head("/v1/nothing").status_code == 404


@pytest.mark.parametrize(
    "path", ["/v1/embeddings", "/v1/responses", "/v1/completions", "/api/chat", "/v1/v1/embeddings"]
)
def test_what_other_services_have_is_refused_with_what_this_one_has(
    http: httpx.Client, server: Serving, path: str
) -> None:
    reply = http.post(path, json={"model": "crag", "input": "x"})
    error = reply.json()["error"]
    assert (reply.status_code, error["code"]) == (404, "unknown_url")
    assert f"the base URL {server.url}/v1, which has chat/completions and models" in error["message"]


@pytest.mark.parametrize(
    "more",
    [
        {"stream_options": None, "stream": False},
        {"stream_options": {"include_usage": True}},
        {"tools": [], "tool_choice": "auto", "parallel_tool_calls": True},
        {"tools": [TOOL], "tool_choice": "none"},
        {"functions": [TOOL["function"]], "function_call": "none"},
        {"response_format": {"type": "text"}, "modalities": ["text"]},
        {"reasoning_effort": "high", "reasoning": {"effort": "low"}, "enable_thinking": True, "thinking_budget": 4096},
        {"temperature": None, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0, "logit_bias": {}, "seed": 1},
        {"chat_id": "c", "session_id": "s", "features": {"web_search": False}, "variables": {"{{USER_NAME}}": "x"}},
        {"messages": [{"role": "system", "content": "You are helpful. " * 500}, ASK]},
        {"messages": [*({"role": role, "content": "So? 是吗？" * 300} for role in ("user", "assistant") * 50), ASK]},
        {"messages": [{"role": "user", "content": "So?"}] * 900 + [ASK]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "Look"}, PICTURE, FILE]}, ASK]},
        {"messages": [{"role": "user", "content": [PICTURE]}, {"role": "assistant", "content": "A cat."}, ASK]},
        {"messages": [ASK, {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm"}]}, ASK]},
        {"messages": [ASK, {"role": "assistant", "content": None, "tool_calls": [TOOL]}, {**ASK, "name": "Anna"}]},
        {"messages": [ASK, {"role": "assistant", "content": "At [1].", "reasoning_content": "Hm", "audio": None}, ASK]},
    ],
)
def test_what_means_one_thing_is_answered(http: httpx.Client, more: dict[str, Any]) -> None:
    reply = ask(http, **more)
    assert reply.status_code == 200, reply.text
    assert "02:30" in reply.json()["choices"][0]["message"]["content"]


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"tools": [TOOL]}, "tools"),
        ({"tools": [TOOL], "tool_choice": "auto"}, "tools"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        (
            {"messages": [{"role": "user", "content": [{"type": "text", "text": "What is it?"}, PICTURE]}]},
            "messages.0.content",
        ),
        ({"messages": [ASK, {"role": "user", "content": [FILE]}]}, "messages.1.content"),
        ({"messages": [ASK, {"role": "user", "content": []}]}, "messages"),
        ({"messages": [{"role": "robot", "content": "x"}, ASK]}, "messages.0.role"),
    ],
)
def test_what_cannot_be_done_names_its_field(http: httpx.Client, more: dict[str, Any], param: str) -> None:
    reply = ask(http, **more)
    assert (reply.status_code, reply.json()["error"]["param"]) == (400, param)


def test_a_key_with_blanks_around_it_is_that_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from crag.api.keys import KeyRing

    monkeypatch.setenv("CRAG_API_KEY", " secret \n")
    assert KeyRing(tmp_path).owner(b"secret") == "env"
