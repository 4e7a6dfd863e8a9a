"""Every error the project raises on purpose.

    CragError
    |-- ConfigError          a setting, pipeline file, command or suite is wrong      exit 2, HTTP 400
    |   `-- MissingExtraError an optional package is not installed                  exit 2, HTTP 501
    |-- NotFoundError        a named document, pipeline or run does not exist         exit 2, HTTP 404
    |-- DocumentError        a file cannot be read as text                            exit 1, HTTP 422
    |-- StoreError           the workspace is locked, damaged or of another embedder  exit 1, HTTP 503
    `-- ProviderError        an endpoint timed out, refused or replied badly          exit 1, HTTP 502

A message is one sentence that names the file, key or endpoint and says what to do next.
"""

from __future__ import annotations

import os
from typing import ClassVar


class CragError(Exception):
    """Base of the tree. `kind` is the stable name used in JSON errors.

    `code` says in one word why, e.g. ``damaged`` or ``timeout``, for programs that tell it in another language; the
    page has a sentence for each. It is empty where only the message says it.
    """

    kind: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class ConfigError(CragError):
    kind = "config_error"
    exit_code = 2


class MissingExtraError(ConfigError):
    """Names the one line that installs what is missing."""

    kind = "missing_extra"

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra {extra!r}: run {install_line(extra)}.", code="missing_extra")
        self.extra = extra


def install_line(extra: str) -> str:
    """The line that installs an extra, for a clone and for an installed package."""
    return f"pip install -e '.[{extra}]' in a clone, pip install 'agentic-crag[{extra}]' elsewhere"


class NotFoundError(CragError):
    kind = "not_found"
    exit_code = 2


class DocumentError(CragError):
    kind = "document_error"


class StoreError(CragError):
    kind = "store_error"


class ProviderError(CragError):
    """`provider` names who failed, e.g. ``openai`` or ``tavily``. Its message holds no key, whatever they said."""

    kind = "provider_error"

    def __init__(self, message: str, *, provider: str, code: str = "") -> None:
        super().__init__(without_keys(message), code=code)
        self.provider = provider


def code_of_status(status: int) -> str:
    """The `code` of an endpoint's refusal, by its HTTP status."""
    return {401: "key_refused", 403: "key_refused", 429: "rate_limited"}.get(status, "bad_reply")


def without_keys(text: str) -> str:
    """`text` with the name of the variable for each key that the environment holds: endpoints echo what they refuse."""
    for name, value in os.environ.items():
        if name.endswith("_KEY") and len(value) >= 8:
            text = text.replace(value, f"({name})")
    return text
