"""Say when something in folders has changed, by the system's own notices (watchfiles), so that idling costs nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

SETTLE = 400
"""Milliseconds without a further change before changes are told: an editor or a copy writes in several steps."""


def changes(folders: Sequence[Path], stop: threading.Event | None = None, *, again: float = 30.0) -> Iterator[bool]:
    """Yields once when watching has begun, and then whenever a visible file has changed. Ends on `stop` or Ctrl-C.

    What changes while the caller works is told afterwards, so nothing falls between. Every `again` seconds without a
    change False is yielded, for whoever has something to try again.
    """
    from watchfiles import Change, watch

    roots = [folder.resolve() for folder in folders]

    def visible(change: Change, path: str) -> bool:
        inside = next((Path(path).relative_to(root) for root in roots if Path(path).is_relative_to(root)), Path(path))
        return not any(part.startswith(".") for part in inside.parts)

    idle, begun = 0, False
    steps = watch(
        *roots,
        watch_filter=visible,
        step=SETTLE // 4,
        debounce=SETTLE * 4,
        stop_event=stop,
        rust_timeout=500,
        yield_on_timeout=True,
        raise_interrupt=False,
    )
    for found in steps:
        idle = 0 if found else idle + 1
        if found or not begun:
            begun = True
            yield True
        elif idle * 0.5 >= again:
            idle = 0
            yield False
