"""Search again with other words: a model's, or the question's own and those of the nearest passages."""

from __future__ import annotations

import re
from typing import Any

from chunking.errors import CragError, ProviderError
from graph.feedback import QUERY_LIMIT, feedback_query
from graph.language import language_of
from graph.neutral import neutral_line, neutralise
from graph.nodes.base import Node, Result, Run, degraded
from graph.prompts import messages
from graph.state import State
from graph.types import Usage

FEEDBACK = "the question's words with words of the best passages"
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"query": {"type": "string"}},
    "required": ["query"],
    "additionalProperties": False,
}


async def rewrite(state: State, run: Run) -> Result:
    if run.deps.chat is None:
        return _rewritten(state, feedback_query(state), FEEDBACK)
    language = language_of(state["standalone"])
    tried = "\n".join(f"- {neutral_line(query)}" for query in state["tried"])
    prompt = messages(language, "rewrite", question=neutralise(state["standalone"]), tried=tried)
    reply, usage = await run.ask(run.deps.chat, prompt, schema=_SCHEMA, max_tokens=200)
    query = re.sub(r"\s+", " ", reply["query"]).strip()[:QUERY_LIMIT] if reply else ""
    if not query:
        unread = ProviderError("The model's reply held no query.", provider=run.deps.chat.name)
        update, detail = by_feedback(state, run, unread)
        return {**update, "usage": usage}, detail
    if query in state["tried"]:
        return _rewritten(state, feedback_query(state), FEEDBACK, usage)
    return _rewritten(state, query, "written by the model", usage)


def by_feedback(state: State, run: Run, error: CragError) -> Result:
    update, detail = _rewritten(state, feedback_query(state), FEEDBACK)
    new = update["rewritten"]
    action = "The query is rewritten from the nearest passages." if new else "The search is not repeated."
    return {**update, "degraded": degraded("rewrite", error, action)}, detail


def _rewritten(state: State, query: str, how: str, usage: Usage | None = None) -> Result:
    """A query that was tried before is no attempt: the loop ends."""
    new = bool(query) and query not in state["tried"]
    update: State = {"rewritten": new, "usage": usage or Usage()}
    if not new:
        return update, {"how": "no other words to search with"}
    return {**update, "search_query": query}, {"query": query, "how": how}


NODE = Node(name="rewrite", body=rewrite, timeout=lambda run: run.generation.timeout, fallback=by_feedback)
