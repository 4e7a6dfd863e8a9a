"""Minutes, forms and lists of questions: what is told of them, and how it reads."""

from __future__ import annotations

import pytest

from graph.cuts import cut
from graph.evidence import Strip
from graph.exchanges import without_label
from graph.fields import asks_roll, tells
from tests.fakes.graph import hit
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
        ("Who attended?", "The people present: it was loud. They left.", False),
    ],
)
def test_a_field_tells_what_its_name_stands_for(question: str, sentence: str, told: bool) -> None:
    assert tells(question, sentence) == told


ROLL_EN = "## Attendees\n\n- Ada Byron (chair)\n- Ben Osei\n\n## Excused\n\n- Ida Holm\n\n## Agenda\n\n- Paint\n- Roof"
ROLL_ZH = "**参会人员：**\n\n1. 周明\n2. 李婷\n\n**缺席人员（1）：**\n\n1. 王强\n\n**会议内容：**\n\n1. 阀门\n2. 管道"
ROLL_ROWS = "| | |\n|---|---|\n| Attendees | Ada Byron, Ben Osei |\n| Absent | Ida Holm |\n| Chair | Ada Byron |"
TWO = (
    "## Site meeting, 3 March\n\n**Present:** A. Novak, C. Okafor\n\nThe crane moves.\n\n"
    "## Site meeting, 17 March\n\n**Present:** D. Ferrari\n\nThe slab is poured."
)


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("Who attended the meeting?", ROLL_EN, "Ada Byron (chair), Ben Osei. [1]"),
        ("Who did not attend the meeting?", ROLL_EN, "Ida Holm. [1]"),
        ("参会人员有哪些？", ROLL_ZH, "周明、李婷。[1]"),
        ("谁没来？", ROLL_ZH, "王强。[1]"),
        ("Who was not at the meeting?", "Who was there: Ada\nNot there: Ida", "Not there: Ida. [1]"),
        ("哪些家长缺席？", "参会家长：周明家长\n缺席家长：李婷家长\n\n春游在四月。", "缺席家长：李婷家长。[1]"),
        (
            "What was decided?",
            "Decisions\n\n- The pier is painted.\n\nActions\n\n- Buy paint.",
            "The pier is painted. [1]",
        ),
        ("哪些单位参加了？", "参会单位及人员：街道办 秦岚\n缺席单位：燃气公司", "参会单位及人员：街道办 秦岚。[1]"),
        ("Who was at the meeting?", ROLL_ROWS, "Attendees · Ada Byron, Ben Osei. [1]"),
        ("Who was absent?", ROLL_ROWS, "Absent · Ida Holm. [1]"),
        ("Who was at the site meeting on 3 March?", TWO, "Present: A. Novak, C. Okafor. [1]"),
        ("Who was at the site meeting on 17 March?", TWO, "Present: D. Ferrari. [1]"),
        ("Who was at the site meetings?", TWO, "Present: A. Novak, C. Okafor. [1]\nPresent: D. Ferrari. [1]"),
        ("谁负责清理楼道？", "参加人：陈萍、冯强\n主持人：陈萍\n\n楼道由冯强清理。", "楼道由冯强清理。[1]"),
        ("When is the budget due?", "1. Budget: Ada Byron writes it. Due: 4 May.", "Due: 4 May. [1]"),
        (
            "什么时候完成？",
            "会议时间：2025年3月12日\n\n扫码枪在3月20日前完成采购。",
            "扫码枪在3月20日前完成采购。[1]",
        ),
        (
            "What was decided?",
            "## Decisions\n\n- The pier is painted.\n\n## Other\n\nIt rained.",
            "The pier is painted. [1]",
        ),
    ],
)
def test_the_roll_or_the_decision_that_is_asked_for_is_told_and_no_other(question: str, text: str, told: str) -> None:
    assert told in ask(question, text).text
    assert ask(question, text).text.startswith(told) or "Due" in told


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who may bring guests?", "## Absences\n\n- Report sick by 9\n- Send a note\n\nThe head may bring guests."),
        ("如何请假？", "## 请假流程\n\n1. 填写申请单\n2. 主管批准"),
    ],
)
def test_rules_below_such_a_heading_stay_apart(question: str, text: str) -> None:
    assert not any("\n" in strip.text for strip in quoted_strips(text))


def quoted_strips(text: str) -> list[Strip]:
    return [
        Strip(one.hit, *one.spans[i], one.text(i), 1.0) for one in (cut(hit(text), 1.0),) for i in range(len(one.spans))
    ]


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


def test_who_approves_an_absence_asks_for_no_roll() -> None:
    assert not asks_roll("请假四天要谁批准？")
    assert not asks_roll("Who approves absence on a Friday?")
    assert asks_roll("谁请假了？")
