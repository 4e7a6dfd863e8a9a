"""Language models by name. `auto` is resolved by the front door before it comes here."""

from __future__ import annotations

from collections.abc import Callable

from chunking.errors import ConfigError
from graph.config import GenerationConfig, GradingConfig
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


WRITER = "generation"
"""The value of `grading.model` that names the model which writes the answers."""


def build_model_grader(grading: GradingConfig, generation: GenerationConfig, writer: LanguageModel) -> ChatModel | None:
    """The model that `grading.model` names, None where it names none; `writer` is what `generation` built.

    Raises ConfigError where no language model is configured.
    """
    if grading.model is None:
        return None
    if writer.chat is None:
        raise ConfigError(
            f"grading.model {grading.model!r} needs a language model: set OPENAI_API_KEY or OPENAI_BASE_URL and "
            "generation.model, or leave grading.model out."
        )
    if grading.model == WRITER:
        return writer.chat
    return build_llm(generation.model_copy(update={"model": grading.model})).chat


__all__ = ["LLMS", "ChatModel", "Generator", "LanguageModel", "build_llm", "build_model_grader"]
