"""What Python callers give to `Crag`, checked: one sentence says what is wrong, before anything runs."""

from __future__ import annotations

import asyncio
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast, get_args

from pydantic import ValidationError

from chunking.errors import ConfigError
from graph.types import Turn
from retrieval.types import Filters

_ROLES = get_args(get_args(Turn)[0])


def read_question(given: object) -> str:
    if not isinstance(given, str):
        raise ConfigError(f"The question must be a string, not {type(given).__name__}.")
    return given


def read_history(given: Iterable[object]) -> tuple[Turn, ...]:
    """Turns as pairs of role and text, or as the messages of a chat API. Raises ConfigError for what is neither."""
    return tuple(_turn(each) for each in given)


def read_filters(given: Filters | Mapping[str, Any] | None) -> Filters | None:
    """Filters, or a mapping of their fields. Raises ConfigError for a field or value that there is not."""
    if given is None or isinstance(given, Filters):
        return given
    try:
        return Filters.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, ("filters", *first["loc"])))
        known = ", ".join(Filters.model_fields)
        raise ConfigError(f"{where}: {first['msg']}; the filters are {known}.") from error


def read_top_k(given: int | None) -> int | None:
    if given is not None and given < 1:
        raise ConfigError(f"top_k must be at least 1, not {given}.")
    return given


def read_paths(given: str | Path | Sequence[str | Path]) -> list[Path]:
    """One path, or several: a string is one, not a sequence of letters."""
    return [Path(each) for each in ([given] if isinstance(given, str | Path) else given)]


def warn_inside_a_loop(name: str) -> None:
    """Warn whoever called the caller that it blocks the event loop which runs there.

    Not where a person types (``sys.ps1``, which notebooks set too): a loop runs behind each cell, and waits anyway.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    if not hasattr(sys, "ps1"):
        message = f"Crag.{name} blocks the event loop that runs here, and all that waits in it: await Crag.a{name}."
        warnings.warn(message, RuntimeWarning, stacklevel=3)


def _turn(given: object) -> Turn:
    turn: tuple[object, ...] = ()
    if isinstance(given, Mapping):
        turn = (given.get("role"), given.get("content"))
    elif isinstance(given, Sequence) and not isinstance(given, str):
        turn = tuple(given)
    if len(turn) != 2 or turn[0] not in _ROLES or not isinstance(turn[1], str):
        raise ConfigError(
            f"history: a turn is a pair of role ({', '.join(_ROLES)}) and text, like ('user', 'How often?'), "
            f"not {str(given)[:100]!r}."
        )
    return cast(Turn, turn)
