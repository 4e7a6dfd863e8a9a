"""Superscripts, subscripts and formulas of every format: on one line, apart from what they stand beside."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from fpdf import FPDF
from fpdf.enums import CharVPos
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook
from pptx import Presentation
from pptx.util import Cm

from chunking.loaders import load_bytes
from chunking.loaders.scripts import Height, lowered, on_one_line, raised


@pytest.mark.parametrize(
    ("before", "content", "after", "line"),
    [
        ("about 10", "6", " cells", "about 10^6 cells"),
        ("10", "−3", "", "10^−3"),
        ("2", "n+1", "", "2^(n+1)"),
        ("120 m", "2", ",", "120 m^2,"),
        ("mol", "-1", "", "mol^-1"),
        ("100平方米", "2", "", "100平方米^2"),
        ("E = mc", "2", "", "E = mc^2"),
        ("(a+b)", "2", "", "(a+b)^2"),
        ("f", "(n)", "", "f^(n)"),
        ("x_i", "2", "", "x_i^2"),
        ("Ca", "2+", " ", "Ca^2+ "),
        ("Na", "+", "", "Na+"),
        ("the 19", "th", " century", "the 19th century"),
        ("n", "th", " root", "nth root"),
        ("M", "me", " Curie", "Mme Curie"),
        ("", "14", "C dating", "14C dating"),
        ("20", "°", "C", "20°C"),
        ("Acme", "TM", " pump", "Acme™ pump"),
        ("word", "1", " next", "word[1] next"),
        ("Smith", "1,2", "", "Smith[1,2]"),
        ("Smith", "a", ",", "Smith[a],"),
        ("is said.", "3", "", "is said.[3]"),
        ("said[1]", "2", "", "said[1][2]"),
        ("said", "[4]", "", "said[4]"),
        ("word", "*", "", "word*"),
        ("in 2019", "5", " it", "in 2019[5] it"),
        ("检索增强生成", "1", "。", "检索增强生成[1]。"),
        ("结果", "①", "，", "结果①，"),
        ("项目", "注1", "，", "项目[注1]，"),
        ("", "1", "See also", "1 See also"),
        ("Search", "beta", "", "Search beta"),
        ("Search", "a feature that is new", "and", "Search a feature that is new and"),
        ("to 2012.", "[citation needed]", " This", "to 2012.[citation needed] This"),
        ("word", "", "", "word"),
    ],
)
def test_raised(before: str, content: str, after: str, line: str) -> None:
    assert before + raised(content, before, after) + after == line


@pytest.mark.parametrize(
    ("before", "content", "line"),
    [
        ("H", "2", "H2"),
        ("PM", "2.5", "PM2.5"),
        ("(OH)", "2", "(OH)2"),
        ("V", "max", "V_max"),
        ("x", "i+1", "x_(i+1)"),
        ("1010", "2", "1010_2"),
        ("log", "10", "log10"),
        ("total", "as of the first of May", "total as of the first of May"),
    ],
)
def test_lowered(before: str, content: str, line: str) -> None:
    assert before + lowered(content, before) == line


_HEIGHTS: st.SearchStrategy[Height] = st.sampled_from(["", "raised", "lowered"])


@given(st.lists(st.tuples(_HEIGHTS, st.text(max_size=30)), max_size=8))
def test_no_letter_is_lost_on_one_line(runs: list[tuple[Height, str]]) -> None:
    def letters(text: str) -> str:
        return "".join(letter for letter in text if letter.isalnum()).upper()

    assert letters(on_one_line(runs).replace("™", "TM").replace("℠", "SM")) == letters(
        "".join(text for _, text in runs).replace("™", "TM").replace("℠", "SM")
    )


def test_html() -> None:
    html = (
        "<h2>Scale 10<sup>6</sup></h2><p>About 10<sup>6</sup> cells per m<sup>2</sup> of H<sub>2</sub>O, "
        "<i>x</i><sub>i</sub><sup>2</sup> and 2<sup>2<sup>n</sup></sup>.<sup>1</sup> As said"
        "<sup><a href='#n2'>2</a></sup>.</p><ul><li>10<sup>3</sup> of <b>10</b><sup>9</sup></li></ul>"
        "<table><tr><th>Area, m<sup>2</sup></th><th>CO<sub>2</sub></th></tr><tr><td>5<sup>2</sup></td><td>1</td></tr>"
        "</table><pre>a<sup>2</sup></pre>"
    )
    document = load_bytes(html.encode(), source="a.html")
    assert document.text == (
        "Scale 10^6\n\nAbout 10^6 cells per m^2 of H2O, x_i^2 and 2^(2^n).[1] As said[2].\n\n- 10^3 of 10^9\n\n"
        "| Area, m^2 | CO2 |\n| --- | --- |\n| 5^2 | 1 |\n\na^2"
    )
    assert document.blocks[0].heading_path == ("Scale 10^6",)


def test_mathml_keeps_its_layout() -> None:
    formula = (
        "<p>x = <math><mfrac><mrow><mo>−</mo><mi>b</mi><mo>±</mo><msqrt><msup><mi>b</mi><mn>2</mn></msup><mo>−</mo>"
        "<mn>4</mn><mi>a</mi></msqrt></mrow><msub><mi>a</mi><mn>1</mn></msub></mfrac></math></p>"
        "<p><math><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover></math></p>"
    )
    assert load_bytes(formula.encode(), source="a.html").text == "x = (−b±√(b^2−4a))/(a_1)\n\n∑_(i=1)^n"


def test_docx_runs_styles_and_formulas() -> None:
    made = docx.Document()
    paragraph = made.add_paragraph("About 10")
    for part in ("", "6"):  # Word splits runs as it likes
        paragraph.add_run(part).font.superscript = True
    paragraph.add_run(" cells of H")
    paragraph.add_run("2").font.subscript = True
    paragraph.add_run("O, as said")
    made.styles.add_style("Raised", 2).font.superscript = True
    paragraph.add_run("3", style="Raised")
    space = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    fraction = (
        f"<w:p {nsdecls('w')}><m:oMath {space}><m:f><m:num><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e>"
        "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:num><m:den><m:r><m:t>2a</m:t></m:r></m:den></m:f>"
        "<m:r><m:t>=1</m:t></m:r></m:oMath></w:p>"
    )
    made.element.body.insert(1, parse_xml(fraction))
    stream = io.BytesIO()
    made.save(stream)
    text = load_bytes(stream.getvalue(), source="a.docx").text
    assert text == "About 10^6 cells of H2O, as said[3]\n\n(x^2)/2a=1"


def test_slides_and_spreadsheets(tmp_path: Path) -> None:
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    paragraph = slide.shapes.add_textbox(0, 0, Cm(9), Cm(3)).text_frame.paragraphs[0]
    for words, baseline in (("About 10", None), ("6", "30000"), (" of CO", "0"), ("2", "-25000")):
        run = paragraph.add_run()
        run.text = words
        if baseline:
            run.font._element.set("baseline", baseline)
    slides.save(str(tmp_path / "a.pptx"))
    assert load_bytes((tmp_path / "a.pptx").read_bytes(), source="a.pptx").text == "About 10^6 of CO2"
    book = Workbook()
    book.active.append(["Cells", "per m"])  # type: ignore[union-attr]
    book.active.append(["POWER", "CO"])  # type: ignore[union-attr]
    plain, rich = io.BytesIO(), io.BytesIO()
    book.save(plain)
    # openpyxl writes strings into their cells; Excel shares them.
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    changes = {
        b't="inlineStr"><is><t>POWER</t></is>': b't="s"><v>0</v>',
        b"</Types>": f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'.encode(),
    }
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(rich, "w") as target:
        for name in source.namelist():
            part = source.read(name)
            for before, after in changes.items():
                part = part.replace(before, after)
            target.writestr(name, part)
        target.writestr(
            "xl/sharedStrings.xml",
            '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><r><t>10</t></r>'
            '<r><rPr><vertAlign val="superscript"/></rPr><t>6</t></r></si></sst>',
        )
    assert load_bytes(rich.getvalue(), source="a.xlsx").text.endswith("| 10^6 | CO |")


def test_latex_and_markdown_headings() -> None:
    source = rb"About 10\textsuperscript{6} of CO\textsubscript{2} in the 19\textsuperscript{th} century, $10^6$."
    assert load_bytes(source, source="a.tex").text == "About 10^6 of CO2 in the 19th century, $10^6$."
    markdown = load_bytes(b"# 10<sup>6</sup> cells\n\n10<sup>6</sup> and 10^6^.\n", source="a.md")
    assert markdown.title == "10^6 cells"
    assert markdown.text.endswith("10<sup>6</sup> and 10^6^.\n")


def test_pdf_numbers_above_and_below_the_line() -> None:
    pdf = FPDF(format="A4")
    pdf.add_page()
    pdf.set_font("Times", size=11)
    lines: list[list[tuple[str, CharVPos]]] = [
        [("About 10", "LINE"), ("6", "SUP"), (" cells per m", "LINE"), ("2", "SUP"), (", H", "LINE"), ("2", "SUB")],
        [("As was shown", "LINE"), ("1", "SUP"), (" and said.", "LINE"), ("2,3", "SUP"), (" SO", "LINE"), ("4", "SUB")],
        [("In 2026, v2.0.1 and 3 of 10 had 5 mol L", "LINE"), ("-1", "SUP"), (" of it at 7:30", "LINE")],
    ]
    lines[1].append(("2-", "SUP"))
    for line in lines:
        for words, place in line:
            pdf.char_vpos = place
            pdf.write(6, words)
        pdf.char_vpos = "LINE"
        pdf.write(6, ".")
        pdf.ln(12)
    text = load_bytes(bytes(pdf.output()), source="a.pdf").text
    assert " ".join(text.split()) == (
        "About 10^6 cells per m^2, H2. As was shown[1] and said.[2,3] SO4^2-. "
        "In 2026, v2.0.1 and 3 of 10 had 5 mol L^-1 of it at 7:30."
    )
