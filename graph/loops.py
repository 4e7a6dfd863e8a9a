"""Async clients belong to the event loop that first used them; a service and a script may use several."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

ClientT = TypeVar("ClientT")


class PerLoop(Generic[ClientT]):
    """One client for each running event loop, made when first needed."""

    def __init__(self, make: Callable[[], ClientT], close: Callable[[ClientT], Awaitable[None]]) -> None:
        self._make = make
        self._close = close
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, ClientT] = WeakKeyDictionary()

    def get(self) -> ClientT:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = self._make()
        return self._clients[loop]

    async def aclose(self) -> None:
        """Close the running loop's client; another may be made afterwards."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await self._close(client)
