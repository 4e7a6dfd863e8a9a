"""Promises that hold for the whole command tree."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from crag.cli import cli


def leaves(command: click.Command, context: click.Context, path: str = "") -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield path.strip(), command
        return
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        assert child is not None
        yield from leaves(child, context, f"{path} {name}")


def groups(command: click.Command, context: click.Context, path: str = "crag") -> Iterator[tuple[str, click.Group]]:
    if isinstance(command, click.Group):
        yield path, command
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from groups(child, context, f"{path} {name}")


GROUPS = dict(groups(cli, click.Context(cli)))
COMMANDS = dict(leaves(cli, click.Context(cli)))


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_takes_home_and_explains_itself(path: str) -> None:
    command = COMMANDS[path]
    assert "home" in {parameter.name for parameter in command.params}
    assert command.help or command.short_help


@pytest.mark.parametrize("path", GROUPS)
def test_no_line_of_a_list_of_commands_breaks_off(path: str) -> None:
    shown = GROUPS[path].get_help(click.Context(GROUPS[path], info_name=path, terminal_width=80))
    assert "Commands:" in shown
    assert "..." not in shown.partition("Commands:")[2]


def test_serve_says_both_ways_to_make_a_key() -> None:
    (host,) = [each for each in COMMANDS["serve"].params if each.name == "host"]
    assert isinstance(host, click.Option)
    assert host.help
    assert all(way in host.help for way in ("crag keys add", "CRAG_API_KEY"))
