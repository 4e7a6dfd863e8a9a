"""Make the bundled samples that are not written by hand: ``python tests/samples/make.py [binaries] [suite]``.

``binaries`` sets the Markdown in ``sources/`` as PDF and DOCX files under ``crag/samples/documents``. ``suite`` finds
the quotes of ``sources/questions.yaml`` in the parsed documents and writes the suite with exact offsets. Both give the
same bytes each time they run with the same libraries and fonts.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import yaml

HERE = Path(__file__).parent
SOURCES = HERE / "sources"
SAMPLES = HERE.parents[1] / "crag" / "samples"
DOCUMENTS = SAMPLES / "documents"
SUITE = SAMPLES / "suite"
DATE = datetime(2026, 11, 1, tzinfo=UTC)
FONTS = (
    Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"),
    Path("/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc"),
    Path("/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc"),
)
SIMPLIFIED_CHINESE = 2
"""Face of the collection."""


@dataclass(frozen=True)
class Element:
    kind: Literal["h1", "h2", "p", "ul", "ol", "table"]
    text: str = ""
    items: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def elements(markdown: str) -> Iterator[Element]:
    """The few Markdown constructs that the sources use: headings, paragraphs, lists, tables; no inline marks."""
    for block in re.split(r"\n{2,}", markdown.strip()):
        lines = block.splitlines()
        if heading := re.match(r"(#{1,2}) (.+)", block):
            yield Element("h1" if heading[1] == "#" else "h2", heading[2])
        elif block.startswith("|"):
            cells = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
            yield Element("table", rows=(cells[0], *cells[2:]))
        elif block.startswith("- "):
            yield Element("ul", items=tuple(line.removeprefix("- ") for line in lines))
        elif re.match(r"1\. ", block):
            yield Element("ol", items=tuple(re.sub(r"^\d+\. ", "", line) for line in lines))
        else:
            yield Element("p", " ".join(lines))


def docx(markdown: str) -> bytes:
    import docx as python_docx

    document = python_docx.Document()
    for element in elements(markdown):
        match element.kind:
            case "h1" | "h2":
                document.add_heading(element.text, level=int(element.kind[1]))
            case "p":
                document.add_paragraph(element.text)
            case "ul" | "ol":
                for item in element.items:
                    document.add_paragraph(item, style="List Bullet" if element.kind == "ul" else "List Number")
            case "table":
                table = document.add_table(len(element.rows), len(element.rows[0]), style="Light Grid Accent 1")
                for row, cells in zip(table.rows, element.rows, strict=True):
                    for cell, text in zip(row.cells, cells, strict=True):
                        cell.text = text
    core = document.core_properties
    core.author, core.comments, core.title = "Halden Instruments", "", next(elements(markdown)).text
    core.created = core.modified = DATE.replace(tzinfo=None)
    written = BytesIO()
    document.save(written)
    return _same_time(written)


def _same_time(archive: BytesIO) -> bytes:
    """The archive with every member dated `DATE`."""
    written = BytesIO()
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name, DATE.timetuple()[:6]), old.read(name), zipfile.ZIP_DEFLATED)
    return written.getvalue()


def two_column_pdf(markdown: str) -> bytes:
    """Set like a paper: title and authors over the page, then two justified columns, running head and page numbers."""
    from fpdf import FPDF

    title, authors, *body = elements(markdown)

    class Paper(FPDF):
        def header(self) -> None:
            if self.page_no() > 1:
                self.set_font("Times", "I", 8)
                self.cell(0, 8, title.text, align="C", new_x="LMARGIN", new_y="NEXT")

        def footer(self) -> None:
            self.set_y(-15)
            self.set_font("Times", size=8)
            self.cell(0, 8, str(self.page_no()), align="C")

    pdf = Paper(format="A4")
    pdf.set_creation_date(DATE)
    pdf.set_title(title.text)
    pdf.set_margins(20, 24)
    pdf.set_auto_page_break(True, margin=32)
    pdf.add_page()
    pdf.set_font("Times", "B", 17)
    pdf.multi_cell(0, 9, title.text, align="C", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("Times", size=10)
    pdf.multi_cell(0, 6, authors.text, align="C", new_x="LMARGIN", new_y="NEXT")
    pdf.ln(5)
    with pdf.text_columns(ncols=2, gutter=8, text_align="J", line_height=1.6, balance=True) as columns:
        for element in body:
            pdf.set_font("Times", "B" if element.kind == "h2" else "", 13 if element.kind == "h2" else 12)
            with columns.paragraph(bottom_margin=2.5) as paragraph:
                paragraph.write(element.text)
    return bytes(pdf.output())


def chinese_pdf(markdown: str) -> bytes:
    """One column, a subset of Noto Sans CJK SC embedded. Raises FileNotFoundError without that font."""
    from fpdf import FPDF

    font = next((path for path in FONTS if path.is_file()), None)
    if font is None:
        raise FileNotFoundError("Noto Sans CJK is not installed: install the package fonts-noto-cjk.")
    title, *body = elements(markdown)

    class Manual(FPDF):
        def footer(self) -> None:
            self.set_y(-15)
            self.set_font("cjk", size=8)
            self.cell(0, 8, f"第 {self.page_no()} 页", align="C")

    pdf = Manual(format="A4")
    pdf.set_creation_date(DATE)
    pdf.set_title(title.text)
    pdf.set_margins(25, 22)
    pdf.add_font("cjk", fname=font, collection_font_number=SIMPLIFIED_CHINESE)
    pdf.add_page()

    def write(text: str, size: int, leading: float, indent: float = 0) -> None:
        pdf.set_font("cjk", size=size)
        for line in wrapped(text, pdf.epw - indent - 2, pdf.get_string_width):
            pdf.set_x(pdf.l_margin + indent)
            pdf.cell(0, leading, line, new_x="LMARGIN", new_y="NEXT")

    write(title.text, 18, 14)
    for element in body:
        if element.kind == "h2":
            pdf.ln(3)
            write(element.text, 13, 10)
        for number, item in enumerate(element.items, 1):
            write(f"{number}. {item}", 11, 7, indent=6)
        if element.kind == "p":
            write(element.text, 11, 7)
        pdf.ln(2)
    return bytes(pdf.output())


def wrapped(text: str, width: float, measure: Callable[[str], float]) -> Iterator[str]:
    """Lines no wider than `width`, broken between Chinese characters, not in Latin words or before a closing mark."""
    line = ""
    for piece in re.findall(r"(?:[!-~]+|.)[，。；：、！？）》”]*", text):
        if line and measure(line + piece) > width:
            yield line.rstrip()
            line = piece.lstrip()
        else:
            line += piece
    yield line


BINARIES: dict[str, tuple[str, Callable[[str], bytes]]] = {
    "en/chunking-study.pdf": ("chunking-study.md", two_column_pdf),
    "en/ragas-guide.docx": ("ragas-guide.md", docx),
    "zh/ops-manual.pdf": ("ops-manual.md", chinese_pdf),
    "zh/reranker-note.docx": ("reranker-note.md", docx),
}
"""Path under the documents folder -> source and setter."""


def make_binary(path: str) -> bytes:
    source, setter = BINARIES[path]
    return setter((SOURCES / source).read_text(encoding="utf-8"))


def make_suite() -> dict[str, str]:
    """Texts of the suite's files by name. Raises ValueError for a quote that is not exactly once in its document."""
    from chunking.loaders import SUPPORTED, load_path

    paths = sorted(path for path in DOCUMENTS.rglob("*") if path.suffix in SUPPORTED)
    loaded = {path.relative_to(DOCUMENTS).as_posix(): load_path(path) for path in paths}
    texts = {name: document.text for name, document in loaded.items()}
    entries = yaml.safe_load((SOURCES / "questions.yaml").read_text(encoding="utf-8"))
    documents = [
        {
            "doc_id": name,
            "title": document.title,
            "source": name,
            "lang": name.partition("/")[0],
            "file": f"../documents/{name}",
        }
        for name, document in loaded.items()
    ]
    return {"documents.jsonl": _jsonl(documents), "questions.jsonl": _jsonl([_question(e, texts) for e in entries])}


def _question(entry: dict[str, Any], texts: dict[str, str]) -> dict[str, Any]:
    reference_spans, answer_spans = [], []
    for group, evidence in enumerate(entry.get("evidence", ())):
        name = evidence["doc"]
        start, end = locate(evidence["quote"], texts[name], name)
        reference_spans.append(_span(name, texts[name], start, end, group))
        if "answer" in evidence:
            inner, stop = locate(evidence["answer"], texts[name][start:end], name)
            answer_spans.append(_span(name, texts[name], start + inner, start + stop, group))
    return {
        "id": entry["id"],
        "question": entry["question"],
        "reference": entry["reference"],
        "answers": entry.get("answers", []),
        "reference_spans": reference_spans,
        "answer_spans": answer_spans,
        "type": entry["type"],
        "lang": entry["lang"],
        "answerable": entry.get("answerable", True),
        "split": entry.get("split", "core"),
    }


def locate(quote: str, text: str, name: str) -> tuple[int, int]:
    """Span of a quote that occurs once; white space may differ, since typesetting breaks lines."""
    pattern = r"\s*".join(re.escape(character) for character in re.sub(r"\s+", "", quote))
    found = [match.span() for match in re.finditer(pattern, text)]
    if len(found) != 1:
        raise ValueError(f"{name}: found {len(found)} times, not once: {quote}")
    return found[0]


def _span(name: str, text: str, start: int, end: int, group: int) -> dict[str, Any]:
    return {"doc_id": name, "start": start, "end": end, "text": text[start:end], "group": group}


def _jsonl(values: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def main(jobs: list[str]) -> None:
    if unknown := set(jobs) - {"binaries", "suite"}:
        raise SystemExit(f"Unknown job {min(unknown)!r}: choose binaries, suite, or none for both.")
    if not jobs or "binaries" in jobs:
        for path in BINARIES:
            (DOCUMENTS / path).write_bytes(make_binary(path))
    if not jobs or "suite" in jobs:
        SUITE.mkdir(exist_ok=True)
        for name, text in make_suite().items():
            (SUITE / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
