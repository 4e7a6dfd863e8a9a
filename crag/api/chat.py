"""`POST /v1/chat/completions` as chat clients know it: the last user message is the question."""

from __future__ import annotations

import contextlib
import re
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from fastapi.responses import Response, StreamingResponse

from crag.api.errors import ApiError, SafeJSONResponse, error_parts, to_json
from crag.api.progress import progress_line
from crag.api.schemas import ChatRequest, Message
from crag.api.streams import ClientGoneError, unless_client_leaves, with_heartbeats
from crag.app import Crag
from crag.pipeline import Pipeline
from graph.language import language_of
from graph.types import Answer, AnswerReady, TextDelta, Turn, Usage

_MARKER = re.compile(r"\[(\d{1,3})\]")
_STREAM_HEADERS = {"cache-control": "no-cache, no-transform", "x-accel-buffering": "no"}


@dataclass(frozen=True)
class Chat:
    """A request that has been found answerable."""

    question: str
    history: tuple[Turn, ...]
    pipeline: Pipeline
    body: ChatRequest

    @property
    def options(self) -> dict[str, Any]:
        """Keyword arguments of `Crag.aask` and `Crag.astream`."""
        wanted: dict[str, Any] = {
            "temperature": self.body.temperature,
            "max_tokens": self.body.max_completion_tokens or self.body.max_tokens,
        }
        given = {name: value for name, value in wanted.items() if value is not None}
        return {"history": self.history, "pipeline": self.pipeline, "filters": self.body.crag.filters, **given}


def read_chat(body: ChatRequest, pipelines: dict[str, Pipeline]) -> Chat:
    """Find question, history and pipeline. Raises ApiError for what cannot be answered."""
    if body.n not in (None, 1):
        raise ApiError(400, "n: this service gives one answer; leave n out or set it to 1.", param="n")
    for field in ("tools", "functions"):
        if getattr(body, field):
            raise ApiError(400, f"{field}: this service answers from documents and calls no tools.", param=field)
    if (pipeline := pipelines.get(body.model)) is None:
        known = ", ".join(pipelines)
        raise ApiError(
            404, f"There is no model {body.model!r}; there are {known}.", param="model", code="model_not_found"
        )
    texts = [(message.role, _text(message, number)) for number, message in enumerate(body.messages)]
    last = max((number for number, (role, _) in enumerate(texts) if role == "user"), default=None)
    if last is None or not texts[last][1].strip():
        raise ApiError(400, "messages: the last user message must hold a question.", param="messages")
    roles = {"developer": "system"}
    history = tuple((roles.get(role, role), text) for role, text in texts[:last] if role not in ("tool", "function"))
    return Chat(texts[last][1].strip(), history, pipeline, body)  # type: ignore[arg-type]


async def complete(crag: Crag, chat: Chat, request: Request) -> Response:
    """Answer in one piece, or as server-sent events when the request says `stream`."""
    if chat.body.stream:
        return StreamingResponse(
            _events(crag, chat, str(request.base_url)), media_type="text/event-stream", headers=_STREAM_HEADERS
        )
    try:
        answer = await unless_client_leaves(request, crag.aask(chat.question, **chat.options))
    except ClientGoneError:
        return Response(status_code=499)
    message = {
        "role": "assistant",
        "content": answer.text,
        "refusal": None,
        "annotations": _annotations(answer, str(request.base_url)),
    }
    return SafeJSONResponse(
        {
            "id": _new_id(),
            "object": "chat.completion",
            "created": int(time.time()),
            "model": chat.body.model,
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
            "usage": _usage(answer.usage),
            "crag": answer.to_dict(trace=chat.body.crag.trace),
        }
    )


async def _events(crag: Crag, chat: Chat, base_url: str) -> AsyncIterator[str]:
    """Role, progress as reasoning deltas, text deltas, the `crag` object, the finish, usage if asked, [DONE]."""
    head = {
        "id": _new_id(),
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": chat.body.model,
    }

    def piece(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _sse({**head, "choices": [choice], **more})

    language = language_of(chat.question)
    answer: Answer | None = None
    writing = False
    yield piece({"role": "assistant", "content": ""})
    try:
        async with contextlib.aclosing(with_heartbeats(crag.astream(chat.question, **chat.options))) as events:
            async for event in events:
                if event is None:
                    yield ": still working\n\n"
                elif isinstance(event, TextDelta):
                    writing = True
                    yield piece({"content": event.text})
                elif isinstance(event, AnswerReady):
                    answer = event.answer
                elif not writing and (line := progress_line(event, language, graded=chat.pipeline.grading.enabled)):
                    yield piece({"reasoning_content": line})
        assert answer is not None, "the graph ended without an answer"
        annotations = _annotations(answer, base_url)
        whole = answer.to_dict(trace=chat.body.crag.trace)
        yield piece({"annotations": annotations} if annotations else {}, crag=whole)
    except Exception as error:
        yield _sse(error_parts(error)[1])
        return
    yield piece({}, "stop")
    if chat.body.stream_options and chat.body.stream_options.include_usage:
        yield _sse({**head, "choices": [], "usage": _usage(answer.usage)})
    yield "data: [DONE]\n\n"


def _text(message: Message, number: int) -> str:
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    for part in message.content:
        if part.type != "text":
            param = f"messages.{number}.content"
            raise ApiError(400, f"{param}: only text parts are read, not {part.type!r}.", param=param)
    return "\n".join(part.text or "" for part in message.content)


def _annotations(answer: Answer, base_url: str) -> list[dict[str, Any]]:
    """One `url_citation` per marker in the text. Passages of documents link to the page's own reader."""
    cited = {citation.marker: citation for citation in answer.citations}
    found = []
    for match in _MARKER.finditer(answer.text):
        if (citation := cited.get(int(match[1]))) is None:
            continue
        passage = f"{base_url}#/document/{citation.document}/{citation.start}-{citation.end}"
        found.append(
            {
                "type": "url_citation",
                "url_citation": {
                    "start_index": match.start(),
                    "end_index": match.end(),
                    "url": citation.url or passage,
                    "title": citation.title or citation.source,
                },
            }
        )
    return found


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
    }


def _sse(value: dict[str, Any]) -> str:
    return f"data: {to_json(value)}\n\n"


def _new_id() -> str:
    return f"chatcmpl-{uuid.uuid4().hex}"
