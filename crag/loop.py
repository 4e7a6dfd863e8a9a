"""An event loop in a thread of its own: for callers that block, whatever loop may run where they are."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class _End:
    error: BaseException | None


class OwnLoop:
    """Begun by the first call; every method may be called from any thread."""

    def __init__(self, threads: int, closed: Callable[[], Exception]) -> None:
        """`threads`: for the steps that block; `closed` makes the error of a call that `close` ends or precedes."""
        self._threads = threads
        self._error = closed
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`, which is cancelled where the wait for it is broken off."""
        task = self._begin(work)
        try:
            return task.result()
        except CancelledError as error:
            raise self._told(error) from None
        except BaseException:  # After Ctrl-C too, what nobody waits for any more must not go on.
            task.cancel()
            raise

    def iterate(self, items: AsyncIterator[T]) -> Iterator[T]:
        """The items, one after another. Leaving the iteration early ends their source."""
        ready: queue.SimpleQueue[T | _End] = queue.SimpleQueue()

        async def pump() -> None:
            async for item in items:
                ready.put(item)

        def ended(task: Future[None]) -> None:
            # By the future, not by the coroutine: one that is cancelled before its first step runs no line of its own.
            ready.put(_End(CancelledError() if task.cancelled() else task.exception()))

        task = self._begin(pump())
        task.add_done_callback(ended)
        try:
            while not isinstance(item := ready.get(), _End):
                yield item
            if item.error is not None:
                raise self._told(item.error)
        finally:
            task.cancel()

    def close(self, last: Callable[[], Awaitable[None]]) -> None:
        """End what runs, await `last` in the loop, and end the thread. A second time does nothing."""
        with self._lock:
            loop, self._loop, self._closed = self._loop, None, True
        if loop is None:
            return

        async def end() -> None:
            if others := asyncio.all_tasks() - {asyncio.current_task()}:
                for task in others:
                    task.cancel()
                await asyncio.wait(others)
            await last()

        asyncio.run_coroutine_threadsafe(end(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        self._thread.join()

    def _begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        with self._lock:  # Until it is in the loop's queue: `close` ends what it finds there.
            if self._closed:
                work.close()  # Nobody will await it.
                raise self._error()
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._loop.set_default_executor(answer_threads(self._threads))
                self._thread = threading.Thread(target=_serve, args=(self._loop,), name="crag-loop", daemon=True)
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _told(self, error: BaseException) -> BaseException:
        return self._error() if self._closed and isinstance(error, CancelledError) else error


def answer_threads(most: int) -> ThreadPoolExecutor:
    """For a loop that answers: what `asyncio.to_thread` runs the steps of answers in."""
    return ThreadPoolExecutor(most, thread_name_prefix="crag-answer")


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()
