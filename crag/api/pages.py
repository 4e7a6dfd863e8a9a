"""HTML that answers or documents went into, served as from another origin: no script of it reaches this server.

A page is opened in a new tab or a frame, with which a browser sends no key. So its address is a ticket: what to show
and until when, signed by this process.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from crag.api.errors import ApiError

PATH = "/reports/"
"""Below this nothing needs a key: the ticket in the path does."""
VALID_SECONDS = 600
_CSP = (
    "sandbox allow-scripts allow-popups; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


class Pages:
    """`add` a way to render a kind of page, then `link` gives addresses that show one for ten minutes."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._secret = secrets.token_bytes(32)
        self._kinds: dict[str, Callable[..., str]] = {}

    def add(self, kind: str, render: Callable[..., str]) -> None:
        """`render` is given what `link` was told, in a thread, and gives the whole page."""
        self._kinds[kind] = render

    def link(self, kind: str, *told: str) -> str:
        """The path of a page. Raises KeyError for a kind that nobody added."""
        assert kind in self._kinds
        body = json.dumps([kind, told, int(self._clock()) + VALID_SECONDS]).encode()
        return f"{PATH}{base64.urlsafe_b64encode(body).decode().rstrip('=')}.{self._sign(body)}"

    def html(self, ticket: str) -> str:
        """The page that a ticket names. Raises ApiError for one that is forged or too old."""
        coded, _, signature = ticket.partition(".")
        try:
            body = base64.urlsafe_b64decode(coded.encode("ascii") + b"=" * (-len(coded) % 4))
            genuine = hmac.compare_digest(self._sign(body), signature)
        except (ValueError, TypeError):
            genuine = False
        if genuine:
            kind, told, until = json.loads(body)
            if until >= self._clock():
                return self._kinds[kind](*told)
        raise ApiError(404, "This address is not valid, or no longer: open the page from where it is linked again.")

    def _sign(self, body: bytes) -> str:
        return hmac.new(self._secret, body, hashlib.sha256).hexdigest()


def router(pages: Pages) -> APIRouter:
    routes = APIRouter()

    @routes.get(PATH + "{ticket}", include_in_schema=False)
    async def show(ticket: str) -> HTMLResponse:
        html = await run_in_threadpool(pages.html, ticket)
        return HTMLResponse(html, headers={"content-security-policy": _CSP, "cache-control": "no-store"})

    return routes
