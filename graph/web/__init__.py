"""Web search providers by name. `none` is the absence of one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from chunking.errors import ConfigError
from graph.config import WebConfig
from graph.web.base import WebPage, WebSearch
from graph.web.cache import PageCache
from graph.web.door import Door
from graph.web.searxng import SearxngSearch
from graph.web.tavily import TavilySearch

WEB: dict[str, Callable[[WebConfig], WebSearch]] = {"tavily": TavilySearch, "searxng": SearxngSearch}

SWITCH = "CRAG_WEB"
"""Variable that forbids every web search, whatever a pipeline file says: `off`, `0`, `no` or `false`."""


def forbidden() -> bool:
    return os.environ.get(SWITCH, "").strip().lower() in ("off", "0", "no", "false")


def build_web(config: WebConfig, cache: Path | None = None) -> WebSearch | None:
    """The provider that `config` names, None for ``none`` and where CRAG_WEB=off forbids it. Raises ConfigError.

    `cache` is a file for what was found lately, or None.
    """
    if config.provider == "none" or forbidden():
        return None
    if config.provider not in WEB:
        raise ConfigError(f"web.provider {config.provider!r} is unknown: choose none or one of {', '.join(WEB)}.")
    lifetime, bound = config.cache_hours * 3600, config.cache_megabytes << 20
    kept = PageCache(cache, lifetime=lifetime, max_bytes=bound) if cache is not None and config.cache_hours else None
    return Door(WEB[config.provider](config), config, kept)


__all__ = ["SWITCH", "WEB", "WebPage", "WebSearch", "build_web", "forbidden"]
