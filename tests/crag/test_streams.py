"""Heartbeats while a source is silent, and an end to the source when the reader leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from crag.api.streams import with_heartbeats


async def counted(delays: list[float], ended: list[str]) -> AsyncIterator[int]:
    try:
        for number, delay in enumerate(delays):
            await asyncio.sleep(delay)
            yield number
    finally:
        ended.append("ended")


def test_silence_is_filled_and_order_kept() -> None:
    async def run() -> list[int | None]:
        return [item async for item in with_heartbeats(counted([0, 0.25, 0], []), interval=0.1)]

    items = asyncio.run(run())
    assert [item for item in items if item is not None] == [0, 1, 2]
    assert items[0] == 0
    assert items.count(None) == 2


def test_leaving_ends_the_source() -> None:
    ended: list[str] = []

    async def run() -> None:
        stream = with_heartbeats(counted([0, 60], ended))
        assert await anext(stream) == 0
        await stream.aclose()
        assert ended == ["ended"]

    asyncio.run(run())


def test_an_error_of_the_source_reaches_the_reader() -> None:
    async def broken() -> AsyncIterator[int]:
        yield 1
        raise ValueError("broken")

    async def run() -> None:
        async for _ in with_heartbeats(broken()):
            pass

    with pytest.raises(ValueError, match="broken"):
        asyncio.run(run())
