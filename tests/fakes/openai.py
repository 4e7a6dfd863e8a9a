"""Replies in the wire format of OpenAI's API, for `ScriptedServer`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.fakes.http import Reply


def chat(text: str, *, prompt_tokens: int = 10, completion_tokens: int = 5, finish: str = "stop") -> Reply:
    return Reply(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "scripted",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": text},
                    "finish_reason": finish,
                    "logprobs": None,
                }
            ],
            "usage": _usage(prompt_tokens, completion_tokens),
        }
    )


def chat_json(value: Any) -> Reply:
    return chat(json.dumps(value, ensure_ascii=False))


def chat_stream(pieces: Sequence[str], *, gap: float = 0.0, cut: int | None = None, delay: float = 0.0) -> Reply:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "scripted",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}],
        }

    usage = {**chunk({}), "choices": [], "usage": _usage(10, len(pieces))}
    events = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": piece}) for piece in pieces)]
    return Reply(events=[*events, chunk({}, "stop"), usage], gap=gap, cut=cut, delay=delay)


def embeddings(vectors: Sequence[Sequence[float]]) -> Reply:
    return Reply(
        {
            "object": "list",
            "model": "scripted",
            "data": [{"object": "embedding", "index": i, "embedding": list(v)} for i, v in enumerate(vectors)],
            "usage": {"prompt_tokens": len(vectors), "total_tokens": len(vectors)},
        }
    )


def error(status: int, message: str = "scripted failure", **headers: str) -> Reply:
    return Reply({"error": {"message": message, "type": "scripted", "code": None}}, status, headers)


def _usage(prompt: int, completion: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
