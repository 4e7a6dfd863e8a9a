"""How a failure is told: one sentence on stderr, or one JSON object with ``--json``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from chunking.errors import CragError
from crag.settings import home_folder


def misplaced(error: click.ClickException) -> str | None:
    """What to write where a group was given an option that its commands take."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None or not isinstance(error.ctx.command, click.Group):
        return None
    group, path = error.ctx.command, error.ctx.command_path
    for name in group.list_commands(error.ctx):
        command = group.get_command(error.ctx, name)
        if command and any(error.option_name in parameter.opts for parameter in command.params):
            return f"{error.option_name} goes after the command: {path} {name} {error.option_name} ..."
    return None


def report(error: CragError, *, as_json: bool) -> int:
    """Tell of an error of our own tree and give back its exit code."""
    _tell(error.kind, " ".join(str(error).split()), as_json=as_json)
    return error.exit_code


def report_unexpected(error: Exception, *, as_json: bool) -> int:
    """Tell of an error that nobody foresaw: the sentence says where the traceback was written. Exit code 1."""
    log = _log(error)
    cause = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    _tell("internal_error", f"Something unforeseen failed ({cause}); the details are in {log}.", as_json=as_json)
    return 1


def _tell(kind: str, message: str, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"error": {"type": kind, "message": message}}, ensure_ascii=False), err=True)
    else:
        click.secho("Error: ", fg="red", bold=True, err=True, nl=False)
        click.echo(message, err=True)


def _log(error: Exception) -> Path:
    """Append the traceback to crag.log of the workspace, or of the temporary folder where there is none."""
    import tempfile
    import time
    import traceback

    entry = (
        f"--- {time.strftime('%Y-%m-%dT%H:%M:%S%z')} pid {os.getpid()}\n{''.join(traceback.format_exception(error))}"
    )
    home = home_folder(_home_argument())
    for folder in (home if home.is_dir() else Path(tempfile.gettempdir()), Path(tempfile.gettempdir())):
        try:
            with (folder / "crag.log").open("a", encoding="utf-8") as log:
                log.write(entry)
            return folder / "crag.log"
        except OSError:
            continue
    return Path(os.devnull)


def _home_argument() -> str | None:
    context = click.get_current_context(silent=True)
    return context.params.get("home") if context else None
