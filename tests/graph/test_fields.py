"""Minutes, forms and lists of questions: what is told of them, and how it reads."""

from __future__ import annotations

import pytest

from graph.exchanges import without_label
from graph.fields import tells
from tests.fakes.quoting import ask

MINUTES_EN = (
    "Harbour council, 8 June 2026\nPresent: Carla Reyes (chair), Ben Osei, 林晓峰\nAbsent: Ida Holm\n\n"
    "The pier is painted in July. The council asked for two offers."
)
MINUTES_ZH = "质量例会纪要，2026年5月5日\n出席：周明、李婷\n缺席：王强\n地点：三号楼\n\n阀门从七月起更换。"


@pytest.mark.parametrize(
    ("question", "text", "first"),
    [
        ("Who attended the harbour council?", MINUTES_EN, "Present: Carla Reyes (chair), Ben Osei, 林晓峰. [1]"),
        ("Who was absent from the harbour council?", MINUTES_EN, "Absent: Ida Holm. [1]"),
        ("谁参加了质量例会？", MINUTES_ZH, "出席：周明、李婷。[1]"),
        ("谁缺席了质量例会？", MINUTES_ZH, "缺席：王强。[1]"),
        ("质量例会在哪里开？", MINUTES_ZH, "地点：三号楼。[1]"),
    ],
)
def test_the_field_that_stands_for_what_is_asked_is_told_first_on_a_line_of_its_own(
    question: str, text: str, first: str
) -> None:
    assert ask(question, text).text.split("\n")[0] == first


@pytest.mark.parametrize(
    ("question", "sentence", "told"),
    [
        ("Who attended?", "**Participants:** Ada, Ben", True),
        ("Who attended?", "Absent: Ada", False),
        ("How heavy is it?", "Weight: 4 kg", True),
        ("When is it due?", "Deadline: 4 May", True),
        ("When is it due?", "Note: by 4 May", False),
        ("Where is it?", "Address: https://a.example", True),
        ("Where is the address of it?", "see location://a", False),
        ("Who attended?", "Those present: it was loud. They left.", False),
    ],
)
def test_a_field_tells_what_its_name_stands_for(question: str, sentence: str, told: bool) -> None:
    assert tells(question, sentence) == told


FAQ_EN = (
    "## Cards\n\n**Q: How long is a card valid?**\nA: A card is valid for two years. It may be renewed.\n\n"
    "**Q: May I lend tablets?**\nA: No. Tablets stay in the reading room."
)
FAQ_ZH = (
    "**问：** 丢了借书证怎么办？\n**答：** 到服务台补办借书证。\n\n**问：** 借书证多久有效？\n**答：** 借书证两年有效。"
)


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("How long is a card valid?", FAQ_EN, "A card is valid for two years. [1]"),
        ("May I lend tablets?", FAQ_EN, "No. [1] Tablets stay in the reading room. [1]"),
        ("丢了借书证怎么办？", FAQ_ZH, "到服务台补办借书证。[1]"),
        ("借书证多久有效？", FAQ_ZH, "借书证两年有效。[1]"),
    ],
)
def test_an_answer_of_a_document_is_told_without_its_label_and_without_other_answers(
    question: str, text: str, told: str
) -> None:
    assert ask(question, text).text == told


@pytest.mark.parametrize(
    ("answer", "question", "shown"),
    [
        ("A: 5 mm", "**Q: How wide is it?**", "5 mm"),
        ("**答：**五毫米", "问：多宽？", "五毫米"),
        ("- **Answer:** 5 mm", "How wide is it?", "5 mm"),
        ("A: 5 mm", "These are the sides.", "A: 5 mm"),
        ("A: 5 mm", None, "A: 5 mm"),
        ("A card is valid: always", "Is it?", "A card is valid: always"),
    ],
)
def test_only_what_follows_a_question_loses_its_label(answer: str, question: str | None, shown: str) -> None:
    assert without_label(answer, question) == shown


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("Who reviewed the plan?", "- Plan reviewed by Ada Byron, Ben Osei and 林晓峰", "林晓峰. [1]"),
        ("谁审阅了计划？", "- 计划由 Ada Byron 和 Ben Osei 审阅", "审阅。[1]"),
        ("流量是多少？", "- 流量：KR-2 为 30", "30。[1]"),
    ],
)
def test_a_full_stop_is_of_the_language_that_most_of_a_quote_is_in(question: str, text: str, told: str) -> None:
    assert ask(question, text).text.endswith(told)
