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


def _model_options(does: str, whose: str) -> Callable[[Command], Command]:
    def added(command: Command) -> Command:
        for option in (
            click.option(
                "--judge-file", type=click.Path(path_type=Path), metavar="FILE", help=f"YAML with {whose} settings."
            ),
            click.option(
                "--judge-url", metavar="URL", help=f"{whose.capitalize()} endpoint (OPENAI_BASE_URL by default)."
            ),
            click.option("--judge", metavar="MODEL", help=f"Language model that {does} (CRAG_JUDGE_MODEL by default)."),
        ):
            command = option(command)
        return command

    return added


judge_options = _model_options("judges", "the judge's")
drafter_options = _model_options("drafts the questions", "that model's")


def judge_settings(settings: dict[str, Any]) -> JudgeConfig | None:
    """Take the judge's options out of `settings`. Raises ConfigError."""
    options = {"model": settings.pop("judge"), "base_url": settings.pop("judge_url")}
    return judge_config(options, settings.pop("judge_file"))
