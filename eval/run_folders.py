"""The folders that runs are written to: named after their pipelines, one writer at a time, and nothing else inside.

names(systems) -> list[str]
require_free(folder)             a new run may begin there
with held(folder): ...           this process alone writes to it; the folder is made
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from chunking.errors import ConfigError, StoreError
from eval.runs import MANIFEST
from eval.system import System

WORKSPACE, JUDGE_CACHE = "workspace", "judge-cache.sqlite"
"""What a call keeps in its --out beside the runs: the suite's documents, indexed, and the judge's replies."""
_LOCK = ".lock"


def names(systems: Sequence[System]) -> list[str]:
    """The pipelines' names, safe for a file system; those that clash get their version."""
    plain = [re.sub(r"[^\w.-]+", "-", system.name).strip(".-") or "pipeline" for system in systems]
    unique = [
        name if plain.count(name) == 1 else f"{name}-{system.version[:8]}"
        for name, system in zip(plain, systems, strict=True)
    ]
    if len(set(unique)) < len(unique):
        raise ConfigError("The same pipeline is given twice; use --repeat to ask it more than once.")
    return unique


def require_free(folder: Path) -> None:
    """Raises ConfigError for a folder that holds other runs or files: a new run would be mixed with them."""
    if not folder.is_dir():
        return
    if inside := sorted(found.parent.name for found in folder.glob(f"*/{MANIFEST}")):
        raise ConfigError(
            f"{folder} holds the runs {', '.join(inside)}: to go on with one give its own folder, such as "
            f"{folder / inside[0]}, else another --out."
        )
    others = sorted(file.name for file in folder.iterdir() if not file.name.startswith((".", WORKSPACE, JUDGE_CACHE)))
    if others:
        raise ConfigError(f"{folder} holds other files ({others[0]}): give the run a folder of its own as --out.")


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Raises ConfigError where it cannot be written and StoreError where another process works on it.

    A kill lets go of it: the lock is the operating system's.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / _LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise StoreError(f"Another process works on the run in {folder}: wait for it, or give another --out.") from None
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written ({error.strerror}): give another --out.") from None
    try:
        yield
    finally:
        if {file.name for file in folder.iterdir()} == {_LOCK}:
            # Nothing came of it: the pipeline could not be readied, say.
            (folder / _LOCK).unlink()
            folder.rmdir()
        lock.release()
