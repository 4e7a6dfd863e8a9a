"""What every request passes first: who may ask, from where, how much. Plain ASGI, so that streams stay streams."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Iterable
from urllib.parse import urlsplit

from fastapi import HTTPException
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chunking.errors import ConfigError
from crag.api.errors import BODY_TOO_LARGE, KINDS, error_body
from crag.api.keys import KeyRing
from crag.api.origins import Origins
from crag.api.quota import Quota
from crag.settings import Limits

UPLOAD_PATH = "/v1/documents"
"""The one path that takes a body of files, by POST."""
OWNER = "crag.key"
"""In a request's scope: the name of the key that it came with, None where none is asked for."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_LEAST_RATE = 500
"""Bytes a second of a body on average, beyond the time that it has anyhow: as Apache's RequestReadTimeout has it."""
_HOST = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?", re.ASCII | re.IGNORECASE)
"""A Host header: a name or address, perhaps a port, and nothing else (RFC 9110, section 7.2)."""
_BEARER = re.compile("Bearer +", re.IGNORECASE)
"""A scheme is the same in any case (RFC 9110, section 11.1)."""
HEADERS = {
    # Nothing from elsewhere, no inline script, no framing: document text cannot become code.
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "frame-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

logger = logging.getLogger("crag.api")


class Guard:
    """Bearer keys, limits for each of them, host and origin checks, body limits, security headers.

    `open_paths`, and what lies below those that end in a slash, answer without a key. With `loopback_only`, the Host
    header must name this machine, so that no web page can reach a keyless server by way of a rebound DNS name. An
    Origin that is neither the server's own nor allowed by `origins` may never post.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        keys: KeyRing,
        limits: Limits,
        quota: Quota,
        loopback_only: bool,
        open_paths: Iterable[str],
        origins: Origins,
    ) -> None:
        self._app = app
        self._keys = keys
        self._limits = limits
        self._quota = quota
        self._loopback_only = loopback_only
        self._open = frozenset(open_paths)
        self._open_below = tuple(path for path in self._open if path.endswith("/") and path != "/")
        self._origins = origins

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

        scope[OWNER] = None
        if refusal := self._refusal(scope) or self._unknown(scope):
            await refusal(scope, receive, send_guarded)
            return
        counted = scope["path"].startswith("/v1/")
        if counted and (over := self._quota.enter(scope[OWNER])):
            response = _refuse(over.status, over.message, over.code, {"retry-after": str(over.retry_after)})
            await response(scope, receive, send_guarded)
            return
        try:
            body = _LimitedBody(receive, self._most(scope), self._limits.body_seconds)
            await self._app(scope, body.receive, send_guarded)
        finally:
            if counted:
                self._quota.leave(scope[OWNER])

    def _most(self, scope: Scope) -> int:
        """Bytes that the body may have."""
        if scope["method"] == "POST" and scope["path"] == UPLOAD_PATH:
            return self._limits.max_upload_mb * 1024 * 1024
        return self._limits.max_body_kb * 1024

    def _unknown(self, scope: Scope) -> JSONResponse | None:
        """The refusal of a request that lacks a key, where one is asked for."""
        path = scope["path"]
        if path in self._open or path.startswith(self._open_below) or not self._keys:
            return None
        given = Headers(scope=scope).get("authorization", "")
        if scheme := _BEARER.match(given):
            given = given[scheme.end() :]
        try:
            scope[OWNER] = self._keys.owner(given.encode("latin-1"))
            lost = self._keys.lost
        except ConfigError as error:  # It names a path of the server's, which is for its operator.
            logger.error("%s", error)
            return _refuse(503, "The server cannot read its keys: its log says why.", "keys_unreadable")
        if scope[OWNER] is not None:
            return None
        message = "This server asks for its key: send it as 'Authorization: Bearer KEY'."
        if lost:
            message = "The last key of this server was removed: make one with 'crag keys add NAME', or restart it."
        return _refuse(401, message, "invalid_api_key", {"www-authenticate": "Bearer"})

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
                if not self._origins.allows(origin) and (not hosts or _netloc(origin) != hosts[0]):
                    return _refuse(403, self._origins.refusal(origin), "origin_not_allowed")
        declared = headers.get("content-length", "0")
        most = self._most(scope)
        if not re.fullmatch("[0-9]{1,18}", declared) or int(declared) > most:
            return _refuse(413, _too_large(most), BODY_TOO_LARGE)
        return None


class _LimitedBody:
    """Counts what arrives, for bodies that declare no length or a false one, and waits only so long for more of it."""

    def __init__(self, receive: Receive, most: int, seconds: float) -> None:
        self._receive = receive
        self._most = most
        self._seconds = seconds
        self._size = 0
        self._whole = False
        self._began = time.monotonic()

    async def receive(self) -> Message:
        if self._whole:  # What comes now is the end of the connection, and may take as long as it likes.
            return await self._receive()
        try:
            # All of it has a bound too, or a byte now and then would hold the request for ever.
            rest = self._began + self._seconds + self._size / _LEAST_RATE - time.monotonic()
            async with asyncio.timeout(min(self._seconds, rest)):
                message = await self._receive()
        except TimeoutError:
            # FastAPI lets only its own exception through while it reads a body.
            raise HTTPException(408, "The body did not arrive in time: send it again.") from None
        self._whole = not message.get("more_body", False)
        self._size += len(message.get("body", b""))
        if self._size > self._most:
            raise HTTPException(413, _too_large(self._most))
        return message


def _too_large(most: int) -> str:
    size = f"{most // 1024**2} MiB" if most >= 10 * 1024**2 else f"{most // 1024} KiB"
    return f"The body is larger than {size}: send less at once."


def _refuse(status: int, message: str, code: str, headers: dict[str, str] | None = None) -> JSONResponse:
    kind = KINDS.get(status, "invalid_request_error")
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
