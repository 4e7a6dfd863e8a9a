"""The default embedder tells sentences that answer a question from those that are about the same thing."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.config import EmbeddingConfig
from retrieval.embedders import build_embedder
from retrieval.embedders.base import token_reader
from retrieval.embedders.e5.answers import NOTHING, answer_network
from retrieval.embedders.e5.tokens import E5TokenReader
from tests.graph.answer_network import Network, batched

CASES = (
    (
        "When was the Garrison Bridge opened?",
        "Traffic crossed it for the first time on 4 May 1931.",
        "Its architect was Ludwig Moreau.",
    ),
    (
        "Who designed the Brno library?",
        "The plans of the Brno library were drawn by Josef Havel.",
        "The Brno library has 1.2 million volumes.",
    ),
    (
        "How many people work at Halden Foods?",
        "Halden Foods employs 310 bakers and drivers.",
        "Halden Foods sells bread in 40 towns.",
    ),
    (
        "Where did Ida Falk study?",
        "Ida Falk read chemistry at the university of Turin.",
        "Ida Falk was a chemist who won two medals.",
    ),
    (
        "Why was the Mirela canal closed?",
        "Because its locks leaked, traffic on the Mirela canal ended.",
        "The Mirela canal was closed in 1957.",
    ),
    (
        "How long may a token be used?",
        "A token expires 30 minutes after it is issued.",
        "A token is sent in the header of each request.",
    ),
    (
        "What is a capybara's diet?",
        "The capybara feeds on grasses and water plants.",
        "The capybara lives in groups near water.",
    ),
    ("青山水库的总库容是多少？", "青山水库总库容为2.13亿立方米。", "青山水库位于临安区东部，由苕溪拦截而成。"),
    ("《远山》的导演是谁？", "电影《远山》由陈立执导。", "电影《远山》于2011年在釜山电影节首映。"),
    ("林州大桥何时通车？", "林州大桥于1998年10月1日正式通车。", "林州大桥全长1.2公里，双向四车道。"),
    ("张衡之在哪里出生？", "张衡之生于山西太原。", "张衡之是山西著名的画家。"),
    ("新员工试用期多久？", "新员工的试用期为三个月。", "新员工入职时须提交体检报告。"),
)
"""A question, a sentence that answers it, and one about the same thing that does not."""


@pytest.fixture(scope="module")
def reader() -> E5TokenReader:
    found = token_reader(build_embedder(EmbeddingConfig(provider="local")))
    assert isinstance(found, E5TokenReader)
    return found


def test_what_answers_is_told_from_what_is_about_the_same(reader: E5TokenReader) -> None:
    chances = [reader.answer_chances(question, [held, near]) for question, held, near in CASES]
    # How high a chance is enough is for the calibration to say.
    assert sum(answer > 0.15 > other for answer, other in chances) >= 8
    assert sum(answer > 2 * other for answer, other in chances) >= 10


def test_a_text_is_judged_the_same_whatever_is_judged_beside_it(reader: E5TokenReader) -> None:
    question, held, near = CASES[0]
    assert reader.answer_chances(question, [held]) == reader.answer_chances(question, [near, held])[1:]


@settings(max_examples=30)
@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_has_a_chance(reader: E5TokenReader, question: str, text: str) -> None:
    (chance,) = reader.answer_chances(question, [text])
    assert 0 <= chance <= 1


def test_nothing_answers_nothing(reader: E5TokenReader) -> None:
    assert reader.answer_chances("", ["A text."]) == reader.answer_chances("Who?", [""]) < [0.001]


def test_the_network_that_runs_is_the_one_that_was_trained(reader: E5TokenReader) -> None:
    trained = Network().eval()
    trained.load_state_dict({name: torch.tensor(value) for name, value in answer_network().weights.items()})
    pairs = [(question, text) for question, held, near in CASES for text in (held, near)]
    readings = [(reader.read([q], "query")[0], reader.read([text], "passage")[0]) for q, text in pairs]
    with torch.no_grad():
        expected = trained(batched(readings)).clamp(min=NOTHING).tolist()
    assert [answer_network().log_odds(*pair) for pair in readings] == pytest.approx(expected, abs=1e-3)
