"""Breaking off an embedding of many texts: whoever waits for it says when, the embedders ask between texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


def _go_on() -> None:
    return None


_check: ContextVar[Callable[[], None]] = ContextVar("interrupt", default=_go_on)


@contextmanager
def interruptible(check: Callable[[], None]) -> Iterator[None]:
    """Within the block, and in its thread only, embedders call `check` now and then; what it raises ends them.

    What was embedded until then is in the cache, but for a slice of at most some hundred texts.
    """
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def pause() -> None:
    """For embedders: raises what the one who waits would be stopped with."""
    _check.get()()
