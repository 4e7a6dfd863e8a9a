"""`POST /v1/chat/completions` as chat clients know it: the last user message is the question."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Literal

from fastapi import Request
from fastapi.responses import Response, StreamingResponse

from crag.api.cut import Cut, shortened
from crag.api.errors import ApiError, SafeJSONResponse, error_parts, gone, to_json
from crag.api.progress import progress_line
from crag.api.records import Asked, Records
from crag.api.schemas import MAX_QUESTION, ChatRequest, Extension, Message, TextPart
from crag.api.security import OWNER
from crag.api.stopping import stopping_of
from crag.api.streams import ClientGoneError, unless_client_leaves, with_heartbeats
from crag.app import Crag
from crag.pipeline import Pipeline
from graph.language import language_of
from graph.types import Answer, AnswerReady, TextDelta, Turn, Usage

_MARKER = re.compile(r"\[(\d{1,3})\]")
_LEAST_TOKENS, _MOST_TOKENS = 16, 32_768
"""Bounds of `generation.max_tokens`."""
_MOST_STOPS = 4
"""As OpenAI's."""
_SPEAKERS: dict[str, Literal["user", "assistant", "system"]] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
}
"""Roles whose turns are read: what tools said, in other conversations, is passed over."""
_STREAM_HEADERS = {"cache-control": "no-cache, no-transform", "x-accel-buffering": "no"}


@dataclass(frozen=True)
class Chat:
    """A request that has been found answerable."""

    question: str
    history: tuple[Turn, ...]
    pipeline: Pipeline
    body: ChatRequest

    @property
    def max_tokens(self) -> int | None:
        return self.body.max_completion_tokens or self.body.max_tokens

    @property
    def options(self) -> dict[str, Any]:
        """Keyword arguments of `Crag.aask` and `Crag.astream`."""
        wanted: dict[str, Any] = {"temperature": self.body.temperature}
        if self.max_tokens is not None:
            # A model is asked for what a pipeline file may say; `Cut` holds the text to what the client said.
            wanted["max_tokens"] = min(max(self.max_tokens, _LEAST_TOKENS), _MOST_TOKENS)
        given = {name: value for name, value in wanted.items() if value is not None}
        return {"history": self.history, "pipeline": self.pipeline, "filters": self.extension.filters, **given}

    @property
    def extension(self) -> Extension:
        return self.body.crag or Extension()

    def cut(self, crag: Crag) -> Cut:
        stop = self.body.stop
        stops = [stop] if isinstance(stop, str) else stop or []
        return Cut(stops, self.max_tokens, lambda text: crag.embedder(self.pipeline).count_tokens([text])[0])

    def finish_reason(self, answer: Answer, cut: Cut) -> str:
        # A model that was told to stop at so many tokens is named in `degraded`, as every other that breaks off.
        stopped = any(entry.stage == "generate" for entry in answer.degraded)
        if self.max_tokens is not None and stopped and answer.usage.completion_tokens >= self.max_tokens:
            return "length"
        return cut.reason or "stop"


def read_chat(body: ChatRequest, pipelines: dict[str, Pipeline]) -> Chat:
    """Find question, history and pipeline. Raises ApiError for what cannot be answered."""
    if body.n not in (None, 1):
        raise ApiError(400, "n: this service gives one answer; leave n out or set it to 1.", param="n")
    for field, choice in (("tools", body.tool_choice), ("functions", body.function_call)):
        if getattr(body, field) and choice != "none":
            raise ApiError(400, f"{field}: this service answers from documents and calls no tools.", param=field)
    if body.response_format and body.response_format.get("type") not in (None, "text"):
        message = "response_format: this service answers in text with citations; leave it out."
        raise ApiError(400, message, param="response_format")
    if isinstance(body.stop, list) and len(body.stop) > _MOST_STOPS:
        raise ApiError(400, f"stop: at most {_MOST_STOPS} sequences can end an answer.", param="stop")
    if (pipeline := pipelines.get(body.model)) is None:
        known = ", ".join(pipelines)
        raise ApiError(
            404, f"There is no model {body.model!r}; there are {known}.", param="model", code="model_not_found"
        )
    last = max((number for number, message in enumerate(body.messages) if message.role == "user"), default=None)
    if last is None:
        raise ApiError(400, "messages: the last user message must hold a question.", param="messages")
    for part in _parts(body.messages[last]):
        if part.type != "text":
            param = f"messages.{last}.content"
            message = f"{param}: only text parts are read, not {part.type!r}: ask in words, and upload documents."
            raise ApiError(400, message, param=param)
    question = _text(body.messages[last]).strip()
    if not question:
        raise ApiError(400, "messages: the last user message must hold a question.", param="messages")
    if len(question) > MAX_QUESTION:
        message = f"messages: the question has {len(question)} characters, at most {MAX_QUESTION} are read."
        raise ApiError(400, message, param="messages")
    told = [(_SPEAKERS[each.role], _text(each)) for each in body.messages[:last] if each.role in _SPEAKERS]
    return Chat(question, tuple((role, text) for role, text in told if text), pipeline, body)


async def complete(crag: Crag, chat: Chat, request: Request, records: Records) -> Response:
    """Answer in one piece, or as server-sent events when the request says `stream`."""
    asked = Asked(
        id=f"chatcmpl-{uuid.uuid4().hex}",
        question=chat.question,
        pipeline=chat.pipeline,
        stream=bool(chat.body.stream),
        user=chat.body.user,
        key=request.scope.get(OWNER),
    )
    if chat.body.stream:
        # Before the status is sent: what fails later can only be told in the stream.
        await asyncio.to_thread(crag.require_collection, chat.pipeline, chat.extension.filters)
        events = _events(crag, chat, asked, request, records)
        return StreamingResponse(events, media_type="text/event-stream", headers=_STREAM_HEADERS)
    try:
        answer = await unless_client_leaves(request, crag.aask(chat.question, **chat.options))
    except ClientGoneError:
        records.left(asked)
        return gone()
    except Exception as error:  # Whatever it is, the log has a line of the question.
        records.failed(asked, error)
        raise
    records.answered(asked, answer)
    cut = chat.cut(crag)
    answer = shortened(answer, cut.push(answer.text) + cut.close())
    message = {
        "role": "assistant",
        "content": answer.text,
        "refusal": None,
        "annotations": _annotations(answer, str(request.base_url)),
    }
    finish = chat.finish_reason(answer, cut)
    return SafeJSONResponse(
        {
            "id": asked.id,
            "object": "chat.completion",
            "created": int(time.time()),
            "model": chat.body.model,
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
            "usage": _usage(answer.usage),
            "crag": _shape(asked, chat, answer),
        }
    )


async def _events(crag: Crag, chat: Chat, asked: Asked, request: Request, records: Records) -> AsyncIterator[str]:
    """Role, progress as reasoning deltas, text deltas, the `crag` object, the finish, usage if asked, [DONE]."""
    head = {"id": asked.id, "object": "chat.completion.chunk", "created": int(time.time()), "model": chat.body.model}
    counted = bool(chat.body.stream_options and chat.body.stream_options.include_usage)
    if counted:  # As OpenAI's: null in each chunk but the last.
        head["usage"] = None

    def piece(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _sse({**head, "choices": [choice], **more})

    language = language_of(chat.question)
    answer: Answer | None = None
    cut, sent = chat.cut(crag), ""
    over = False
    try:
        yield piece({"role": "assistant", "content": ""})
        told = crag.astream(chat.question, **chat.options)
        async with contextlib.aclosing(with_heartbeats(told, stopping_of(request))) as events:
            async for event in events:
                if event is None:
                    yield ": still working\n\n"
                elif isinstance(event, TextDelta):
                    asked.text_began()
                    if text := cut.push(event.text):
                        sent += text
                        yield piece({"content": text})
                elif isinstance(event, AnswerReady):
                    answer = event.answer
                elif asked.first_text is None and (
                    line := progress_line(event, language, graded=chat.pipeline.grading.enabled)
                ):
                    yield piece({"reasoning_content": line})
        assert answer is not None, "the graph ended without an answer"
        over = True
        records.answered(asked, answer)
        if text := cut.close():
            sent += text
            yield piece({"content": text})
        answer = shortened(answer, sent)
        annotations = _annotations(answer, str(request.base_url))
        yield piece({"annotations": annotations} if annotations else {}, crag=_shape(asked, chat, answer))
        yield piece({}, chat.finish_reason(answer, cut))
        if counted:
            yield _sse({**head, "choices": [], "usage": _usage(answer.usage)})
        yield "data: [DONE]\n\n"
    except Exception as error:  # The status has been sent: what fails now can only be told in the stream.
        body = records.failed(asked, error) if not over else error_parts(error)[1]
        yield f"event: error\n{_sse(body)}"
    except BaseException:  # Cancelled, or closed at a `yield`: both say that the client has left.
        if not over:
            records.left(asked)
        raise


def _shape(asked: Asked, chat: Chat, answer: Answer) -> dict[str, Any]:
    """The extension object."""
    return {"answer_id": asked.id, **answer.to_dict(trace=chat.extension.trace)}


def _parts(message: Message) -> list[TextPart]:
    return message.content if isinstance(message.content, list) else []


def _text(message: Message) -> str:
    """The text of a message. Pictures, files and thoughts of earlier turns are passed over: clients send all anew."""
    if isinstance(message.content, str):
        return message.content
    texts = (part.refusal if part.type == "refusal" else part.text for part in _parts(message))
    return "\n".join(text for text in texts if text)


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
