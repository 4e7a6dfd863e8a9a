"""A fixed number of workers over a stream of tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

_Task = TypeVar("_Task")


async def work_through(tasks: Iterable[_Task], work: Callable[[_Task], Awaitable[None]], concurrency: int) -> None:
    """Run `work` on every task, so many at a time, in order. The first error stops all and is raised as it is."""
    waiting = iter(tasks)

    async def worker() -> None:
        for task in waiting:
            await work(task)

    workers = [asyncio.create_task(worker()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for each in workers:
            each.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
