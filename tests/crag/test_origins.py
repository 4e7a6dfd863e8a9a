"""Who may talk to a server: its own names, pages and clients of this machine, and who has its key."""

from __future__ import annotations

import socket
from pathlib import Path

import httpx
import pytest

from tests.crag.cli import crag
from tests.crag.serving import Serving, serving

QUESTION = "When does the nightly Ragas run start?"


def test_a_rebound_name_and_a_foreign_page_are_turned_away(http: httpx.Client) -> None:
    assert http.get("/v1/documents", headers={"host": "evil.example"}).status_code == 403
    foreign = {"origin": "http://evil.example"}
    assert http.post("/v1/search", json={"question": QUESTION}, headers=foreign).status_code == 403


@pytest.mark.parametrize(
    "origin",
    [
        *("http://[bad", "http://", "://", "http://a@{host}", "http://{host}:1", "[", "\xff"),
        *("null", "file://", "chrome-extension://abc", "app:", "http://app://x", "app ://x", "http://tauri.localhost"),
    ],
)
def test_an_origin_that_is_not_this_server_never_posts(http: httpx.Client, origin: str) -> None:
    sent = origin.format(host=http.base_url.netloc.decode()).encode("latin-1")
    reply = http.post("/v1/search", json={"question": QUESTION}, headers=[(b"origin", sent)])
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "origin_not_allowed")
    asked = (b"access-control-request-method", b"POST")
    before = http.options("/v1/search", headers=[(b"origin", sent), asked])
    assert (before.status_code, before.json()["error"]["code"]) == (403, "origin_not_allowed")
    read = http.get("/v1/documents", headers=[(b"origin", sent)])
    assert "access-control-allow-origin" not in {*before.headers, *reply.headers, *read.headers}


@pytest.mark.parametrize("origin", ["app://obsidian.md", "tauri://localhost"])
def test_a_desktop_client_with_a_scheme_of_its_own_needs_no_key_on_this_machine(
    http: httpx.Client, origin: str
) -> None:
    # What the SDKs of such clients send: a preflight that asks for every header, then the request itself.
    asked = {"access-control-request-method": "POST", "access-control-request-private-network": "true"}
    wanted = "authorization,content-type,x-stainless-os,x-stainless-retry-count"
    before = http.options("/v1/search", headers={"origin": origin, "access-control-request-headers": wanted, **asked})
    assert (before.status_code, before.headers["access-control-allow-origin"]) == (200, origin)
    assert before.headers["access-control-allow-headers"] == wanted
    assert before.headers["access-control-allow-private-network"] == "true"
    reply = http.post("/v1/search", json={"question": QUESTION}, headers={"origin": origin})
    assert (reply.status_code, reply.headers["access-control-allow-origin"]) == (200, origin)
    rebound = http.post("/v1/search", json={"question": QUESTION}, headers={"origin": origin, "host": "evil.example"})
    assert rebound.status_code == 403


def test_a_page_of_this_server_may_post(http: httpx.Client) -> None:
    own = {"origin": str(http.base_url).rstrip("/")}
    assert http.post("/v1/search", json={"question": QUESTION}, headers=own).status_code == 200


@pytest.mark.parametrize(
    "hosts",
    [
        ["a@127.0.0.1"],
        ["127.0.0.1/x"],
        ["127.0.0.1:99999"],
        ["127.0.0.1:"],
        ["127.0.0.1?x"],
        ["127.0.0.1#x"],
        ["127.0.0.1, evil.example"],
        ["[::1"],
        ["::1"],
        ["evil.example:80"],
        ["127.0.0.1.evil.example"],
        [""],
        ["127.0.0.1", "evil.example"],
        ["127.0.0.1", "127.0.0.1"],
    ],
)
def test_a_host_header_is_one_name_of_this_machine(server: Serving, hosts: list[str]) -> None:
    lines = "".join(f"Host: {host}\r\n" for host in hosts)
    assert _status(server, f"GET /v1/models HTTP/1.1\r\n{lines}Connection: close\r\n\r\n") in (400, 403)


@pytest.mark.parametrize("host", ["127.0.0.1", "LOCALHOST:1", "localhost", "[::1]:65535", "[::1]"])
def test_every_name_of_this_machine_is_a_host(server: Serving, host: str) -> None:
    assert _status(server, f"GET /v1/models HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n") == 200


def _status(server: Serving, request: str) -> int:
    """The status that the bytes of a request get; clients would not send some of them."""
    url = httpx.URL(server.url)
    with socket.create_connection((url.host, url.port or 80), timeout=20) as connection:
        connection.sendall(request.encode())
        return int(connection.recv(100).split()[1])


def test_a_key_is_asked_for_when_one_is_set(home: Path) -> None:
    with serving(home, CRAG_API_KEY="s3cret") as server, httpx.Client(base_url=server.url) as http:
        assert http.get("/healthz").status_code == 200
        assert http.get("/").status_code == 200
        for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Bearer s3cretx"}):
            reply = http.get("/v1/documents", headers=headers)
            assert (reply.status_code, reply.json()["error"]["code"]) == (401, "invalid_api_key")
        assert http.get("/v1/documents", headers={"authorization": "Bearer s3cret"}).status_code == 200
        assert crag("ask", QUESTION, "--json", home=home, CRAG_API_KEY="s3cret").json["status"] == "grounded"
        refused = crag("ask", QUESTION, home=home)
        assert refused.code == 2
        assert "CRAG_API_KEY" in refused.err
