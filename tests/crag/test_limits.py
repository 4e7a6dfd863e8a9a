"""Keys, limits for each of them, other sites, and settings that are wrong: what keeps a server safe."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from chunking.errors import ConfigError
from crag.api.keys import KeyRing
from crag.api.quota import Quota
from crag.settings import Limits, check_addresses, cors_origins
from tests.crag.cli import crag, sentence
from tests.crag.serving import Serving, serving
from tests.fakes.http import ScriptedServer
from tests.fakes.openai import chat_stream

ASK = {"model": "vector", "messages": [{"role": "user", "content": "When does the nightly Ragas run start?"}]}
FRIEND = "https://friend.example"


@pytest.fixture(scope="module")
def home(copy_of_samples: Callable[[], Path]) -> Path:
    return copy_of_samples()


@pytest.fixture(scope="module")
def key(home: Path) -> str:
    made = crag("keys", "add", "anna", "--json", home=home)
    assert made.code == 0, made.err
    return str(made.json["key"])


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedServer]:
    """A model that never comes to an end."""
    with ScriptedServer(
        lambda request: chat_stream(["The run starts at 02:30 [1]. "] + ["and " for _ in range(900)], gap=0.1)
    ) as far:
        yield far


@pytest.fixture(scope="module")
def locked(home: Path, key: str, model: ScriptedServer) -> Iterator[Serving]:
    """A server on every address, with a key, few requests at once, and one other site that may call it."""
    few = {"CRAG_CONCURRENCY": "2", "CRAG_RATE": "60", "CRAG_CORS_ORIGINS": FRIEND, "CRAG_MAX_BODY_KB": "64"}
    far = {"OPENAI_BASE_URL": f"{model.url}/v1", "CRAG_CHAT_MODEL": "scripted"}
    with serving(home, "--host", "0.0.0.0", **few, **far) as running:
        yield running


@pytest.fixture
def http(locked: Serving) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=locked.url.replace("0.0.0.0", "127.0.0.1"), timeout=30) as http:
        yield http


def test_a_key_is_kept_as_a_digest_and_can_be_made_and_removed_while_the_server_runs(
    home: Path, key: str, http: httpx.Client
) -> None:
    kept = (home / "keys.json").read_text(encoding="utf-8")
    assert key not in kept
    assert (home / "keys.json").stat().st_mode & 0o077 == 0
    mine = {"authorization": f"Bearer {key}"}
    assert http.get("/v1/models", headers=mine).status_code == 200
    assert http.get("/v1/models", headers={"authorization": f"bearer {key}"}).status_code == 200
    for wrong in (
        {},
        {"authorization": f"Bearer {key}x"},
        {"authorization": key[:-1]},
        {"authorization": "Bearer é".encode()},
    ):
        assert http.get("/v1/models", headers=wrong).status_code == 401
    for path in ("/metrics", "/openapi.json", "/v1/documents", "/v1/jobs", "/v1/feedback", "/v1/evals", "/v1/info"):
        assert http.get(path).status_code == 401, path
    other = crag("keys", "add", "bert", home=home).out.strip()
    assert http.get("/v1/models", headers={"authorization": f"Bearer {other}"}).status_code == 200
    assert "anna" in crag("keys", "list", home=home).out
    assert crag("keys", "remove", "bert", home=home).code == 0
    assert http.get("/v1/models", headers={"authorization": f"Bearer {other}"}).status_code == 401
    assert "already" in sentence(crag("keys", "add", "anna", home=home))
    (home / "keys.json").write_text("{", encoding="utf-8")
    damaged = http.get("/v1/models", headers=mine)
    assert (damaged.status_code, damaged.json()["error"]["code"]) == (503, "keys_unreadable")
    assert str(home) not in damaged.text
    (home / "keys.json").write_text(kept, encoding="utf-8")
    assert http.get("/v1/models", headers=mine).status_code == 200


def test_a_key_may_ask_only_so_much_at_once(http: httpx.Client, key: str, home: Path) -> None:
    mine = {"authorization": f"Bearer {key}"}
    streamed = {**ASK, "stream": True}
    with (
        http.stream("POST", "/v1/chat/completions", json=streamed, headers=mine) as first,
        http.stream("POST", "/v1/chat/completions", json=streamed, headers=mine) as second,
    ):
        read = [reply.iter_lines() for reply in (first, second)]
        assert all(next(lines).startswith("data: ") for lines in read)
        refused = http.get("/v1/models", headers=mine)
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too_many_requests")
        assert refused.headers["retry-after"] == "1"
        # Health is told all the same.
        assert http.get("/healthz").status_code == 200
    statuses = [http.get("/v1/models", headers=mine).status_code for _ in range(80)]
    assert statuses[-1] == 429
    assert 200 in statuses
    line = json.loads((home / "answers.log").read_text(encoding="utf-8").splitlines()[-1])
    assert (line["outcome"], line["key"], line["stream"]) == ("left", "anna", True)
    assert key not in (home / "answers.log").read_text(encoding="utf-8")


def test_other_sites_may_call_only_where_they_are_listed(http: httpx.Client) -> None:
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type"}
    friend = http.options("/v1/chat/completions", headers={"origin": FRIEND, **asked})
    assert friend.status_code == 200
    assert friend.headers["access-control-allow-origin"] == FRIEND
    refused = http.post("/v1/search", json={"question": "x"}, headers={"origin": FRIEND})
    assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, FRIEND)
    foe = http.options("/v1/chat/completions", headers={"origin": "https://foe.example", **asked})
    assert "access-control-allow-origin" not in foe.headers
    assert http.post("/v1/search", json={}, headers={"origin": "https://foe.example"}).status_code == 403


def test_a_desktop_client_that_has_a_key_may_call_whatever_its_origin(http: httpx.Client, home: Path) -> None:
    key = crag("keys", "add", "desk", home=home).out.strip()
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}
    for origin in ("null", "file://", "app://obsidian.md", "chrome-extension://abc"):
        before = http.options("/v1/chat/completions", headers={"origin": origin, **asked})
        assert (before.status_code, before.headers["access-control-allow-origin"]) == (200, origin)
        without = http.post("/v1/search", json={"question": "run"}, headers={"origin": origin})
        assert without.status_code == 401
        mine = {"origin": origin, "authorization": f"Bearer {key}"}
        reply = http.post("/v1/search", json={"question": "run"}, headers=mine)
        assert (reply.status_code, reply.headers["access-control-allow-origin"]) == (200, origin)


def test_bodies_are_held_to_the_setting(http: httpx.Client, key: str) -> None:
    reply = http.post("/v1/search", content=b"x" * 70_000, headers={"authorization": f"Bearer {key}"})
    assert reply.status_code in (413, 429)
    assert "64 KiB" in reply.text or reply.status_code == 429


def test_without_a_key_no_other_address_is_served(tmp_path: Path) -> None:
    refused = crag("serve", "--host", "0.0.0.0", "--port", "0", home=tmp_path)
    assert refused.code == 2
    assert "crag keys add" in sentence(refused)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("OPENAI_BASE_URL", "localhost:11434", "no address"),
        ("OPENAI_BASE_URL", "http://", "no address"),
        ("CRAG_RATE", "many", "CRAG_RATE is 'many'"),
        ("CRAG_PARSE_MB", "1", "from 256"),
        ("CRAG_CORS_ORIGINS", "*", "no origin"),
        ("CRAG_CORS_ORIGINS", "https://a.example, null", "'null', which is no origin"),
        ("CRAG_CORS_ORIGINS", "file://", "no origin"),
        ("CRAG_CORS_ORIGINS", "https://a.example/path", "no origin"),
    ],
)
def test_a_setting_that_is_wrong_is_told_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str
) -> None:
    monkeypatch.setenv(name, value)
    checks = {"OPENAI_BASE_URL": check_addresses, "CRAG_CORS_ORIGINS": cors_origins}
    with pytest.raises(ConfigError, match=says):
        checks.get(name, Limits.from_environment)()


def test_a_desktop_client_with_any_scheme_can_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRAG_CORS_ORIGINS", "https://a.example/, my-chat://window,http://tauri.localhost")
    assert cors_origins() == ("https://a.example", "my-chat://window", "http://tauri.localhost")


def test_serve_tells_of_a_wrong_address_before_it_begins(tmp_path: Path) -> None:
    refused = crag("serve", "--port", "0", home=tmp_path, OPENAI_BASE_URL="ollama")
    assert refused.code == 2
    assert "OPENAI_BASE_URL is 'ollama'" in sentence(refused)


def test_a_bucket_refills_and_what_has_ended_makes_room() -> None:
    now = [0.0]
    quota = Quota(Limits(rate=60, concurrency=3, connections=5), lambda: now[0])

    def ask(owner: str | None) -> str | None:
        refusal = quota.enter(owner)
        return refusal and refusal.code

    for _ in range(60):
        assert ask("a") is None
        quota.leave("a")
    assert ask("a") == "rate_limited"
    assert ask("b") is None
    now[0] += 1
    assert ask("a") is None
    assert ask("a") == "rate_limited"
    now[0] += 60
    assert [ask("a") for _ in range(3)] == [None, None, "too_many_requests"]
    # A server without keys has only the limit of all together.
    assert [ask(None), ask(None)] == [None, "overloaded"]
    quota.leave("a")
    assert ask(None) is None


def test_a_server_that_has_had_keys_does_not_open_when_the_last_is_removed(tmp_path: Path) -> None:
    keyless = KeyRing(tmp_path)
    assert not keyless
    crag("keys", "add", "only", home=tmp_path)
    for ring in (keyless, KeyRing(tmp_path)):
        assert ring
        kept = (tmp_path / "keys.json").rename(tmp_path / "away.json")
        assert ring
        assert ring.owner(b"") is None
        assert ring.lost
        kept.rename(tmp_path / "keys.json")


def test_the_commands_say_what_the_first_and_the_last_key_do_to_a_running_server(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as server, httpx.Client(base_url=server.url, timeout=60) as http:
        home = tmp_path / "home"
        assert http.get("/v1/models").status_code == 200
        assert "asks for a key from now on" in crag("keys", "add", "anna", home=home).err
        assert "asks for a key" not in crag("keys", "add", "bert", home=home).err
        assert http.get("/v1/models").status_code == 401
        assert "the last" not in crag("keys", "remove", "bert", home=home).err
        assert "restart it to do without" in crag("keys", "remove", "anna", home=home).err
        refused = http.get("/v1/models")
        assert refused.status_code == 401
        assert "last key of this server was removed" in refused.json()["error"]["message"]
        again = crag("keys", "add", "anna", home=home).out.strip()
        assert http.get("/v1/models", headers={"authorization": f"Bearer {again}"}).status_code == 200


def test_a_port_that_is_taken_is_told_with_the_commands_that_choose_another(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = sentence(crag("serve", "--port", str(port), home=tmp_path))
    other = port + 1 if port < 65535 else port - 1
    assert f"crag serve --port {other}" in told
    assert f"make run PORT={other}" in told
