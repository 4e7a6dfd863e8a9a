"""Search again with other words: a model's, or the question's own and those of the nearest passages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from chunking.errors import CragError
from graph.language import STOPWORDS, language_of
from graph.neutral import neutral_line, neutralise
from graph.nodes.base import Node, Result, Run, degraded
from graph.prompts import messages
from graph.state import State
from graph.types import Usage
from retrieval.lexical.tokenizer import tokenize
from retrieval.types import Hit

QUERY_LIMIT = 400
"""Characters of a rewritten query."""
FEEDBACK_PASSAGES = 3
FEEDBACK_TERMS = 4
"""New terms for each attempt, from the best passages: pseudo-relevance feedback in its plainest form."""
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"query": {"type": "string"}},
    "required": ["query"],
    "additionalProperties": False,
}


async def rewrite(state: State, run: Run) -> Result:
    if run.deps.chat is None:
        return _rewritten(state, feedback_query(state), "feedback")
    language = language_of(state["standalone"])
    tried = "\n".join(f"- {neutral_line(query)}" for query in state["tried"])
    prompt = messages(language, "rewrite", question=neutralise(state["standalone"]), tried=tried)
    reply, usage = await run.deps.chat.ask_json(prompt, schema=_SCHEMA, max_tokens=200)
    query = re.sub(r"\s+", " ", reply["query"]).strip()[:QUERY_LIMIT] if reply else ""
    if not query or query in state["tried"]:
        return _rewritten(state, feedback_query(state), "feedback", usage)
    return _rewritten(state, query, "model", usage)


def by_feedback(state: State, run: Run, error: CragError) -> Result:
    update, detail = _rewritten(state, feedback_query(state), "feedback")
    action = "The query is rewritten from the nearest passages."
    return {**update, "degraded": degraded("rewrite", error, action)}, detail


def feedback_query(state: State) -> str:
    """The question's content words, and with each attempt more of the best passages' own terms."""
    words = keywords(state["standalone"])
    attempt = len(state["tried"])
    terms = feedback_terms(words, state["best"].hits[:FEEDBACK_PASSAGES], FEEDBACK_TERMS * attempt)
    return " ".join([*words, *terms])[:QUERY_LIMIT]


def keywords(question: str) -> list[str]:
    """Content words of a question in order, once each; question words and politeness are gone."""
    return list(dict.fromkeys(word for word in tokenize(question) if word not in STOPWORDS))


def feedback_terms(words: Sequence[str], hits: Sequence[Hit], limit: int) -> list[str]:
    """Terms that the best passages share or repeat, the most frequent first; ties keep the passages' order."""
    counts: Counter[str] = Counter()
    for hit in hits:
        own = Counter(word for word in tokenize(hit.chunk.embedded_text) if len(word) > 1)
        counts.update({word: min(count, 3) for word, count in own.items()})
    new = [
        (word, n) for word, n in counts.items() if word not in STOPWORDS and word not in words and not word.isdigit()
    ]
    return [word for word, _ in sorted(new, key=lambda pair: -pair[1])[:limit]]


def _rewritten(state: State, query: str, by: str, usage: Usage | None = None) -> Result:
    """A query that was tried before is no attempt: the loop ends."""
    new = bool(query) and query not in state["tried"]
    update: State = {"rewritten": new, "usage": usage or Usage()}
    if new:
        update["search_query"] = query
    return update, {"query": query if new else None, "by": by}


NODE = Node(name="rewrite", body=rewrite, timeout=lambda run: run.generation.timeout, fallback=by_feedback)
