"""What writes answers (`Generator`) and what answers side questions (`ChatModel`)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypedDict

from chunking.errors import ProviderError
from graph.config import GenerationConfig
from graph.evidence import Source
from graph.types import Language, Turn, Usage


class Message(TypedDict):
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """One answer to write. `question` is as asked, `standalone` with what it refers to spelled out."""

    question: str
    standalone: str
    language: Language
    sources: Sequence[Source]
    config: GenerationConfig
    history: Sequence[Turn] = ()
    missing: Sequence[str] = ()
    """Parts of the question that the sources likely do not answer."""
    text_of: Callable[[str], str] = field(default=lambda document: "")
    """The text of the document of this id, "" where it is not at hand. Blocking. Raises StoreError."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Of a list or a table, `told` of `total` items or rows were said; the others stand where `source` (number) is."""

    told: int
    total: int
    source: int


class LengthError(ProviderError):
    """A model wrote as much as it was allowed to, and was not done."""


class Generator(Protocol):
    name: str

    def prompt(self, request: Request) -> Sequence[Message]:
        """What the model is going to be sent; nothing where no model is asked."""
        ...

    def generate(self, request: Request) -> AsyncGenerator[str | Usage | Rest, None]:
        """Pieces of an answer that cites sources as ``[number]``, the usage of each model call, and what a list lacks.

        Nothing of it is trusted: the caller checks each sentence. Raises ProviderError, also in mid-stream, and
        LengthError at ``request.config.max_tokens``.
        """
        ...

    async def aclose(self) -> None: ...


class ChatModel(Protocol):
    name: str

    async def ask_json(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any], max_tokens: int
    ) -> tuple[dict[str, Any] | None, Usage]:
        """An object of `schema` (JSON schema), None where the model did not give one. Raises ProviderError."""
        ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """What a provider offers: `chat` is None where it can only write answers."""

    generator: Generator
    chat: ChatModel | None = None
