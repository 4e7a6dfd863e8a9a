"""Which language model judges, and how it is asked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from chunking.errors import ConfigError
from eval.complaints import complaint

OPENAI = "https://api.openai.com/v1"


class JudgeConfig(BaseModel):
    """Secrets come from the environment only; everything else is part of the cache key and of the manifest."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(min_length=1)
    base_url: str = OPENAI
    api_key_env: str = "OPENAI_API_KEY"
    mode: Literal["json", "json_schema", "tools"] = "json"
    """How the endpoint is asked for structure: JSON mode with the schema in the prompt (as Ragas does), a schema that
    constrains decoding (vLLM, llama.cpp, OpenAI), or a tool call."""
    temperature: float = Field(default=0.0, ge=0, le=2)
    top_p: float = Field(default=0.1, gt=0, le=1)
    """Ragas' own default."""
    max_tokens: int = Field(default=4096, ge=64, le=131_072)
    extra: dict[str, Any] = Field(default_factory=dict)
    """Further parameters of a chat completion, e.g. ``seed``."""
    attempts: int = Field(default=2, ge=1, le=10)
    """Requests for one reply when what comes back does not fit the schema."""
    timeout: float = Field(default=60.0, gt=0, le=3600)
    retries: int = Field(default=3, ge=0, le=20)
    """Of a request that timed out, was refused for its rate (429) or hit a server error."""
    concurrency: int = Field(default=8, ge=1, le=256)

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, url: str) -> str:
        try:
            parts = urlsplit(url)
            usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        except ValueError:
            usable = False
        if not usable:
            raise ValueError(f"{url!r} is no address of an endpoint: give one like 'http://127.0.0.1:8000/v1'")
        return url

    @property
    def parameters(self) -> dict[str, Any]:
        """What is sent along with each prompt."""
        named = {name: getattr(self, name) for name in ("temperature", "top_p", "max_tokens", "mode")}
        return {**named, **self.extra}


NAME_A_JUDGE = "give --judge MODEL, or set CRAG_JUDGE_MODEL"


def judge_config(options: Mapping[str, Any] | None = None, file: str | Path | None = None) -> JudgeConfig | None:
    """Options over a YAML file over CRAG_JUDGE_MODEL, CRAG_JUDGE_MODE and OPENAI_BASE_URL; None when no model is named.

    Raises ConfigError for a bad file or value, and when OpenAI itself is to be asked without a key.
    """
    environment = {"model": "CRAG_JUDGE_MODEL", "mode": "CRAG_JUDGE_MODE", "base_url": "OPENAI_BASE_URL"}
    values: dict[str, Any] = {key: os.environ[name] for key, name in environment.items() if os.environ.get(name)}
    if file is not None:
        try:
            loaded = yaml.safe_load(Path(file).read_text(encoding="utf-8")) or {}
        except OSError as error:
            raise ConfigError(
                f"The judge file {file} cannot be read ({error.strerror}): correct --judge-file."
            ) from None
        except (UnicodeDecodeError, yaml.YAMLError) as error:
            raise ConfigError(f"The judge file {file} is not YAML: {' '.join(str(error).split())}.") from None
        if not isinstance(loaded, dict):
            raise ConfigError(f"The judge file {file} must hold keys and values, e.g. 'model: gpt-4o-mini'.")
        values |= loaded
    values |= {key: value for key, value in (options or {}).items() if value is not None}
    if not values.get("model"):
        return None
    try:
        config = JudgeConfig.model_validate(values)
    except ValidationError as error:
        where = f"The judge file {file}" if file else "The judge"
        told = complaint(error, lambda _: list(JudgeConfig.model_fields))
        raise ConfigError(f"{where}, {told}") from None
    if config.base_url.rstrip("/") == OPENAI and not os.environ.get(config.api_key_env):
        raise ConfigError(
            f"The judge {config.model} needs a key: set {config.api_key_env}, or OPENAI_BASE_URL for another endpoint."
        )
    return config
