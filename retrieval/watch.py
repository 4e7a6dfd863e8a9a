"""Say when something in folders has changed, by the system's own notices (watchfiles), so that idling costs nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from retrieval.files import linked

SETTLE = 400
"""Milliseconds without a further change before changes are told: an editor or a copy writes in several steps."""
_TICK = 0.5
"""Seconds between two looks at what the system gives no notice of."""


def changes(folders: Sequence[Path], stop: threading.Event | None = None, *, again: float = 30.0) -> Iterator[bool]:
    """Yields once when watching has begun, and then whenever a visible file has changed. Ends on `stop` or Ctrl-C.

    What changes while the caller works is told afterwards, so nothing falls between. Links that lead out of the
    folders are followed. A folder that goes is told, and watched again once there is one of its name. Every `again`
    seconds without a change False is yielded, for whoever has something to try again.
    """
    stop = stop or threading.Event()
    roots = [folder.resolve() for folder in folders]
    while not stop.is_set():
        watched, files = linked(roots)
        there = [place for place in (*roots, *sorted(watched)) if place.is_dir()]
        if there:
            yield from _watch(there, roots, (watched, files), stop, again)
        else:
            stop.wait(_TICK)


def _watch(
    there: Sequence[Path],
    roots: Sequence[Path],
    links: tuple[set[Path], set[Path]],
    stop: threading.Event,
    again: float,
) -> Iterator[bool]:
    """Until other places have to be watched."""
    from watchfiles import Change, watch

    def visible(change: Change, path: str) -> bool:
        inside = next((Path(path).relative_to(root) for root in there if Path(path).is_relative_to(root)), Path(path))
        return not any(part.startswith(".") for part in inside.parts)

    kept = (*roots, *links[0])
    places, files = [_place(folder) for folder in kept], [_state(file) for file in links[1]]
    idle, begun = 0, False
    steps = watch(
        *there,
        watch_filter=visible,
        step=SETTLE // 4,
        debounce=SETTLE * 4,
        stop_event=stop,
        rust_timeout=int(_TICK * 1000),
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    )
    try:
        for found in steps:
            now = [_state(file) for file in links[1]]
            moved = [_place(folder) for folder in kept] != places
            idle = 0 if found else idle + 1
            if found or not begun or moved or now != files:
                begun, files = True, now
                yield True
                if moved or linked(roots) != links:
                    return
            elif idle * _TICK >= again:
                idle = 0
                yield False
    except FileNotFoundError:  # One of them went before it could be watched.
        return
    stop.set()


def _place(folder: Path) -> tuple[int, int] | None:
    """Another one where another folder has the name now."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _state(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
