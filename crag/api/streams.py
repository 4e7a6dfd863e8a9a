"""Carrying an async iterator to a client: heartbeats while it is silent, an end when the client has left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from typing import Any, TypeVar

from fastapi import Request

from crag.api.stopping import Stopping, stopped, stopping_of

T = TypeVar("T")

HEARTBEAT_SECONDS = 10.0


async def with_heartbeats(
    items: AsyncIterator[T], stopping: Stopping, interval: float = HEARTBEAT_SECONDS
) -> AsyncGenerator[T | None]:
    """The items, and None whenever `interval` seconds pass without one. Closing this stops the source too.

    The source runs in one task of its own, so that its context variables stay whole. Raises ApiError (503) where
    `stopping` ends it.
    """
    ready: asyncio.Queue[tuple[bool, T | Exception | None]] = asyncio.Queue(maxsize=256)

    async def pump() -> None:
        try:
            async for item in items:
                await ready.put((False, item))
        except Exception as error:
            await ready.put((True, error))
        except asyncio.CancelledError:
            if not stopping.over:
                raise
            await ready.put((True, stopped()))
        else:
            await ready.put((True, None))

    task = asyncio.create_task(pump())
    stopping.watch(task)
    try:
        while True:
            try:
                done, item = await asyncio.wait_for(ready.get(), interval)
            except TimeoutError:
                yield None
                continue
            if isinstance(item, Exception):
                raise item
            if done:
                return
            yield item
    finally:
        task.cancel()
        # Not `await task`: the server cancels this wait again and again, and that must not reach a task which is busy
        # closing its own; a second cancellation makes LangGraph abandon the node that is running.
        await asyncio.wait({task})


class ClientGoneError(Exception):
    """The client closed its connection before there was an answer."""


async def unless_client_leaves(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`, which is cancelled when the client closes its connection. Raises ClientGoneError then.

    Raises ApiError (503) where the server is being stopped and has no more time for it.
    """
    job = asyncio.create_task(work)
    stopping_of(request).watch(job)
    watch = asyncio.create_task(_left(request))
    try:
        await asyncio.wait({job, watch}, return_when=asyncio.FIRST_COMPLETED)
        if job.cancelled():
            raise stopped()
        if job.done():
            return job.result()
        raise ClientGoneError
    finally:
        for task in (job, watch):
            task.cancel()
        await asyncio.wait({job, watch})


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
