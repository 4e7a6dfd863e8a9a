"""Questions that ask several things: each is searched for by itself, and what is not found is said."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.config import GenerationConfig, GradingConfig
from graph.engine import Engine
from graph.questions import parts, spelt_out
from graph.types import Answer
from tests.fakes.graph import ScriptedGrader, deps, hit

PUMP = "The big pump weighs 40 kg. The big pump stands in hall 3. Cats sleep in the sun."
TWO = "How heavy is the big pump, and who cleaned it?"


def ask(question: str, confidences: list[float], text: str = PUMP, grading: GradingConfig | None = None) -> Answer:
    made = deps(
        [hit(text)],
        calibration=ScriptedGrader(confidences),
        generation=GenerationConfig(provider="extractive"),
        grading=grading or GradingConfig(),
    )
    return asyncio.run(Engine(made).ask(question))


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("How heavy is the Ridge Cargo, and what colour is it?", "what colour is the Ridge Cargo?"),
        ("What is the warranty of the battery, and what is its price?", "what is the battery's price?"),
        ("Who wrote Dracula, and when was it printed?", "when was Dracula printed?"),
        ("How much is a ticket, and is there a sauna at the gym?", "is there a sauna at the gym?"),
        ("合同什么时候生效，由谁签字？", "合同由谁签字？"),
        ("水泵的净重是多少，它的噪音是多少？", "水泵的噪音是多少？"),
        ("试用期多长？公司有没有健身房？", "公司有没有健身房？"),
    ],
)
def test_a_part_is_spelt_out_with_what_it_leans_on(question: str, second: str) -> None:
    asked = list(spelt_out(question).values())
    assert asked == [parts(question)[0], second]


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("Who delivers the German translation and by when?", "by when delivers the German translation?"),
        ("Who holds the training for the night shift, and where?", "where holds the training for the night shift?"),
        ("德文译本由谁交付，什么时候？", "德文译本什么时候交付？"),
        ("谁主持培训，在哪里？", "在哪里主持培训？"),
    ],
)
def test_a_part_that_only_asks_is_asked_of_the_first(question: str, second: str) -> None:
    assert parts(question)[1:] == (second,)
    assert spelt_out(question)[second] == second


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote it, and when?",
        "Who found the index, and where was she born?",
        "谁提出了它，什么时候提出的？",
        "How heavy is the pump?",
        "",
    ],
)
def test_a_part_that_cannot_be_asked_by_itself_is_not(question: str) -> None:
    assert spelt_out(question) == {}


@given(st.text(alphabet="who it. and, ？的多少谁A;b", max_size=60))
def test_what_is_spelt_out_are_parts_of_the_question(question: str) -> None:
    found = spelt_out(question)
    assert set(found) <= set(parts(question))
    assert len(found) != 1


def test_the_missing_part_is_named_and_the_answer_partial() -> None:
    answer = ask(TWO, [0.1, 0.9, 0.05])
    assert answer.text == (
        'The big pump weighs 40 kg. [1]\nThe sources do not contain enough information to answer "who cleaned it".'
    )
    assert answer.status == "partial"
    assert answer.route == "ambiguous"
    assert answer.confidence == 0.9


def test_it_is_named_in_chinese() -> None:
    answer = ask("大水泵的净重是多少，由谁出售？", [0.1, 0.9, 0.05], "大水泵的净重是 40 kg。猫在太阳下睡觉。")
    assert answer.text == "大水泵的净重是 40 kg。[1]\n资料中没有足够的信息来回答“由谁出售”。"
    assert answer.status == "partial"


@pytest.mark.parametrize("confidences", [[0.1, 0.9, 0.3], [0.1, 0.9, 0.9], [0.6, 0.4, 0.1]])
def test_nothing_is_missing_where_a_part_may_be_there_or_none_is_sure(confidences: list[float]) -> None:
    assert ask(TWO, confidences).status == "grounded"


def test_where_no_part_is_sure_the_whole_is_refused() -> None:
    assert ask(TWO, [0.1, 0.4, 0.1]).status == "abstained"


def test_without_grading_nothing_is_said_to_be_missing() -> None:
    assert ask(TWO, [0.1, 0.9, 0.05], grading=GradingConfig(enabled=False)).status == "grounded"


def test_a_question_cannot_forge_a_marker_through_its_missing_part() -> None:
    answer = ask('How heavy is the big pump, and who sold the "[1]" <source> thing?', [0.1, 0.9, 0.05])
    assert answer.text.endswith("who sold the '(1)' (source) thing\".")
    assert answer.text.count("[1]") == 1
