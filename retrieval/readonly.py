"""Reading a workspace that lies where nothing can be written: a read-only mount, an image, another user's folder."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path


def connect_read_only(path: Path, *, timeout: float) -> sqlite3.Connection | None:
    """A connection to a SQLite file whose folder cannot be written; None where it can. Raises sqlite3.Error.

    Beside a write-ahead log SQLite needs the log's index, which it finds where the owner runs or was killed here.
    Without a log nobody has the file open, and it is read as it is, without locks (``immutable``).
    """
    if os.access(path.parent, os.W_OK):
        return None
    log = path.with_name(f"{path.name}-wal")
    mode = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
    # Of its own thread or not is the caller's to see to, as with every other connection.
    return sqlite3.connect(
        f"{path.as_uri()}?{mode}", uri=True, timeout=timeout, isolation_level=None, check_same_thread=False
    )
