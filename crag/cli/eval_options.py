"""Options that several of the evaluation's commands take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from eval.judge_config import JudgeConfig, judge_config

Command = TypeVar("Command", bound=Callable[..., Any])


missing_option = click.option(
    "--allow-missing-evidence", is_flag=True, help="Score although spans of the suite are not in its documents."
)


def judge_options(command: Command) -> Command:
    for option in (
        click.option(
            "--judge-file", type=click.Path(path_type=Path), metavar="FILE", help="YAML with the judge's settings."
        ),
        click.option("--judge-url", metavar="URL", help="The judge's endpoint (OPENAI_BASE_URL by default)."),
        click.option("--judge", metavar="MODEL", help="Language model that judges (CRAG_JUDGE_MODEL by default)."),
    ):
        command = option(command)
    return command


def judge_settings(settings: dict[str, Any]) -> JudgeConfig | None:
    """Take the judge's options out of `settings`. Raises ConfigError."""
    options = {"model": settings.pop("judge"), "base_url": settings.pop("judge_url")}
    return judge_config(options, settings.pop("judge_file"))
