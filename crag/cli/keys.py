"""`crag keys`: the keys that a server of this workspace asks for."""

from __future__ import annotations

import time
from pathlib import Path

import click

from crag.api.keys import FILE, add_key, read_keys, remove_key
from crag.cli.options import console, counted, home_option, json_option, print_json


@click.group()
def keys() -> None:
    """Make, list or remove the keys that clients must send."""


@keys.command()
@click.argument("name")
@home_option
@json_option
def add(name: str, home: Path, as_json: bool) -> None:
    """Make a key for NAME, a person or a program. It is printed this once: only its digest is kept."""
    first = not read_keys(home / FILE)
    key = add_key(home, name)
    if as_json:
        print_json({"name": name, "key": key})
        return
    click.echo(key)
    click.echo(f"That is the key of {name}: it is not shown again.", err=True)
    if first:
        click.echo("A running server asks for a key from now on, also on this machine and on the page.", err=True)


@keys.command("list")
@home_option
@json_option
def list_keys(home: Path, as_json: bool) -> None:
    """List the names of the keys and when they were made."""
    entries = [{"name": entry["name"], "created": entry["created"]} for entry in read_keys(home / FILE)]
    if as_json:
        print_json({"keys": entries})
        return
    from crag.cli.render import print_rows

    rows = [(entry["name"], time.strftime("%Y-%m-%d %H:%M", time.localtime(entry["created"]))) for entry in entries]
    print_rows(console(), ("name", "made"), rows)
    click.echo(f"{counted(len(entries), 'key')}.")


@keys.command()
@click.argument("name")
@home_option
@json_option
def remove(name: str, home: Path, as_json: bool) -> None:
    """Remove the key of NAME: a running server refuses it at once.

    Where it was the last one, the server goes on asking for a key until it is restarted.
    """
    left = remove_key(home, name)
    if as_json:
        print_json({"removed": name, "left": left})
        return
    click.echo(f"Removed the key of {name}.")
    if not left:
        click.echo(
            "It was the last one. A running server goes on asking for a key, so that it opens to nobody unasked: "
            "restart it to do without, or make another with 'crag keys add NAME'.",
            err=True,
        )
