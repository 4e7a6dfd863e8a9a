"""PDF: paragraphs, headings, columns, rows and pages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fpdf import FPDF
from hypothesis import given
from hypothesis import strategies as st

from chunking.loaders import load_bytes
from chunking.loaders.joining import join_lines
from chunking.loaders.pdf_characters import HYPHEN
from chunking.loaders.stated import stated_title
from tests.chunking.blocks import kinds


def _pdf() -> FPDF:
    pdf = FPDF(format="A4")
    pdf.set_auto_page_break(False)
    return pdf


def test_pdf_paragraphs_headings_and_pages() -> None:
    pdf = _pdf()
    sentence = "Reciprocal rank fusion adds the inverse ranks of both lists and sorts by the sum of them. "
    for number in range(1, 4):
        pdf.add_page()
        pdf.set_font("Helvetica", size=8)
        pdf.text(20, 8, "A running header")
        pdf.text(100, 290, f"Page {number}")
        pdf.set_xy(20, 20)
        pdf.set_font("Helvetica", size=18)
        pdf.cell(0, 10, f"Heading {number}", new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("Helvetica", size=10)
        pdf.multi_cell(170, 5, sentence * 6)
        pdf.ln(6)
        pdf.multi_cell(170, 5, f"Second paragraph of page {number}. " + sentence * 3)
    document = load_bytes(bytes(pdf.output()), source="a.pdf")
    assert [kind for kind, _ in kinds(document)] == ["heading", "paragraph", "paragraph"] * 3
    assert [block.page for block in document.blocks] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert kinds(document)[1][1] == (sentence * 6).strip()
    assert document.title == "Heading 1"
    assert document.page_at(document.text.index("page 2")) == 2
    assert document.notes == ("running headers, footers and page numbers left out: 6 lines",)


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("about:blank", "Pump manual"),
        ("Microsoft Word - pump.doc", "Pump manual"),
        ("Microsoft Word - The HX-200 pump", "The HX-200 pump"),
        ("untitled", "Pump manual"),
        ("未命名文档", "Pump manual"),
        ("新建 Microsoft Word 文档", "Pump manual"),
        (r"C:\Users\anna\final", "Pump manual"),
        ("file:///tmp/pump", "Pump manual"),
        ("pump_v2 (final).indd", "Pump manual"),
        ("20260612-01", "Pump manual"),
        ("Untitled: an exhibition", "Untitled: an exhibition"),
        ("Using Node.js", "Using Node.js"),
        ("文件管理办法", "文件管理办法"),
    ],
)
def test_a_pdfs_title_is_not_what_its_program_left_there(stated: str, title: str) -> None:
    pdf = _pdf()
    pdf.set_title(stated)
    pdf.add_page()
    pdf.set_font("Helvetica", size=18)
    pdf.cell(0, 10, "Pump manual", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("Helvetica", size=10)
    pdf.multi_cell(170, 5, "The pump is serviced every six months by the people of the plant. " * 6)
    assert load_bytes(bytes(pdf.output()), source="a.pdf").title == title


@given(st.text(max_size=80))
def test_a_stated_title_is_one_line_of_what_was_given_or_nothing(given_title: str) -> None:
    title = stated_title(given_title)
    assert title == " ".join(title.split())
    assert stated_title(title) == title or "icrosoft" in given_title
    assert stated_title(f"{given_title}/pump.pdf") == ""


def test_pdf_bold_lines_are_headings_and_bold_words_are_not() -> None:
    pdf = _pdf()
    pdf.add_page()
    pdf.set_xy(20, 20)
    for title in ("1 Introduction", "2 Method"):
        pdf.set_font("Times", style="B", size=11)
        pdf.multi_cell(170, 6, title, new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("Times", size=11)
        pdf.multi_cell(170, 5, "A **bold** word stands in this line of text. " * 9, markdown=True)
        pdf.ln(4)
    document = load_bytes(bytes(pdf.output()), source="a.pdf")
    assert [kind for kind, _ in kinds(document)] == ["heading", "paragraph"] * 2
    assert document.blocks[-1].heading_path == ("2 Method",)


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        (["检索增强", "生成"], "检索增强生成"),
        (["支持文本、", "Markdown"], "支持文本、Markdown"),
        (["two", "words"], "two words"),
        (["a hyphen\ufffe", "ated word"], "a hyphenated word"),
        (["用 Python", "编写"], "用 Python 编写"),
    ],
)
def test_joining_lines(lines: list[str], joined: str) -> None:
    assert join_lines(lines)[0] == joined


def _columns(by_row: bool, count: int = 2) -> tuple[bytes, list[str]]:
    pdf = _pdf()
    pdf.add_page()
    pdf.set_font("Helvetica", size=9)
    width = 180 / count
    columns = [
        [
            f"column{column} line{line} of running text that fills"[: 46 if count == 2 else 30].strip()
            for line in range(40)
        ]
        for column in range(count)
    ]
    pdf.text(15, 15, "A title line that spans the whole width of the page above both of the columns and on and on")
    places = [(column, line) for column in range(count) for line in range(40)]
    for column, line in sorted(places, key=lambda place: place[::-1]) if by_row else places:
        pdf.text(15 + column * width, 25 + 5 * line, columns[column][line])
    return bytes(pdf.output()), [line for column in columns for line in column]


@pytest.mark.parametrize("by_row", [False, True])
@pytest.mark.parametrize("count", [2, 3])
def test_pdf_columns_are_read_one_after_the_other(by_row: bool, count: int) -> None:
    data, lines = _columns(by_row, count)
    text = load_bytes(data, source="a.pdf").text
    places = [text.index(line) for line in lines]
    assert places == sorted(places)


def test_pdf_table_rows_stay_rows() -> None:
    pdf = _pdf()
    pdf.add_page()
    pdf.set_font("Helvetica", size=10)
    for row in range(12):
        pdf.text(20, 20 + 6 * row, f"name {row}")
        pdf.text(130, 20 + 6 * row, f"value {row}")
    text = load_bytes(bytes(pdf.output()), source="a.pdf").text
    assert "\n| name 3 | value 3 |\n" in text


def test_lines_in_a_font_of_one_width_are_code_unless_most_of_the_text_is_set_so() -> None:
    def page(body: str) -> bytes:
        pdf = _pdf()
        pdf.add_page()
        pdf.set_xy(20, 20)
        pdf.set_font(body, size=10)
        pdf.multi_cell(170, 5, "The service is started on the command line and answers there. " * 6)
        pdf.set_font("Courier", size=9)
        for line, text in enumerate(["for job in jobs:", "    run(job)", "", "print(done)   # all"]):
            pdf.text(20, 60 + 4 * line, text)
        pdf.set_font(body, size=10)
        pdf.text(20, 85, "It stops with the last job.")
        return bytes(pdf.output())

    document = load_bytes(page("Helvetica"), source="a.pdf")
    assert [kind for kind, _ in kinds(document)] == ["paragraph", "code", "paragraph"]
    assert kinds(document)[1][1] == "for job in jobs:\n    run(job)\n\nprint(done)   # all"
    assert {kind for kind, _ in kinds(load_bytes(page("Courier"), source="a.pdf"))} == {"paragraph"}


def test_a_broken_word_is_mended() -> None:
    pdf = _pdf()
    pdf.add_page()
    pdf.set_font("Helvetica", size=10)
    pdf.text(20, 20, "This line ends with a hyphen-")
    pdf.text(20, 25, "ated word and goes on in plain lower case until the")
    pdf.text(20, 30, "paragraph ends.")
    text = load_bytes(bytes(pdf.output()), source="a.pdf").text
    assert text == ("This line ends with a hyphenated word and goes on in plain lower case until the paragraph ends.")


def _edges(first: Callable[[int], str], last: Callable[[int], str], *, size: float = 11) -> str:
    """The text of four pages that begin and end with these lines, apart from the rest."""
    pdf = _pdf()
    for number in range(1, 5):
        pdf.add_page()
        pdf.set_font("Helvetica", size=size)
        pdf.text(20, 20, first(number))
        pdf.text(20, 280, last(number))
        pdf.set_font("Helvetica", size=11)
        pdf.set_xy(20, 40)
        pdf.multi_cell(160, 6, "The rain keeps falling on the old harbour while the fox sleeps. " * 6)
    return load_bytes(bytes(pdf.output()), source="a.pdf").text


@pytest.mark.parametrize(
    "line",
    [
        lambda number: f"Question {number}",
        lambda number: f"Answer: {41 + number}",
        lambda number: f"Station {number}: the limit is {number * 10 + 5} units.",
        lambda number: f"The limit of {number * 3} units holds.",
        lambda number: f"{number}. Open the lid",
    ],
)
def test_lines_at_page_edges_that_differ_in_numbers_are_text(line: Callable[[int], str]) -> None:
    text = _edges(line, lambda number: f"Page {number} of 4")
    assert [line(number) in text for number in range(1, 5)] == [True] * 4
    assert "Page" not in text


@pytest.mark.parametrize(
    ("line", "size"),
    [
        (lambda number: f"ACME Handbook | {number + 7}", 11),
        (lambda number: f"{number + 7} - ACME Handbook of 2026", 11),
        (lambda number: f"ACME Handbook {number + 7}", 9),
        (lambda number: f"Report of 12 May, page {number}", 11),
        (lambda number: f"- {number} -", 11),
        (lambda number: "For internal use only", 11),
    ],
)
def test_running_lines_may_differ_in_the_number_of_the_page(line: Callable[[int], str], size: float) -> None:
    text = _edges(line, line, size=size)
    assert not [number for number in range(1, 5) if line(number) in text]


@pytest.mark.parametrize("hyphen", ["-", HYPHEN])
@pytest.mark.parametrize(
    ("before", "after", "joined"),
    [
        ("The installation pro", "cess is simple.", "The installation process is simple."),
        ("a well-de", "fined one", "a well-defined one"),
        ("the state-of-the", "art method", "the state-of-the-art method"),
        ("It is (self", "contained)", "It is (self-contained)"),
        ("rule", "based", "rule-based"),
        ("a long", "er way", "a longer way"),
        ("of Jean", "Paul", "of Jean-Paul"),
        ("INSTALLA", "TION", "INSTALLATION"),
        ("an e", "mail", "an e-mail"),
        ("in 2020", "2021 data", "in 2020-2021 data"),
        ("pre", "and postconditions", "pre- and postconditions"),
        ("see https://a.org/two", "words", "see https://a.org/two-words"),
    ],
)
def test_hyphens_at_line_ends(hyphen: str, before: str, after: str, joined: str) -> None:
    text, starts = join_lines([before + hyphen, after])
    assert text == joined
    assert text[starts[1] :] == after
    assert join_lines(["It is so -", "or not."]) == ("It is so - or not.", [0, 11])


def test_widely_set_text_that_pages_share_stays_and_short_pages_keep_their_paragraphs() -> None:
    pdf = _pdf()
    for number in range(1, 5):
        pdf.add_page()
        pdf.set_font("Helvetica", size=11)
        pdf.text(20, 20, f"Question {number}")
        pdf.set_xy(20, 31)
        pdf.multi_cell(160, 7, "The rain keeps falling on the old harbour while the fox sleeps and " * 3)
        pdf.text(20, 66, f"Answer: {41 + number}")
    texts = [text for _, text in kinds(load_bytes(bytes(pdf.output()), source="a.pdf"))]
    body = ("The rain keeps falling on the old harbour while the fox sleeps and " * 3).strip()
    assert texts == [text for n in range(1, 5) for text in (f"Question {n}", body, f"Answer: {41 + n}")]
