"""Reading uploaded files in a process of its own, which has bounds on memory and time and no secret in its sight.

The child speaks JSON, one line a message, so that nothing it says can become code here.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from chunking.errors import DocumentError
from chunking.types import Block, Document
from crag.settings import Limits

_PASSED = ("PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")
"""Variables that the child sees: no key is among them."""


class Reader:
    """Thread-safe by being used from one thread; `stop` may be called from any. Use as a context manager."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def read(self, path: Path, *, source: str, origin: str) -> Document:
        """The document in a file. Raises DocumentError for what cannot be read within the bounds."""
        ask = {"path": str(path), "source": source, "origin": origin}
        child = self._running()
        late = threading.Event()

        def kill() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(self._limits.parse_seconds, kill)
        timer.daemon = True
        timer.start()
        try:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(json.dumps(ask).encode() + b"\n")
            child.stdin.flush()
            line = child.stdout.readline()
        except OSError:
            line = b""
        finally:
            timer.cancel()
        if line.endswith(b"\n"):
            reply = json.loads(line)
            if reply.get("last"):
                self._end()
            if "refused" in reply:
                raise DocumentError(reply["refused"], code=reply["code"])
            return document_from_dict(reply["document"])
        self._end()
        if late.is_set():
            raise DocumentError(
                f"{source} took longer than {self._limits.parse_seconds} s to read: split it.", code="too_slow"
            )
        raise DocumentError(
            f"{source} cannot be read: it broke the reader or needed too much memory; save it anew.", code="damaged"
        )

    def stop(self) -> None:
        """Break off what is being read."""
        self._stopped = True
        if self._child is not None:
            self._child.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._end()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self._end()
            bounds = [self._limits.parse_mb, self._limits.parse_seconds, self._limits.max_pages]
            self._child = subprocess.Popen(
                [sys.executable, "-m", "crag.api.parse_worker", *map(str, [*bounds, self._limits.max_characters])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={name: os.environ[name] for name in _PASSED if name in os.environ},
            )
            if self._stopped:
                self._child.kill()
        return self._child

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
            child.wait()


def document_to_dict(document: Document) -> dict[str, Any]:
    return asdict(document)


def document_from_dict(value: dict[str, Any]) -> Document:
    blocks = tuple(Block(**{**each, "heading_path": tuple(each["heading_path"])}) for each in value["blocks"])
    more = {"blocks": blocks, "notes": tuple(value["notes"]), "page_starts": tuple(value["page_starts"])}
    return Document(**{**value, **more})
