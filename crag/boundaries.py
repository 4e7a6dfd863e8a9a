"""The `llm` chunking strategy's model: the pipeline's own language model, asked from synchronous code."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from chunking.errors import ConfigError, ProviderError

if TYPE_CHECKING:
    from graph.config import GenerationConfig
    from graph.llms.base import LanguageModel

_AT_ONCE = 4
_MAX_TOKENS = 2048
"""Of one reply: some eighty boundaries."""


class ChatBoundaries:
    """A `chunking.strategies.base.BoundaryModel`. Lazy: searching an index that a model has cut builds none.

    `mark` raises ConfigError where the pipeline resolves to no model that can be asked; a call that fails is a value.
    """

    def __init__(self, generation: Callable[[], GenerationConfig]) -> None:
        """`generation` gives the pipeline's section without `auto`, see `crag.auto.resolve`."""
        self._generation = generation

    def mark(
        self, instructions: str, texts: Sequence[str], schema: Mapping[str, Any]
    ) -> list[Mapping[str, Any] | ProviderError | None]:
        model = self._model()
        # A loop may be running in this thread already, and a client belongs to one loop.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, _ask_all(model, instructions, texts, schema)).result()

    def _model(self) -> LanguageModel:
        from graph.llms import build_llm

        model = build_llm(self._generation())
        if model.chat is None:
            raise ConfigError(
                "chunking.strategy 'llm' needs a language model: set OPENAI_API_KEY or OPENAI_BASE_URL and "
                "CRAG_CHAT_MODEL, or set chunking.strategy to 'hybrid'."
            )
        return model


async def _ask_all(
    model: LanguageModel, instructions: str, texts: Sequence[str], schema: Mapping[str, Any]
) -> list[Mapping[str, Any] | ProviderError | None]:
    chat = model.chat
    assert chat is not None
    room = asyncio.Semaphore(_AT_ONCE)

    async def ask(text: str) -> Mapping[str, Any] | ProviderError | None:
        async with room:
            try:
                reply, _ = await chat.ask_json(
                    [{"role": "system", "content": instructions}, {"role": "user", "content": text}],
                    schema=schema,
                    max_tokens=_MAX_TOKENS,
                )
            except ProviderError as error:
                return error
            return reply

    try:
        return await asyncio.gather(*map(ask, texts))
    finally:
        await model.generator.aclose()
