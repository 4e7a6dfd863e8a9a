"""An identifier of the question that the evidence lacks."""

from __future__ import annotations

import asyncio

import pytest

from graph.engine import Engine
from graph.named import UNNAMED, lacking, unheard
from tests.fakes.graph import ScriptedGrader, deps, hit

TEXT = "The QM-300 pump has a warranty of five years. Error E07 means that it is blocked. Set poll\\_interval."
PUMP = hit(TEXT, source="pump.md", title="Pump")


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How long is the warranty of the QM-500?", ("QM-500",)),
        ("QM-500 和 E21 是什么？", ("QM-500", "E21")),
        ("Is E07 of the QM 300 known to the qm300?", ()),
        ("What does error ｅ０７ of the QM_300 mean?", ()),
        ("Which of the 12 pumps ran for 4-letter codes in the 1990s on the 3rd at 8.4kW?", ()),
        ("Was it Q3 or H1 of 2024?", ()),
        ("Does user42 run python3?", ()),
        ("What is the default of read_buffer_mb?", ("read_buffer_mb",)),
        ("read_buffer_mb的默认值是多少", ("read_buffer_mb",)),
        ("Is poll_interval or poll-interval_s set by app.poll.interval?", ("poll-interval_s", "app.poll.interval")),
        ("Is it well-known, e.g. by node.js or https://example.org/a.b.html?", ()),
    ],
)
def test_what_the_passages_do_not_mention_is_told(question: str, names: tuple[str, ...]) -> None:
    assert lacking(question, [PUMP]) == names


def test_evidence_without_it_is_refused_and_the_refusal_says_why() -> None:
    """However sure the signals are."""
    engine = Engine(deps([PUMP], calibration=ScriptedGrader([0.9])))
    known = asyncio.run(engine.ask("How long is the warranty of the QM-300?"))
    assert (known.status, known.confidence) == ("grounded", 0.9)
    unknown = asyncio.run(engine.ask("How long is the warranty of the QM-500?"))
    assert (unknown.status, unknown.confidence) == ("abstained", UNNAMED)
    assert "None of what was found mentions QM-500." in unknown.text
    assert next(event.detail for event in unknown.trace if event.node == "grade")["lacks"] == ["QM-500"]
    chinese = asyncio.run(engine.ask("QM-500 的保修期是多久？"))
    assert "找到的段落都没有提到 QM-500。" in chinese.text


GANDHI = hit(
    "Mahatma Gandhi read Shelley in South Africa. The wiki engine runs on Linux.", source="docs/acmewiki/faq.md"
)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Does the engine run on Solaris?", ("Solaris",)),
        ("Does the engine run on Linux or Solaris in July?", ("Solaris",)),
        ("Where did Ghandi read Shelley's poems?", ()),  # Misspelt, and with another ending.
        ("Who was it that read in the South African Republic?", ("South African Republic",)),
        ("Does Acmewiki run? Perhaps it does.", ()),  # The name of its folder; the first word of a sentence.
        ("Does The Engine Run On Solaris?", ()),
        ("does it run on NASA machines", ()),  # What an abbreviation stands for may be spelt out.
        ("它能在 FreeBSD 上运行吗？", ("FreeBSD",)),
        ("它能在 Solaris 或 AcmeWiki 上运行吗？", ()),  # A Chinese passage may write Solaris in Chinese.
    ],
)
def test_proper_names_that_no_passage_says_are_told(question: str, names: tuple[str, ...]) -> None:
    assert unheard(question, [GANDHI]) == names


def test_a_name_is_not_missed_in_another_language() -> None:
    assert unheard("Who leads the office in Shanghai?", [hit("上海办事处由周砚秋负责，杭州总部由林叙白负责。")]) == ()
    assert unheard("Who leads the office in Shanghai?", []) == ()


def test_evidence_that_never_says_the_name_loses_its_odds_and_the_refusal_says_so() -> None:
    engine = Engine(deps([GANDHI], calibration=ScriptedGrader([0.6])))
    answer = asyncio.run(engine.ask("Does the wiki engine run on Solaris?"))
    assert (answer.status, answer.confidence) == ("abstained", pytest.approx(0.06 / 0.46))
    assert "None of what was found mentions Solaris." in answer.text
    surer = Engine(deps([GANDHI], calibration=ScriptedGrader([0.9])))
    assert asyncio.run(surer.ask("Does the wiki engine run on Solaris?")).confidence == pytest.approx(0.09 / 0.19)


def test_only_the_part_of_a_question_that_names_what_is_lacking_is_left_open() -> None:
    engine = Engine(deps([PUMP], calibration=ScriptedGrader([0.9])))
    answer = asyncio.run(engine.ask("How long is the warranty of the QM-300, and what does the code E21 mean?"))
    assert (answer.status, answer.confidence) == ("partial", 0.9)
    assert "five years" in answer.text
    assert '"what does the code E21 mean"' in answer.text
    assert next(event.detail for event in answer.trace if event.node == "grade")["lacks"] == ["E21"]
    neither = asyncio.run(engine.ask("How long is the warranty of the QM-500, and what does the code E21 mean?"))
    assert (neither.status, neither.confidence) == ("abstained", UNNAMED)
    assert "None of what was found mentions QM-500, E21." in neither.text


def test_a_year_and_a_running_number_name_a_report() -> None:
    passage = hit("Incident report 2025-014. It lasted from May 2025-06 to 2026.")
    assert lacking("How many orders failed in incident 2025-013?", [passage]) == ("2025-013",)
    assert lacking("How many orders failed in incident 2025-014?", [passage]) == ()
    assert lacking("How many orders failed in 2019-2020?", [passage]) == ()
