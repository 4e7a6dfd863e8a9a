"""Make the question stand alone: a follow-up refers to what was said before."""

from __future__ import annotations

from typing import Any

from chunking.errors import CragError, ProviderError
from graph.followups import QUESTION_LIMIT, Resolved, own_question, refers_back, resolved
from graph.language import language_of
from graph.neutral import neutralise
from graph.nodes.base import Node, Result, Run, degraded
from graph.prompts import conversation, messages
from graph.side_requests import side_request
from graph.smalltalk import aside
from graph.state import State

BY_RULE = "with what the question before it named"
WITH_CONTEXT = "searched for together with the question it follows"
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}


async def condense(state: State, run: Run) -> Result:
    side = side_request(state["question"], state["history"])
    kind = None if side else aside(state["question"])
    if side is not None or kind is not None:
        update: State = {"standalone": state["question"], "aside": kind, "side": side}
        return update, {"question": state["question"], "small_talk": side.kind if side else kind}
    if not refers_back(state["question"], state["history"]):
        alone = own_question(state["question"]) if state["history"] else state["question"]
        return _standalone(alone, "as asked")
    if run.deps.chat is None:
        return _meant(resolved(state["question"], state["history"]))
    language = language_of(state["question"])
    prompt = messages(
        language, "condense", history=conversation(state["history"]), question=neutralise(state["question"])
    )
    reply, usage = await run.ask(run.deps.chat, prompt, schema=_SCHEMA, max_tokens=200)
    question = reply["question"].strip()[:QUESTION_LIMIT] if reply else ""
    if question:
        update, detail = _standalone(question, "rewritten by the model to stand alone")
    else:
        unread = ProviderError("The model's reply held no question.", provider=run.deps.chat.name, code="bad_reply")
        update, detail = by_rule(state, run, unread)
    return {**update, "usage": usage}, detail


def by_rule(state: State, run: Run, error: CragError) -> Result:
    update, detail = _meant(resolved(state["question"], state["history"]))
    action = "The question is joined to the one before."
    return {**update, "degraded": degraded("condense", error, action)}, detail


def _meant(follow_up: Resolved) -> Result:
    update, detail = _standalone(follow_up.question, BY_RULE)
    update = {**update, "instead": follow_up.instead}
    if follow_up.searched == follow_up.question:
        return update, detail
    return {**update, "search_query": follow_up.searched}, {
        **detail,
        "how": WITH_CONTEXT,
        "searched": follow_up.searched,
    }


def _standalone(question: str, how: str) -> Result:
    update: State = {"standalone": question, "search_query": question, "aside": None, "side": None}
    return update, {"question": question, "how": how}


NODE = Node(name="condense", body=condense, timeout=lambda run: run.generation.timeout, fallback=by_rule)
