"""Addresses as chat clients write them: a slash too many, `/v1` twice or not at all, HEAD for GET. Plain ASGI.

People type base URLs, and clients put together what they typed and what they need: each of these means one thing only.
"""

from __future__ import annotations

import re

from starlette.types import ASGIApp, Receive, Scope, Send

_AGAIN = re.compile("(/v1)+(?=/v1(/|$))")
_BARE = re.compile("/(chat/completions|models)(/|$)")
_SLASHES = re.compile("/{2,}")


class Paths:
    """The outermost layer: whatever is checked or counted by path sees the usual one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            # A copy: uvicorn keeps its own, and sends no body where that says HEAD.
            method = "GET" if scope["method"] == "HEAD" else scope["method"]
            scope = {**scope, "method": method, "path": usual(scope["path"])}
        await self._app(scope, receive, send)


def usual(path: str) -> str:
    """The path that is meant; one that is right stays as it is."""
    path = _SLASHES.sub("/", path).rstrip("/") or "/"
    if again := _AGAIN.match(path):
        path = path[again.end() :]
    return f"/v1{path}" if _BARE.match(path) else path
