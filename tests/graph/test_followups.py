"""A follow-up is one question: what it names takes the place of its like, a pronoun that of what was named."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.config import GenerationConfig
from graph.engine import Engine
from graph.followups import QUESTION_LIMIT, refers_back, resolved
from graph.questions import parts
from graph.types import Answer, Turn
from tests.fakes.graph import ScriptedGrader, deps, hit


def asked(*questions: str) -> tuple[Turn, ...]:
    return tuple(turn for question in questions for turn in (("user", question), ("assistant", "An answer. [1]")))


SURE = [
    # The same of another thing.
    (["正式员工每年有多少天年假？"], "那病假呢？", "正式员工每年有多少天病假？"),
    (["正式员工每年有多少天年假？", "那病假呢？"], "婚假呢？", "正式员工每年有多少天婚假？"),
    (["北京办公室在哪里？"], "那上海的呢？", "上海办公室在哪里？"),
    (["北京办公室在哪里？", "上海呢？"], "深圳的呢？", "深圳办公室在哪里？"),
    (["每日备份保留多少天？"], "那每月的呢？", "每月备份保留多少天？"),
    (["每日备份保留多少天？", "谢谢"], "每周的呢？", "每周备份保留多少天？"),
    (["2023 年的销售额是多少？"], "2024 年呢？", "2024 年的销售额是多少？"),
    (["谁审核报销单？"], "差旅申请呢？", "谁审核差旅申请？"),
    (["How much does the HX-40 Basic cost?"], "And the Pro?", "How much does the HX-40 Pro cost?"),
    (["How many buses run in January?"], "and in March?", "How many buses run in March?"),
    (["How many buses run in January?"], "What about March?", "How many buses run in March?"),
    (["When did the first stage open?"], "what about the second one?", "When did the second stage open?"),
    (["How much is the monthly pass?"], "And the weekly one?", "How much is the weekly pass?"),
    (["How much does a search cost?"], "And a basic one?", "How much does a basic search cost?"),
    (["Is the shop open on Sundays?"], "And on Mondays?", "Is the shop open on Mondays?"),
    (["What does the factory in Bergen build?"], "And the one in Graz?", "What does the factory in Graz build?"),
    (["How tall is Mount Kea?"], "And Mount Loa?", "How tall is Mount Loa?"),
    (
        ["Which country is the largest producer?"],
        "And the second one?",
        "Which country is the second largest producer?",
    ),
    (["When was the boat house built?"], "And renovated?", "When was the boat house renovated?"),
    (["Who designed the HX-200?"], "And the HX-300?", "Who designed the HX-300?"),
    (["KuStore 3.0 监听哪个端口？"], "KuQueue 呢？", "KuQueue 监听哪个端口？"),
    (["What does top_k default to?"], "And chunk_size?", "What does chunk_size default to?"),
    (["What does E07 mean?"], "And the E21 of the HX-400?", "What does E21 mean, HX-400?"),
    (["Who designed the HX-200?"], "No, I meant the HX-300", "Who designed the HX-300?"),
    (["Who wrote the Go client?"], "sorry, I meant the Python client", "Who wrote the Python client?"),
    (["KuStore 3.0 支持二级索引吗？"], "不对，我问的是2.x", "KuStore 2.x 支持二级索引吗？"),
    # A pronoun.
    (["R5 的售价是多少？"], "它的保修期呢？", "R5的保修期是多少？"),
    (["R5 的售价是多少？", "R7 呢？"], "它的电池容量是多少？", "R7的电池容量是多少？"),
    (["张伟是哪个部门的？"], "他的邮箱是什么？", "张伟的邮箱是什么？"),
    (["磨坊有几层？"], "那里靠近哪条河？", "磨坊靠近哪条河？"),
    (["What is RRF?"], "它由谁提出？", "RRF由谁提出？"),
    (
        ["How much does the HX-40 Basic cost?", "And the Pro?"],
        "What supply voltage does it need?",
        "What supply voltage does the HX-40 Pro need?",
    ),
    (
        ["How much does the HX-40 Basic cost?", "And the Pro?", "What supply voltage does it need?"],
        "Does it have BACnet?",
        "Does the HX-40 Pro have BACnet?",
    ),
    (["How much is the monthly pass?"], "How long is it valid?", "How long is the monthly pass valid?"),
    (["How do I reset the router?"], "Does it beep?", "Does the router beep?"),
    (["What is the weight of the sofa?"], "Is it red?", "Is the sofa red?"),
    (["Is there a sauna?"], "How much is it?", "How much is a sauna?"),
    (["What is RRF?"], "Who designed its parts?", "Who designed RRF's parts?"),
    (["Who designed the HX-200?", "And on the HX-300?"], "How long is its life?", "How long is the HX-300's life?"),
    # Asked otherwise.
    (["谁负责重建索引？"], "什么时候？", "什么时候负责重建索引？"),
    (["磨坊关闭了吗？"], "为什么？", "为什么磨坊关闭了？"),
    (["Who paints the pier?"], "By when?", "By when paints the pier?"),
]


@pytest.mark.parametrize(("earlier", "question", "meant"), SURE)
def test_what_a_follow_up_names_takes_the_place_of_its_like(earlier: list[str], question: str, meant: str) -> None:
    history = asked(*earlier)
    assert refers_back(question, history)
    found = resolved(question, history)
    assert (found.question, found.searched) == (meant, meant)


@pytest.mark.parametrize(
    ("earlier", "question", "meant", "searched"),
    [
        ("What is RRF?", "What about Chinese?", "What is Chinese?", "What is RRF, Chinese?"),
        ("What is the weight of the sofa?", "And the price?", "What is the price of the sofa?", None),
        ("What is the weight of the sofa?", "And the armchair?", "What is the weight of the armchair?", None),
        ("Where is Harvard's football stadium?", "And the medical school?", "Where is Harvard's medical school?", None),
        ("R7 的保修期是多久？", "尘盒容积呢？", "R7的尘盒容积是多少？", "R7 的保修期是多久，尘盒容积呢？"),
        ("图书的借期是多少天？", "期刊呢？", "期刊的借期是多少天？", None),
        ("滤网多久更换一次？", "边刷呢？", "边刷多久更换一次？", None),
    ],
)
def test_where_it_is_not_sure_the_question_before_helps_the_search_alone(
    earlier: str, question: str, meant: str, searched: str | None
) -> None:
    found = resolved(question, asked(earlier))
    assert found.question == meant
    assert found.searched == searched or (searched is None and found.searched.startswith(earlier[:-1]))


@pytest.mark.parametrize(
    ("earlier", "question"),
    [
        ("How much is the monthly pass?", "Who leads the passenger office?"),
        ("How much is the monthly pass?", "Where is lost property kept?"),
        ("餐费每天上限是多少？", "公司是哪一年成立的？"),
        ("正式员工有多少天年假？", "事假要提前几天申请？"),
        ("北京办公室有多少名员工？", "那么创始人是谁？"),
    ],
)
def test_another_subject_is_no_follow_up(earlier: str, question: str) -> None:
    assert not refers_back(question, asked(earlier))


def test_without_a_question_before_there_is_nothing_to_put_in() -> None:
    assert resolved("And why?", asked("hello")).question == "And why?"


TURNS = [
    *(
        "And a basic one?",
        "Why?",
        "那每月的呢？",
        "谢谢",
        "它呢？",
        "And in March?",
        "How long is it valid?",
        "上海的呢？",
    ),
    *("What about the second one?", "它的保修期呢？", "Who is she?", "And the HX-300?", "几点开始？", "R7 的价格呢？"),
]


@given(
    st.sampled_from(["How many credits does an advanced search cost?", "北京的 R5 每日备份几次？", "What is RRF?"]),
    st.lists(st.sampled_from(TURNS), max_size=8),
    st.sampled_from(TURNS),
)
def test_any_chain_of_follow_ups_makes_one_question(first: str, chain: list[str], last: str) -> None:
    found = resolved(last, asked(first, *chain))
    assert 0 < len(found.question) <= QUESTION_LIMIT
    assert len(found.question) < len(first) + 60, "what was asked before piles up"
    assert len(parts(found.question)) == 1


@given(first=st.text(max_size=120), last=st.text(max_size=80))
def test_whatever_is_asked_something_bounded_is_meant(first: str, last: str) -> None:
    assert len(resolved(last, asked(first)).question) <= max(QUESTION_LIMIT, len(last))


FERRY = (
    "In January the ferry runs four times a day. In March the ferry runs seven times a day. Tickets are sold on board."
)
LEAVE = "正式员工每年享有 15 天年假。病假每年不超过 10 天，需要提供证明。实习生每月有 1 天带薪假。"


def ask(question: str, text: str, *earlier: str) -> Answer:
    made = deps(
        [hit(text)],
        calibration=ScriptedGrader([0.9]),
        generation=GenerationConfig(provider="extractive", max_sentences=6),
    )
    return asyncio.run(Engine(made).ask(question, history=list(asked(*earlier))))


@pytest.mark.parametrize(
    ("text", "earlier", "question", "told", "before"),
    [
        (FERRY, "How many times a day does the ferry run in January?", "And in March?", "seven", "four"),
        (FERRY, "How many times a day does the ferry run in March?", "What about January?", "four", "seven"),
        (LEAVE, "正式员工每年有多少天年假？", "那病假呢？", "10 天", "15 天"),
    ],
)
def test_what_was_asked_before_is_not_answered_again(
    text: str, earlier: str, question: str, told: str, before: str
) -> None:
    answer = ask(question, text, earlier)
    assert told in answer.text
    assert before not in answer.text
    assert answer.confidence == 0.9


@pytest.mark.parametrize(
    ("text", "earlier", "question"),
    [
        (FERRY, "How many times a day does the ferry run in January?", "And in October?"),
        (LEAVE, "正式员工每年有多少天年假？", "那婚假呢？"),
    ],
)
def test_what_a_follow_up_names_and_no_passage_says_lowers_the_confidence(
    text: str, earlier: str, question: str
) -> None:
    answer = ask(question, text, earlier)
    assert answer.confidence < 0.22
    assert any("follow_up_unheard" in event.detail for event in answer.trace)


def test_a_passage_in_another_language_says_it_in_other_words() -> None:
    assert ask("那三月呢？", FERRY, "渡轮一月每天几班？").confidence == 0.9


def test_a_thing_named_anew_stays_the_subject() -> None:
    turns = ["How many times a day does the ferry run in January?", "And in March?"]
    found = resolved("And on Sundays?", asked(*turns))
    assert "March" in found.question
    assert [(sorted(each.named), sorted(each.gone)) for each in found.instead][:1] == [(["march"], ["january"])]
    assert resolved("Who sells the tickets for the ferry?", asked(*turns)).instead == ()
