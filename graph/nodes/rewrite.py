"""Search again with other words: a model's, or by rule.

The rule first repairs the question: slips are put right and the story around it is cut away. That is still what was
asked, so it is what is graded from then on. Else the question's own words and those of the nearest passages are
searched for, and the question stays what they are measured against.
"""

from __future__ import annotations

import asyncio
import re
from typing import Any

from chunking.errors import CragError, ProviderError, StoreError
from graph.feedback import QUERY_LIMIT, feedback_query, repaired
from graph.language import language_of
from graph.neutral import neutral_line, neutralise
from graph.nodes.base import Node, Result, Run, degraded
from graph.prompts import messages
from graph.spelling import Lexicon
from graph.state import State
from graph.types import Usage

REPAIRED = "the question with its slips put right and without what surrounds it"
FEEDBACK = "the question's words with words of the best passages"
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"query": {"type": "string"}},
    "required": ["query"],
    "additionalProperties": False,
}


async def rewrite(state: State, run: Run) -> Result:
    if run.deps.chat is None:
        return await asyncio.to_thread(_by_rule, state, run)
    language = language_of(state["standalone"])
    tried = "\n".join(f"- {neutral_line(query)}" for query in state["tried"])
    prompt = messages(language, "rewrite", question=neutralise(state["standalone"]), tried=tried)
    reply, usage = await run.ask(run.deps.chat, prompt, schema=_SCHEMA, max_tokens=200)
    query = re.sub(r"\s+", " ", reply["query"]).strip()[:QUERY_LIMIT] if reply else ""
    if not query:
        unread = ProviderError("The model's reply held no query.", provider=run.deps.chat.name, code="bad_reply")
        update, detail = without_model(state, run, unread)
        return {**update, "usage": usage}, detail
    if query in state["tried"]:
        update, detail = await asyncio.to_thread(_by_rule, state, run)
        return {**update, "usage": usage}, detail
    return _rewritten(state, query, "written by the model", usage)


def without_model(state: State, run: Run, error: CragError) -> Result:
    # A rule that failed would fail again.
    update, detail = _by_rule(state, run) if run.deps.chat else _rewritten(state, "", "")
    new = update["rewritten"]
    action = "The query is rewritten by rule." if new else "The search is not repeated."
    return {**update, "degraded": degraded("rewrite", error, action)}, detail


def _by_rule(state: State, run: Run) -> Result:
    def known(word: str) -> bool:
        # What the embedder's vocabulary holds whole is a word; a misspelt one falls into pieces.
        return run.deps.embedder.count_tokens([word])[0] == 1

    if question := repaired(state, known, _lexicon(run)):
        update, detail = _rewritten(state, question, REPAIRED)
        return {**update, "standalone": question, "read_as": question}, detail
    return _rewritten(state, feedback_query(state), FEEDBACK)


def _lexicon(run: Run) -> Lexicon | None:
    try:
        return run.deps.retriever.lexicon(run.filters)
    except StoreError:  # The search has named it.
        return None


def _rewritten(state: State, query: str, how: str, usage: Usage | None = None) -> Result:
    """A query that was tried before is no attempt: the loop ends."""
    new = bool(query) and query not in state["tried"]
    update: State = {"rewritten": new, "usage": usage or Usage()}
    if not new:
        return update, {"how": "no other words to search with"}
    return {**update, "search_query": query}, {"query": query, "how": how}


NODE = Node(name="rewrite", body=rewrite, timeout=lambda run: run.generation.timeout, fallback=without_model)
