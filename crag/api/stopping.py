"""How a server that is told to end deals with the answers that are running."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from fastapi import Request

from crag.api.errors import ApiError


class Stopping:
    """Answers that run are watched; `end` cancels those that are left when the time to finish is over."""

    def __init__(self, *others: Callable[[], None]) -> None:
        """`others` are told as soon as the server is told to end, and may not wait."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._others = others
        self.over = False

    def begin(self) -> None:
        for tell in self._others:
            tell()

    def watch(self, task: asyncio.Task[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if self.over:
            _cancel(task)

    def end(self) -> None:
        self.over = True
        for task in self._tasks:
            _cancel(task)


def _cancel(task: asyncio.Task[Any]) -> None:
    # Not at once: a task that has not begun could not catch it, and nobody would be told.
    task.get_loop().call_soon(task.cancel)


def stopping_of(request: Request) -> Stopping:
    """That of the application which serves the request: it is kept in the application's state."""
    found: Stopping = request.app.state.stopping
    return found


def stopped() -> ApiError:
    """What the client of an answer that was not finished in time is told."""
    message = "The server is being stopped and could not finish this answer: ask again in a moment."
    return ApiError(503, message, code="server_stopping", headers={"retry-after": "5"})
