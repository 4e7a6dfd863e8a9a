"""The README's commands are the program's: each one parses, and the help it shows is the help there is."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from crag.cli import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line.strip()
    for block in re.findall(r"```bash\n(.*?)```", README, flags=re.DOTALL)
    for line in block.splitlines()
    if line.startswith("crag ")
]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_readme_parses(line: str) -> None:
    command: click.Command = cli
    words = shlex.split(line)[1:]
    while isinstance(command, click.Group):
        name = words.pop(0)
        found = command.get_command(click.Context(command), name)
        assert found is not None, f"no command {name}"
        command = found
    command.make_context(line, words)


def test_there_are_commands_in_the_readme() -> None:
    assert len(COMMANDS) >= 8


def test_the_help_in_the_readme_is_the_programs() -> None:
    shown = re.search(r"```text\n\$ crag --help\n(.*?)```", README, flags=re.DOTALL)
    environment = {**os.environ, "COLUMNS": "80"}
    command = [sys.executable, "-m", "crag", "--help"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert shown is not None
    assert shown[1].strip() == ran.stdout.strip()


def test_the_readmes_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert target.startswith("http") or (ROOT / target).exists(), target
