"""The first mistake of a settings file in words: where it is, what it is, and which key was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence

from pydantic import ValidationError

Keys = Callable[[tuple[int | str, ...]], Sequence[str]]
"""The keys that may stand at a place in the file, the top being ``()``."""


def complaint(error: ValidationError, keys: Keys) -> str:
    """A sentence with its end; unknown keys come first."""
    first = min(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    place = ".".join(str(part) for part in first["loc"]) or "top level"
    if first["type"] == "extra_forbidden":
        *above, key = first["loc"]
        known = keys(tuple(above))
        near = difflib.get_close_matches(str(key), known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}."
        return f"{place}: unknown key {key!r}: {hint}"
    message = first["msg"].removeprefix("Value error, ")
    return f"{place}: {message[:1].lower()}{message[1:]}."
