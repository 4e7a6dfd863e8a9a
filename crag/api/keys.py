"""The keys that a server asks for: known by their SHA-256 digests only, compared in constant time.

``keys.json`` in the workspace holds ``{"keys": [{"name", "sha256", "created"}]}``. A plain digest is enough there: the
keys are 256 random bits, which nobody can try out. The key in CRAG_API_KEY counts beside them, under the name ``env``.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
import time
from pathlib import Path
from typing import Any

from chunking.errors import ConfigError, NotFoundError
from crag.settings import api_key

FILE = "keys.json"
ENVIRONMENT = "env"
_NAME = re.compile(r"[\w.@-]{1,64}")


class KeyRing:
    """The keys of a workspace, read again when their file changes: a key that is removed is refused at once."""

    def __init__(self, home: Path) -> None:
        self._file = home / FILE
        own = api_key()
        self._own = {ENVIRONMENT: _digest(own.encode())} if own else {}
        self._known: dict[str, bytes] = {}
        self._seen: tuple[int, int] | None = None
        self._closed = False
        self._digests()

    def __bool__(self) -> bool:
        """Whether a key is asked for, as it is while their file cannot be read."""
        try:
            return bool(self._digests()) or self._closed
        except ConfigError:
            return True

    @property
    def lost(self) -> bool:
        """Whether a key is asked for and there is none any more. Raises ConfigError."""
        return not self._digests() and self._closed

    def owner(self, given: bytes) -> str | None:
        """Whose key this is, or None. Takes the same time whichever key it is or resembles. Raises ConfigError."""
        digest = _digest(given)
        found = None
        for name, known in self._digests().items():
            if hmac.compare_digest(digest, known):
                found = name
        return found

    def _digests(self) -> dict[str, bytes]:
        try:
            status = self._file.stat()
            seen = (status.st_mtime_ns, status.st_size)
        except FileNotFoundError:
            seen = None
        if seen != self._seen:
            self._known = {entry["name"]: bytes.fromhex(entry["sha256"]) for entry in read_keys(self._file)}
            self._seen = seen
        digests = {**self._known, **self._own}
        # A server that once had keys does not open its doors when the last one is removed.
        self._closed = self._closed or bool(digests)
        return digests


def read_keys(file: Path) -> list[dict[str, Any]]:
    """The entries of a key file, none where there is no file. Raises ConfigError for a damaged one."""
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))["keys"]
        for entry in entries:
            assert len(bytes.fromhex(entry["sha256"])) == 32
            assert isinstance(entry["name"], str)
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, LookupError, AssertionError) as error:
        raise ConfigError(f"{file} is damaged: move it away and make the keys anew with 'crag keys add'.") from error
    return list(entries)


def add_key(home: Path, name: str) -> str:
    """Make a key and keep its digest; the key itself is given here and never again. Raises ConfigError."""
    if not _NAME.fullmatch(name) or name == ENVIRONMENT:
        raise ConfigError(f"{name!r} cannot name a key: use letters, digits and . @ _ -, and not {ENVIRONMENT!r}.")
    entries = read_keys(home / FILE)
    if name in {entry["name"] for entry in entries}:
        raise ConfigError(f"There is a key named {name!r} already: remove it first, or choose another name.")
    key = f"crag-{secrets.token_urlsafe(32)}"
    _write(home, [*entries, {"name": name, "sha256": _digest(key.encode()).hex(), "created": int(time.time())}])
    return key


def remove_key(home: Path, name: str) -> int:
    """Gives how many are left. Raises NotFoundError."""
    entries = read_keys(home / FILE)
    rest = [entry for entry in entries if entry["name"] != name]
    if len(rest) == len(entries):
        raise NotFoundError(f"There is no key named {name!r}: 'crag keys list' shows them.")
    _write(home, rest)
    return len(rest)


def _write(home: Path, entries: list[dict[str, Any]]) -> None:
    home.mkdir(parents=True, exist_ok=True)
    fresh = home / f"{FILE}.{os.getpid()}"
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({"keys": entries}, file, indent=2)
    fresh.replace(home / FILE)


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()
