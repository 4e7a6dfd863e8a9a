"""An attribute that a question asks for and no passage tells."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from crag.app import Crag
from graph.attributes import NOT_TOLD, goods_en, goods_zh, people_en, people_zh, places_en, places_zh, untold
from graph.engine import Engine
from tests.fakes.graph import ScriptedGrader, deps, hit

SHEET = hit(
    "The Torvane TX-60 is designed for cellars. Power draw: 780 W. Net mass: 34 kg. Noise: 49 dB(A). Size: 86 x 42 cm.",
    source="tx.md",
    title="Torvane TX-60",
)
LETTER = hit("Our pumps cost 400 EUR and come with five years of warranty.", source="letter.md", title="Pumps")
VIADUCT = hit(
    "The Alder Viaduct was drawn up by Josiah Penhallow (1811–1879). It is 412 metres long. 600 men worked on it.",
    source="viaduct.md",
    title="Alder Viaduct",
)
LAB = hit(
    "The laboratory opens at eight. Nora Whit keeps the keys. Gloves are worn. Goggles too. No food is eaten. Solvents "
    "stand in the yard. The first aider is Ben Carter, phone 4412.",
    source="lab.md",
    title="Laboratory",
    offset=400,
)
LIST = hit(
    "| Article | Parts |\n|---|---|\n| KR-9 | 4 |\n\n| Article | Price |\n|---|---|\n| KR-8 | 41 EUR |",
    source="list.md",
    offset=400,
)
CONTRACT = hit(
    'Alder Clinics ("the Client") has four wards. They are cleaned daily. So are stairs. Floors are waxed in May. '
    "The Client pays 8,450 GBP a month.",
    source="contract.md",
    offset=400,
)
DUTY = hit(
    "赵敏负责夜班。白班从八点开始。中午换岗。晚上锁门。周末不排班。周航负责白班，邮箱是zh@example.org。",
    source="duty.md",
    title="排班",
    offset=400,
)
HANDBOOK = hit("年假十天，病假须有医院证明。工牌补办二十元。", source="shouce.md", title="员工手册")
PURIFIER = hit("清岚QL-8额定功率48W，净重7.8千克。", source="ql8.md", title="清岚QL-8")
BOTANIST = hit("沈硯秋（1903年－1989年），植物學家，與畫家林青結褵。", source="shen.md", title="沈硯秋")


@pytest.mark.parametrize(
    ("question", "hits", "names"),
    [
        ("Who designed the TX-60?", [SHEET], ("a designer",)),
        ("How long is the warranty of the TX-60?", [SHEET], ("a warranty",)),
        ("What does it cost?", [SHEET], ("a price",)),
        ("What colour is the TX-60?", [SHEET], ("a colour",)),
        ("How loud is the TX-60, and how heavy?", [SHEET], ()),
        ("How many employees does the firm have?", [SHEET], ("a number of employees",)),
        ("How many full-time staff are there?", [SHEET], ("a number of employees",)),
        ("How many people work there?", [SHEET], ("a number of employees",)),
        ("How large is its workforce?", [SHEET], ("a number of employees",)),
        ("How many sick days did employees take last year?", [SHEET], ()),
        ("How many days of leave do the laboratory staff get?", [SHEET], ()),
        ("How many breaks may the staff take?", [SHEET], ()),
        ("How many staff meetings are there?", [SHEET], ()),
        ("工厂员工有多少？", [PURIFIER], ("员工人数",)),
        ("工厂的员工有几个人？", [PURIFIER], ("员工人数",)),
        ("工厂的员工有几天年假？", [PURIFIER], ()),
        ("会员每月有多少积分？", [PURIFIER], ()),
        ("How wide is the TX-60?", [SHEET], ()),  # One of its two sides may be.
        ("How wide is the Alder Viaduct?", [VIADUCT], ("a width",)),
        ("Who is the architect of the Alder Viaduct?", [VIADUCT], ()),
        ("When was Josiah Penhallow born?", [VIADUCT], ()),
        ("How many people did it employ?", [VIADUCT], ()),
        ("What does the TX-60 cost?", [SHEET, LETTER], ("a price",)),  # What the pumps cost is another's.
        ("What does it cost?", [SHEET, LETTER], ()),
        ("What is the price of the maker of the pump of the TX-60?", [SHEET, LETTER], ()),
        ("What happens to the price when the TX-60 is heavy?", [LETTER], ()),
        ("婚假有几天？", [HANDBOOK], ("婚假",)),
        ("公司的總經理是誰？", [HANDBOOK], ("总经理",)),
        ("补办工牌要多少钱？", [HANDBOOK], ()),
        ("QL-8的保修期多长？", [PURIFIER, LETTER], ("保修期",)),
        ("QL-8多少錢？", [PURIFIER, HANDBOOK], ("价格",)),
        ("QL-8卖多少钱？", [PURIFIER, HANDBOOK], ("价格",)),
        ("TX-60 warranty", [SHEET, LETTER], ("a warranty",)),
        ("colour of the TX-60", [SHEET], ("a colour",)),
        ("When does the price committee of the TX-60 meet?", [SHEET], ()),
        ("品牌策划会谁参加了？", [HANDBOOK], ()),
        ("QL-8是谁设计的？", [PURIFIER], ("设计者",)),
        ("沈硯秋哪一年出生？", [BOTANIST], ()),
        ("沈硯秋的墓在哪裡？", [BOTANIST], ("墓地",)),
        ("Who designed the QL-8?", [PURIFIER], ()),  # Chinese says it in other words.
        ("What is the phone number of Nora Whit?", [LAB], ("a phone number",)),  # Another's is told far from her.
        ("What is the phone number of Ben Carter?", [LAB], ()),
        ("What is the list price of the KR-9?", [LIST], ("a price",)),  # Of the row before.
        ("What is the list price of the KR-8?", [LIST], ()),
        ("What is the fee of Alder Clinics?", [CONTRACT], ()),  # It goes on as the Client.
        ("赵敏的邮箱是什么？", [DUTY], ("邮箱",)),
        ("周航的邮箱是什么？", [DUTY], ()),
        ("Who designed the TX-60?", [], ()),
    ],
)
def test_what_no_passage_about_the_same_tells_is_named(question: str, hits: list, names: tuple[str, ...]) -> None:
    assert untold(question, hits) == names


def test_a_document_that_calls_the_thing_by_half_its_name_is_about_it() -> None:
    prices = hit("| Article | Price |\n|---|---|\n| KR-2 Slim | 41 |", source="prices.md")
    sheet = hit("| Property | Value |\n|---|---|\n| Weight | 310 g (Slim), 385 g (Broad) |", source="sheet.md")
    assert untold("How much does the KR-2 Slim weigh?", [prices, sheet]) == ()


ALL = list(
    chain.from_iterable(room.ATTRIBUTES for room in (people_en, goods_en, places_en, people_zh, goods_zh, places_zh))
)


def test_the_words_of_an_attribute_are_read_in_time_that_grows_with_the_text() -> None:
    """A pattern that does not would take hours."""
    for words in ALL:
        re.compile(words.tells, re.IGNORECASE).search("a1 (b, 三个人，" * 3000)
    assert untold("what is " * 10_000, [SHEET]) == ()


def test_each_attribute_of_a_language_is_named_once() -> None:
    names = [words.name for words in ALL]
    assert len(set(names)) == len(names)


def test_evidence_without_it_loses_its_odds_and_the_refusal_says_so() -> None:
    engine = Engine(deps([SHEET], calibration=ScriptedGrader([0.9])))
    answer = asyncio.run(engine.ask("Who designed the TX-60?"))
    assert answer.status == "abstained"
    assert answer.confidence == pytest.approx(0.9 * NOT_TOLD / (0.1 + 0.9 * NOT_TOLD))
    assert "None of what was found mentions a designer." in answer.text
    assert next(event.detail for event in answer.trace if event.node == "grade")["lacks"] == ["a designer"]
    chinese = Engine(deps([HANDBOOK], calibration=ScriptedGrader([0.9])))
    assert "找到的段落都没有提到婚假。" in asyncio.run(chinese.ask("婚假有几天？")).text


def test_what_is_told_of_another_thing_is_not_said_to_be_mentioned_nowhere() -> None:
    passages = [hit("The TX-60 weighs 40 kg.", source="a.md"), hit("The VX-20 costs 900 EUR.", source="b.md")]
    engine = Engine(deps(passages, calibration=ScriptedGrader([0.9, 0.8])))
    answer = asyncio.run(engine.ask("What does the TX-60 cost?"))
    assert "None of what was found about it mentions a price." in answer.text


def test_only_the_part_that_asks_it_is_left_open() -> None:
    engine = Engine(deps([SHEET], calibration=ScriptedGrader([0.9])))
    answer = asyncio.run(engine.ask("How heavy is the TX-60, and what does the TX-60 cost?"))
    assert (answer.status, answer.confidence) == ("partial", 0.9)
    assert answer.text.endswith('what does the TX-60 cost".')


FOLDER = Path(__file__).parent / "attributes"
ASKED = [json.loads(line) for line in (FOLDER / "questions.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crag]:
    """A data sheet, a handbook, a manual and a guide in one collection."""
    with Crag.open(tmp_path_factory.mktemp("attributes") / "home", write=True) as library:
        assert library.ingest(sorted(FOLDER.glob("*.md"))).added == 4
        yield library


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked["question"])
def test_of_real_documents_what_is_not_told_is_refused_and_what_is_told_in_other_words_answered(
    library: Crag, asked: dict[str, str]
) -> None:
    answer = library.ask(asked["question"])
    lacks = {name for event in answer.trace for name in event.detail.get("lacks", ())}
    if "lacks" in asked:
        assert (answer.status, lacks) == ("abstained", {asked["lacks"]})
    else:
        # The other signals may doubt odd words; this one takes no part in that.
        assert lacks == set()
        assert answer.status == "abstained" or asked["answer"] in answer.text


def test_nearly_all_that_is_told_in_other_words_is_answered(library: Crag) -> None:
    told = [library.ask(asked["question"]).status == "grounded" for asked in ASKED if "answer" in asked]
    assert sum(told) >= len(told) - 2
