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


MEMBERS = [
    (["云岭地铁1号线何时开通？"], "那2号线呢？", "云岭地铁2号线何时开通？"),
    (["云岭地铁2号线何时开通？"], "那12号线呢？", "云岭地铁12号线何时开通？"),
    (["11号线何时开通？"], "1号线呢？", "1号线何时开通？"),
    (["云岭地铁1号线何时开通？"], "那12号线的长度呢？", "云岭地铁12号线的长度是多少？"),
    (["1楼有什么？"], "2楼呢？", "2楼有什么？"),
    (["三楼有什么？"], "那十二楼呢？", "十二楼有什么？"),
    (["1到3楼有什么？"], "5楼呢？", "5楼有什么？"),
    (["101房间在几楼？"], "102房间呢？", "102房间在几楼？"),
    (["T2航站楼在哪里？"], "T1航站楼呢？", "T1航站楼在哪里？"),
    (["3号会议室能坐多少人？"], "13号会议室呢？", "13号会议室能坐多少人？"),
    (["满1年有多少天年假？"], "5年呢？", "满5年有多少天年假？"),
    (["满10年的员工有几天假？"], "不满10年呢？", "不满10年的员工有几天假？"),
    (["工作满十年有多少天年假？"], "那二十年呢？", "工作满二十年有多少天年假？"),
    (["5公斤的包裹多少钱？"], "10公斤的呢？", "10公斤的包裹多少钱？"),
    (["5月3日有什么活动？"], "13日呢？", "5月13日有什么活动？"),
    (["P-40 的电机功率是多少？"], "P-4的呢？", "P-4 的电机功率是多少？"),
    (["What did version 3.2 add?"], "And version 3.4?", "What did version 3.4 add?"),
    (["What changed in version 3.2?"], "And in version 3.4?", "What changed in version 3.4?"),
    (["What does line 1 cost?"], "And line 12?", "What does line 12 cost?"),
    (["What is the fee in zone A?"], "Zone B?", "What is the fee in zone B?"),
    (["How much does a 5 kg parcel cost?"], "And 10 kg?", "How much does a 10 kg parcel cost?"),
    (
        ["How many days of leave are there after one year?"],
        "And after five?",
        "How many days of leave are there after five years?",
    ),
    (["How much is a ticket for a day?"], "And for two days?", "How much is a ticket for two days?"),
]
TITLES = [
    (["青禾科技副总经理是谁？"], "总经理呢？", "青禾科技总经理是谁？"),
    (["青禾科技总经理是谁？"], "副总经理呢？", "青禾科技副总经理是谁？"),
    (["云岭市的常务副市长是谁？"], "市长呢？", "云岭市的市长是谁？"),
    (["公司的代理财务总监是谁？"], "财务总监呢？", "公司的财务总监是谁？"),
    (["青禾科技的CEO是谁？"], "CFO呢？", "青禾科技的CFO是谁？"),
    (["副校长办公室在哪里？"], "校长办公室呢？", "校长办公室在哪里？"),
    (["非会员票价是多少？"], "会员呢？", "会员票价是多少？"),
    (["Who is the deputy director of the museum?"], "And the director?", "Who is the director of the museum?"),
    (["Who is the director?"], "And the deputy director?", "Who is the deputy director?"),
    (["Who is the managing director?"], "And the chair?", "Who is the chair?"),
    (["Who is the assistant curator of maps?"], "And the curator?", "Who is the curator of maps?"),
    (["What is the treasurer's email?"], "And the secretary?", "What is the secretary's email?"),
    (["Who is the head of finance?"], "And the head of sales?", "Who is the head of sales?"),
]
PLACES = [
    (["What is the meal allowance at home?"], "And abroad?", "What is the meal allowance abroad?"),
    (
        ["How long does delivery abroad take?"],
        "And inside the country?",
        "How long does delivery inside the country take?",
    ),
    (["How many days may I work from home?"], "And abroad?", "How many days may I work abroad?"),
    (["What is the speed limit in town?"], "Outside town?", "What is the speed limit outside town?"),
    (["What does lunch cost on weekdays?"], "And at weekends?", "What does lunch cost at weekends?"),
    (["Where do I park at night?"], "And in the morning?", "Where do I park in the morning?"),
    (["How long is the battery life with GPS?"], "And without?", "How long is the battery life without GPS?"),
    (["What is the fee before June?"], "And after?", "What is the fee after June?"),
    (["How many people work in the Lyon office?"], "And in Oslo?", "How many people work in Oslo?"),
    (["How many people work at Acme in Lyon?"], "And in Oslo?", "How many people work at Acme in Oslo?"),
    (
        ["What is the notice period?", "During probation?"],
        "And after five years?",
        "What is the notice period after five years?",
    ),
    (
        ["How much does a parcel of size M to the EU cost?", "And size L?"],
        "And inside the country?",
        "How much does a parcel of size L inside the country cost?",
    ),
    (["试用期的通知期是多久？"], "那转正后呢？", "转正后的通知期是多久？"),
    (["通知期是多久？", "试用期内呢？"], "五年后呢？", "五年后通知期是多久？"),
    (["国内出差的餐补是多少？"], "那国外呢？", "国外出差的餐补是多少？"),
    (["食堂周末几点开门？"], "平时呢？", "食堂平时几点开门？"),
    (["工作日晚上几点关门？"], "周末呢？", "周末晚上几点关门？"),
    (["入职前要交什么材料？"], "入职后呢？", "入职后要交什么材料？"),
    (["园区内可以停车吗？"], "园区外呢？", "园区外可以停车吗？"),
    (["When does the shop open on Monday?"], "And close?", "When does the shop close on Monday?"),
]
PRONOUNS = [
    (["How heavy is the P-40?"], "它的保修期多长？", "P-40的保修期多长？"),
    (["What is the warranty of the P-40?"], "它多重？", "P-40多重？"),
    (["Who is on the captain's ship?"], "What did he give the girl?", "What did the captain give the girl?"),
    (["Who is the captain?", "And his ship?"], "What did he give the girl?", "What did the captain give the girl?"),
    (["What did Wren find?"], "How old is she?", "How old is Wren?"),
    (["What did Wren use to repair the pump?"], "How heavy is it?", "How heavy is the pump?"),
    (["What did the mayor say about the bridge?"], "When was it built?", "When was the bridge built?"),
    (["What did the mayor say about the bridge?"], "How old is she?", "How old is the mayor?"),
    (["Who is the mayor of Lyon?"], "How large is it?", "How large is Lyon?"),
    (["Who is the manager of the Oslo office?"], "When did he join?", "When did the manager of the Oslo office join?"),
    (["Who repaired the pump?"], "When did she arrive?", "When did the one who repaired the pump arrive?"),
    (
        ["Who manages the warehouse?"],
        "What is his phone number?",
        "What is the phone number of the one who manages the warehouse?",
    ),
    (["Which animals live in the reef?"], "What do they eat?", "What do the animals that live in the reef eat?"),
    (
        ["How long is the warranty?", "And of the EX?"],
        "What does it not cover?",
        "What does the warranty of the EX not cover?",
    ),
    (["How tall is the tower?"], "And its age?", "What is the tower's age?"),
    (["Where did the captain sail?"], "And his wife?", "Where did the captain's wife sail?"),
    (["C座什么时候停水？", "谁负责？"], "他的电话是多少？", "C座负责人的电话是多少？"),
    (["谁负责C座的检修？"], "他的电话是多少？", "负责C座的检修的人的电话是多少？"),
    (["云岭大桥是谁设计的？"], "他还设计了什么？", "设计云岭大桥的人还设计了什么？"),
    (["谁设计了云岭大桥？"], "它有多长？", "云岭大桥有多长？"),
    (["张伟负责哪条产品线？"], "它什么时候发布？", "张伟负责的产品线什么时候发布？"),
    (["张伟负责哪个部门？"], "他多大？", "张伟多大？"),
]


@pytest.mark.parametrize(("earlier", "question", "meant"), [*SURE, *MEMBERS, *TITLES, *PLACES, *PRONOUNS])
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
        ("What is the notice period?", "During probation?", "What is the notice period during probation?", None),
        ("What does the lamp cost?", "Abroad?", "What does the lamp cost abroad?", None),
        ("How much is a day ticket?", "And for two days?", "How much is a day ticket for two days?", None),
        (
            "When does the bakery open on weekdays?",
            "In winter?",
            "When does the bakery open on weekdays in winter?",
            None,
        ),
        ("通知期是多久？", "试用期内呢？", "试用期内通知期是多久？", None),
        ("餐补每天多少元？", "出差期间呢？", "出差期间餐补每天多少元？", None),
        ("学生押金是多少？", "老师呢？", "老师押金是多少？", None),
        ("水泵的重量是多少？", "噪音呢？", "水泵的噪音是多少？", None),
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


@pytest.mark.parametrize("text", ["一" * 9000, "副" * 9000, "in the " * 1300])
def test_what_is_as_long_as_a_page_is_no_fragment(text: str) -> None:
    assert not resolved(text, asked("云岭地铁1号线何时开通？")).whole
