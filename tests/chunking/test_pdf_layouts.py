"""Layouts that printed pages have: columns in either stream order, tables, running lines, captions and footnotes."""

from __future__ import annotations

import atexit
import io
import math
import shutil
import tempfile
from functools import cache
from itertools import pairwise
from pathlib import Path

import pypdfium2
import pytest
from fontTools import subset
from fpdf import FPDF

from chunking.loaders import load_bytes
from tests.chunking.blocks import kinds

FONTS = (
    Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"),
    Path("/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc"),
    Path("/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc"),
)
SENTENCE = "The reranker reads each candidate again together with the question and gives it a new score. "


@cache
def _chinese_font() -> Path:
    """The characters of this file only: setting a page with all of the font takes a second."""
    font = next((font for font in FONTS if font.is_file()), None)
    if font is None:
        pytest.skip("no Noto Sans CJK font is installed to set a Chinese page with")
    options = subset.Options(font_number=2)
    whole = subset.load_font(font, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=Path(__file__).read_text(encoding="utf-8"))
    subsetter.subset(whole)
    folder = Path(tempfile.mkdtemp(prefix="noto-"))
    atexit.register(shutil.rmtree, folder)
    subset.save_font(whole, folder / "noto.otf", options)
    whole.close()
    return folder / "noto.otf"


def _pdf(*, chinese: bool = False) -> FPDF:
    pdf = FPDF(format="A4")
    pdf.set_auto_page_break(False)
    if chinese:
        pdf.add_font("noto", fname=_chinese_font())
        pdf.set_font("noto", size=9)
    else:
        pdf.set_font("Helvetica", size=9)
    return pdf


@cache
def columns(chinese: bool, by_row: bool, count: int = 2) -> tuple[bytes, list[str]]:
    pdf = _pdf(chinese=chinese)
    expected: list[str] = []
    for page in range(3):
        pdf.add_page()
        places = []
        for column in range(count):
            for line in range(45):
                tag = f"{page}{column}{line:02}"
                text = (
                    f"{tag}检索增强生成把检索到的段落交给语言模型，"[: 4 + 34 // count] + tag
                    if chinese
                    else f"w{tag} of running text that fills its column to"[: 86 // count].strip() + f" w{tag}"
                )
                places.append((column, line, text))
        expected += [text for _, _, text in places]
        for column, line, text in sorted(places, key=lambda place: place[1::-1]) if by_row else places:
            pdf.text(15 + 190 / count * column, 25 + 5 * line, text)
    return bytes(pdf.output()), expected


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("by_row", [False, True])
@pytest.mark.parametrize("chinese", [False, True])
def test_lines_of_columns_follow_each_other(chinese: bool, by_row: bool, count: int) -> None:
    data, lines = columns(chinese, by_row, count)
    text = load_bytes(data, source="a.pdf").text
    places = [text.find(line) for line in lines]
    right = sum(-1 < a < b <= a + len(line) + 2 for line, (a, b) in zip(lines, pairwise(places), strict=False))
    assert right >= math.floor(0.99 * (len(lines) - 1))


@pytest.mark.parametrize("by_row", [False, True])
def test_a_table_inside_a_column_keeps_its_rows(by_row: bool) -> None:
    pdf = _pdf()
    pdf.add_page()
    places = [
        (x, 30 + 5 * line, f"{tag}{line} of running text that fills the column")
        for x, tag in ((15, "L"), (110, "R"))
        for line in range(45)
        if tag == "L" or line < 18 or line > 28
    ]
    rows = [("name", "recall", "latency"), ("alpha", "0.71", "12"), ("beta", "0.75", "13"), ("gamma", "", "15")]
    places += [
        (110 + 30 * n, 130 + 5 * row, cell) for row, cells in enumerate(rows) for n, cell in enumerate(cells) if cell
    ]
    places.append((110, 123, "Table 1. Recall and latency"))
    # What writes columns one after the other writes the table where it stands.
    for x, y, text in sorted(
        places, key=lambda place: (place[1], place[0]) if by_row else (place[0] >= 110, place[1], place[0])
    ):
        pdf.text(x, y, text)
    document = load_bytes(bytes(pdf.output()), source="a.pdf")
    assert [text for kind, text in kinds(document) if kind == "table"] == [
        "| name | recall | latency |\n| --- | --- | --- |\n"
        "| alpha | 0.71 | 12 |\n| beta | 0.75 | 13 |\n| gamma |  | 15 |"
    ]
    text = document.text
    order = ["L44 of", "R17 of", "Table 1.", "| gamma", "R29 of"]
    assert sorted(order, key=text.index) == order


@pytest.mark.parametrize("by_row", [False, True])
def test_a_long_table_in_a_column_leaves_the_column_beside_it_whole(by_row: bool) -> None:
    pdf = _pdf()
    pdf.add_page()
    rows = [("part", "length", "weight"), *((f"part {row}", f"{row} mm", f"{row}.5 kg") for row in range(24))]
    places = [(15, 30 + 5 * line, f"L{line} of running text that fills the column") for line in range(45)]
    places += [(110, 30 + 5 * line, f"R{line} of running text that fills the column") for line in range(45) if line < 8]
    places += [(110 + 30 * n, 75 + 5 * row, cell) for row, cells in enumerate(rows) for n, cell in enumerate(cells)]
    for x, y, text in sorted(
        places, key=lambda place: (place[1], place[0]) if by_row else (place[0] >= 110, place[1], place[0])
    ):
        pdf.text(x, y, text)
    document = load_bytes(bytes(pdf.output()), source="a.pdf")
    lines = " ".join(f"{side}{line} of running text that fills the column" for side in "LR" for line in range(45))
    assert document.text.startswith(lines[: lines.index(" R8 ")])
    head, *records = ["| " + " | ".join(row) + " |" for row in rows]
    assert kinds(document)[1:] == [("table", "\n".join([head, "| --- | --- | --- |", *records]))]


def test_running_lines_that_change_sides_and_roman_numbers_are_left_out_and_footnotes_are_kept() -> None:
    pdf = _pdf()
    for number, roman in enumerate(["i", "ii", "iii", "iv", "v", "vi"]):
        pdf.add_page()
        pdf.set_font("Times", size=9)
        pdf.text(*((20, 12, "Chapter 1. Retrieval") if number % 2 else (150, 12, "The Handbook")))
        pdf.text(20 if number % 2 else 180, 288, roman)
        pdf.set_font("Times", size=10)
        pdf.set_xy(20, 25)
        pdf.multi_cell(170, 5, SENTENCE * 8)
        pdf.set_font("Times", size=8)
        pdf.set_xy(20, 268)
        pdf.multi_cell(170, 4, f"{number + 1} Term {roman * 4} is explained here in small print.")
    document = load_bytes(bytes(pdf.output()), source="a.pdf")
    assert document.notes == ("running headers, footers and page numbers left out: 12 lines",)
    assert "Handbook" not in document.text
    assert [text for _, text in kinds(document)][1::2] == [
        f"{n} Term {roman * 4} is explained here in small print."
        for n, roman in enumerate(["i", "ii", "iii", "iv", "v", "vi"], start=1)
    ]


@pytest.mark.parametrize("shown", [0, 90, 180, 270])
@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_a_page_is_read_the_same_whichever_way_it_is_turned_and_shown(turned: int, shown: int) -> None:
    pdf = _pdf()
    pdf.add_page()
    with pdf.rotation(turned, 105, 148):
        for column in range(2):
            for line in range(12):
                pdf.text(40 + 70 * column, 100 + 5 * line, f"{column}{line:02} words that fill the column to {line}")
    page = pypdfium2.PdfDocument(bytes(pdf.output()))
    page[0].set_rotation(shown)
    stream = io.BytesIO()
    page.save(stream)
    text = load_bytes(stream.getvalue(), source="a.pdf").text
    lines = [f"{column}{line:02} words that fill the column to {line}" for column in range(2) for line in range(12)]
    assert text.split("\n\n") == [" ".join(lines[:12] + lines[12:])]


def test_a_stamp_along_the_edge_is_one_line_at_the_end() -> None:
    pdf = _pdf()
    pdf.add_page()
    with pdf.rotation(90, 8, 200):
        pdf.text(8, 200, "arXiv:2401.15884v3 [cs.CL] 7 Oct 2024")
    pdf.set_xy(20, 20)
    pdf.multi_cell(170, 5, SENTENCE * 6)
    text = load_bytes(bytes(pdf.output()), source="a.pdf").text
    assert text == f"{(SENTENCE * 6).strip()}\n\narXiv:2401.15884v3 [cs.CL] 7 Oct 2024"


def test_chinese_lines_join_without_spaces_also_after_full_width_marks() -> None:
    pdf = _pdf(chinese=True)
    pdf.add_page()
    lines = [
        "每日备份保留三十天，",
        "超过期限的备份由清理任务（凌晨两点）",
        "自动删除；删除之前会用 SHA-256",
        "再次核对校验和。",
    ]
    for number, line in enumerate(lines):
        pdf.text(20, 30 + 5 * number, line)
    assert load_bytes(bytes(pdf.output()), source="a.pdf").text == (
        "每日备份保留三十天，超过期限的备份由清理任务（凌晨两点）自动删除；删除之前会用 SHA-256 再次核对校验和。"
    )


def test_a_paragraph_in_two_fonts_is_one() -> None:
    pdf = _pdf(chinese=True)
    pdf.add_page()
    lines = ["每日备份保留三十天，", "超过期限的备份由清理任务", "removes them at night,", "删除之前再次核对校验和。"]
    for number, line in enumerate(lines):
        pdf.set_font("Helvetica" if line.isascii() else "noto", size=9)
        pdf.text(20, 30 + 5 * number, line)
    document = load_bytes(bytes(pdf.output()), source="a.pdf")
    assert [kind for kind, _ in kinds(document)] == ["paragraph"]


def test_lists_with_wide_gaps_after_their_marks_are_no_table() -> None:
    pdf = _pdf()
    pdf.add_page()
    for number, text in enumerate(["Open the valve.", "Wait for the light.", "Close the valve."]):
        pdf.text(20, 30 + 5 * number, f"{number + 1}.")
        pdf.text(34, 30 + 5 * number, text)
    document = load_bytes(bytes(pdf.output()), source="a.pdf")
    assert {kind for kind, _ in kinds(document)} == {"list"}


@pytest.mark.parametrize("number", ["{}", "p. {}", "Page {} of 2", "- {} -"])
def test_the_numbers_of_two_pages_are_left_out(number: str) -> None:
    sentence = "The reranker reads each candidate again and gives it a new score. "
    pdf = _pdf()
    for page in (1, 2):
        pdf.add_page()
        pdf.set_font("Helvetica", size=10)
        pdf.set_xy(20, 20)
        pdf.multi_cell(170, 5, sentence * 9)
        pdf.text(100, 285, number.format(page))
    document = load_bytes(bytes(pdf.output()), source="a.pdf")
    assert {text for _, text in kinds(document)} == {(sentence * 9).strip()}


def test_a_number_that_is_not_the_page_s_stays_on_two_pages() -> None:
    pdf = _pdf()
    for number in ("17", "35"):
        pdf.add_page()
        pdf.set_font("Helvetica", size=10)
        pdf.text(20, 20, "The number below is what was measured.")
        pdf.text(20, 285, number)
    assert "17" in load_bytes(bytes(pdf.output()), source="a.pdf").text
