"""What is told with a sentence that leaves open what is asked, and headings that answer."""

from __future__ import annotations

from itertools import pairwise

import pytest

from chunking.sentences import split_sentences
from graph.behind import told_with
from graph.headings import says_question, telling

STEPS = """1. Keep images of the last five releases. Owner: Daniel Osei. Done on 18 February.
2. Contract test against the real sandbox. Owner: Aiko Tanaka. Due 31 March.
3. The gateway moves to TLS 1.3. Confirmed by its maker for 1 June 2025.
4. Rollback drill every quarter.
   Owner: Lena Fischer."""
NOTES = "New: dark mode on Windows and macOS. Linux will follow. Log files are smaller."
MINUTES = (
    "Wei proposed to replace MQTT with CoAP in order to save energy. Priya was concerned about the time for testing."
    " Decision: MQTT stays for now.\n\nThe date is open."
)
LAW = (
    "违反第八条规定的，由主管部门责令改正，给予警告；拒不改正的，处五万元以上五十万元以下罚款。本条例自公布之日起施行。"
)
STAGES = "第一级为PP棉滤芯，建议6个月更换一次；第二级为活性炭滤芯，建议12个月更换一次。"
PHONES = "New: split view on tablets. Phones will follow. The search is faster."
HOURS = "公司实行标准工时制。核心工作时间为上午10:00至下午16:00。"
FORM = "Author: Lena Fischer. Severity: high. Status: closed."


def told(question: str, text: str, sentence: str) -> list[str]:
    spans = split_sentences(text)
    texts = [text[start:end] for start, end in spans]
    gaps = ["", *(text[before[1] : after[0]] for before, after in pairwise(spans))]
    index = next(i for i, each in enumerate(texts) if sentence in each)
    return [texts[i] for i in told_with(question, texts, gaps, index)]


@pytest.mark.parametrize(
    ("question", "text", "sentence", "with_it"),
    [
        ("Who is responsible for the contract test?", STEPS, "Contract test", ["Owner: Aiko Tanaka."]),
        ("Who has the contract test?", STEPS, "Owner: Aiko", ["2. Contract test against the real sandbox."]),
        ("By when must the contract test be done?", STEPS, "Contract test", ["Due 31 March."]),
        ("Who owns the rollback drill?", STEPS, "Owner: Lena", ["4. Rollback drill every quarter."]),
        (
            "When will the gateway move to TLS 1.3?",
            STEPS,
            "The gateway moves",
            ["Confirmed by its maker for 1 June 2025."],
        ),
        ("Does dark mode work on Linux?", NOTES, "New:", ["Linux will follow."]),
        ("Does the split view work on phones?", PHONES, "New:", ["Phones will follow."]),
        (
            "Why was CoAP not chosen?",
            MINUTES,
            "Wei proposed",
            ["Priya was concerned about the time for testing.", "Decision: MQTT stays for now."],
        ),
        ("违反第八条罚多少？", LAW, "给予警告", ["拒不改正的，处五万元以上五十万元以下罚款。"]),
        ("拒不改正罚多少？", LAW, "拒不改正", ["违反第八条规定的，由主管部门责令改正，给予警告；"]),
    ],
)
def test_what_tells_the_rest_is_told_with_it(question: str, text: str, sentence: str, with_it: list[str]) -> None:
    assert told(question, text, sentence) == with_it


@pytest.mark.parametrize(
    ("question", "text", "sentence"),
    [
        ("Does dark mode work on Windows?", NOTES, "New:"),
        ("Does the split view work on tablets?", PHONES, "New:"),
        ("What did Wei propose?", MINUTES, "Wei proposed"),
        ("PP棉滤芯多久更换一次？", STAGES, "第一级"),
        ("Who is the author?", FORM, "Author"),
        ("How severe is it?", FORM, "Severity"),
        ("最晚几点到公司？", HOURS, "核心"),
        ("When does the regulation take effect?", LAW, "本条例"),
        ("How many releases are kept?", STEPS, "Keep images"),
    ],
)
def test_what_tells_enough_stands_alone(question: str, text: str, sentence: str) -> None:
    assert told(question, text, sentence) == []


@pytest.mark.parametrize(
    ("question", "text", "headings", "said"),
    [
        ("Which version fixed CVE-2025-11873?", "Fixed: CVE-2025-11873.", ["4.1.3 (3 March 2025)"], 0),
        ("When was CVE-2025-11873 fixed?", "Fixed: CVE-2025-11873.", ["4.1.3 (3 March 2025)", "Notes"], 0),
        ("哪个版本修复了登录失败？", "修复：登录失败。", ["更新", "V2.3.1"], 1),
        ("Which section treats liability?", "Nobody is liable for fraud.", ["5. Liability and fraud"], 0),
        ("导出功能在哪一章？", "点击导出。", ["第三章 报表"], 0),
        ("Which version fixed the bug?", "Version 4.2.0 fixed the bug.", ["4.1.3"], None),
        ("What was fixed in 4.1.3?", "The bug was fixed.", ["4.1.3"], None),
        ("When is the shop open?", "On Monday from 9:00.", ["1 March 2025"], None),
        ("When will the old format stop working?", "It stops with 5.0.", ["4.1.0 (20 January 2025)"], None),
        ("What helps when the icon is gone?", "Restart the client.", ["4.2.0 (12 May 2025)"], None),
        ("Which Windows does 4.2.0 need?", "Windows 10 or newer.", ["4.2.0 (12 May 2025)"], None),
    ],
)
def test_the_heading_that_is_the_answer(question: str, text: str, headings: list[str], said: int | None) -> None:
    assert telling(question, text, headings) == (None if said is None else headings[said])


@pytest.mark.parametrize(
    ("question", "heading", "says"),
    [
        ("What went well?", "What went well", True),
        ("What made the incident worse?", "3. What made it worse", True),
        ("What is the weight of the HX-200?", "HX-200", False),
        ("How long is the warranty?", "Warranty", False),
        ("Who decided that the trial went well?", "What went well", False),
        ("How do I send a parcel?", "How do I send a parcel?", True),
        ("Can I send a parcel to Malta?", "How do I send a parcel?", False),
        ("When was the parcel sent?", "How is the parcel sent?", False),
    ],
)
def test_headings_that_say_the_question(question: str, heading: str, says: bool) -> None:
    assert says_question(question, heading) is says
