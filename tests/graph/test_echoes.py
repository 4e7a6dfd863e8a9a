"""Sentences that name what is asked about, and tell nothing of it."""

from __future__ import annotations

import asyncio

import pytest

from graph.echoes import affirms, names_beside, only_names, rules, tells_no_figure
from graph.engine import Engine
from tests.fakes.graph import ScriptedGrader, deps, hit


@pytest.mark.parametrize(
    ("question", "field", "echo"),
    [
        ("Who owns Pembury Lettings?", "Agent: Pembury Lettings", True),
        ("Which database does Order Hub use?", "Service: Order Hub", True),
        ("启明软件的地址在什么地方？", "承租人：启明软件", True),
        # The name of the field is asked for, or is the answer.
        ("Who is the agent Pembury Lettings?", "Agent: Pembury Lettings", False),
        ("What is Pembury Lettings?", "Agent: Pembury Lettings", False),
        ("What role does Pembury Lettings have?", "Agent: Pembury Lettings", False),
        ("启明软件是谁？", "承租人：启明软件", False),
        ("Is Pembury Lettings the agent?", "Agent: Pembury Lettings", False),
        # It tells more than the question said.
        ("Who owns Pembury Lettings?", "Owner of Pembury Lettings: Ada Byron", False),
        ("Who pays for the flat?", "Property: Flat 3, Norwich", False),
        ("Who owns Pembury Lettings?", "Pembury Lettings belongs to Ada Byron.", False),
    ],
)
def test_a_field_echoes_whose_value_the_question_says(question: str, field: str, echo: bool) -> None:
    assert only_names(question, field) is echo


@pytest.mark.parametrize(
    ("question", "text", "none"),
    [
        ("How many controllers does the campus have?", "The XL-60 is the collector of the campus.", True),
        ("XL-1060的移动速度是多少？", "同系列的 XL-1060 行程更大。", True),
        ("医患关系办公室在几楼？", "投诉由医患关系办公室受理，五个工作日内答复。", True),
        ("梁文博哪一年当上校长的？", "校长为梁文博，辅导室在二楼。", True),
        ("How many controllers does the campus have?", "The campus has 40 controllers.", False),
        ("How often are the filters changed?", "Filters are changed weekly.", False),
        ("How much does the lid cost?", "The lid is free.", False),
        ("停车多少钱？", "停车免费。", False),
        ("三号厅在几楼？", "三号厅在一层。", False),
        ("几点开门？", "早上八时开门。", False),
        ("Who chairs the campus board?", "The board meets on the campus.", False),
        # In the words of the other language, and years without all of their figures.
        ("几点开门？", "The museum opens at noon.", False),
        ("几点关门？", "The museum shuts at 5 p.m.", False),
        ("几点关门？", "The museum shuts its doors.", True),
        ("前台在几楼？", "The front desk is in the basement.", False),
        ("前台在几楼？", "The front desk is by the door.", True),
        ("哪一年成立的？", "It was founded in the last year of the war.", False),
        ("哪一年成立的？", "It was founded by two brothers.", True),
        ("What year did the volcano erupt?", "It erupted in AD 79.", False),
        ("Which year was the club founded?", "The club was founded in the summer of '98.", False),
        ("Which year was the bridge built?", "这座桥始建于北宋，成于明朝。", False),
    ],
)
def test_a_number_is_told_by_a_figure_beside_names(question: str, text: str, none: bool) -> None:
    assert tells_no_figure(question, [text]) is none


@pytest.mark.parametrize(
    ("question", "sentence", "affirmed"),
    [
        ("Is the lantern waterproof?", "The lantern is waterproof.", True),
        ("Isn't the lantern waterproof?", "The lantern is waterproof.", True),
        ("The lantern is waterproof, isn't it?", "The lantern is waterproof.", True),
        ("So, is breakfast included?", "Breakfast is included.", True),
        ("Does the lantern work below zero degrees?", "The lantern works below zero degrees.", True),
        ("Is the electricity included in the price?", "Electricity is included.", True),
        ("Is the fuel surcharge included?", "Fuel surcharges are included.", True),
        ("Can you tell me whether dogs are welcome?", "Dogs are welcome.", True),
        ("价格含早餐吗？", "价格含早餐。", True),
        ("营地提不提供毛巾？", "营地提供毛巾。", True),
        ("房间内是不是禁止吸烟？", "房间内禁止吸烟。", True),
        ("Is the lantern waterproof?", "- The lantern is waterproof", True),
        ("I would like to know if dogs are welcome.", "Dogs are welcome.", True),
        # It says less, asks itself, or leaves it open.
        ("Does the lantern work below zero degrees?", "The lantern works.", False),
        ("Is the lantern waterproof?", "Is the lantern waterproof?", False),
        ("价格含早餐吗？", "价格是否含早餐", False),
        ("Are open fires allowed?", "- Open fires", False),
        ("Is the lantern waterproof?", "Whether the lantern is waterproof.", False),
        ("Is the lantern waterproof?", "## The waterproof lantern", False),
        # Something else is asked for.
        ("Why is the lantern waterproof?", "The lantern is waterproof.", False),
        ("How can I check whether the lantern is waterproof?", "The lantern is waterproof.", False),
        ("Do you know who built the lantern?", "The lantern was built.", False),
        ("请问营地提供什么毛巾吗？", "营地提供毛巾。", False),
    ],
)
def test_what_says_what_is_asked_by_yes_or_no_is_no_echo(question: str, sentence: str, affirmed: bool) -> None:
    assert affirms(question, sentence) is affirmed


@pytest.mark.parametrize(
    ("question", "field", "ruled"),
    [
        ("Is the lantern waterproof?", "Waterproof: yes", True),
        ("手电筒防水吗？", "防水：是", True),
        ("手电筒支持退货吗？", "- 退货：不支持", True),
        ("Is the lantern waterproof?", "Dimmable: yes", False),
        ("Is the lantern waterproof?", "Waterproof bag: yes", False),
        ("Is the lantern waterproof?", "Waterproof: to 3 m", False),
        ("Why is the lantern waterproof?", "Waterproof: yes", False),
    ],
)
def test_a_field_rules_what_is_asked_by_yes_or_no(question: str, field: str, ruled: bool) -> None:
    assert rules(question, field) is ruled


CAMP = "Electricity is included. Firewood is not included. Dogs are welcome. Smoking is forbidden. Children are free."
LANTERN = (
    "The lantern is heavy. The lantern has a USB port. The lantern is not dimmable. The lantern works below zero "
    "degrees. The lantern supports Bluetooth."
)


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("Is electricity included?", CAMP, "Electricity is included. [1]"),
        ("Is firewood included?", CAMP, "Firewood is not included. [1]"),
        ("Are dogs welcome?", CAMP, "Dogs are welcome. [1]"),
        ("Is smoking forbidden?", CAMP, "Smoking is forbidden. [1]"),
        ("Are children free?", CAMP, "Children are free. [1]"),
        ("Is the lantern heavy?", LANTERN, "The lantern is heavy. [1]"),
        ("Does the lantern have a USB port?", LANTERN, "The lantern has a USB port. [1]"),
        ("Is the lantern dimmable?", LANTERN, "The lantern is not dimmable. [1]"),
        ("Does the lantern work below zero degrees?", LANTERN, "The lantern works below zero degrees. [1]"),
        ("Is breakfast included?", "Is breakfast included? Breakfast is included.", "Breakfast is included. [1]"),
        ("儿童免费入场吗？", "价格含早餐。营地提供毛巾。儿童免费入场。", "儿童免费入场。[1]"),
        ("营地提不提供毛巾？", "价格含早餐。营地提供毛巾。儿童免费入场。", "营地提供毛巾。[1]"),
        ("Is breakfast included?", "Is breakfast included?", ""),
    ],
)
def test_what_is_asked_by_yes_or_no_is_told_by_the_sentence_that_says_it(question: str, text: str, told: str) -> None:
    assert asked(question, text) == told


def asked(question: str, text: str) -> str:
    answer = asyncio.run(Engine(deps([hit(text)], calibration=ScriptedGrader([0.9]))).ask(question))
    return answer.text if answer.status != "abstained" else ""


def test_what_only_echoes_is_refused_and_a_price_on_request_is_not() -> None:
    assert asked("Who owns Pembury Lettings?", "Agent: Pembury Lettings. Tenants: Clara Whitmore.") == ""
    sentence = "Agent: Pembury Lettings. It belongs to Ada Byron."
    assert "Ada Byron" in asked("Who owns Pembury Lettings?", sentence)
    assert "成都" in asked("客服主管在哪里上班？", "岗位说明书：客服主管。\n\n工作地点：成都。")
    assert asked("How many controllers does the campus have?", "Gatewatch logs the doors of the campus.") == ""
    notes = "# Tallybook\n\n## 5.3.0 – 2024-10-01\n\n- New: dark mode.\n- Removed: support for Windows 8.1."
    assert "5.3.0" in asked("Which version introduced dark mode?", notes)
    assert "5.3.0" in asked("In which version was support for Windows 8.1 removed?", notes)
    table = "| Option | Price (EUR) |\n|---|---|\n| Dust hood | on request |\n| Lid | 20 |"
    assert "on request" in asked("What does the dust hood cost?", table)


@pytest.mark.parametrize(
    ("question", "field", "beside"),
    [
        ("Who pays for water in the Larkspur Road flat?", "Property: Flat 3, 27 Larkspur Road, Norwich", True),
        ("When did the Orion group end?", "Committee: Orion steering group", True),
        ("Where is the Larkspur Road flat?", "Property: Flat 3, 27 Larkspur Road, Norwich", False),
        ("Who owns the Larkspur Road flat?", "Owner: Ada Byron, Larkspur Road", False),
        ("第三诊室由谁负责？", "联系人：李敏（第三诊室）", False),
        ("How much is paid with the order?", "Payment: 40% with the order, 60% later", False),
        ("How much is the Orion licence?", "Licence: Orion, 40 EUR", False),
        ("Why were shared links revoked?", "Security fix: shared links could be guessed", False),
        (
            "分享链接漏洞是谁报告的？",
            "安全：修复分享链接可被猜测的漏洞，旧链接已全部失效。感谢白帽子“小林”报告。",
            False,
        ),
        ("What is the Orion meeting about?", "Topic: Orion and its budget", False),
    ],
)
def test_a_field_that_only_names_what_it_is_about(question: str, field: str, beside: bool) -> None:
    assert names_beside(question, field) is beside
