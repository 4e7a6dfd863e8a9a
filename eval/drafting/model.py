"""Question-answer pairs proposed by a language model through the openai client, each checked against its passage."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from chunking.errors import ProviderError
from chunking.types import Document
from eval.corpus import find_text
from eval.judge_config import JudgeConfig
from eval.testset import KINDS, Draft, Kind, numbered, passage, shares
from graph.language import language_of

_CHARACTERS = 1200
"""Of a passage: some two or three chunks, enough for an overview."""
_FEWEST = 80
_SPARE = 2
"""Passages tried for each draft that is wanted: a quote that is not in its passage loses one."""


class _Proposal(BaseModel):
    question: str
    answer: str
    quotes: list[str]


@dataclass(frozen=True)
class _Section:
    document: Document
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.document.text[self.start : self.end]


async def draft_with_model(
    documents: Sequence[Document],
    model: JudgeConfig,
    *,
    count: int = 24,
    kinds: Sequence[Kind] = KINDS,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> list[Draft]:
    """At most `count` drafts in the articles' proportion; fewer where replies quote what their passage does not say.

    Raises ProviderError when the endpoint fails.
    """
    import openai

    wanted = shares(count, kinds)
    found: dict[Kind, list[Draft]] = {kind: [] for kind in kinds}
    sections = sorted(
        (section for document in documents for section in _sections(document)),
        key=lambda s: hashlib.sha256(f"{seed}\0{s.document.id}{s.start}".encode()).digest(),
    )
    slots = asyncio.Semaphore(model.concurrency)
    client = openai.AsyncOpenAI(
        base_url=model.base_url,
        api_key=os.environ.get(model.api_key_env) or "none",
        timeout=model.timeout,
        max_retries=model.retries,
    )

    async def attempt(kind: Kind, chosen: tuple[_Section, ...]) -> None:
        async with slots:
            if len(found[kind]) >= wanted[kind]:
                return
            draft = checked(kind, chosen, await _ask(client, model, kind, chosen), model.model)
        if draft is not None and len(found[kind]) < wanted[kind]:
            found[kind].append(draft)
            if progress is not None:
                progress(sum(map(len, found.values())), count)

    try:
        async with client:
            await asyncio.gather(
                *(attempt(kind, chosen) for kind in kinds for chosen in _choices(kind, sections, wanted[kind] * _SPARE))
            )
    except openai.OpenAIError as error:
        raise ProviderError(
            f"{model.base_url} could not draft questions ({error}); check the model and try again.", provider="openai"
        ) from error
    return numbered([draft for kind in kinds for draft in found[kind]])


def checked(kind: Kind, chosen: tuple[_Section, ...], reply: str, model: str) -> Draft | None:
    """The draft that a reply proposes; None when it does not fit, or quotes what its passage does not say."""
    try:
        proposal = _Proposal.model_validate_json(reply)
    except ValidationError:
        return None
    answerable = kind != "unanswerable"
    if not proposal.question.strip() or (answerable and not (proposal.answer.strip() and proposal.quotes)):
        return None
    lang = language_of(chosen[0].text)
    if not answerable:
        spans = [passage(chosen[0].document, chosen[0].start, chosen[0].end)]
        return Draft("", proposal.question, "", kind, lang, False, tuple(spans), f"model:{model}")
    if kind == "multi_hop" and len(proposal.quotes) != len(chosen):
        return None
    spans = []
    for number, quote in enumerate(proposal.quotes):
        section = chosen[number if kind == "multi_hop" else 0]
        place = find_text(section.text, quote)
        if place is None:
            return None
        spans.append(passage(section.document, section.start + place[0], section.start + place[1]))
    return Draft("", proposal.question, proposal.answer, kind, lang, True, tuple(spans), f"model:{model}")


async def _ask(client: Any, model: JudgeConfig, kind: Kind, chosen: tuple[_Section, ...]) -> str:
    prompt = _prompts(language_of(chosen[0].text))
    passages = "\n\n".join(
        f'<passage number="{number}" title="{section.document.title}">\n{section.text}\n</passage>'
        for number, section in enumerate(chosen, 1)
    )
    reply = await client.chat.completions.create(
        model=model.model,
        messages=[
            {"role": "system", "content": f"{prompt[kind]}\n{prompt['form']}"},
            {"role": "user", "content": passages},
        ],
        temperature=model.temperature,
        max_tokens=model.max_tokens,
        response_format={"type": "json_object"},
    )
    return str(reply.choices[0].message.content or "")


@cache
def _prompts(lang: str) -> dict[str, str]:
    """By kind of question, and ``form`` for what every reply looks like."""
    content: dict[str, str] = yaml.safe_load(Path(__file__).with_name(f"{lang}.yaml").read_text(encoding="utf-8"))
    return content


def _choices(kind: Kind, sections: Sequence[_Section], number: int) -> list[tuple[_Section, ...]]:
    """Different kinds begin at different sections; two of one language for one that combines."""
    if not sections:
        return []
    start = KINDS.index(kind) * len(sections) // len(KINDS)
    turned = [*sections[start:], *sections[:start]]
    if kind != "multi_hop":
        return [(section,) for section in turned[:number]]
    languages = dict.fromkeys(language_of(section.text) for section in turned)
    alike = [[section for section in turned if language_of(section.text) == language] for language in languages]
    pairs: list[tuple[_Section, ...]] = [pair for same in alike for pair in pairwise(same)]
    return pairs[:number]


def _sections(document: Document) -> Iterator[_Section]:
    """Neighbouring blocks under one heading, up to some 1,200 characters."""
    start = end = -1
    path: tuple[str, ...] = ()
    for block in document.blocks:
        if block.kind == "heading":
            continue
        if start >= 0 and (block.heading_path != path or block.end - start > _CHARACTERS):
            if end - start >= _FEWEST:
                yield _Section(document, start, end)
            start = -1
        if start < 0:
            start, path = block.start, block.heading_path
        end = block.end
    if start >= 0 and end - start >= _FEWEST:
        yield _Section(document, start, end)
