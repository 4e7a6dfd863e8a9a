"""What comes from the environment and from the command line, never from a pipeline file."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, fields
from pathlib import Path
from urllib.parse import urlsplit

from chunking.errors import ConfigError

HOME = "CRAG_HOME"
API_KEY = "CRAG_API_KEY"
CORS_ORIGINS = "CRAG_CORS_ORIGINS"
DEFAULT_HOME = ".crag"
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8000
DEFAULT_PIPELINE = "crag"

THREADS = 8
"""Steps of answers at once. A slow reranker or embedding endpoint holds one of them for each question, so where there
is one, more are wanted; on two cores more of them make first texts late: p95 over 64 streams is 106 ms with 8, 333 with
16)."""
_ORIGIN = re.compile(r"(?!file:)[a-z][a-z0-9+.-]*://[^/?#@\s]+")
ADDRESSES = ("OPENAI_BASE_URL", "SEARXNG_URL")
"""Variables that hold the address of a server."""


def home_folder(given: str | Path | None = None) -> Path:
    """The workspace folder: as given, else CRAG_HOME, else ``.crag`` in the current folder."""
    return Path(given or os.environ.get(HOME) or DEFAULT_HOME).expanduser()


def api_key() -> str | None:
    """The bearer key that the server asks for and that the command line sends, or None."""
    # A blank at its end, as files of variables have, could never be sent: headers lose it.
    return os.environ.get(API_KEY, "").strip() or None


def check_addresses() -> None:
    """Raises ConfigError where a variable that has to hold an address holds something else."""
    for name in ADDRESSES:
        value = os.environ.get(name)
        if value and not is_address(value):
            raise ConfigError(
                f"{name} is {value!r}, which is no address of a server: "
                "set it to one like http://127.0.0.1:11434/v1, or unset it."
            )


def is_address(text: str) -> bool:
    """Whether this is an absolute http or https URL with a host and, if any, a port that exists."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and text == text.strip()
    except ValueError:
        return False


def cors_origins() -> tuple[str, ...]:
    """Origins whose pages may call the API, from a list with commas. Raises ConfigError for one that is no origin."""
    origins = tuple(filter(None, (each.strip().rstrip("/") for each in os.environ.get(CORS_ORIGINS, "").split(","))))
    for origin in origins:
        if not _ORIGIN.fullmatch(origin) or (origin.startswith("http") and not is_address(origin)):
            raise ConfigError(
                f"{CORS_ORIGINS} lists {origin!r}, which is no origin that one page alone can have: "
                "write https://name, http://name:port or, for a desktop client, scheme://name."
            )
    return origins


def _limit(default: int, low: int, high: int) -> int:
    value: int = field(default=default, metadata={"range": (low, high)})
    return value


@dataclass(frozen=True, slots=True)
class Limits:
    """What one server takes. Each field comes from the variable ``CRAG_`` + its name in capitals."""

    max_body_kb: int = _limit(4096, 1, 1_048_576)
    """KiB of a JSON body. A chat history of a million characters fits: clients send all of it with each question."""
    max_upload_mb: int = _limit(256, 1, 16_384)
    """MiB of one upload, all files together."""
    max_file_mb: int = _limit(100, 1, 4096)
    """MiB of one uploaded file."""
    max_files: int = _limit(1000, 1, 100_000)
    """Files of one upload."""
    max_pages: int = _limit(3000, 1, 1_000_000)
    """Pages of an uploaded PDF."""
    max_characters: int = _limit(10_000_000, 1000, 1_000_000_000)
    """Characters of text in an uploaded file."""
    max_jobs: int = _limit(100, 1, 100_000)
    """Uploads that may wait to be read."""
    parse_seconds: int = _limit(120, 1, 86_400)
    """Time to read one uploaded file."""
    parse_mb: int = _limit(2048, 256, 1_048_576)
    """MiB of address space of the process that reads uploaded files."""
    head_seconds: int = _limit(10, 1, 3600)
    """Time in which the headers of a request have to arrive."""
    body_seconds: int = _limit(30, 1, 3600)
    """Silence in the middle of a body, or of a client that does not read its reply, after which it is given up. A body
    may take that long, and a second more for every 500 bytes, altogether."""
    stop_seconds: int = _limit(5, 0, 3600)
    """Time that running answers have to finish when the server is told to end."""
    rate: int = _limit(600, 0, 1_000_000)
    """Requests a minute for each key; 0 is no limit. A server without keys has none: it serves its own machine."""
    concurrency: int = _limit(64, 1, 100_000)
    """Requests of one key that run at once."""
    connections: int = _limit(512, 1, 100_000)
    """Requests of all keys together that run at once."""
    threads: int = _limit(THREADS, 1, 1024)
    """Steps of answers that work, or wait for an endpoint, at once; others wait for one of them."""
    keep_answers: int = _limit(1000, 0, 1_000_000)
    """Latest answers that are kept for feedback, with their traces; 0 keeps none, and no question in the log."""

    @classmethod
    def from_environment(cls) -> Limits:
        """Raises ConfigError for a value that is no number or out of its range."""
        found: dict[str, int] = {}
        for each in fields(cls):
            name = f"CRAG_{each.name.upper()}"
            if (given := os.environ.get(name)) is None:
                continue
            low, high = each.metadata["range"]
            if not given.strip().isdecimal() or not low <= int(given) <= high:
                raise ConfigError(f"{name} is {given!r}: set it to a whole number from {low} to {high}.")
            found[each.name] = int(given)
        return cls(**found)
