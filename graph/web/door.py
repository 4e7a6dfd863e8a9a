"""The one door to the web: what was found lately is answered from disk, everything else is logged and goes out."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from dataclasses import replace
from datetime import UTC, datetime

from graph.config import WebConfig
from graph.web.base import WebPage, WebSearch
from graph.web.cache import PageCache

logger = logging.getLogger(__name__)


class Door:
    """A `WebSearch` around a provider's. With `cache` None every query goes out."""

    def __init__(self, provider: WebSearch, config: WebConfig, cache: PageCache | None) -> None:
        self.name = provider.name
        self._provider = provider
        self._cache = cache
        # Whatever changes what is found: the section of another pipeline must not be served this one's pages.
        asked = config.model_dump_json(exclude={"timeout", "cache_hours", "cache_megabytes"})
        self._scope = f"{self.name}\0{asked}"

    async def search(self, query: str) -> list[WebPage]:
        key = hashlib.sha256(f"{self._scope}\0{query}".encode("utf-8", "replace")).digest()
        if self._cache is not None and (known := await asyncio.to_thread(self._cache.get, key)):
            return known
        logger.info("web search with %s: %r", self.name, query)
        today = datetime.now(UTC).date().isoformat()
        pages = [replace(page, accessed=today) for page in await self._provider.search(query)]
        # An empty result may be the engine's bad moment.
        if self._cache is not None and pages:
            await asyncio.to_thread(self._cache.put, key, pages)
        return pages

    async def aclose(self) -> None:
        await self._provider.aclose()
        if self._cache is not None:
            self._cache.close()
