"""Condensing and rewriting without a model, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.feedback import QUERY_LIMIT, feedback_query, feedback_terms
from graph.followups import own_question, refers_back
from graph.keywords import keywords
from graph.language import language_of
from graph.state import Graded, Policy, State
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
        "哪一年恢复的？",
        "是谁设计的？",
        "后来又发生了什么变化呢？",
        "窗口又是多少？",
        "And the second one?",
        "How much larger is the new one than the old one?",
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
        "谁发明了倒数排名融合？",
        "Who is the one who proposed BM25?",
    ],
)
def test_questions_that_stand_alone(question: str) -> None:
    assert not refers_back(question, HISTORY)


def asked(*questions: str) -> tuple[Turn, ...]:
    return tuple(turn for question in questions for turn in (("user", question), ("assistant", "An answer. [1]")))


@pytest.mark.parametrize(
    ("earlier", "question", "searched"),
    [
        (
            "How many credits does a search cost?",
            "And when does the nightly run start?",
            "when does the nightly run start?",
        ),
        ("每日备份保留多少天？", "那夜间评测几点开始？", "夜间评测几点开始？"),
        ("每日备份保留多少天？", "那么谁负责重建索引呢？", "谁负责重建索引呢？"),
        ("What is RRF?", "But does caching help?", "does caching help?"),
        ("What is RRF?", "What is BM25?", "What is BM25?"),
        ("What is RRF?", "How long does it take to rebuild the index?", "How long does it take to rebuild the index?"),
        ("What is RRF?", "When must employees send in their reports?", "When must employees send in their reports?"),
        ("磨坊有几层？", "为什么要关闭磨坊？", "为什么要关闭磨坊？"),
        ("每日备份保留多少天？", "And the nightly run?", "the nightly run?"),
        ("What is RRF?", "那阈值呢？", "阈值呢？"),
    ],
)
def test_a_question_with_its_own_words_stands_alone(earlier: str, question: str, searched: str) -> None:
    assert not refers_back(question, asked(earlier))
    assert own_question(question) == searched


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


def state(question: str, *tried: str, confidence: float = 0.2, probabilities: tuple[float, ...] = (0.5, 0.5)) -> State:
    best = Graded(
        question,
        (
            hit("余弦相似度低于阈值时切分。余弦相似度用句子向量计算。", title="切分"),
            hit(
                "Cosine similarity of sentence embeddings decides where to cut; similarity is compared to a threshold,"
                " and the threshold is above average once.",
                title="Threshold",
            ),
        ),
        probabilities,
        confidence,
    )
    policy = Policy(grading=True, upper=0.7, lower=0.3, attempts=2, web=False)
    return State(standalone=question, tried=tried, best=best, policy=policy)


def test_feedback_adds_the_passages_own_terms_and_more_with_each_attempt() -> None:
    question = "How do I cut text by meaning?"
    first = feedback_query(state(question, question))
    second = feedback_query(state(question, question, first))
    assert first.startswith("cut text meaning threshold similarity")
    assert len(second) > len(first)
    assert second.startswith(first)
    # Said once, or saying nothing of the subject.
    assert not {"above", "once", "average", "embeddings"} & set(second.split())


def test_feedback_comes_from_likely_passages_of_a_search_with_hope_only() -> None:
    question = "怎么切分文本？"
    assert "余弦" in feedback_query(state(question, question))
    unlikely = feedback_query(state(question, question, probabilities=(0.1, 0.5)))
    assert "threshold" in unlikely
    assert "余弦" not in unlikely
    assert feedback_query(state(question, question, confidence=0.05)) == ""


def test_without_a_term_to_add_there_is_no_query() -> None:
    bare = state("tower", "tower")
    bare["best"] = Graded("tower", (hit("The tower has 312 steps.", title="Tower"),), (0.5,), 0.2)
    assert feedback_query(bare) == ""


def test_feedback_terms_are_new_words() -> None:
    passages = state("x", "x")["best"].hits
    chinese = feedback_terms(["余弦"], passages, 3)
    assert chinese == ["相似", "切分", "threshold"]
    assert "余弦" not in chinese
    english = feedback_terms(["cosine"], passages, 3)
    assert english[:2] == ["threshold", "similarity"]
    assert "cosine" not in english


@given(question=st.text(max_size=300), tried=st.lists(st.text(max_size=20), max_size=3))
def test_any_question_gives_a_bounded_query(question: str, tried: list[str]) -> None:
    query = feedback_query(state(question, *tried))
    assert len(query) <= QUERY_LIMIT
    assert "\n" not in query
