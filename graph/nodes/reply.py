"""Answer what asks nothing of the documents: small talk by a fixed line, a chat client's own request by the model."""

from __future__ import annotations

import json

from chunking.errors import CragError, ProviderError
from graph.neutral import neutralise
from graph.nodes.base import Node, Result, Run, degraded
from graph.side_requests import SideRequest
from graph.smalltalk import reply_to
from graph.state import State
from graph.types import TextDelta, Usage

_TOKENS = 400
_IN_JSON = "Reply with one JSON object of this schema and nothing else: {schema}"


async def reply(state: State, run: Run) -> Result:
    side = state["side"]
    if side is not None:
        return await _served(state, side, run)
    kind = state["aside"]
    # The route leads here only with a kind of small talk.
    assert kind is not None
    return _said(reply_to(kind, state["language"]), run), {"kind": kind, "searched": "nothing"}


async def _served(state: State, side: SideRequest, run: Run) -> Result:
    if run.deps.chat is None:
        return _ruled(side, run), _detail(side)
    prompt = f"{neutralise(side.prompt)}\n\n{_IN_JSON.format(schema=json.dumps(side.schema, ensure_ascii=False))}"
    given, usage = await run.ask(
        run.deps.chat, [{"role": "user", "content": prompt}], schema=side.schema, max_tokens=_TOKENS, last=True
    )
    text = side.read(given)
    if not text:
        unread = ProviderError(f"The model's reply held no {side.kind}.", provider=run.deps.chat.name, code="bad_reply")
        update, detail = without_model(state, run, unread)
        return {**update, "usage": usage}, detail
    return {**_said(text, run), "usage": usage}, {**_detail(side), "how": "written by the model"}


def without_model(state: State, run: Run, error: CragError) -> Result:
    side = state["side"]
    # Small talk is a fixed line and cannot fail.
    assert side is not None
    action = "The reply is made of the conversation's own words."
    return {**_ruled(side, run), "degraded": degraded("reply", error, action)}, _detail(side)


def _ruled(side: SideRequest, run: Run) -> State:
    return _said(side.by_rule(), run)


def _said(text: str, run: Run) -> State:
    run.emit(TextDelta(text))
    return {
        "text": text,
        "citations": (),
        "status": "abstained",
        "route": "incorrect",
        "confidence": 0.0,
        "usage": Usage(),
    }


def _detail(side: SideRequest) -> dict[str, str]:
    return {"kind": side.kind, "searched": "nothing"}


NODE = Node(name="reply", body=reply, timeout=lambda run: run.generation.timeout, fallback=without_model)
