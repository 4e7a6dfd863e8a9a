"""Which pages and desktop clients, beside the server's own page, may call the API from within a browser engine.

A desktop client built on one sends an Origin header as a web page does: ``app://...`` or ``tauri://...`` where it has a
scheme of its own, ``null`` or ``file://`` where its window is a file. No web page can have the first kind. The second
any page can have, by a sandboxed frame or a file on disk: it proves nothing, and a key has to.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from crag.api.keys import KeyRing
from crag.api.telemetry import REQUEST_ID

APP_SCHEMES = frozenset({"app", "tauri"})
"""Schemes that desktop clients register for their own windows, and that no browser opens."""
_WEB_SCHEMES = frozenset({"http", "https"})


class Origins:
    """The origins that may post to this server and read its replies: see `allows`."""

    def __init__(self, keys: KeyRing, listed: Iterable[str] = ()) -> None:
        self._keys = keys
        self._listed = frozenset(listed)

    def allows(self, origin: str) -> bool:
        """Whether a request with this Origin header may be answered, once it has shown its key where one is asked for.

        Sites have to be listed. Desktop clients need not: those with a scheme of their own may call, and so may all
        others (``null``, ``file://``, browser extensions) where the server asks for a key.
        """
        if origin in self._listed:
            return True
        scheme = _scheme(origin)
        return scheme in APP_SCHEMES or (bool(scheme) and scheme not in _WEB_SCHEMES and bool(self._keys))

    def refusal(self, origin: str) -> str:
        """A sentence for the log of a client that is not allowed."""
        shown = repr(origin[:200])
        if (scheme := _scheme(origin)) and scheme not in _WEB_SCHEMES:
            return (
                f"A server without a key does not answer to the origin {shown}, which any page can have: "
                "make a key with 'crag keys add NAME' and give it to your client."
            )
        return f"Pages of {shown} may not call this server: its CRAG_CORS_ORIGINS does not list them."


class Cors(CORSMiddleware):
    """Answers the preflight requests of allowed origins, and lets them read replies; all else passes on untouched."""

    def __init__(self, app: ASGIApp, *, origins: Origins) -> None:
        # Any header: clients built with OpenAI's SDK send a dozen of their own, and no cookie is ever looked at.
        super().__init__(
            app,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["*"],
            allow_private_network=True,
            expose_headers=[REQUEST_ID, "retry-after"],
        )
        self._origins = origins

    def is_allowed_origin(self, origin: str) -> bool:
        return self._origins.allows(origin)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        origin = Headers(scope=scope).get("origin") if scope["type"] == "http" else None
        if origin is None or not self._origins.allows(origin):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def _scheme(origin: str) -> str:
    """The scheme, ``null`` for the origin of that name, empty for what is no origin."""
    if origin == "null":
        return origin
    try:
        parts = urlsplit(origin)
    except ValueError:
        return ""
    return parts.scheme if origin.startswith(f"{parts.scheme}://") else ""
