"""Web search providers by name. `none` is the absence of one."""

from __future__ import annotations

from collections.abc import Callable

from chunking.errors import ConfigError
from graph.config import WebConfig
from graph.web.base import WebPage, WebSearch
from graph.web.tavily import TavilySearch

WEB: dict[str, Callable[[WebConfig], WebSearch]] = {"tavily": TavilySearch}


def build_web(config: WebConfig) -> WebSearch | None:
    """The provider that `config` names, None for ``none``. Raises ConfigError."""
    if config.provider == "none":
        return None
    if config.provider not in WEB:
        raise ConfigError(f"web.provider {config.provider!r} is unknown: choose none or one of {', '.join(WEB)}.")
    return WEB[config.provider](config)


__all__ = ["WEB", "WebPage", "WebSearch", "build_web"]
