"""What clients send, and the forms of what they get, for the OpenAPI description.

Chat requests may hold fields that this service does not know, as chat clients send many; other requests may not.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator

from retrieval.types import Filters

MAX_QUESTION = 10_000
"""Characters of a question: it is searched for and read sentence by sentence. What came before it may be longer."""
MAX_TEXT = 100_000
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
Text = Annotated[str, Field(max_length=MAX_TEXT)]
"""Pydantic finds half of a surrogate pair, which UTF-8 cannot carry, only in a string that is bounded."""


class TextPart(BaseModel):
    model_config = ConfigDict(extra="allow")

    type: Text
    text: Text | None = None
    refusal: Text | None = None


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

    include_usage: bool | None = None


class TextFilters(Filters):
    collection: Text | None = None
    documents: tuple[Text, ...] | None = None
    source: Text | None = None
    title: Text | None = None
    media_type: Text | None = None

    @field_validator("date_from", "date_to", mode="before")
    @classmethod
    def _day(cls, value: Any) -> Any:
        # Pydantic would take a number, in digits too, for seconds since 1970.
        if value is not None and not (isinstance(value, str) and _DAY.fullmatch(value)):
            raise ValueError("Input should be a day like 2026-11-30")
        return value


class Extension(BaseModel):
    """This service's own wishes beside the standard ones, in the request's `crag` object."""

    model_config = ConfigDict(extra="forbid")

    trace: bool = False
    """Give the path through the graph and the evidence too."""
    filters: TextFilters | None = None


class ChatRequest(BaseModel):
    model_config = ConfigDict(extra="allow")

    model: str = Field(max_length=200)
    messages: list[Message] = Field(min_length=1, max_length=10_000)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: int | None = None
    tools: list[Any] | None = None
    tool_choice: Any = None
    functions: list[Any] | None = None
    function_call: Any = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    stop: Annotated[str, Field(max_length=1000)] | list[Annotated[str, Field(max_length=1000)]] | None = None
    response_format: dict[str, Any] | None = None
    user: str | None = Field(default=None, max_length=512)
    crag: Extension | None = None


class SearchRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    question: str = Field(min_length=1, max_length=MAX_QUESTION)
    pipeline: str | None = Field(default=None, max_length=200)
    top_k: int | None = Field(default=None, ge=1, le=200)
    filters: TextFilters | None = None


class FeedbackRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    answer: str = Field(min_length=1, max_length=100)
    """Id of the completion."""
    rating: Literal["up", "down"]
    comment: str | None = Field(default=None, max_length=10_000)


DocumentId = Annotated[str, Path(max_length=1000, description="Id or source of a document.")]


class _Shown(BaseModel):
    """A reply. It may gain fields, never lose one."""

    model_config = ConfigDict(extra="allow")


class Document(_Shown):
    id: str
    source: str
    title: str
    media_type: str
    content_hash: str
    characters: int
    notes: list[str]
    ingested_at: str
    collection: str
    date: str
    uploaded: bool


class DocumentList(_Shown):
    object: Literal["list"]
    data: list[Document]
    total: int


class Collection(_Shown):
    object: Literal["collection"]
    id: str
    documents: int


class CollectionList(_Shown):
    object: Literal["list"]
    data: list[Collection]


class CollectionDeleted(_Shown):
    object: Literal["collection"]
    id: str
    documents: int
    deleted: Literal[True]


class Block(_Shown):
    kind: str
    start: int
    end: int
    page: int | None


class DocumentText(Document):
    text: str
    blocks: list[Block]


class Deleted(_Shown):
    object: Literal["document"]
    id: str
    source: str
    deleted: Literal[True]


class JobFile(_Shown):
    name: str
    bytes: int
    status: Literal["waiting", "reading", "read", "skipped", "added", "updated", "unchanged"]
    reason: str | None
    document: str | None


class Skipped(_Shown):
    path: str
    reason: str
    code: str
    """Why in one word, see `CragError`."""
    kept: bool
    """Whether the version that was taken in before stays."""


class Fault(_Shown):
    message: str
    type: str


class Job(_Shown):
    object: Literal["job"]
    id: str
    status: Literal["queued", "running", "done", "failed"]
    stage: Literal["queued", "reading", "indexing", "done"]
    created: int
    finished: int | None
    collection: str
    files: list[JobFile]
    total: int
    done: int
    added: int
    updated: int
    unchanged: int
    skipped: list[Skipped]
    chunks: int
    seconds: float
    error: Fault | None


class JobList(_Shown):
    object: Literal["list"]
    data: list[Job]
    total: int


class Found(_Shown):
    question: str
    hits: list[dict[str, Any]]
    degraded: list[dict[str, Any]]


class Feedback(_Shown):
    object: Literal["feedback"]
    answer: str
    rating: Literal["up", "down"]
    comment: str | None
    created: int


class FeedbackList(_Shown):
    object: Literal["list"]
    data: list[Feedback]
    total: int


class Eval(_Shown):
    object: Literal["eval.run", "eval.report"]
    id: str
    name: str


class EvalList(_Shown):
    object: Literal["list"]
    enabled: bool
    data: list[Eval]
    total: int


class ReportLink(_Shown):
    url: str


class Model(_Shown):
    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    crag: dict[str, Any]


class ModelList(_Shown):
    object: Literal["list"]
    data: list[Model]


class Choice(_Shown):
    index: int
    message: dict[str, Any]
    finish_reason: Literal["stop", "length"]


class Completion(_Shown):
    """As OpenAI's, with the answer's own fields in `crag`. Streamed, it comes as server-sent events."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[Choice]
    usage: dict[str, Any]
    crag: dict[str, Any]
