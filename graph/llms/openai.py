"""Any endpoint that speaks OpenAI's chat completions, through the openai client."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from chunking.errors import ConfigError, ProviderError
from graph.config import GenerationConfig
from graph.llms.base import LanguageModel, LengthError, Message, Request
from graph.llms.opening import Opening
from graph.loops import PerLoop
from graph.prompts import answer_messages
from graph.types import Usage

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import CompletionUsage

MAX_RETRIES = 2
"""Of the client: on 408, 409, 429, 5xx and broken connections, with exponential back-off and Retry-After."""

CHARACTERS = 16
"""Of a token at most, on average: beyond that an endpoint does not keep to `max_tokens` and is cut."""


def openai_model(config: GenerationConfig) -> LanguageModel:
    """Writes answers and answers side questions. Raises ConfigError where the model or the key is not named."""
    model = OpenAIModel(config)
    return LanguageModel(model, model)


class OpenAIModel:
    def __init__(self, config: GenerationConfig) -> None:
        model = config.model or os.environ.get("CRAG_CHAT_MODEL")
        if not model:
            raise ConfigError("generation.provider openai needs a model: set generation.model or CRAG_CHAT_MODEL.")
        url = config.base_url or os.environ.get("OPENAI_BASE_URL")
        key = os.environ.get(config.api_key_env)
        if not key and url is None:
            raise ConfigError(f"generation.provider openai needs a key: set {config.api_key_env}.")
        self.name = f"openai:{model}"
        self._model = model
        self._url = url or "https://api.openai.com/v1"
        self._temperature = config.temperature
        self._timeout = config.timeout
        self._refused: set[str] = set()
        # Local servers take any key, but the client wants one.
        self._clients: PerLoop[AsyncOpenAI] = PerLoop(
            lambda: _client(key or "none", self._url, config.timeout), lambda client: client.close()
        )

    def prompt(self, request: Request) -> Sequence[Message]:
        return answer_messages(request)

    async def generate(self, request: Request) -> AsyncGenerator[str | Usage, None]:
        with self._errors():
            call: dict[str, Any] = {
                "model": self._model,
                "messages": self.prompt(request),
                "temperature": request.config.temperature,
                "max_tokens": request.config.max_tokens,
            }
            stream = await self._create({**call, "stream": True, "stream_options": {"include_usage": True}})
            finish, usage, written, opening = None, None, 0, Opening()
            async with stream:
                async for event in stream:
                    usage = event.usage or usage
                    if not event.choices:
                        continue
                    finish = event.choices[0].finish_reason or finish
                    piece = event.choices[0].delta.content
                    if piece is not None and not isinstance(piece, str):
                        raise TypeError("content that is no text")
                    written += len(piece or "")
                    if written > CHARACTERS * request.config.max_tokens:
                        finish = "length"
                        break
                    if text := opening.push(piece or ""):
                        yield text
            if text := opening.close():
                yield text
            yield _usage(usage)
            # A server that dies in mid-stream closes the connection like one that is done.
            if finish is None:
                raise self._error("stopped in the middle of the answer: try again", "cut_off")
            if finish == "length":
                raise LengthError(
                    f"The model {self._model} at {self._url} reached generation.max_tokens in the middle of the "
                    "answer: raise it.",
                    provider="openai",
                    code="length",
                )
            if finish == "content_filter":
                raise self._error("withheld the answer (content filter): ask differently", "withheld")

    async def ask_json(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any], max_tokens: int
    ) -> tuple[dict[str, Any] | None, Usage]:
        from openai import BadRequestError, UnprocessableEntityError

        call: dict[str, Any] = {
            "model": self._model,
            "messages": list(messages),
            "temperature": self._temperature,
            "max_tokens": max_tokens,
        }
        structured: dict[str, Any] = {
            **call,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": dict(schema), "strict": True},
            },
        }
        with self._errors():
            try:
                reply = await self._create(structured)
            except (BadRequestError, UnprocessableEntityError):
                # Not every server knows structured output; the prompt asks for the same object in words.
                reply = await self._create(call)
            content = reply.choices[0].message.content if reply.choices else None
            if content is not None and not isinstance(content, str):
                raise TypeError("content that is no text")
            return parse_object(content or "", schema), _usage(reply.usage)

    async def _create(self, call: dict[str, Any]) -> Any:
        """A completion, asked for in the dialect that this model takes: reasoning models refuse two parameters."""
        from openai import BadRequestError

        try:
            return await self._clients.get().chat.completions.create(**self._spoken(call))
        except BadRequestError as error:
            refused = {name for name in ("max_tokens", "temperature") if name in error.message} - self._refused
            if not refused:
                raise
            self._refused |= refused
        return await self._create(call)

    def _spoken(self, call: dict[str, Any]) -> dict[str, Any]:
        spoken = {name: value for name, value in call.items() if name not in self._refused}
        if "max_tokens" in self._refused:
            spoken["max_completion_tokens"] = call["max_tokens"]
        return spoken

    async def aclose(self) -> None:
        await self._clients.aclose()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        import openai

        try:
            yield
        except openai.APITimeoutError as error:
            raise self._error(
                f"gave no answer within {self._timeout:g} s: raise generation.timeout", "timeout"
            ) from error
        except openai.APIConnectionError as error:
            raise self._error("cannot be reached: check generation.base_url and the server", "unreachable") from error
        except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
            raise self._error("does not accept the key: check the key's environment variable", "key_refused") from error
        except openai.RateLimitError as error:
            raise self._error(
                "refuses further calls for now (rate limit or quota): wait, or raise it", "rate_limited"
            ) from error
        except openai.APIStatusError as error:
            what = f"answered with status {error.status_code}: {_first_line(error.message)}"
            raise self._error(what, "bad_reply") from error
        except openai.OpenAIError as error:
            raise self._error(
                f"replied badly ({type(error).__name__}): check generation.base_url", "bad_reply"
            ) from error
        except (json.JSONDecodeError, AttributeError, TypeError) as error:
            # What the client lets through when a reply is JSON of another shape, or an event is not JSON.
            raise self._error("sent a reply in no known form: check generation.base_url", "bad_reply") from error
        except OSError as error:
            raise self._error(f"broke the connection ({type(error).__name__}): try again", "unreachable") from error

    def _error(self, what: str, code: str) -> ProviderError:
        return ProviderError(f"The model {self._model} at {self._url} {what}.", provider="openai", code=code)


def parse_object(text: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The first JSON object in `text` that has `schema`'s required keys with the right types, else None.

    Models wrap JSON in fences and sentences; what is inside is read, what is missing is never guessed.
    """
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            value, _ = decoder.raw_decode(text, start)
        except ValueError:
            value = None
        except RecursionError:
            # Nested thousands deep, it is no reply, nor is what lies inside.
            return None
        if isinstance(value, dict) and _fits(value, schema):
            return value
        start = text.find("{", start + 1)
    return None


_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}


def _fits(value: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    properties = schema.get("properties", {})
    return all(
        name in value and isinstance(value[name], _TYPES.get(properties.get(name, {}).get("type", ""), object))
        for name in schema.get("required", ())
    )


def _client(key: str, url: str, timeout: float) -> AsyncOpenAI:
    from openai import AsyncOpenAI

    return AsyncOpenAI(api_key=key, base_url=url, timeout=timeout, max_retries=MAX_RETRIES)


def _usage(usage: CompletionUsage | None) -> Usage:
    if usage is None:
        return Usage(model_calls=1)
    return Usage(usage.prompt_tokens or 0, usage.completion_tokens or 0, 1)


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0][:200] if text.strip() else "no message"
