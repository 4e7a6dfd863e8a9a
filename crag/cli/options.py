"""Options that several commands share, and the two ways of output: JSON for programs, text for people."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from crag.settings import DEFAULT_HOME, DEFAULT_PIPELINE, HOME, home_folder

if TYPE_CHECKING:
    from rich.console import Console

    from retrieval.types import Filters

Command = TypeVar("Command", bound=Callable[..., Any])


_GIVEN = "crag.cli.options.home"


def _home(ctx: click.Context, param: click.Parameter, value: str | None) -> Path:
    _given(ctx, param, value)
    return home_folder(value)


def _given(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    ctx.meta[_GIVEN] = value


def home_again() -> str:
    """`` --home FOLDER`` where the command was given one: for the end of a command that it tells to go on with."""
    given = click.get_current_context().meta.get(_GIVEN)
    return f" --home {shlex.quote(given)}" if given else ""


def home_option(command: Command) -> Command:
    return click.option(
        "--home",
        metavar="FOLDER",
        callback=_home,
        help=f"Workspace folder ({HOME}; {DEFAULT_HOME} by default).",
    )(command)


def unused_home_option(command: Command) -> Command:
    """For commands that need no workspace: every command takes ``--home``, so that a script can pass it to all."""
    return click.option("--home", metavar="FOLDER", callback=_given, expose_value=False, hidden=True)(command)


def collection_option(help: str) -> Callable[[Command], Command]:
    def checked(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        from retrieval.types import check_collection

        return value if value is None else check_collection(value)

    return click.option("--collection", metavar="NAME", callback=checked, help=help)


FILTERS = ("collection", "documents", "source", "title", "media_type", "date_from", "date_to")


def filter_options(command: Command) -> Command:
    """``--collection`` and ``--filter KEY=VALUE``, which the command receives as `filters`."""

    def built(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> Any:
        return _filters(ctx.params.pop("collection"), values)

    command = click.option(
        "--filter",
        "filters",
        metavar="KEY=VALUE",
        multiple=True,
        callback=built,
        help=f"Search only where this holds; may be repeated. Keys: {', '.join(FILTERS)}.",
    )(command)
    return click.option(
        "--collection",
        metavar="NAME",
        is_eager=True,
        help="Collection to search, '*' for all (the pipeline's by default).",
    )(command)


def _filters(collection: str | None, pairs: Sequence[str]) -> Filters | None:
    from pydantic import ValidationError

    from chunking.errors import ConfigError
    from retrieval.types import Filters

    given: dict[str, Any] = {} if collection is None else {"collection": collection}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or key not in FILTERS:
            raise click.UsageError(f"--filter takes KEY=VALUE with one of {', '.join(FILTERS)}, not {pair[:80]!r}.")
        if key == "documents":
            given[key] = (*given.get(key, ()), *value.split(","))
        elif key in given:
            raise click.UsageError(f"--filter names {key} twice.")
        else:
            given[key] = value
    try:
        return Filters(**given) if given else None
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        raise ConfigError(f"--filter {problem['loc'][0]}: {problem['msg']}: give a day like 2026-01-31.") from error


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")(command)


def pipeline_option(command: Command) -> Command:
    return click.option(
        "--pipeline",
        metavar="P",
        default=DEFAULT_PIPELINE,
        show_default=True,
        help="Shipped pipeline name, or the path of a pipeline file.",
    )(command)


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def console(*, err: bool = False) -> Console:
    """A terminal to print on: colours only where a person looks, and no markup read out of documents."""
    from rich.console import Console

    stream = sys.stderr if err else sys.stdout
    width = None if stream.isatty() else 120
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False, soft_wrap=False)


def counted(number: int, noun: str) -> str:
    """``1 chunk``, ``2 chunks``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def shown_path(path: Path) -> str:
    """A path as a person would write it from here."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
