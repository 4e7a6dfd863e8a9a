"""Condensing and rewriting without a model, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.language import language_of
from graph.nodes.condense import joined, refers_back
from graph.nodes.rewrite import QUERY_LIMIT, feedback_query, feedback_terms, keywords
from graph.state import Graded, State
from graph.types import Turn
from tests.fakes.graph import hit

HISTORY: tuple[Turn, ...] = (("user", "语义分块的阈值是多少？"), ("assistant", "0.7。[1]"))


@pytest.mark.parametrize(
    "question",
    [
        "它的参数是多少",
        "那窗口呢？",
        "为什么？",
        "第二种方法怎么做",
        "这个方法有什么缺点？",
        "And the second one?",
        "Why?",
        "What about Chinese?",
        "How does it compare with BM25?",
        "What are their parameters?",
        "Who proposed this?",
    ],
)
def test_questions_that_lean_on_the_conversation(question: str) -> None:
    assert refers_back(question, HISTORY)
    assert not refers_back(question, ())
    assert not refers_back(question, (("assistant", "Hello, ask me something."),))


@pytest.mark.parametrize(
    "question",
    [
        "什么是倒数排名融合？",
        "BM25 的参数 k1 通常取多少？",
        "What is reciprocal rank fusion?",
        "Which embedder does the embedded mode use?",
        "How are tables chunked?",
        "文档分块应该多大？",
    ],
)
def test_questions_that_stand_alone(question: str) -> None:
    assert not refers_back(question, HISTORY)


def test_a_chain_of_follow_ups_goes_back_to_the_question_that_stands_alone() -> None:
    history: tuple[Turn, ...] = (
        ("user", "What is BM25 good for?"),
        ("user", "What is reciprocal rank fusion?"),
        ("assistant", "A way to merge."),
        ("user", "Who proposed it?"),
        ("assistant", "Cormack."),
    )
    assert joined("And when?", history) == "What is reciprocal rank fusion? Who proposed it? And when?"
    assert joined("那窗口呢？", HISTORY) == "语义分块的阈值是多少？ 那窗口呢？"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("SeaTunnel 的 Email Sink 连接器中，参数 email_smtp_port 的默认值是什么？", "zh"),
        ("什么是 semantic chunking 的 breakpoint threshold？", "zh"),
        ("What does 语义分块 mean?", "en"),
        ("语义分块", "zh"),
        ("How many steps?", "en"),
        ("", "en"),
        ("？", "en"),
    ],
)
def test_the_language_of_a_question(text: str, language: str) -> None:
    assert language_of(text) == language


def test_keywords_lose_question_words_and_keep_names() -> None:
    assert keywords("Can you please explain what the parameter top_k of BM25 does?")[:3] == [
        "parameter",
        "top_k",
        "BM25",
    ]
    assert keywords("请问 SeaTunnel 的 email_smtp_port 的默认值是什么？") == ["SeaTunnel", "email_smtp_port", "默认值"]


def state(question: str, *tried: str) -> State:
    best = Graded(
        question,
        (
            hit("余弦相似度低于阈值时切分。余弦相似度用句子向量计算。"),
            hit(
                "Cosine similarity of sentence embeddings decides where to cut; similarity is compared to a threshold."
            ),
        ),
    )
    return State(standalone=question, tried=tried, best=best)


def test_feedback_adds_the_passages_own_terms_and_more_with_each_attempt() -> None:
    question = "How do I cut text by meaning?"
    first = feedback_query(state(question, question))
    second = feedback_query(state(question, question, first))
    assert first.startswith("cut text meaning ")
    assert "similarity" in first.lower()
    assert len(second) > len(first)
    assert second.startswith(first)


def test_feedback_terms_are_new_words() -> None:
    passages = state("x", "x")["best"].hits
    chinese = feedback_terms(["余弦"], passages, 3)
    assert len(chinese) == 3
    assert "余弦" not in chinese
    assert "相似" in chinese
    english = feedback_terms(["cosine"], passages, 3)
    assert english[0] == "similarity"
    assert "cosine" not in english


@settings(deadline=None)
@given(question=st.text(max_size=300), tried=st.lists(st.text(max_size=20), max_size=3))
def test_any_question_gives_a_bounded_query(question: str, tried: list[str]) -> None:
    query = feedback_query(state(question, *tried))
    assert len(query) <= QUERY_LIMIT
    assert "\n" not in query
