"""What every request passes first: who may ask, from where, how much. Plain ASGI, so that streams stay streams."""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from fastapi import HTTPException
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crag.api.errors import BODY_TOO_LARGE, error_body

MAX_BODY = 1024 * 1024
"""Bytes. A chat history of a few hundred thousand characters fits; anything larger is refused with 413."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_HOST = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?", re.ASCII | re.IGNORECASE)
"""A Host header: a name or address, perhaps a port, and nothing else (RFC 9110, section 7.2)."""
HEADERS = {
    # Nothing from elsewhere, no inline script, no framing: document text cannot become code.
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """Bearer key (compared in constant time), host and origin checks, body limit, security headers.

    `open_paths` answer without the key. With `loopback_only`, the Host header must name this machine, so that no web
    page can reach a keyless server by way of a rebound DNS name. A foreign Origin may never post.
    """

    def __init__(self, app: ASGIApp, *, key: str | None, loopback_only: bool, open_paths: Iterable[str]) -> None:
        self._app = app
        self._key = key.encode() if key else None
        self._loopback_only = loopback_only
        self._open = frozenset(open_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if refusal := self._refusal(scope):
            await refusal(scope, receive, send_guarded)
            return
        body = _LimitedBody(receive)
        await self._app(scope, body.receive, send_guarded)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        host = _host(hosts[0]) if len(hosts) == 1 else None
        if hosts and host is None:
            return _refuse(403, "The Host header must be one name or address.", "host_not_allowed")
        if self._loopback_only and host not in LOOPBACK:
            return _refuse(403, f"This server answers to localhost only, not to {host!r}.", "host_not_allowed")
        if scope["method"] not in ("GET", "HEAD"):
            for origin in headers.getlist("origin"):
                if not hosts or _netloc(origin) != hosts[0]:
                    return _refuse(403, f"Pages of {origin[:200]!r} may not post here.", "origin_not_allowed")
        if self._key is not None and scope["path"] not in self._open:
            given = headers.get("authorization", "").removeprefix("Bearer ").encode()
            if not hmac.compare_digest(given, self._key):
                message = "This server asks for its key: send it as 'Authorization: Bearer KEY'."
                return _refuse(401, message, "invalid_api_key", {"www-authenticate": "Bearer"})
        declared = headers.get("content-length", "0")
        if not re.fullmatch("[0-9]{1,18}", declared) or int(declared) > MAX_BODY:
            return _too_large()
        return None


class _LimitedBody:
    """Counts what arrives, for bodies that declare no length or a false one."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._size = 0

    async def receive(self) -> Message:
        message = await self._receive()
        self._size += len(message.get("body", b""))
        if self._size > MAX_BODY:
            # FastAPI lets only its own exception through while it reads a body.
            raise HTTPException(413, _TOO_LARGE)
        return message


_TOO_LARGE = f"The body is larger than {MAX_BODY // 1024} KiB: send less text."


def _too_large() -> JSONResponse:
    return _refuse(413, _TOO_LARGE, BODY_TOO_LARGE)


def _refuse(status: int, message: str, code: str, headers: dict[str, str] | None = None) -> JSONResponse:
    kind = {401: "authentication_error", 403: "permission_error"}.get(status, "invalid_request_error")
    return JSONResponse(error_body(message, kind, code=code), status, headers)


def _host(value: str) -> str | None:
    """The host of a Host header, without port and brackets; None for what is no host."""
    found = _HOST.fullmatch(value)
    if found is None or int(found[2] or 0) > 65535:
        return None
    return found[1].strip("[]").lower()


def _netloc(origin: str) -> str | None:
    """Host and port of an Origin header; None for what is no address."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None
