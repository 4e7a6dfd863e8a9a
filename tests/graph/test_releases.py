"""Release notes: which section is told, and where the heading is the answer."""

from __future__ import annotations

import pytest

from graph.releases import out_of_release
from tests.fakes.quoting import ask

NOTES = """# Changelog of Brindle

## 4.1.0 - 2024-03-12

- Added: graph view of linked notes.
- Changed: attachments of up to 100 MB are taken.

## 4.0.1 - 2024-01-22

- Fixed: the dark theme changed the colour of text.

## 4.0.0 - 2024-01-08

- Breaking: the configuration file of Brindle was changed and moved.
"""
ZH = """# 青鸟更新日志

## 3.5.0（2024年5月6日）

- 新增：青鸟支持离线地图。

## 3.4.2（2024年2月1日）

- 修复：青鸟登录失败。
"""


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        ("What changed in Brindle 4.1.0?", "attachments of up to 100 MB", "configuration"),
        ("What changed in Brindle 4.0.1?", "the dark theme", "configuration"),
        ("What changed in Brindle 4.0.0?", "configuration", "dark theme"),
        ("What is the latest version of Brindle?", "4.1.0 - 2024-03-12", "4.0"),
        ("What changed in the latest version of Brindle?", "attachments", "configuration"),
        ("When was Brindle 4.0.0 released?", "4.0.0 - 2024-01-08", "4.1.0"),
        ("When did version 4.0.1 come out?", "4.0.1 - 2024-01-22", "4.1.0"),
        ("Release date of Brindle 4.0.0?", "4.0.0 - 2024-01-08", "4.1.0"),
        ("Which version has the graph view of linked notes?", "4.1.0 - 2024-03-12", "4.0.1"),
        ("When was the configuration file of Brindle moved?", "4.0.0 - 2024-01-08", "4.1.0"),
    ],
)
def test_of_release_notes_the_section_that_is_asked_for_is_told(question: str, told: str, untold: str) -> None:
    answer = ask(question, NOTES)
    assert told in answer.text
    assert untold not in answer.text


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        ("青鸟 3.4.2 是什么时候发布的？", "2024年2月1日", "3.5.0"),
        ("青鸟 3.5.0 有什么新功能？", "离线地图", "登录"),
        ("青鸟的最新版本是多少？", "3.5.0", "3.4.2"),
    ],
)
def test_so_it_is_in_chinese(question: str, told: str, untold: str) -> None:
    answer = ask(question, ZH)
    assert told in answer.text
    assert untold not in answer.text


@pytest.mark.parametrize(
    ("question", "headings", "out"),
    [
        ("What is new in 2.1?", ["2.1.3 (May 2024)", "2.0.0 (May 2023)"], [False, True]),
        ("What is new in 2.10?", ["v2.10", "v2.1"], [False, True]),
        ("What changed since 2.0?", ["2.1 - 2024-05-01", "2.0 - 2023-05-01"], [False, False]),
        ("What differs from 2.0 to 2.1?", ["2.1 - 2024-05-01", "2.0 - 2023-05-01"], [False, False]),
        ("Does it need macOS 10.4?", ["2.1 - 2024-05-01", "2.0 - 2023-05-01"], [False, False]),
        ("What is the current version?", ["4.1 Scope", "4.2 Rules"], [False, False]),
        ("What does version 4.1 do?", ["4.1 Scope", "4.2 Rules"], [False, False]),
        ("What is the newest release?", ["2.9 - 2023-05-01", "2.10 - 2024-05-01"], [True, False]),
    ],
)
def test_only_what_stands_under_another_release_is_left_out(
    question: str, headings: list[str], out: list[bool]
) -> None:
    assert out_of_release(question, ["Faster."] * 2, [[each] for each in headings], ["a.md"] * 2) == out


def test_a_sentence_that_names_the_version_itself_stays_and_the_latest_is_of_its_document() -> None:
    headings = [["2.1 - 2024-05-01"], ["2.0 - 2023-05-01"], ["9.0 - 2023-05-01"]]
    texts = ["Faster.", "Will be removed in 2.1.", "Slower."]
    assert out_of_release("What is removed in 2.1?", texts, headings, ["a", "a", "b"]) == [False, False, True]
    assert out_of_release("What is the latest version?", texts, headings, ["a", "a", "b"]) == [False, True, False]
