"""Titles by their looks alone in DOCX and HTML: bold lines and numbers of sections where no heading is styled."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import docx
import pytest

from chunking.loaders import load_bytes
from chunking.types import Document

Lines = Sequence[tuple[str, bool]]
"""Each with whether it is bold."""
Make = Callable[[Lines], Document]

NOTICE = [
    ("关于开展安全生产检查的通知", True),
    ("各部门、各单位：", False),
    ("一、检查时间", False),
    ("2026年12月1日至12月15日。", False),
    ("（一）自查阶段", True),
    ("各单位对照清单逐项检查。", False),
    ("（二）抽查阶段。由办公室组织。", False),
    ("二、检查内容", False),
    ("消防设施和电气线路。", False),
    ("办公室", False),
]
PATHS = [
    ("关于开展安全生产检查的通知",),
    ("关于开展安全生产检查的通知", "一、检查时间"),
    ("关于开展安全生产检查的通知", "一、检查时间", "（一）自查阶段"),
    ("关于开展安全生产检查的通知", "二、检查内容"),
]


def _docx(lines: Lines) -> Document:
    made = docx.Document()
    made.core_properties.title = ""
    for words, bold in lines:
        made.add_paragraph().add_run(words).bold = bold
    stream = io.BytesIO()
    made.save(stream)
    return load_bytes(stream.getvalue(), source="a.docx")


def _html(lines: Lines) -> Document:
    body = "\n".join(f"<p><span>{f'<b>{words}</b>' if bold else words}</span></p>" for words, bold in lines)
    return load_bytes(f"<html><body>\n<div>\n{body}</div></body></html>".encode(), source="a.html")


def _paths(document: Document) -> list[tuple[str, ...]]:
    return [block.heading_path for block in document.blocks if block.kind == "heading"]


@pytest.mark.parametrize("make", [_docx, _html])
def test_a_notice_without_styles_has_its_titles(make: Make) -> None:
    document = make(NOTICE)
    assert _paths(document) == PATHS
    assert document.title == "关于开展安全生产检查的通知"
    assert document.blocks[-1].heading_path == PATHS[-1]
    assert document.text == "\n\n".join(words for words, _ in NOTICE)


@pytest.mark.parametrize("make", [_docx, _html])
def test_a_contract_has_its_clauses(make: Make) -> None:
    lines = [
        *(("SERVICE AGREEMENT", True), ("This Agreement is made on 1 March 2026.", False), ("1. Definitions", True)),
        *(('1.1 "Fee" means EUR 1,200 per month', False), ("2. Term", True), ("2.1 It runs for 12 months.", False)),
        *(("第一条 合同标的", False), ("乙方交付设备。", False)),
    ]
    assert _paths(make(lines)) == [
        ("SERVICE AGREEMENT",),
        ("SERVICE AGREEMENT", "1. Definitions"),
        ("SERVICE AGREEMENT", "2. Term"),
        ("SERVICE AGREEMENT", "第一条 合同标的"),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        [("一、身份证原件", False), ("二、户口本复印件", False), ("三、照片", False)],
        [("请携带：", False), ("身份证", True), ("户口本", True), ("照片", True), ("办公时间为九点至五点。", False)],
        [("Note", True), ("One bold line alone says nothing about titles.", False)],
        [("This is bold.", True), ("So is all of it!", True), ("And this.", True), ("Plain text.", False)],
        [("Text that opens the page.", False), ("Closing line", True)],
    ],
)
def test_bold_lines_and_lists_are_no_titles(lines: Lines) -> None:
    assert _paths(_docx(lines)) == []
    assert _paths(_html(lines)) == []


def test_a_document_with_headings_keeps_them_alone() -> None:
    html = "<h1>A</h1><h2>B</h2><p><b>One</b></p><p>Text.</p><p><b>Two</b></p><p>Text.</p>"
    assert _paths(load_bytes(html.encode(), source="a.html")) == [("A",), ("A", "B")]
    html = "<h1>A</h1><p><b>One</b></p><p>Text.</p><p style='font-weight: 700'>Two</p><p>Text.</p>"
    assert _paths(load_bytes(html.encode(), source="a.html")) == [("A",), ("A", "One"), ("A", "Two")]
