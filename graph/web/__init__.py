"""Web search providers by name. `none` is the absence of one."""

from __future__ import annotations

import os
from collections.abc import Callable

from chunking.errors import ConfigError
from graph.config import WebConfig
from graph.web.base import WebPage, WebSearch
from graph.web.searxng import SearxngSearch
from graph.web.tavily import TavilySearch

WEB: dict[str, Callable[[WebConfig], WebSearch]] = {"tavily": TavilySearch, "searxng": SearxngSearch}

SWITCH = "CRAG_WEB"
"""Variable that forbids every web search, whatever a pipeline file says: `off`, `0`, `no` or `false`."""


def forbidden() -> bool:
    return os.environ.get(SWITCH, "").strip().lower() in ("off", "0", "no", "false")


def build_web(config: WebConfig) -> WebSearch | None:
    """The provider that `config` names, None for ``none`` and where CRAG_WEB=off forbids it. Raises ConfigError."""
    if config.provider == "none" or forbidden():
        return None
    if config.provider not in WEB:
        raise ConfigError(f"web.provider {config.provider!r} is unknown: choose none or one of {', '.join(WEB)}.")
    return WEB[config.provider](config)


__all__ = ["SWITCH", "WEB", "WebPage", "WebSearch", "build_web", "forbidden"]
