"""What comes from the environment and from the command line, never from a pipeline file."""

from __future__ import annotations

import os
from pathlib import Path

HOME = "CRAG_HOME"
API_KEY = "CRAG_API_KEY"
DEFAULT_HOME = ".crag"
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8000
DEFAULT_PIPELINE = "crag"


def home_folder(given: str | Path | None = None) -> Path:
    """The workspace folder: as given, else CRAG_HOME, else ``.crag`` in the current folder."""
    return Path(given or os.environ.get(HOME) or DEFAULT_HOME).expanduser()


def api_key() -> str | None:
    """The bearer key that the server asks for and that the command line sends, or None."""
    return os.environ.get(API_KEY) or None
