"""Make the question stand alone: a follow-up refers to what was said before."""

from __future__ import annotations

import re
from typing import Any

from chunking.errors import CragError
from graph.language import language_of
from graph.neutral import neutralise
from graph.nodes.base import Node, Result, Run, degraded
from graph.prompts import conversation, messages
from graph.state import State
from graph.types import Language, Turn

QUESTION_LIMIT = 1000
"""Characters of a condensed question."""
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}
_REFERS: dict[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\A\W*(?:and|but|so|also|then|what about|how about|what else|why not|how so|who else|where else|any other"
        r"|anything else)\b"
        r"|\b(?:it|its|they|their|theirs|them|he|him|his|she|her|hers|those|these|the (?:former|latter|same|other"
        r"|first one|second one|last one)|this one|that one)\b|\b(?:this|that)\W*\Z",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"[它他她牠]们?|[這这那][个個些种種里裡样樣两兩]|(?<![应應活])[该該]|上述|前者|后者|後者|两者|兩者|前面|刚才|剛才|同样|其[中他它]"
        r"|\A\W*(?:那么?|那麼|还有|還有|另外|以及|然后|然後|第[一二三四五六七八九十两\d]|为什么|為什麼|怎么做|怎麼做)\W*"
        r"|呢\W*\Z"
    ),
}
_SHORT: dict[Language, int] = {"zh": 5, "en": 3}


async def condense(state: State, run: Run) -> Result:
    if not refers_back(state["question"], state["history"]):
        return _standalone(state["question"], "asked")
    if run.deps.chat is None:
        return _standalone(joined(state["question"], state["history"]), "rule")
    language = language_of(state["question"])
    prompt = messages(
        language, "condense", history=conversation(state["history"]), question=neutralise(state["question"])
    )
    reply, usage = await run.deps.chat.ask_json(prompt, schema=_SCHEMA, max_tokens=200)
    question = reply["question"].strip()[:QUESTION_LIMIT] if reply else ""
    if question:
        update, detail = _standalone(question, "model")
    else:
        update, detail = _standalone(joined(state["question"], state["history"]), "rule")
    return {**update, "usage": usage}, detail


def by_rule(state: State, run: Run, error: CragError) -> Result:
    update, detail = _standalone(joined(state["question"], state["history"]), "rule")
    action = "The question is joined to the one before."
    return {**update, "degraded": degraded("condense", error, action)}, detail


def refers_back(question: str, history: tuple[Turn, ...]) -> bool:
    """Whether a question leans on the conversation: it points at something, or is too short to say its subject."""
    if not any(role == "user" for role, _ in history):
        return False
    language = language_of(question)
    size = len(re.findall(r"\w", question)) if language == "zh" else len(re.findall(r"\w+", question))
    return size <= _SHORT[language] or _REFERS[language].search(question) is not None


def joined(question: str, history: tuple[Turn, ...]) -> str:
    """The question after the user's last questions, back to the last one that stands alone."""
    asked = [text.strip() for role, text in history if role == "user" and text.strip()]
    chain = [question]
    while asked:
        chain.append(asked.pop())
        if not refers_back(chain[-1], tuple(("user", text) for text in asked)):
            break
    return " ".join(reversed(chain))[-QUESTION_LIMIT:]


def _standalone(question: str, by: str) -> Result:
    return {"standalone": question, "search_query": question}, {"question": question, "by": by}


NODE = Node(name="condense", body=condense, timeout=lambda run: run.generation.timeout, fallback=by_rule)
