"""Long questions, cut down to what they ask."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.gist import LONG, SHORTER, gist


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        # Short, but with a story.
        ("I just started here. My desk is upstairs. Who orders the toner?", "who orders the toner?"),
        ("We run KuCache behind a proxy. How large may a key be?", "KuCache, how large may a key be?"),
        ("我们车间在二楼,老板想把KL-850放上去,那边一直在催。地基要多厚?", "KL-850，地基要多厚？"),
        # Only sentences with a question mark ask where there is one, and "it" stands for what the clause itself names.
        ("孩子昨晚发烧,今天早上退了,也不知道找谁。请假四天要谁批准?", "请假四天要谁批准？"),
        (
            "We upgraded last week and the consumers are thrown out all the time now. "
            "Which setting closes silent connections and what is it by default?",
            "which setting closes silent connections and what is it by default?",
        ),
    ],
)
def test_what_is_told_before_the_question_is_left_out(question: str, asked: str) -> None:
    assert gist(question) == asked


def test_a_question_without_a_story_stays_as_it_is() -> None:
    for question in ("How old is it? And who owns it?", "Who orders the toner at St. Olave's?", "有人吗？谁管门禁？"):
        assert gist(question) == question


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


STORY = (
    "My flatmate Tomasz moved here from Gdansk three years ago and will not stop talking about shares, he lost 1,200 "
    "zloty on some app. We went past the Harbour Exchange in Warsaw, so how many companies are listed there?"
)


def nothing(name: str) -> bool:
    return False


def test_names_that_nothing_found_says_belong_to_the_story() -> None:
    everything, told = gist(STORY), gist(STORY, lambda name: name == "Warsaw")
    assert "Tomasz" in everything
    assert "Tomasz" not in told
    assert "how many companies are listed" in told


@pytest.mark.parametrize(
    ("question", "name"),
    [
        # An identifier, wherever it stands.
        (
            "Last week we took over the plant of the neighbours and my boss wants a list of everything in it. There is "
            "a KX-450799 in our cellar, and he asks how many litres a minute the pump delivers?",
            "KX-450799",
        ),
        # Of the thing that is asked about.
        (
            "We walked along the river on Sunday, all the way to the mill. My daughter liked the old Tollgate bridge "
            "best of all that we saw that day. In which year was the bridge finished?",
            "Tollgate",
        ),
        # Nobody's story.
        (
            "The doctor was in a hurry and wrote nothing down for us yesterday afternoon, sadly. It says Olmesartan on "
            "the box with the tablets. How many milligrams are taken once a day by an adult?",
            "Olmesartan",
        ),
    ],
)
def test_a_name_of_what_is_asked_about_stays_though_nothing_found_says_it(question: str, name: str) -> None:
    assert name in gist(question, nothing)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "我表妹去年嫁到美国南部，婚礼请了一百四十个人，结果当天晚上想多买几箱啤酒，开车跑了三家店都说不卖，听了觉得很扯，"
            "想请问阿拉巴马六十七个郡里面，这种不准卖酒的有几个？",
            "阿拉巴马六十七个郡里面，这种不准卖酒的有几个？",
        ),
        (
            "五一跟朋友去川西自驾，开了一千多公里，路过一个镇子看到一座小石塔，有人留言问这东西最早是什么时候有的，我只会说很久以前。"
            "所以想问问，这种惜字的塔按史书说是从哪个朝代开始建的？",
            "这种惜字的塔按史书说是从哪个朝代开始建的？",
        ),
    ],
)
def test_a_question_begins_where_it_is_introduced_and_may_say_itself_what_it_is_about(
    question: str, asked: str
) -> None:
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


def test_what_asks_is_no_name_behind_another_clause() -> None:
    made = gist(
        "Set max_retries to 5 and read_timeout to 10, restart, wait: the server still gives up after three attempts, "
        "and we have tried it on two machines with the same result. Which file overrides it?"
    )
    assert made.endswith(", which file overrides it?")


def test_may_i_ask_is_cut_off_whole() -> None:
    made = gist(
        "我家小孩今年上初三，平时数学还行，英语一塌糊涂，老师上周开家长会说要抓紧，我回去一晚上没睡好，想问下期中考试是哪天？"
    )
    assert made == "期中考试是哪天？"
