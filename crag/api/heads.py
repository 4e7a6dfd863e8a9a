"""Bounds on connections that uvicorn leaves open: the time and size of a request's head, and clients that do not read.

A connection that sends a byte of its headers now and then would be held for ever, and so would one whose client takes
no more of its reply. uvicorn itself closes one that is silent between two requests, after `timeout_keep_alive`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from crag.settings import Limits

MOST_BYTES = 64 * 1024
"""Of a request line with its headers, as h11 has it, and of what comes while an answer runs: httptools has no bound."""

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as Protocol
else:
    Protocol = AutoHTTPProtocol


def bounded(limits: Limits) -> type[asyncio.Protocol]:
    """uvicorn's protocol, which breaks a connection off whose next head does not arrive within `head_seconds`.

    They count from the connection or, later on it, from the first byte after a reply. What a client still sends of a
    body that was refused, or leaves unread of a reply, has `body_seconds`.
    """

    class Bounded(Protocol):
        _late: asyncio.TimerHandle | None = None
        _unread: asyncio.TimerHandle | None = None
        _head = 0

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait(limits.head_seconds)

        def data_received(self, data: bytes) -> None:
            answering = self.cycle is not None and not (self.cycle.response_complete or self.cycle.more_body)
            super().data_received(data)
            if answering:  # These are heads of requests to come, which may take their time, not their room.
                self._head += len(data)
            elif self.cycle is not None and not self.cycle.response_complete:
                self._begun()
            elif self.cycle is not None and self.cycle.more_body:
                self._wait(limits.body_seconds)
            else:
                self._wait(limits.head_seconds)
                self._head += len(data)
            if self._head > MOST_BYTES:
                self.transport.abort()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._unread = self._unread or self.loop.call_later(limits.body_seconds, self.transport.abort)

        def resume_writing(self) -> None:
            super().resume_writing()
            if self._unread is not None:
                self._unread.cancel()
                self._unread = None

        def connection_lost(self, exc: Exception | None) -> None:
            self._begun()
            self.resume_writing()
            super().connection_lost(exc)

        def _wait(self, seconds: float) -> None:
            self._late = self._late or self.loop.call_later(seconds, self._give_up)

        def _give_up(self) -> None:
            if self.cycle is None or self.cycle.response_complete:
                self.transport.abort()

        def _begun(self) -> None:
            self._head = 0
            if self._late is not None:
                self._late.cancel()
                self._late = None

    return Bounded
