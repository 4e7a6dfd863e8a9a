"""Each format keeps its text and structure, and each bad file is refused in one sentence."""

from __future__ import annotations

import io
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import docx
import pytest
from fpdf import FPDF
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.errors import DocumentError
from chunking.loaders import SUPPORTED, load_bytes, load_path
from chunking.loaders.joining import join_lines
from chunking.types import Document, document_id


def kinds(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def covered(document: Document) -> bool:
    """Blocks are sorted and disjoint, and only whitespace lies between them."""
    at = 0
    for block in document.blocks:
        if document.text[at : block.start].strip():
            return False
        at = block.end
    return not document.text[at:].strip()


# Markdown


def test_markdown_blocks() -> None:
    text = (
        "# Title `x`\n\nIntro line\nwraps.\n\n- one\n- two\n  ```\n  # no heading\n  ```\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\n# comment\n```\n\nSetext\n------\n\n> quote\n\n"
        "[ref]: http://x\n\n    code\n"
    )
    document = load_bytes(text.encode(), source="a.md")
    assert document.text == text
    assert [kind for kind, _ in kinds(document)] == [
        *("heading", "paragraph", "list", "table", "code", "heading", "quote", "other", "code"),
    ]
    assert document.title == "Title x"
    assert document.blocks[5].heading_path == ("Title x", "Setext")
    assert document.blocks[4].heading_path == ("Title x",)
    assert covered(document)


def test_front_matter_is_no_block() -> None:
    text = '---\ntitle: "Named"\nx: 1\n---\n\n# Heading\n\n---\n\nText\n'
    document = load_bytes(text.encode(), source="a.md")
    assert document.title == "Named"
    assert document.text == text
    assert kinds(document)[0] == ("heading", "# Heading")


def test_crlf_and_control_characters_are_gone_before_offsets_exist() -> None:
    document = load_bytes("# A\r\n\r\nB\x00\x07C\ufffd\rD".encode(), source="a.md")
    assert document.text == "# A\n\nBC\nD"


# Plain text


def test_text_paragraphs_chapters_and_lines() -> None:
    text = (
        "第一章 开始\n\n这是第一段。\n这是第二段。\n\n"
        "A wrapped paragraph that\ngoes on over lines.\n\n第二章 结束\n尾声"
    )
    document = load_bytes(text.encode(), source="a.txt")
    assert kinds(document) == [
        ("heading", "第一章 开始"),
        ("paragraph", "这是第一段。"),
        ("paragraph", "这是第二段。"),
        ("paragraph", "A wrapped paragraph that\ngoes on over lines."),
        ("heading", "第二章 结束"),
        ("paragraph", "尾声"),
    ]
    assert document.blocks[-1].heading_path == ("第二章 结束",)
    assert document.title == "a"


def test_text_titles_stand_alone() -> None:
    text = (
        "检索说明\n\n一、概述\n\n这是概述。\n\n二、参数\n\n一、这一行在段落里\n并不是标题。\n\n"
        "2.1 Limits\n\nThere are limits.\n\n1. Open it\n\n2. Close it\n\nNOTES\n\nDone."
    )
    document = load_bytes(text.encode(), source="a.txt")
    assert document.title == "检索说明"
    assert [words for kind, words in kinds(document) if kind == "heading"] == [
        *("检索说明", "一、概述", "二、参数", "2.1 Limits", "NOTES"),
    ]
    paths = [block.heading_path for block in document.blocks]
    assert paths[6] == ("检索说明", "二、参数", "2.1 Limits")
    assert paths[-1] == ("检索说明", "NOTES")


_CHINESE = "检索增强生成把检索到的段落交给语言模型，让它只根据资料回答。如果资料不够，就说不知道。"
_TRADITIONAL = "檢索增強生成把檢索到的段落交給語言模型，讓它只根據資料回答。如果資料不夠，就說不知道。"


@pytest.mark.parametrize(
    ("text", "encoding", "noted"),
    [
        (_CHINESE, "utf-8", None),
        (_CHINESE, "utf-8-sig", None),
        (_CHINESE, "gb18030", "gb18030"),
        (_CHINESE, "gbk", "gb18030"),
        (_TRADITIONAL, "big5", "big5"),
        (_CHINESE, "utf-16", "utf-16"),
        ("Plain English text, long enough to tell.", "utf-16-le", "utf-16-le"),
        ("Plain English text, long enough to tell.", "utf-16-be", "utf-16-be"),
        ("Un café très agréable à l'été, où l'on dîne bien.", "cp1252", "cp1252"),
    ],
)
def test_encodings(text: str, encoding: str, noted: str | None) -> None:
    document = load_bytes(text.encode(encoding), source="a.txt")
    assert document.text == text
    if noted is None:
        assert document.notes == ()
    else:
        assert noted in document.notes[0]


def test_a_few_damaged_bytes_do_not_change_the_encoding() -> None:
    data = (_CHINESE * 100).encode() + b"\xff\xfe" + _CHINESE.encode()
    document = load_bytes(data, source="a.txt")
    assert document.text == _CHINESE * 101
    assert "damaged" in document.notes[0]


# PDF


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


def test_a_broken_word_is_mended() -> None:
    pdf = _pdf()
    pdf.add_page()
    pdf.set_font("Helvetica", size=10)
    pdf.text(20, 20, "This line ends with a hyphen-")
    pdf.text(20, 25, "ated word and goes on in plain lower case until the")
    pdf.text(20, 30, "paragraph ends.")
    text = load_bytes(bytes(pdf.output()), source="a.pdf").text
    assert text == ("This line ends with a hyphenated word and goes on in plain lower case until the paragraph ends.")


# Damage


@pytest.mark.parametrize("kind", ["pdf", "docx", "html", "tex", "md"])
@settings(max_examples=60, deadline=None)
@given(changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(max_size=4)), min_size=1, max_size=30))
def test_damaged_files_are_read_or_refused(kind: str, changes: list[tuple[float, bytes]]) -> None:
    data = bytearray(_whole(kind))
    for place, new in changes:
        at = int(place * len(data))
        data[at : at + 2] = new
    # Whatever else is raised fails the test.
    with suppress(DocumentError):
        document = load_bytes(bytes(data), source=f"a.{kind}")
        at = 0
        for block in document.blocks:
            assert at <= block.start < block.end <= len(document.text)
            at = block.end


@cache
def _whole(kind: str) -> bytes:
    if kind == "pdf":
        return _columns(by_row=False)[0]
    if kind == "docx":
        made = docx.Document()
        made.add_heading("A", level=1)
        made.add_paragraph("Text.")
        made.add_table(rows=2, cols=2)
        stream = io.BytesIO()
        made.save(stream)
        return stream.getvalue()
    texts = {
        "html": "<html><body><h1>A</h1><p>Text</p><ul><li>one</ul><table><tr><td>1</table></body></html>",
        "tex": r"\section{A} Text \begin{tabular}{ll} a & b \\ \end{tabular} \begin{itemize}\item x\end{itemize} $x$",
        "md": "---\ntitle: A\n---\n# A\n\nText\n\n- one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx\n```\n",
    }
    return texts[kind].encode()


# Refusals


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.txt", b"", "is empty"),
        ("a.txt", b" \n\t ", "holds no text"),
        ("a.txt", bytes(range(256)) * 50, "binary data|not text"),
        ("a.txt", b"\x89PNG\r\n\x1a\n" + bytes(100), "a damaged picture"),
        ("a.bin", b"some text", "no supported type"),
        ("a.xlsx", b"PK\x03\x04" + bytes(100), "office file"),
        ("a.pdf", b"not a pdf at all", "damaged or not what its name says"),
        ("a.pdf", b"%PDF-1.7\nbroken", "damaged PDF"),
        ("a.docx", b"PK\x03\x04 word/document.xml broken", "damaged DOCX"),
        ("a.html", b"<html><body></body></html>", "holds no text"),
    ],
)
def test_refusals_are_one_sentence_that_names_the_file(name: str, data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message) as refusal:
        load_bytes(data, source=name)
    assert str(refusal.value).startswith(name)
    assert str(refusal.value).endswith(".")
    assert "\n" not in str(refusal.value)


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "big.txt"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    started = time.perf_counter()
    with pytest.raises(DocumentError, match=r"too large \(50 MB, at most 20 MB\)"):
        load_path(path)
    assert time.perf_counter() - started < 0.5


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="cannot be opened"):
        load_path(tmp_path / "none.md")


def test_identity_of_a_path(tmp_path: Path) -> None:
    path = tmp_path / "README"
    path.write_text("Some text.", encoding="utf-8")
    document = load_path(path)
    assert document.id == document_id(str(path.resolve()))
    assert document.media_type == "text/plain"
    assert load_path(path, origin="x", source="y").source == "y"
    assert load_path(path, origin="x").id == document_id("x")
    assert ".md" in SUPPORTED


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dots.txt", "." * 300_000),
        ("ellipses.txt", "…" * 200_000),
        ("spaced.txt", ". " * 200_000),
        ("links.md", "[a](" * 50_000),
        ("pictures.md", "![" * 50_000),
        ("nested.html", "<div>" * 100_000 + "deep"),
        ("bold.html", "".join(f"<b id={number}><p>word " for number in range(10_000))),
        ("lists.html", "<ul><li>item" * 10_000),
        ("lists.tex", r"\begin{itemize}\item a " * 10_000),
        ("labels.tex", r"\item[" * 50_000),
        ("code.tex", r"\begin{verbatim}" * 20_000),
        ("citations.tex", r"\cite[" * 30_000),
    ],
    ids=lambda value: value if value.count(".") == 1 and len(value) < 20 else "",
)
def test_what_never_closes_is_read_once(name: str, text: str) -> None:
    """Each took from many seconds to hours, or a text of gigabytes, while it was read again from every character."""
    assert 0 < len(load_bytes(text.encode(), source=name).text) < 10 * len(text)
