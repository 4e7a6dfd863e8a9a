"""DOCX: structure, numbers as Word shows them, lists, tables, boxes, notes and tracked changes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from chunking.loaders import load_bytes
from chunking.types import Document
from tests.chunking.blocks import kinds


def read(made: Any) -> Document:
    stream = io.BytesIO()
    made.save(stream)
    return load_bytes(stream.getvalue(), source="a.docx")


def append(made: Any, xml: str) -> None:
    body = made.element.body
    body.insert(len(body) - 1, parse_xml(xml.replace(">", f" {nsdecls('w')}>", 1)))


def numbered(made: Any, levels: Sequence[tuple[str, str, str]], *, overrides: str = "") -> None:
    """Numbering 77 with levels of (format, text, style), and 78, which counts on with `overrides`."""
    numbering = made.part.numbering_part.element
    written = "".join(
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
        + (f'<w:pStyle w:val="{style}"/>' if style else "")
        + f'<w:lvlText w:val="{text}"/></w:lvl>'
        for depth, (form, text, style) in enumerate(levels)
    )
    abstract = f'<w:abstractNum {nsdecls("w")} w:abstractNumId="77">{written}</w:abstractNum>'
    numbering.insert(0, parse_xml(abstract))
    for number, more in (("77", ""), ("78", overrides)):
        xml = f'<w:num {nsdecls("w")} w:numId="{number}"><w:abstractNumId w:val="77"/>{more}</w:num>'
        numbering.append(parse_xml(xml))


def item(made: Any, text: str, depth: int = 0, *, number: int = 77, style: str = "Normal") -> None:
    paragraph = made.add_paragraph(text, style=style)
    paragraph._p.get_or_add_pPr().append(
        parse_xml(f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>')
    )


def test_docx_structure() -> None:
    made = docx.Document()
    made.core_properties.title = ""
    made.add_heading("指南", level=0)
    made.add_heading("Install", level=1)
    made.add_paragraph("A paragraph.")
    made.add_paragraph("one", style="List Bullet")
    made.add_paragraph("two", style="List Bullet")
    made.add_paragraph("first", style="List Number")
    table = made.add_table(rows=2, cols=2)
    for row, values in zip(table.rows, [("k", "v"), ("x", "1")], strict=True):
        for cell, value in zip(row.cells, values, strict=True):
            cell.text = value
    document = read(made)
    assert document.title == "指南"
    assert kinds(document) == [
        ("heading", "指南"),
        ("heading", "Install"),
        ("paragraph", "A paragraph."),
        ("list", "- one\n- two\n1. first"),
        ("table", "| k | v |\n| x | 1 |"),
    ]
    assert document.blocks[-1].heading_path == ("指南", "Install")


def test_docx_lists_merged_cells_controls_boxes_and_changes() -> None:
    made = docx.Document()
    made.core_properties.title = "T"
    for text, style in [("a", "List Number"), ("b", "List Number"), ("x", "List Bullet 2")]:
        made.add_paragraph(text, style=style)
    table = made.add_table(rows=3, cols=3)
    for row, values in zip(table.rows, [("k", "v", "w"), ("x", "1", ""), ("", "2", "")], strict=True):
        for cell, value in zip(row.cells, values, strict=True):
            cell.text = value
    table.cell(1, 0).merge(table.cell(2, 0))
    inner = table.cell(1, 2).add_table(rows=1, cols=2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "in", "side"
    body = made.element.body
    control = (
        f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p><w:r><w:t>In a control.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    body.insert(len(body) - 1, parse_xml(control))
    changed = (
        f"<w:p {nsdecls('w')}><w:r><w:t>Kept</w:t></w:r><w:ins><w:r><w:t> and inserted</w:t></w:r></w:ins><w:del><w:r>"
        "<w:delText> and deleted</w:delText></w:r></w:del><w:r><w:pict><w:txbxContent><w:p><w:r>"
        "<w:t>In a box.</w:t></w:r></w:p></w:txbxContent></w:pict></w:r></w:p>"
    )
    body.insert(len(body) - 1, parse_xml(changed))
    assert kinds(read(made)) == [
        ("list", "1. a\n2. b\n  - x"),
        ("table", "| k | v | w |\n| --- | --- | --- |\n| x | 1 | in side |\n| x | 2 |  |"),
        ("paragraph", "In a control."),
        ("paragraph", "Kept and inserted"),
        ("paragraph", "In a box."),
    ]


def test_headings_carry_their_numbers_as_word_shows_them() -> None:
    made = docx.Document()
    numbered(made, [("decimal", "%1", "Heading1"), ("decimal", "%1.%2", "Heading2"), ("upperLetter", "%1.%2.%3)", "")])
    for name in ("Heading 1", "Heading 2"):
        properties = made.styles[name].element.get_or_add_pPr()
        properties.append(parse_xml(f'<w:numPr {nsdecls("w")}><w:numId w:val="77"/></w:numPr>'))
    for text, level in [("Start", 1), ("Install", 2), ("Run", 2), ("", 1), ("Use", 1), ("Ask", 2)]:
        made.add_heading(text, level=level)
    item(made, "Deep", 2, style="Heading 3")
    made.add_heading("End", level=1)
    document = read(made)
    assert [text for _, text in kinds(document)] == [
        *("1 Start", "1.1 Install", "1.2 Run", "2 Use", "2.1 Ask", "2.1.A) Deep", "3 End"),
    ]
    assert document.blocks[5].heading_path == ("2 Use", "2.1 Ask", "2.1.A) Deep")


@pytest.mark.parametrize(
    ("form", "text", "shown"),
    [
        ("chineseCounting", "第%1章", {1: "第一章", 10: "第十章", 12: "第十二章", 20: "第二十章", 105: "第一百零五章"}),
        ("lowerRoman", "(%1)", {1: "(i)", 4: "(iv)", 9: "(ix)", 49: "(xlix)"}),
        ("upperLetter", "%1.", {1: "A.", 26: "Z.", 27: "AA.", 54: "BBB."}),
        ("decimalZero", "%1", {1: "01", 12: "12"}),
        ("decimalEnclosedCircle", "%1", {1: "①", 20: "⑳", 21: "21"}),
        ("somethingNew", "%1)", {3: "3)"}),
    ],
)
def test_formats_of_numbers(form: str, text: str, shown: dict[int, str]) -> None:
    made = docx.Document()
    numbered(made, [(form, text, "")])
    for _ in range(max(shown)):
        item(made, "x")
    lines = read(made).text.split("\n")
    assert {count: lines[count - 1].removesuffix(" x") for count in shown} == shown


def test_lists_nest_go_on_and_start_anew() -> None:
    made = docx.Document()
    start = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'
    numbered(made, [("decimal", "%1.", ""), ("lowerLetter", "%2)", ""), ("bullet", "\u2022", "")], overrides=start)
    for text, depth in [("one", 0), ("inner", 1), ("inner", 1), ("point", 2), ("two", 0), ("inner", 1)]:
        item(made, text, depth)
    made.add_paragraph("goes on", style="List Paragraph")
    made.add_paragraph("Between.")
    item(made, "three")
    item(made, "anew", number=78)
    item(made, "after", number=78)
    made.add_paragraph("goes on too", style="List Paragraph")
    assert kinds(read(made)) == [
        ("list", "1. one\n  a) inner\n  b) inner\n    - point\n2. two\n  a) inner goes on"),
        ("paragraph", "Between."),
        ("list", "3. three\n5. anew\n6. after goes on too"),
    ]


def test_notes_are_numbered_by_their_references() -> None:
    made = docx.Document()
    append(
        made,
        '<w:p><w:r><w:t>First</w:t></w:r><w:r><w:footnoteReference w:id="7"/></w:r><w:r><w:t> and second.</w:t></w:r>'
        '<w:r><w:footnoteReference w:id="3"/></w:r><w:r><w:endnoteReference w:id="2"/></w:r></w:p>',
    )
    for kind, notes in (
        ("footnote", {"-1": "---", "3": "Second note.", "7": "First note."}),
        ("endnote", {"2": "End."}),
    ):
        written = "".join(
            f'<w:{kind} w:id="{number}"><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:{kind}>'
            for number, text in notes.items()
        )
        blob = f"<w:{kind}s {nsdecls('w')}>{written}</w:{kind}s>".encode()
        part = Part(PackURI(f"/word/{kind}s.xml"), f"application/x-{kind}s+xml", blob, made.part.package)
        made.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES if kind == "footnote" else RELATIONSHIP_TYPE.ENDNOTES)
    assert kinds(read(made)) == [
        ("paragraph", "First and second."),
        ("list", "[1] First note.\n[2] Second note."),
        ("list", "[1] End."),
    ]


def test_deleted_rows_hidden_words_and_frames_around_text() -> None:
    made = docx.Document()
    append(
        made,
        "<w:p><w:r><w:t>Shown</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t> hidden</w:t></w:r>"
        "<w:moveFrom><w:r><w:t> moved</w:t></w:r></w:moveFrom></w:p>",
    )
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>".format
    row = f"<w:tr>{cell('a')}{cell('b')}</w:tr>"
    deleted = f"<w:tr><w:trPr><w:del/></w:trPr>{cell('gone')}{cell('gone')}</w:tr>"
    append(made, f"<w:tbl>{row}{deleted}{row}</w:tbl>")
    framed = made.add_table(rows=1, cols=1).cell(0, 0)
    framed.paragraphs[0].text = "Note"
    framed.add_paragraph("point", style="List Bullet")
    made.add_paragraph("After.")
    assert kinds(read(made)) == [
        ("paragraph", "Shown"),
        ("table", "| a | b |\n| a | b |"),
        ("paragraph", "Note"),
        ("list", "- point"),
        ("paragraph", "After."),
    ]


def test_headings_by_styles_of_ones_own() -> None:
    made = docx.Document()
    of_heading = made.styles.add_style("Corporate", WD_STYLE_TYPE.PARAGRAPH)
    of_heading.base_style = made.styles["Heading 2"]
    grandchild = made.styles.add_style("Corporate red", WD_STYLE_TYPE.PARAGRAPH)
    grandchild.base_style = of_heading
    for name, level, base in (("Abschnitt", 0, "Normal"), ("No heading", 9, "Heading 1")):
        style = made.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = made.styles[base]
        properties = style.element.get_or_add_pPr()
        properties.append(parse_xml(f'<w:outlineLvl {nsdecls("w")} w:val="{level}"/>'))
    for style in ("Abschnitt", "Corporate", "Corporate red", "No heading", "Heading 1"):
        made.add_paragraph(f"As {style}", style=style)
    document = read(made)
    assert [(block.kind, len(block.heading_path)) for block in document.blocks] == [
        *(("heading", 1), ("heading", 2), ("heading", 2), ("paragraph", 2), ("heading", 1)),
    ]


def test_text_that_a_style_hides() -> None:
    made = docx.Document()
    for name, kind in (("Secret", WD_STYLE_TYPE.CHARACTER), ("Secret lines", WD_STYLE_TYPE.PARAGRAPH)):
        made.styles.add_style(name, kind).font.hidden = True
    made.styles.add_style("More secret", WD_STYLE_TYPE.CHARACTER).base_style = made.styles["Secret"]
    paragraph = made.add_paragraph("Seen")
    for style in ("Secret", "More secret"):
        paragraph.add_run(" unseen", style=style)
    shown = paragraph.add_run(" again", style="Secret")
    shown.font.hidden = False
    made.add_paragraph("Unseen.", style="Secret lines")
    made.add_table(1, 2).cell(0, 0).paragraphs[0].add_run("unseen", style="Secret")
    assert kinds(read(made)) == [("paragraph", "Seen again")]


def test_docx_list_styles_of_the_second_level_are_nested() -> None:
    made = docx.Document()
    for words, style in (("a", "List Number"), ("b", "List Number 2"), ("c", "List Number"), ("d", "List Bullet 3")):
        made.add_paragraph(words, style=style)
    assert kinds(read(made)) == [("list", "1. a\n  1. b\n2. c\n    - d")]
