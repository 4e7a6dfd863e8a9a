"""Language models by name. `auto` is resolved by the front door before it comes here."""

from __future__ import annotations

from collections.abc import Callable

from chunking.errors import ConfigError
from graph.config import GenerationConfig
from graph.llms.base import ChatModel, Generator, LanguageModel
from graph.llms.extractive import ExtractiveGenerator
from graph.llms.openai import openai_model

LLMS: dict[str, Callable[[GenerationConfig], LanguageModel]] = {
    "extractive": lambda config: LanguageModel(ExtractiveGenerator()),
    "openai": openai_model,
}


def build_llm(config: GenerationConfig) -> LanguageModel:
    """The provider that `config` names. Raises ConfigError."""
    if config.provider not in LLMS:
        raise ConfigError(f"generation.provider {config.provider!r} is unknown: choose one of {', '.join(LLMS)}.")
    return LLMS[config.provider](config)


__all__ = ["LLMS", "ChatModel", "Generator", "LanguageModel", "build_llm"]
