"""What clients send. Fields that this service does not know are tolerated, as chat clients send many."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from retrieval.types import Filters

MAX_TEXT = 100_000
Text = Annotated[str, Field(max_length=MAX_TEXT)]
"""Pydantic finds half of a surrogate pair, which UTF-8 cannot carry, only in a string that is bounded."""


class TextPart(BaseModel):
    model_config = ConfigDict(extra="allow")

    type: Text
    text: Text | None = None


def _form(content: Any) -> str | None:
    return "text" if isinstance(content, str) else "parts" if isinstance(content, list) else None


Content = Annotated[
    Annotated[Text, Tag("text")] | Annotated[list[TextPart], Tag("parts")],
    Discriminator(
        _form, custom_error_type="content_form", custom_error_message="Input should be text or a list of text parts"
    ),
]
"""Told apart by hand, so that a refusal is about the form that was sent."""


class Message(BaseModel):
    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Content | None = None


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="allow")

    include_usage: bool = False


class TextFilters(Filters):
    documents: tuple[Text, ...] | None = None
    source: Text | None = None
    media_type: Text | None = None


class Extension(BaseModel):
    """This service's own wishes beside the standard ones, in the request's `crag` object."""

    model_config = ConfigDict(extra="forbid")

    trace: bool = False
    """Give the path through the graph and the evidence too."""
    filters: TextFilters | None = None


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
    filters: TextFilters | None = None
