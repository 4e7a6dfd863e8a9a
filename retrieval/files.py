"""Which files the given paths name, what cannot be read and why, and where nothing could be learned."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Found:
    """`files` by absolute path, links followed, with the source a reader is shown. `skipped` is (path, reason)."""

    files: dict[Path, str] = field(default_factory=dict)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    unknown: list[Path] = field(default_factory=list)
    """Folders that could not be listed and entries that could not be looked at: what was there may be there still."""

    def may_hold(self, origin: str) -> bool:
        """Whether a file that was taken in from `origin` may still exist."""
        path = Path(origin)
        return path in self.files or any(path.is_relative_to(each) for each in self.unknown)

    def leave_out(self, path: Path, reason: str) -> None:
        self.skipped.append((printable(path), reason))
        self.unknown.append(path)


def find_files(paths: Sequence[Path]) -> Found:
    """Regular files, folders searched recursively in sorted order; hidden files and folders are passed over.

    A file that several paths lead to is found once, by the path that is no link where there is one.
    """
    found = Found()
    links: list[tuple[Path, Path]] = []
    for given in paths:
        try:
            root = given.resolve()
            entries = _walk(root, found) if root.is_dir() else iter([root])
            for path in entries:
                if path.is_symlink() or path.resolve() != path:
                    links.append((path, root.parent))
                else:
                    _add(path, path, root.parent, found)
        except OSError as error:
            found.skipped.append((printable(given), error.strerror or str(error)))
    for path, base in links:
        try:
            _add(path, path.resolve(), base, found)
        except (OSError, RuntimeError):  # RuntimeError: Python 3.11 and 3.12 on links in a circle
            found.leave_out(path, "is a link that leads nowhere")
    return found


def linked(folders: Sequence[Path]) -> tuple[set[Path], set[Path]]:
    """Folders and files outside of these folders that visible links in them lead to."""
    outside: tuple[set[Path], set[Path]] = (set(), set())
    for root in folders:
        for path in _walk(root, Found(), folders=True):
            if path.is_symlink():
                with suppress(OSError, RuntimeError):
                    real = path.resolve()
                    if not any(real.is_relative_to(folder) for folder in folders):
                        outside[not real.is_dir()].add(real)
    return outside


def printable(path: Path) -> str:
    """A path as text that can be printed and stored: bytes that are not UTF-8 become a replacement character."""
    return os.fsencode(path).decode("utf-8", "replace")


def _add(path: Path, real: Path, base: Path, found: Found) -> None:
    if real in found.files:
        return
    if printable(path) != str(path):
        found.leave_out(path, "its name is not UTF-8: rename it")
    elif path.is_file():
        found.files[real] = path.relative_to(base).as_posix()
    elif path.is_symlink():
        found.leave_out(path, "is a link that leads nowhere")
    elif path.exists():
        found.leave_out(path, "is not a regular file")
    else:
        found.leave_out(path, "no such file or folder")


def _walk(root: Path, found: Found, *, folders: bool = False) -> Iterator[Path]:
    """Visible entries, without `folders` those that are none; links are followed, each real folder is entered once."""

    def closed(error: OSError) -> None:
        found.leave_out(Path(error.filename), error.strerror or "cannot be listed")

    seen: set[Path] = set()
    for folder, inner, names in os.walk(root, followlinks=True, onerror=closed):
        here = Path(folder)
        if here.resolve() in seen:
            inner.clear()
            continue
        seen.add(here.resolve())
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        if folders:
            yield from (here / name for name in inner)
        yield from (here / name for name in sorted(names) if not name.startswith("."))
