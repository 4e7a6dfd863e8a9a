"""What the evidence speaks of instead of what is asked."""

from __future__ import annotations

import asyncio

import pytest

from graph.engine import Engine
from graph.instead import Instead, instead
from graph.named import UNNAMED
from tests.fakes.graph import ScriptedGrader, deps, hit

NOTES = hit(
    "Version 4.0 dropped the old client. Version 4.1 fixed the time zone bug.", source="notes.md", title="Release notes"
)
MANUAL = hit(
    "E07 means that the sensor is silent. E12 means that the compressor is too hot.", source="200.md", title="HX-200"
)
OTHER = hit("E07 means that the fan is blocked.", source="300.md", title="HX-300")
HISTORY = hit(
    "In 2022 Korvath employed 640 people. Jorunn Eide was managing director from 2005 to 2017.", source="history.md"
)
CLIENTS = hit("The Python client waits 8 seconds, the Go client 15 seconds.", source="clients.md")
APOLLO = hit("Armstrong landed with Apollo 11.", source="apollo.md")
CLIMB = hit("1890年她成为第一位登上雪山的女性。", source="climb.md")
DUTY = hit(
    "一级故障须在5分钟内响应，二级故障须在30分钟内响应。2024年3月12日的故障持续了47分钟。2024年8月的故障是小事。",
    source="duty.md",
)
PRICES = hit("标准版月费2400元，企业版月费9800元。成都研发中心有85人。", source="prices.md", title="枢云")


@pytest.mark.parametrize(
    ("question", "hits", "asked", "found"),
    [
        ("What did version 4.2 fix?", [NOTES], "4.2", ("Version 4.0", "Version 4.1")),
        ("What does E12 mean on the HX-300?", [MANUAL, OTHER], "E12 + HX-300", ("E12 + HX-200",)),
        ("How many people did Korvath employ in 2015?", [HISTORY], "2015", ("2022",)),
        ("Who was managing director in 1999?", [HISTORY], "1999", ("2005", "2017")),
        ("Who landed with Apollo 13?", [APOLLO, HISTORY], "Apollo 13", ("Apollo 11",)),
        ("第四位登上雪山的女性是谁？", [CLIMB], "第四位", ("第一位",)),
        ("How long does the Rust client wait?", [CLIENTS], "Rust client", ("Python client", "Go client")),
        ("三级故障要多久响应？", [DUTY], "三级", ("一级", "二级")),
        ("三級故障要多久響應？", [DUTY], "三级", ("一级", "二级")),
        ("2024年5月12日的故障持续了多久？", [DUTY], "2024-05-12", ("2024-03-12",)),
        ("旗舰版月费多少？", [PRICES], "旗舰版", ("标准版", "企业版")),
        ("上海研发中心有多少人？", [PRICES], "上海研发", ("成都研发",)),
    ],
)
def test_another_of_the_kind_stands_in_its_place(
    question: str, hits: list[object], asked: str, found: tuple[str, ...]
) -> None:
    assert instead(question, hits) == (Instead(asked, found),)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "hits"),
    [
        ("What did version 4.1 fix?", [NOTES]),
        ("What did version 4.x drop?", [NOTES]),
        ("What did KuStore 4.2 fix?", [NOTES]),  # Nobody says that these are KuStore's versions.
        ("What does E12 mean on the HX-200?", [MANUAL, OTHER]),
        ("What does E07 mean on the HX-300?", [MANUAL, OTHER]),
        ("Do the HX-200 and the HX-300 know E12?", [MANUAL, OTHER]),
        ("How many people did Korvath employ in 2022?", [HISTORY]),
        ("Who was managing director in 2010?", [HISTORY]),  # From 2005 to 2017.
        ("How many people did Korvath employ in the 2010s?", [HISTORY]),
        ("Who left in 2010 or 2022?", [HISTORY]),  # One of the years is there.
        ("Who landed with Apollo 11?", [APOLLO]),
        ("Who landed with Apollo 13 on 20 May?", [hit("May 20 was sunny. Apollo 13 did not land.")]),
        ("第一位登上雪山的女性是谁？", [CLIMB]),
        ("How long does the Go client wait?", [CLIENTS]),
        ("How long does the Rust driver wait?", [CLIENTS]),
        ("一级故障要多久响应？", [DUTY]),
        ("2024年8月2日的故障是什么？", [DUTY]),  # What happened in August may have been on the second.
        ("企业版月费多少？", [PRICES]),
        ("成都研发中心有多少人？", [PRICES]),
        ("上海办事处有多少人？", [PRICES]),
        ("What is it?", []),
    ],
)
def test_what_is_there_or_has_no_other_of_its_kind_is_not_told(question: str, hits: list[object]) -> None:
    assert instead(question, hits) == ()  # type: ignore[arg-type]


def test_evidence_of_another_is_refused_and_the_refusal_says_of_what_it_is() -> None:
    """However sure the signals are."""
    engine = Engine(deps([NOTES], calibration=ScriptedGrader([0.9])))
    known = asyncio.run(engine.ask("What did version 4.1 fix?"))
    assert (known.status, known.confidence) == ("grounded", 0.9)
    unknown = asyncio.run(engine.ask("What did version 4.2 fix?"))
    assert (unknown.status, unknown.confidence) == ("abstained", UNNAMED)
    assert "What was found is about Version 4.0, Version 4.1, not about 4.2." in unknown.text
    graded = next(event.detail for event in unknown.trace if event.node == "grade")
    assert graded["speaks_of"] == {"4.2": ["Version 4.0", "Version 4.1"]}
    chinese = asyncio.run(Engine(deps([DUTY], calibration=ScriptedGrader([0.9]))).ask("三级故障要多久响应？"))
    assert "找到的内容说的是一级、二级，不是三级。" in chinese.text


@pytest.mark.parametrize("run", ["a", "一", "1", "2015 ", "Apollo 1 "])
def test_long_runs_end_in_nothing(run: str) -> None:
    """Letters once took their length squared, and no number has thousands of numerals."""
    assert instead(run * (20_000 // len(run)), [hit(run * 100)]) == ()
