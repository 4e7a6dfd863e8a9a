"""Long questions, cut down to what they ask."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.gist import LONG, SHORTER, gist


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "Hello everyone, I am new here and quite happy so far. Yesterday our intern broke the staging database of "
            "Orion and nobody noticed until noon. Could you please tell me how often it is backed up? Thanks a lot!",
            "Yesterday our intern broke the staging database of Orion and nobody noticed until noon, "
            "how often it is backed up?",
        ),
        (
            "My neighbour has a mill in his garden and he keeps talking about it every single weekend, and last Sunday "
            "he said that the Harbour Mill was closed in 1950. Do you have any idea why that was?",
            "the Harbour Mill was closed in 1950, why that was?",
        ),
        (
            "您好，我是刚来公司的实习生，对系统还不太熟悉，昨天部门经理让我负责磨坊数据库的维护，我查了半天文档也没有看明白，"
            "想请教一下各位老师，这个数据库的备份要保留多少天呢？非常感谢！",
            "昨天部门经理让我负责磨坊数据库的维护，这个数据库的备份要保留多少天呢？",
        ),
        (
            "不好意思打扰一下，我和同事为了这件事情争了一整个下午都没有结果，最后大家决定来问问专业的人，请问夜间评测是几点钟开始的？",
            "夜间评测是几点钟开始的？",
        ),
        (
            "I set up the new server for my team last week and it works well, but my boss asked me yesterday where the "
            "temporary files go before they are finished. Can somebody help?",
            "where the temporary files go before they are finished?",
        ),
    ],
)
def test_a_story_is_left_out_and_what_it_names_is_kept(question: str, asked: str) -> None:
    assert gist(question) == asked


@pytest.mark.parametrize(
    "question",
    [
        "How many steps does the tower have?",
        "磨坊有几层？",
        # Long, and all of it is asked.
        "What is the default value of the parameter that decides how many passages of the first search are handed on "
        "to the reranker when a question asks several things at once?",
        # Long, and nothing of it asks.
        "The tower was finished in 1889 and has 312 steps, and from its top one sees the bridge, the harbour, the old "
        "mill and, on a clear day, the mountains behind the city.",
    ],
)
def test_what_is_short_or_all_asked_stays(question: str) -> None:
    assert gist(question) == question


@given(st.text(max_size=400))
def test_a_gist_is_the_question_or_much_shorter(question: str) -> None:
    made = gist(question)
    assert made == question or len(made) <= SHORTER * len(question)


def test_only_long_questions_are_touched() -> None:
    polite = "Could you please tell me how many steps the tower has?"
    assert len(polite.split()) < LONG["en"]
    assert gist(polite) == polite
