"""A judge for `ScriptedServer`: replies that fit each of Ragas' schemas and depend on nothing but the prompt."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

from eval.judge_config import JudgeConfig
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.openai import chat_json

_TITLE = re.compile(r'"title": "(\w+)",\s*"type": "object"\s*\}\s*Make sure')


def config(server: ScriptedServer, **changes: Any) -> JudgeConfig:
    """A judge at that server which is asked once and not for long."""
    base = {"model": "scripted", "base_url": f"{server.url}/v1", "retries": 0, "timeout": 5}
    return JudgeConfig(**{**base, **changes})


def shape_of(request: Request) -> str:
    """Name of the schema that the reply must fit."""
    body = request.body
    if "json_schema" in body.get("response_format", {}):
        return str(body["response_format"]["json_schema"]["name"])
    found = _TITLE.search(body["messages"][0]["content"])
    assert found is not None, body["messages"][0]["content"]
    return found.group(1)


def prompt_of(request: Request) -> str:
    return next(str(m["content"]) for m in request.body["messages"] if m["role"] == "user")


def verdict(prompt: str, *parts: object) -> int:
    """0 or 1, the same for the same words."""
    return hashlib.sha256(f"{prompt}{parts}".encode()).digest()[0] % 2


def given(prompt: str) -> dict[str, Any]:
    """The input at the end of a Ragas prompt."""
    start = prompt.rindex("input: ") + len("input: ")
    return dict(json.loads(prompt[start : prompt.rindex("Output:")].strip()))


def judged(request: Request) -> Any:
    """The reply's content."""
    prompt = prompt_of(request)
    return _REPLIES[shape_of(request)](prompt, given(prompt))


def judge(request: Request) -> Reply:
    return chat_json(judged(request))


def _sentences(text: str) -> list[str]:
    return [part for part in re.split(r"(?<=[.。])\s*", text) if part]


def _nli(prompt: str, data: dict[str, Any]) -> Any:
    return {"statements": [{"statement": s, "reason": "r", "verdict": verdict(prompt, s)} for s in data["statements"]]}


def _classified(prompt: str, data: dict[str, Any]) -> Any:
    said, wanted = ([{"statement": s, "reason": "r"} for s in data[name]] for name in ("answer", "ground_truth"))
    return {"TP": said[:1], "FP": said[1:], "FN": wanted[1:]}


_REPLIES: dict[str, Callable[[str, dict[str, Any]], Any]] = {
    "StatementGeneratorOutput": lambda prompt, data: {"statements": _sentences(data.get("answer") or data["text"])},
    "NLIStatementOutput": _nli,
    "StatementFaithfulnessOutput": _nli,
    "AnswerRelevanceOutput": lambda prompt, data: {
        "question": f"What does it say of {data['response'][:12]}?",
        "noncommittal": 0,
    },
    "ContextPrecisionOutput": lambda prompt, data: {"reason": "r", "verdict": verdict(prompt)},
    "ContextRecallOutput": lambda prompt, data: {
        "classifications": [
            {"statement": part, "reason": "r", "attributed": verdict(prompt, part)}
            for part in _sentences(data["answer"])
        ]
    },
    "ClassificationWithReason": _classified,
    "CorrectnessOutput": lambda prompt, data: {"reason": "r", "verdict": "partial"},
}
