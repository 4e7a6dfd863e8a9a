"""Spreadsheets, slides, books and data files: every record one line, every part under its heading."""

from __future__ import annotations

import datetime
import io
import json
import sys
import zipfile
from collections.abc import Sequence

import openpyxl
import pptx
import pytest
from pptx.util import Inches

from chunking.config import ChunkingConfig
from chunking.errors import DocumentError
from chunking.loaders import load_bytes
from chunking.strategies import build_chunker
from tests.chunking.blocks import kinds


def _count(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


# CSV


@pytest.mark.parametrize(("separator", "name"), [(",", "a.csv"), (";", "a.csv"), ("\t", "a.tsv")])
def test_csv_records_are_rows(separator: str, name: str) -> None:
    text = (
        separator.join(["task", "interval"])
        + "\r\n"
        + separator.join(['"seal, check|twice"', '"every\n3 months; or 4"'])
        + "\r\n"
    )
    document = load_bytes(text.encode("utf-8-sig"), source=name)
    assert kinds(document) == [
        ("table", "| task | interval |\n| --- | --- |\n| seal, check\\|twice | every 3 months; or 4 |")
    ]


def test_csv_in_a_chinese_encoding_keeps_its_records_whole_when_it_is_cut() -> None:
    records = [f"项目{number}，它可以吗？可以。见说明,负责人{number}" for number in range(60)]
    document = load_bytes("\n".join(["名称,负责人", *records]).encode("gb18030"), source="清单.csv")
    assert document.notes == ("encoding: gb18030 (guessed)",)
    chunks = build_chunker(ChunkingConfig(target_tokens=120, min_tokens=30, max_tokens=200), _count).chunk(document)
    assert len(chunks) > 10
    for chunk in chunks:
        assert chunk.text.startswith("| ")
        assert chunk.text.endswith(" |")
        assert "| 名称 | 负责人 |" in chunk.embedded_text


def test_a_csv_file_of_numbers_has_no_header_row() -> None:
    assert load_bytes(b"1,2\n3,4\n", source="a.csv").text == "| 1 | 2 |\n| 3 | 4 |"
    assert "---" in load_bytes("国家,2023,2024\n甲,1,2\n".encode(), source="a.csv").text


def test_csv_cells_may_be_longer_than_the_csv_module_reads_by_itself() -> None:
    long = "x" * 200_000
    document = load_bytes(f"name,text\na,{long}\nb,short\n".encode(), source="a.csv")
    assert document.text.endswith(f"| a | {long} |\n| b | short |")


def test_a_quotation_mark_that_is_never_closed_takes_no_records_with_it() -> None:
    document = load_bytes(b'size,part\n"5 inch,pipe\n6,valve\n', source="a.csv")
    assert document.text == '| size | part |\n| --- | --- |\n| "5 inch | pipe |\n| 6 | valve |'
    assert document.notes == ("a quotation mark is never closed: all of them were read as characters",)


# JSON


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;"])
def test_csv_may_name_its_separator(line: str) -> None:
    document = load_bytes(f"{line}\r\nname;price\r\nApple, red;1,50\r\n".encode(), source="a.csv")
    assert document.text == "| name | price |\n| --- | --- |\n| Apple, red | 1,50 |"


@pytest.mark.parametrize(
    "lines",
    [
        ["question", "How do I reset it?", "Where is it; in Lyon or Turin?", "What does it cost, and when?"],
        ["question", "One, two and more.", "One, two, three.", "One."],
        ["question", "So it is, said he, and so on."],
    ],
)
def test_csv_of_one_column_is_not_cut_at_its_commas(lines: list[str]) -> None:
    document = load_bytes("\n".join(lines).encode(), source="a.csv")
    assert [line.strip("| ") for line in document.text.split("\n") if "---" not in line] == lines


def test_csv_under_a_title_line_is_a_table() -> None:
    document = load_bytes(b"Prices of May\nname,price\nApple,1\nPear,2\n", source="a.csv")
    assert "| Pear | 2 |" in document.text


def test_json_records_are_a_table() -> None:
    records = [{"name": "cache", "ttl": 30}, {"name": "queue", "size": None, "on": True}]
    document = load_bytes(json.dumps(records).encode(), source="a.json")
    assert kinds(document) == [
        ("table", "| name | ttl | size | on |\n| --- | --- | --- | --- |\n| cache | 30 |  |  |\n| queue |  |  | true |")
    ]


def test_nested_json_has_headings() -> None:
    value = {
        "title": "服务",
        "port": 8000,
        "limits": {"body": "20 MB", "rate": {"per": "minute"}},
        "steps": ["open", "close"],
        "faq": [{"question": "How?", "answer": ["x" * 300]}, {"question": "Why?", "answer": ["y"]}],
        "empty": {},
    }
    document = load_bytes(json.dumps(value).encode(), source="a.json")
    assert document.title == "服务"
    assert [(kind, text[:24]) for kind, text in kinds(document)] == [
        ("list", "- title: 服务\n- port: 8000"),
        *(("heading", "limits"), ("list", "- body: 20 MB")),
        *(("heading", "rate"), ("list", "- per: minute")),
        *(("heading", "steps"), ("list", "- open\n- close")),
        *(("heading", "faq"), ("heading", "How?"), ("list", "- question: How?")),
        *(("heading", "answer"), ("list", "- " + "x" * 22), ("heading", "Why?"), ("list", "- question: Why?")),
        *(("heading", "answer"), ("list", "- y")),
    ]
    assert document.blocks[-1].heading_path == ("faq", "Why?", "answer")


@pytest.mark.parametrize("data", [b'{"a": 1', b"nothing", b'{"a": 1} {"a": 2}'])
def test_damaged_json_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentError, match=r"^a\.json is no sound JSON file \(line 1\): [^\n]+\.\Z"):
        load_bytes(data, source="a.json")


@pytest.mark.parametrize("data", [b"[" * 100_000, b'{"a":' * 100_000, b"[" * 5_000 + b"]" * 5_000])
def test_json_that_is_nested_too_deep_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentError, match=r"^a\.json is nested too deep[^\n]+\.\Z"):
        load_bytes(data, source="a.json")


def test_json_numbers_are_read_as_they_are_written() -> None:
    long = "9" * 5_000
    written = f'{{"price": 1.10, "none": NaN, "most": -Infinity, "big": 1e999, "id": {"7" * 60}, "long": {long}}}'
    assert load_bytes(written.encode(), source="a.json").text == (
        f"- price: 1.10\n- none: NaN\n- most: -Infinity\n- big: 1e999\n- id: {'7' * 60}\n\nlong\n\n{long}"
    )


def test_json_lines_are_records() -> None:
    document = load_bytes(b'{"id": 1, "on": true}\n\n{"id": 2, "on": false}\n', source="a.json")
    assert document.text == "| id | on |\n| --- | --- |\n| 1 | true |\n| 2 | false |"


# Spreadsheets


def _xlsx(book: openpyxl.Workbook) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_sheets_are_sections_and_regions_are_tables() -> None:
    book = openpyxl.Workbook()
    first = book.active
    first.title = "维护"
    for row in [
        ["Maintenance plan"],
        ["task", "share", "due"],
        ["seals|rings", 0.25, datetime.datetime(2026, 3, 1)],
        ["filter\nchange", 12, None],
        [],
        [None, "is it so?", 3.5, True],
    ]:
        first.append(row)
    first["B3"].number_format = "0%"
    book.create_sheet("notes").append(["Only one cell."])
    hidden = book.create_sheet("hidden")
    hidden.append(["secret"])
    hidden.sheet_state = "hidden"
    document = load_bytes(_xlsx(book), source="a.xlsx")
    assert kinds(document) == [
        ("heading", "维护"),
        ("paragraph", "Maintenance plan"),
        (
            "table",
            "| task | share | due |\n| --- | --- | --- |\n"
            "| seals\\|rings | 25% | 2026-03-01 |\n| filter change | 12 |  |",
        ),
        ("table", "| is it so? | 3.5 | TRUE |"),
        ("heading", "notes"),
        ("paragraph", "Only one cell."),
    ]
    assert document.blocks[3].heading_path == ("维护",)


def test_a_sheet_of_formulas_that_were_never_computed_is_an_error() -> None:
    book = openpyxl.Workbook()
    book.active.append(["=1+1"])
    with pytest.raises(DocumentError, match="save it once in its program"):
        load_bytes(_xlsx(book), source="a.xlsx")


def test_cells_over_rows_are_said_in_each_and_a_wrong_size_hides_none() -> None:
    book = openpyxl.Workbook()
    rows = [["Region", "City", "Sales"], ["North", "Oslo", 10], [None, "Bergen", 20], ["South", "Rome", 30], [], ["x"]]
    for row in rows:
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    book.active.merge_cells("A6:B6")
    whole = zipfile.ZipFile(io.BytesIO(_xlsx(book)))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as wrong:
        for name in whole.namelist():
            wrong.writestr(name, whole.read(name).replace(b'<dimension ref="A1:C6"', b'<dimension ref="A1"'))
    for data in (_xlsx(book), stream.getvalue()):
        assert kinds(load_bytes(data, source="a.xlsx")) == [
            (
                "table",
                "| Region | City | Sales |\n| --- | --- | --- |\n"
                "| North | Oslo | 10 |\n| North | Bergen | 20 |\n| South | Rome | 30 |",
            ),
            ("paragraph", "x"),
        ]


@pytest.mark.parametrize(
    ("form", "shown"), [('0"%"', "5%"), ("0.0\\%", "5%"), ("0%", "500%"), ("[Red]0.0%", "500%"), ('0" of"', "5")]
)
def test_percent_formats(form: str, shown: str) -> None:
    book = openpyxl.Workbook()
    book.active.append([5])
    book.active["A1"].number_format = form
    assert load_bytes(_xlsx(book), source="a.xlsx").text == shown


# Slides


def test_slides_are_pages() -> None:
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text = "Backup policy"
    body = slide.placeholders[1].text_frame
    body.text = "Kept for 30 days"
    inner = body.add_paragraph()
    inner.text, inner.level = "Then deleted", 1
    slide.notes_slide.notes_text_frame.text = "Say why."
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(3), Inches(4), Inches(1)).table
    for cell, text in zip(table.iter_cells(), ["k", "v", "a", "1"], strict=True):
        cell.text = text
    slide.shapes.add_textbox(Inches(1), Inches(1), Inches(4), Inches(1)).text_frame.text = "Above the table."
    stream = io.BytesIO()
    slides.save(stream)
    document = load_bytes(stream.getvalue(), source="a.pptx")
    assert kinds(document) == [
        ("heading", "Backup policy"),
        ("list", "- Kept for 30 days\n  - Then deleted"),
        ("paragraph", "Say why."),
        ("paragraph", "Above the table."),
        ("table", "| k | v |\n| --- | --- |\n| a | 1 |"),
    ]
    assert document.title == "Backup policy"
    assert [block.page for block in document.blocks] == [1, 1, 1, 2, 2]
    assert document.blocks[3].heading_path == ()
    assert document.page_at(document.text.index("Above")) == 2


def test_slide_cells_over_rows_are_said_in_each() -> None:
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    table = slide.shapes.add_table(4, 2, Inches(1), Inches(3), Inches(4), Inches(1)).table
    for cell, text in zip(table.iter_cells(), ["k", "v", "a", "1", "", "2", "", ""], strict=True):
        cell.text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(3, 0).merge(table.cell(3, 1))
    table.cell(3, 0).text = "wide"
    stream = io.BytesIO()
    slides.save(stream)
    expected = "| k | v |\n| --- | --- |\n| a | 1 |\n| a | 2 |\n| wide |  |"
    assert kinds(load_bytes(stream.getvalue(), source="a.pptx")) == [("table", expected)]


# EPUB


def _epub(chapters: dict[str, str]) -> bytes:
    manifest = "".join(f'<item id="{n}" href="{n}.xhtml" media-type="application/xhtml+xml"/>' for n in chapters)
    spine = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>'
        "A book</dc:title></metadata><manifest>"
        f'<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>{manifest}</manifest>'
        f'<spine><itemref idref="nav"/>{spine}</spine></package>'
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("OEBPS/book.opf", package)
        archive.writestr("OEBPS/nav.xhtml", "<html><body><ol><li>One</li></ol></body></html>")
        for name, body in chapters.items():
            archive.writestr(f"OEBPS/{name}.xhtml", f"<html><body>{body}</body></html>")
    return stream.getvalue()


def test_chapters_come_in_reading_order() -> None:
    data = _epub({"b": "<h2>Second comes first</h2><p>One.</p>", "a": "<p>第二章的正文。</p>"})
    document = load_bytes(data, source="a.epub")
    assert document.title == "A book"
    assert kinds(document) == [
        ("heading", "Second comes first"),
        ("paragraph", "One."),
        ("paragraph", "第二章的正文。"),
    ]
    assert document.blocks[2].heading_path == ()


def test_a_chapter_that_is_missing_is_an_error() -> None:
    data = _epub({"b": "<p>One.</p>"}).replace(b"OEBPS/b.xhtml", b"OEBPS/c.xhtml")
    with pytest.raises(DocumentError, match="damaged EPUB file"):
        load_bytes(data, source="a.epub")


# Without the extra, and damage


def test_without_the_extra_the_line_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    book, slides, stream = openpyxl.Workbook(), pptx.Presentation(), io.BytesIO()
    slides.save(stream)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    monkeypatch.setitem(sys.modules, "pptx", None)
    for name, data in (("a.xlsx", _xlsx(book)), ("a.pptx", stream.getvalue())):
        with pytest.raises(DocumentError, match=rf"^{name} is a .*pip install 'agentic-crag\[office\]' elsewhere\.$"):
            load_bytes(data, source=name)


@pytest.mark.parametrize("member", ["xl/workbook.xml", "ppt/presentation.xml", "META-INF/container.xml"])
def test_damaged_archives_are_refused(member: str) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(member, "<broken")
    with pytest.raises(DocumentError, match="a damaged"):
        load_bytes(stream.getvalue(), source="a.bin")
