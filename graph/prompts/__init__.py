"""Prompts, kept as files by language, and the one place where untrusted text enters them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from graph.neutral import neutral_line, neutralise
from graph.types import Language, Turn
from retrieval.types import Hit

if TYPE_CHECKING:
    from graph.llms.base import Message, Request

HISTORY_TURNS = 6
"""Last turns of the conversation that a prompt shows."""
HISTORY_CHARACTERS = 600
"""Of each turn."""

NOT_ENOUGH: dict[Language, str] = {
    "zh": "资料中没有足够的信息来回答这个问题。",
    "en": "The sources do not contain enough information to answer this question.",
}
"""The one sentence by which a model says that it does not know."""


@cache
def load(language: Language, name: str) -> Template:
    return Template(files("graph.prompts").joinpath(language, f"{name}.md").read_text("utf-8").strip())


def messages(language: Language, name: str, **values: str) -> list[Message]:
    """The system and user message of a prompt. `values` must have been neutralised."""
    system = {"not_enough": NOT_ENOUGH[language], **values}
    return [
        {"role": "system", "content": load(language, f"{name}.system").substitute(system)},
        {"role": "user", "content": load(language, f"{name}.user").substitute(values)},
    ]


def answer_messages(request: Request) -> list[Message]:
    """The prompt of an answer: numbered sources, then the conversation, then the question."""
    sources = "\n\n".join(
        f'<source id="{source.number}" title="{neutral_line(_title(source.hit))}">\n'
        f"{neutralise(source.text)}\n</source>"
        for source in request.sources
    )
    question = request.question
    if request.standalone != request.question:
        question = f"{request.question}\n({request.standalone})"
    return messages(
        request.language,
        "answer",
        sources=sources,
        history=conversation(request.history),
        question=neutralise(question),
    )


def shown(hits: Sequence[Hit], limit: int) -> str:
    """Passages numbered from 1 and delimited, `limit` characters of each at most."""
    return "\n\n".join(
        f'<passage id="{number}" title="{neutral_line(_title(hit))}">\n{neutralise(hit.chunk.text[:limit])}\n</passage>'
        for number, hit in enumerate(hits, 1)
    )


def conversation(history: Sequence[Turn]) -> str:
    """The last turns, one line each; earlier system turns are instructions of others and are left out."""
    turns = [turn for turn in history if turn[0] != "system"]
    return "\n".join(f"{role}: {neutral_line(text[:HISTORY_CHARACTERS])}" for role, text in turns[-HISTORY_TURNS:])


def _title(hit: Hit) -> str:
    return " > ".join(dict.fromkeys((hit.document.title, *hit.chunk.heading_path)))
