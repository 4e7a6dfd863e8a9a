"""What chat clients ask for themselves searches nothing; what a person asks about the same words does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import pytest

from graph.config import GenerationConfig
from graph.engine import Engine
from graph.llms.openai import openai_model
from graph.side_requests import side_request
from graph.types import Answer, Turn
from tests.fakes.graph import MemoryRetriever, deps, hit
from tests.fakes.http import Reply, ScriptedServer
from tests.fakes.openai import chat, chat_json, error

PASSAGES = [hit("The tower has 312 steps.", source="tower.md", title="Tower")]
_HISTORY = (
    "### Chat History:\n<chat_history>\nUSER: How many steps does the tower have?\nASSISTANT: 312 [1]\n</chat_history>"
)
_HISTORY_ZH = "<chat_history>\nUSER: 每日备份保留多少天？\nASSISTANT: 30 天 [1]\n</chat_history>"


def _open_webui(task: str, shape: str, history: str = _HISTORY) -> str:
    return f"### Task:\n{task}\n### Guidelines:\n- Be brief.\n### Output:\nJSON format: {shape}\n{history}"


TITLE = _open_webui("Generate a concise, 3-5 word title with an emoji.", '{ "title": "your concise title here" }')
TAGS = _open_webui("Generate 1-3 broad tags categorizing the main themes.", '{ "tags": ["tag1", "tag2"] }')
FOLLOW_UPS = _open_webui("Suggest 3-5 relevant follow-up questions.", '{ "follow_ups": ["Question 1?"] }')
TITLE_ZH = _open_webui("为这段聊天生成标题。", '{ "title": "标题" }', _HISTORY_ZH)
LIBRECHAT = (
    "Provide a concise, 5-word-or-less title for the conversation, using its same language, with no punctuation.\n\n"
    "User: How many steps does the tower have?\nAI: 312"
)
LIBRECHAT_AGENTS = (
    "Analyze this conversation and provide:\n1. The detected language of the conversation\n2. A concise title\n\n"
    "User: How many steps does the tower have?\nAI: 312"
)
CHERRY_ZH = (
    "你是一名擅长会话的助理，你需要将用户的会话总结为 10 个字以内的标题，标题语言与用户的首要语言一致，"
    "不要使用标点符号和其他特殊符号"
)
CHERRY_EN = (
    "You are an assistant skilled in conversation. You need to summarize the user's conversation into a title within "
    "10 words. Do not use punctuation marks or other special symbols"
)
NEXTCHAT = "使用四到五个字直接返回这句话的简要主题，不要解释、不要标点、不要语气词、不要多余文本"
NEXTCHAT_EN = "Please generate a four to five word title summarizing our conversation without any lead-in, punctuation"


def ask(message: str, history: Sequence[Turn] = (), **changes: object) -> tuple[Answer, list[str]]:
    retriever = MemoryRetriever(PASSAGES)
    engine = Engine(deps(PASSAGES, retriever=retriever, **changes))

    async def asked() -> Answer:
        try:
            return await engine.ask(message, history)
        finally:
            await engine.aclose()

    return asyncio.run(asked()), retriever.asked


@pytest.mark.parametrize(
    ("message", "history", "kind"),
    [
        (TITLE, (), "title"),
        (TAGS, (), "tags"),
        (FOLLOW_UPS, (), "follow_ups"),
        (TITLE_ZH, (), "title"),
        (LIBRECHAT, (), "title"),
        (LIBRECHAT_AGENTS, (), "title"),
        ("User: 每日备份保留多少天？\nAssistant: 30 天", (("system", CHERRY_ZH),), "title"),
        ('[{"role":"user","mainText":"How many steps?"}]', (("system", CHERRY_EN),), "title"),
        (NEXTCHAT, (("user", "每日备份保留多少天？"), ("assistant", "30 天")), "title"),
        (NEXTCHAT_EN, (("user", "How many steps?"), ("assistant", "312")), "title"),
        ("简要总结一下对话内容，用作后续的上下文提示 prompt，控制在 200 字以内", (("user", "备份？"),), "summary"),
        ("Suggest three follow-up questions the user might ask next.", (), "follow_ups"),
        ("请根据以上对话生成三个后续问题", (), "follow_ups"),
        ("Generate a title for this conversation", (("user", "How many steps?"),), "title"),
    ],
)
def test_a_clients_own_request_searches_nothing(message: str, history: tuple[Turn, ...], kind: str) -> None:
    found = side_request(message, history)
    assert found is not None
    assert found.kind == kind
    answer, searched = ask(message, history)
    assert searched == []
    assert answer.trace[0].detail["small_talk"] == kind
    assert answer.usage.model_calls == 0
    assert len(answer.text) <= 200


@pytest.mark.parametrize(
    "question",
    [
        "How does Open WebUI generate the title of a conversation?",
        "如何为聊天生成标题？",
        "What is the title of the report on conversation design?",
        "Which tags does the release use?",
        "对话标题的长度上限是多少？",
        "Generate a report of the tower's steps.",
        "What follow-up questions did the auditors ask?",
        "Suggest follow-up questions about the HX-300 error codes",
        "请提出关于 HX-300 错误码的后续问题",
        "Generate tags for the chat logs in KuQueue",
        "Write a name for our chat bot",
    ],
)
def test_a_persons_question_about_titles_and_tags_is_searched_for(question: str) -> None:
    assert side_request(question) is None
    assert ask(question)[1] == [question]


def test_without_a_model_the_reply_is_short_and_in_the_form_asked_for() -> None:
    assert json.loads(ask(TITLE)[0].text) == {"title": "steps tower"}
    assert json.loads(ask(TAGS)[0].text) == {"tags": ["steps", "tower"]}
    assert json.loads(ask(FOLLOW_UPS)[0].text) == {"follow_ups": []}
    assert json.loads(ask(TITLE_ZH)[0].text)["title"].startswith("每日备份")
    assert ask(LIBRECHAT)[0].text == "steps tower"


def answered_by_model(message: str, reply: Reply, monkeypatch: pytest.MonkeyPatch) -> Answer:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with ScriptedServer(lambda request: reply) as server:
        config = GenerationConfig(provider="openai", model="m", base_url=server.url)
        model = openai_model(config)
        answer, searched = ask(message, chat=model.chat, generator=model.generator)
        assert searched == []
        assert server.requests
    return answer


def test_a_model_answers_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    titled = answered_by_model(TITLE, chat_json({"title": "Tower steps 🗼"}), monkeypatch)
    assert json.loads(titled.text) == {"title": "Tower steps 🗼"}
    assert titled.usage.model_calls == 1
    assert answered_by_model(LIBRECHAT, chat_json({"title": "Tower Steps"}), monkeypatch).text == "Tower Steps"
    asked = answered_by_model(FOLLOW_UPS, chat_json({"follow_ups": ["When was it built?"]}), monkeypatch)
    assert json.loads(asked.text) == {"follow_ups": ["When was it built?"]}


@pytest.mark.parametrize("reply", [error(400), chat("no object"), chat_json({"title": " "})])
def test_a_model_that_fails_leaves_the_rule_and_is_named(reply: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = answered_by_model(TITLE, reply, monkeypatch)
    assert json.loads(answer.text) == {"title": "steps tower"}
    assert [entry.stage for entry in answer.degraded] == ["reply"]
