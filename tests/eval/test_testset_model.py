"""Drafts that a language model proposes: only what its passage says, quotes placed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from chunking.errors import ProviderError
from chunking.types import Document
from eval.drafting.model import draft_with_model
from eval.judge_config import JudgeConfig
from eval.testset import Draft
from tests.fakes.drafting import documents
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.openai import chat, chat_json, error


def proposal(request: Request) -> Reply:
    """Quotes the first sentence of every passage that it is shown."""
    system, user = (message["content"] for message in request.body["messages"])
    passages = [part.split("\n</passage>")[0].split(">\n", 1)[1] for part in user.split("<passage")[1:]]
    firsts = [text.replace("\n", " ").split("。")[0].split(". ")[0] for text in passages]
    if "empty list" in system or "空列表" in system:
        return chat_json({"question": f"What of {firsts[0][:20]}?", "answer": "", "quotes": []})
    return chat_json({"question": f"Q {firsts}?", "answer": "A.", "quotes": firsts})


def drafted(server: ScriptedServer, count: int, docs: Sequence[Document] | None = None, **options: Any) -> list[Draft]:
    model = JudgeConfig(model="drafter", base_url=f"{server.url}/v1", retries=0)
    return asyncio.run(draft_with_model(documents() if docs is None else docs, model, count=count, **options))


def test_a_model_proposes_and_its_quotes_are_placed() -> None:
    seen: list[tuple[int, int]] = []
    with ScriptedServer(proposal) as server:
        made = drafted(server, 8, progress=lambda done, total: seen.append((done, total)))
        assert server.requests[0].body["response_format"] == {"type": "json_object"}
    texts = {document.source: document.text for document in documents()}
    assert {draft.type for draft in made} == {"factual", "summary", "multi_hop", "unanswerable"}
    for draft in made:
        assert draft.how == "model:drafter"
        for place in draft.passages:
            assert texts[place.source][place.start : place.end] == place.text
    assert all(len(draft.passages) == 2 for draft in made if draft.type == "multi_hop")
    assert [done for done, _ in seen] == list(range(1, len(made) + 1))


def test_chinese_passages_are_asked_about_in_chinese() -> None:
    with ScriptedServer(proposal) as server:
        drafted(server, 2, documents()[:1], kinds=("factual",))
        assert all("原样照抄" in request.body["messages"][0]["content"] for request in server.requests)


@pytest.mark.parametrize(
    "reply",
    [
        chat("no JSON"),
        chat_json({"question": "Q?", "answer": "A."}),
        chat_json({"question": " ", "answer": "A.", "quotes": ["x"]}),
        chat_json({"question": "Q?", "answer": "A.", "quotes": ["This sentence is in no document."]}),
        chat_json({"question": "Q?", "answer": "", "quotes": []}),
    ],
)
def test_what_its_passage_does_not_say_is_no_draft(reply: Reply) -> None:
    with ScriptedServer(lambda request: reply) as server:
        assert drafted(server, 4, kinds=("factual", "multi_hop")) == []


def test_an_endpoint_that_fails_is_one_sentence() -> None:
    with ScriptedServer(lambda request: error(401)) as server, pytest.raises(ProviderError, match="check the model"):
        drafted(server, 2)
