"""Line breaks of plain text: headings and fields part sentences, mere wrapping does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.cuts import cut
from graph.lines import pieces
from graph.quotes import quoted
from tests.fakes.graph import hit


@pytest.mark.parametrize(
    ("text", "said", "headings"),
    [
        (
            "第三条 费用与支付\n合同总金额为人民币 860,000 元（含税），分三期支\n付。",
            ["合同总金额为人民币 860,000 元（含税），分三期支\n付。"],
            ["第三条 费用与支付"],
        ),
        (
            "时间：4 月 8 日\n地点：3 号楼\n主持人：刘海燕",
            ["时间：4 月 8 日", "地点：3 号楼", "主持人：刘海燕"],
            ["", "", ""],
        ),
        (
            "Date: 3 May\nPlace: room 4\nwhich is on the left\nChair: Ada",
            ["Date: 3 May", "Place: room 4\nwhich is on the left", "Chair: Ada"],
            ["", "", ""],
        ),
        (
            "Storage\nThe eluted DNA is stable for two years in\nthe cold. It keeps a week at 4 degrees.",
            ["The eluted DNA is stable for two years in\nthe cold.", "It keeps a week at 4 degrees."],
            ["Storage", "Storage"],
        ),
        (
            "Harbour council, 8 June 2026\nPresent: Ada Byron, 林晓峰\nAbsent: Ida Holm",
            ["Harbour council, 8 June 2026", "Present: Ada Byron, 林晓峰", "Absent: Ida Holm"],
            [""] * 3,
        ),
        ("3. Procedure\n\n1. Spin it.\n2. Wash it.", ["1. Spin it.", "2. Wash it."], ["3. Procedure"] * 2),
        ("1. Spin it\n\n2. Wash it", ["1. Spin it", "2. Wash it"], ["", ""]),
        (
            "The pump was sold in the flood and\nit never ran.",
            ["The pump was sold in the flood and\nit never ran."],
            [""],
        ),
        (
            "It ran. In May\nThe pump was sold to a buyer in the north.",
            ["It ran.", "In May\nThe pump was sold to a buyer in the north."],
            ["", ""],
        ),
        ("```\nname: a\nprint(b)\n```", ["```\nname: a\nprint(b)", "```"], ["", ""]),
        ("```\nname: a\n# bytes\nsize: b\n```", ["name: a", "# bytes\nsize: b", "```"], ["", "", ""]),
    ],
)
def test_headings_and_fields_part_what_wrapping_does_not(text: str, said: list[str], headings: list[str]) -> None:
    made = cut(hit(text), 0.5)
    found = [(made.text(i), made.headings[i]) for i in range(len(made.spans)) if made.text(i) != "```"]
    assert found == [pair for pair in zip(said, headings, strict=True) if pair[0] != "```"]


def test_where_headings_are_marked_a_numbered_line_is_none() -> None:
    text = "1. Define the output\n\n```\ncode()\n```\n\n2. Run it\n\nIt runs."
    passage = hit(text)
    marked = replace(passage, document=replace(passage.document, media_type="text/markdown"))
    assert "1. Define the output" in [cut(marked, 0.5).text(i) for i in range(4)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("包括需\n求分析、系统\n  设计", "包括需求分析、系统设计"),
        ("一套 CRM\n系统", "一套 CRM 系统"),
        ("a well-\nknown pump\nof 2 bar", "a well-known pump of 2 bar"),
        ("pages 3 -\n5", "pages 3 - 5"),
    ],
)
def test_wrapped_lines_are_joined_as_they_were_written(text: str, shown: str) -> None:
    assert quoted(text) == shown


@given(st.text(alphabet="Aa第条一：: \n.。1", max_size=60))
def test_pieces_lose_only_blanks(text: str) -> None:
    parts = [text[start:end] for start, end, _ in pieces(text, 0, len(text), unmarked=True)]
    assert "".join("".join(parts).split()) == "".join(text.split())
