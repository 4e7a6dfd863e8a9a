"""What a question asks: kinds, parts, one thing or several."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.questions import asks_several, kinds, parts


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who wrote it, and when was it printed?", ["Who wrote it", "when was it printed?"]),
        ("Which alert fires and how many credits are left?", ["Which alert fires", "how many credits are left?"]),
        ("重排的时限是多少秒？失败时返回什么？", ["重排的时限是多少秒？", "失败时返回什么？"]),
        ("谁提出了它，什么时候提出的？", ["谁提出了它", "什么时候提出的？"]),
        ("What is A? What is B?", ["What is A?", "What is B?"]),
    ],
)
def test_a_question_of_several_parts(question: str, expected: list[str]) -> None:
    assert list(parts(question)) == expected


@pytest.mark.parametrize(
    "question",
    [
        "How do cats and dogs sleep?",
        "在 A 系统中，参数 B 的默认值是什么？",
        'Why was the group called "the Methodists?"',
        "Was it restored or did it remain black and white?",
        "What is the difference between dense and lexical retrieval?",
        "五羊新城，又称五羊邨，有什么地理优势？",
        "",
        "a? b? c? d? e? f?",
    ],
)
def test_a_question_of_one_part(question: str) -> None:
    assert parts(question) == (question,)


@given(st.text(max_size=200))
def test_every_question_has_one_to_four_parts(question: str) -> None:
    found = parts(question)
    assert 1 <= len(found) <= 4
    assert all(part == part.strip() and part for part in found) or found == (question,)


def test_several_things_or_one_fact() -> None:
    for question in (
        "Summarise the method",
        "为什么灯塔不使用停用词表？",
        "有哪些优点？",
        "Compare A with B",
        "如何安装？",
    ):
        assert asks_several(question)
    for question in ("When was it built?", "它在哪里？", "How many rooms are there?", "默认值是多少？"):
        assert not asks_several(question)


def test_a_kind_knows_the_words_of_its_answers() -> None:
    (when,) = kinds("When was it built?")
    assert when.answers.search("in 1889")
    assert not when.answers.search("by Anna Gray")
    (default,) = kinds("参数的默认值是什么？")[:1]
    assert default.answers.search("| port | 465 |")
    assert len(kinds("When, where, why and by whom and how many?")) == 2
    assert kinds("tower") == []
