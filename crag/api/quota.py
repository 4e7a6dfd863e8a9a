"""How much one key may ask: a bucket of requests that refills, and a number of them at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from crag.settings import Limits


@dataclass(frozen=True)
class Refusal:
    """Why a request may not run now, and in how many seconds it may."""

    status: int
    code: str
    message: str
    retry_after: int


class Quota:
    """For one event loop: nothing here waits, so nothing needs a lock.

    The bucket holds a minute's requests, so that a burst of them passes and the mean is kept (token bucket).
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}
        self._running: dict[str | None, int] = {}
        self.total = 0

    def enter(self, owner: str | None) -> Refusal | None:
        """Begin a request of `owner`, None for a server without keys, or say why not. Then `leave` has to follow."""
        limits = self._limits
        if self.total >= limits.connections:
            return Refusal(503, "overloaded", "The server is busy: try again in a moment.", 1)
        if owner is not None:
            if self._running.get(owner, 0) >= limits.concurrency:
                message = f"This key has {limits.concurrency} requests running: wait until one of them has ended."
                return Refusal(429, "too_many_requests", message, 1)
            if wait := self._take(owner):
                message = f"This key may ask {limits.rate} times a minute: try again in {wait} s."
                return Refusal(429, "rate_limited", message, wait)
        self._running[owner] = self._running.get(owner, 0) + 1
        self.total += 1
        return None

    def leave(self, owner: str | None) -> None:
        self.total -= 1
        self._running[owner] -= 1
        if not self._running[owner]:
            del self._running[owner]

    def _take(self, owner: str) -> int:
        """Seconds to wait; 0 when the request may pass."""
        rate = self._limits.rate
        if not rate:
            return 0
        now = self._clock()
        left, then = self._buckets.get(owner, (float(rate), now))
        left = min(float(rate), left + (now - then) * rate / 60)
        if left < 1:
            self._buckets[owner] = (left, now)
            return max(1, round((1 - left) * 60 / rate))
        self._buckets[owner] = (left - 1, now)
        return 0
