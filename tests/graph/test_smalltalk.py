"""Messages that ask nothing of the documents get a fixed line and no search."""

from __future__ import annotations

import asyncio

import pytest

from graph import routes
from graph.engine import Engine
from graph.smalltalk import Aside, aside
from graph.state import State
from graph.types import AnswerReady, Event, TextDelta
from tests.fakes.graph import MemoryRetriever, deps, hit

PASSAGES = [
    hit("The tower has 312 steps.", source="tower.md"),
    hit("你好这个词用来问候。谢谢用来致谢。", source="zh.md"),
]


@pytest.mark.parametrize(
    ("kind", "messages"),
    [
        ("greeting", ["hello", "Hi!", "hey there", "Good morning.", "你好", "您好！", "早上好", "hi 👋", "在吗？"]),
        ("thanks", ["thanks!", "Thank you very much", "ok thanks", "谢谢", "好的，谢谢！", "谢谢你的帮助", "明白了"]),
        ("goodbye", ["bye", "Goodbye!", "see you later", "再见", "拜拜", "晚安"]),
        (
            "service",
            [
                "Who are you?",
                "what can you do",
                "help",
                "你是谁？",
                "你能做什么？",
                "Hello, who are you?",
                "你好，你是谁",
            ],
        ),
        (
            "documents",
            ["What documents do you have?", "list the documents", "你有哪些文档？", "你都有哪些资料？", "列出所有文档"],
        ),
    ],
)
def test_small_talk_is_known_by_the_whole_message(kind: Aside, messages: list[str]) -> None:
    assert {message: aside(message) for message in messages} == dict.fromkeys(messages, kind)


@pytest.mark.parametrize(
    "question",
    [
        "What is BM25?",
        "Hello, what is BM25?",
        "你好，备份保留多少天？",
        "What documents do auditors need?",
        "What is this document about?",
        "文档有哪些格式？",
        "Who are the owners?",
        "help desk number",
        "谢谢这个词是什么意思？",
        "What can you do with a bridge?",
        "??",
        "…",
    ],
)
def test_a_question_is_none(question: str) -> None:
    assert aside(question) is None


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("hello", "I answer questions from the indexed documents"),
        ("你能做什么？", "我根据已收录的文档回答问题"),
        ("What documents do you have?", "crag docs list"),
        ("你有哪些文档？", "crag docs list"),
        ("谢谢", "不客气"),
    ],
)
def test_it_is_answered_without_a_search(message: str, says: str) -> None:
    retriever = MemoryRetriever(PASSAGES)
    engine = Engine(deps(PASSAGES, retriever=retriever))

    async def collect() -> list[Event]:
        return [event async for event in engine.stream(message, [("user", "How many steps does the tower have?")])]

    events = asyncio.run(collect())
    ready = events[-1]
    assert isinstance(ready, AnswerReady)
    answer = ready.answer
    assert says in answer.text
    assert answer.text == "".join(event.text for event in events if isinstance(event, TextDelta))
    assert (answer.status, answer.confidence, answer.citations, answer.hits) == ("abstained", 0.0, (), ())
    assert [event.node for event in answer.trace] == ["condense", "reply"]
    assert answer.trace[1].detail["searched"] == "nothing"
    assert retriever.asked == []


def test_the_route_follows_what_condense_found() -> None:
    assert routes.after_condense(State(aside="thanks")) == "reply"
    assert routes.after_condense(State(aside=None)) == "retrieve"


def test_a_message_of_emoji_asks_nothing() -> None:
    assert aside("😀") == aside(" 👍🏽! ") == "service"
    assert aside("😀 E07?") is None
