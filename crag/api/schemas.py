"""What clients send. Fields that this service does not know are tolerated, as chat clients send many."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from retrieval.types import Filters

MAX_TEXT = 100_000


class TextPart(BaseModel):
    model_config = ConfigDict(extra="allow")

    type: str
    text: str | None = Field(default=None, max_length=MAX_TEXT)


class Message(BaseModel):
    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[TextPart] | None = None


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="allow")

    include_usage: bool = False


class Extension(BaseModel):
    """This service's own wishes beside the standard ones, in the request's `crag` object."""

    model_config = ConfigDict(extra="forbid")

    trace: bool = False
    """Give the path through the graph and the evidence too."""
    filters: Filters | None = None


class ChatRequest(BaseModel):
    model_config = ConfigDict(extra="allow")

    model: str = Field(max_length=200)
    messages: list[Message] = Field(min_length=1, max_length=500)
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: int | None = None
    tools: list[Any] | None = None
    functions: list[Any] | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    user: str | None = Field(default=None, max_length=512)
    crag: Extension = Extension()


class SearchRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    question: str = Field(min_length=1, max_length=MAX_TEXT)
    pipeline: str | None = Field(default=None, max_length=200)
    top_k: int | None = Field(default=None, ge=1, le=200)
    filters: Filters | None = None
