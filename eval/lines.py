"""Files that survive a kill: JSON lines that are only appended to, and JSON values replaced as a whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from chunking.errors import StoreError


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file; a missing file has none, and a last line torn by a kill is left out."""
    if not path.is_file():
        return []
    *whole, _torn = path.read_bytes().split(b"\n")
    lines = []
    for number, line in enumerate(whole, 1):
        try:
            lines.append(json.loads(line))
        except ValueError as error:
            raise StoreError(
                f"{path}:{number} is not JSON ({error}); delete that line and run again with --resume."
            ) from None
    return lines


class LineWriter:
    """Appends whole lines, each by one write: a kill tears at most the last, and opening cuts a torn one off."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        size = os.fstat(self._descriptor).st_size
        content = path.read_bytes() if size else b""
        os.ftruncate(self._descriptor, content.rfind(b"\n") + 1)

    def write(self, line: Mapping[str, Any]) -> None:
        payload = (json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n").encode(errors="replace")
        while payload:
            payload = payload[os.write(self._descriptor, payload) :]

    def close(self) -> None:
        os.close(self._descriptor)


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Replace a JSONL file as a whole."""
    temporary = path.with_suffix(".tmp")
    temporary.unlink(missing_ok=True)
    writer = LineWriter(temporary)
    try:
        for line in lines:
            writer.write(line)
    finally:
        writer.close()
    temporary.replace(path)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Replace a file as a whole: a reader sees the old or the new one."""
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    temporary.replace(path)


def read_json(path: Path) -> dict[str, Any]:
    """Raises StoreError for what is no JSON object."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise StoreError(f"{path} is damaged ({error}); run the suite again.") from None
    if not isinstance(value, dict):
        raise StoreError(f"{path} is damaged (no JSON object); run the suite again.")
    return value
