"""Tables of PDF pages: ruled or shaded, with wrapped cells, merged cells, and over page breaks."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from fpdf import FPDF

from chunking.loaders import load_bytes
from chunking.types import Document

SENTENCE = "The reranker reads each candidate again and gives it a new score."


def _pdf() -> FPDF:
    pdf = FPDF(format="A4")
    pdf.set_auto_page_break(True, 20)
    pdf.set_font("Helvetica", size=9)
    pdf.add_page()
    return pdf


def tables(document: Document) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind == "table"]


def written(rows: Sequence[Sequence[str]]) -> str:
    first, *others = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([first, "|" + " --- |" * len(rows[0]), *others])


ROWS = [
    ("Option", "What it does", "Default"),
    *((f"retrieval.k{number}", " ".join([SENTENCE] * (1 + number % 3)), str(number)) for number in range(5)),
]


@pytest.mark.parametrize("layout", ["ALL", "INTERNAL", "MINIMAL", "HORIZONTAL_LINES"])
def test_a_wrapped_cell_stays_in_its_row(layout: str) -> None:
    pdf = _pdf()
    pdf.multi_cell(0, 5, SENTENCE * 3)
    pdf.ln(4)
    with pdf.table(ROWS, col_widths=(25, 60, 15), borders_layout=layout, v_align="TOP"):
        pass
    pdf.ln(4)
    pdf.multi_cell(0, 5, SENTENCE * 3)
    document = load_bytes(bytes(pdf.output()), source="a.pdf")
    assert tables(document) == [written(ROWS)]
    assert [block.kind for block in document.blocks] == ["paragraph", "table", "paragraph"]


def test_pieces_of_one_line_that_begin_apart_make_no_empty_record() -> None:
    pdf = _pdf()
    for y in (50, 56, 90):
        pdf.line(10, y, 200, y)
    for row, y in enumerate((54, 62, 70, 78)):
        pdf.text(12, y, f"name {row}")
        pdf.text(13.3 + pdf.get_string_width(f"name {row}"), y + 0.3, "x")
        pdf.text(120, y, f"value {row}")
    (table,) = tables(load_bytes(bytes(pdf.output()), source="a.pdf"))
    assert table.count("\n") == 4
    assert "| name 3 x | value 3 |" in table


def test_shaded_rows_make_a_table_whose_header_stands_above_them() -> None:
    pdf = _pdf()
    with pdf.table(ROWS, col_widths=(25, 60, 15), borders_layout="NONE", cell_fill_color=230, cell_fill_mode="ROWS"):
        pass
    assert tables(load_bytes(bytes(pdf.output()), source="a.pdf")) == [written(ROWS)]


def test_two_records_that_wrap_between_three_rules_stay_two() -> None:
    pdf = _pdf()
    rows = [("retrieval options of the first stage", SENTENCE * 2, "on"), ("rerank options", SENTENCE * 2, "off")]
    with pdf.table(
        rows,
        col_widths=(15, 60, 15),
        borders_layout="HORIZONTAL_LINES",
        v_align="TOP",
        text_align="LEFT",
        first_row_as_headings=False,
    ):
        pdf.line(10, pdf.get_y(), 200, pdf.get_y())
    pdf.line(10, pdf.get_y(), 200, pdf.get_y())
    assert tables(load_bytes(bytes(pdf.output()), source="a.pdf")) == [written(rows)]


def test_a_ruled_cell_over_several_rows_is_said_in_each() -> None:
    pdf = _pdf()
    with pdf.table() as table:
        for cells in (["Part", "Season", "Interval"], ["Seal", "summer", "3 months"], ["winter", "6 months"]):
            row = table.row()
            for cell in cells:
                row.cell(cell, rowspan=2 if cell == "Seal" else 1)
        row = table.row()
        row.cell("Filter", colspan=2)
        row.cell("1 month")
    assert tables(load_bytes(bytes(pdf.output()), source="a.pdf")) == [
        "| Part | Season | Interval |\n| --- | --- | --- |\n| Seal | summer | 3 months |\n"
        "| Seal | winter | 6 months |\n| Filter |  | 1 month |"
    ]


@pytest.mark.parametrize("repeated", [True, False])
def test_a_table_goes_on_over_page_breaks(repeated: bool) -> None:
    pdf = _pdf()
    rows = [("Name", "Value", "Unit"), *((f"name {number}", f"{number}.5", "ms") for number in range(90))]
    with pdf.table(rows, repeat_headings="ON_TOP_OF_EVERY_PAGE" if repeated else "NONE"):
        pass
    pdf.multi_cell(0, 5, SENTENCE)
    document = load_bytes(bytes(pdf.output()), source="a.pdf")
    assert tables(document) == [written(rows)]
    pages = [document.page_at(document.text.index(f"| name {number} |")) for number in range(90)]
    assert pages == sorted(pages)
    assert set(pages) == {1, 2, 3}
    assert document.notes == ()


def test_another_table_on_the_next_page_is_another_table() -> None:
    pdf = _pdf()
    for names in (("Name", "Value", "Unit"), ("Part", "Owner", "Room")):
        with pdf.table([names, *((f"{names[0]} {number}", "a b", "c d") for number in range(4))]):
            pass
        pdf.add_page()
    assert len(tables(load_bytes(bytes(pdf.output()), source="a.pdf"))) == 2


def test_rules_between_sections_and_around_code_make_no_table() -> None:
    pdf = _pdf()
    for number in range(4):
        pdf.multi_cell(0, 5, f"{number}. {SENTENCE * 3}")
        pdf.line(10, pdf.get_y() + 2, 200, pdf.get_y() + 2)
        pdf.ln(6)
    pdf.rect(10, pdf.get_y(), 190, 20)
    pdf.multi_cell(0, 5, "crag ingest manuals\ncrag serve")
    assert tables(load_bytes(bytes(pdf.output()), source="a.pdf")) == []


def test_a_drawing_is_no_table() -> None:
    pdf = _pdf()
    chance = random.Random(0)
    pdf.text(80, 150, "Words on")
    pdf.text(120, 160, "a drawing.")
    for _ in range(600):
        x, y, length = chance.uniform(10, 190), chance.uniform(10, 270), chance.uniform(3, 50)
        pdf.line(x, y, *((x + length, y) if chance.random() < 0.5 else (x, y + length)))
    document = load_bytes(bytes(pdf.output()), source="a.pdf")
    assert tables(document) == []
    assert "Words on" in document.text


def test_columns_of_running_text_between_rules_are_no_table() -> None:
    pdf = _pdf()
    for y in (20, 130, 240):
        pdf.line(15, y, 195, y)
    for column in range(2):
        for line in range(42):
            pdf.text(
                15 + 95 * column,
                26 + 5 * line + 5 * (line > 20),
                f"{column}{line:02} text that fills the column wholly",
            )
    document = load_bytes(bytes(pdf.output()), source="a.pdf")
    assert tables(document) == []
    assert document.text.index("041 text") < document.text.index("100 text")


@pytest.mark.parametrize(("padding", "align"), [(0, "TOP"), (2, "TOP"), (2, "MIDDLE")])
def test_a_wrapped_cell_stays_in_its_row_without_rules(padding: int, align: str) -> None:
    pdf = _pdf()
    pdf.multi_cell(0, 5, SENTENCE * 3)
    pdf.ln(4)
    with pdf.table(ROWS, col_widths=(25, 60, 15), borders_layout="NONE", v_align=align, padding=padding):
        pass
    pdf.ln(4)
    pdf.multi_cell(0, 5, SENTENCE * 3)
    document = load_bytes(bytes(pdf.output()), source="a.pdf")
    assert tables(document) == [written(ROWS)]
    assert [block.kind for block in document.blocks] == ["paragraph", "table", "paragraph"]


def _laid(rows: Sequence[Sequence[str]], columns: Sequence[float]) -> Document:
    pdf = _pdf()
    for number, row in enumerate(rows):
        for x, words in zip(columns, row, strict=True):
            if words:
                pdf.text(x, 30 + 4 * number, words)
    return load_bytes(bytes(pdf.output()), source="a.pdf")


def test_a_row_without_its_name_is_no_wrapped_one() -> None:
    rows = [
        *(("Part", "Task", "Interval"), ("Pump", "Lubricate the shaft", "yearly"), ("", "Check the seal", "monthly")),
        *(("", "Clean", "weekly"), ("Filter", "Rinse", "monthly")),
    ]
    assert tables(_laid(rows, (20, 60, 120))) == [written(rows)]


def test_a_line_that_had_room_above_is_no_wrapped_one() -> None:
    rows = [("Part", "Task", "Interval"), ("Pump", "Oil", "yearly"), ("Filter", "Rinse with clean water", "monthly")]
    document = _laid([*rows, ("Seal", "Check", "monthly"), ("", "Prices are in euros", "")], (20, 60, 120))
    assert tables(document) == [written([*rows, ("Seal", "Check", "monthly")])]
    assert document.text.endswith("\n\nPrices are in euros")
