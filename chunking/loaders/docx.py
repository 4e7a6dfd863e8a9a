"""DOCX: headings by style or outline level, numbers as Word shows them, lists, tables, text boxes and notes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from chunking.errors import DocumentError
from chunking.loaders.archive import check_archive, damaged
from chunking.loaders.base import Parsed, TextBuilder, item_indent
from chunking.loaders.docx_numbering import Numbering, W, value
from chunking.loaders.docx_runs import Runs, boxes, words
from chunking.loaders.stated import stated_title
from chunking.loaders.tables import is_header, table_text
from chunking.loaders.titles import with_titles

_HEADING_STYLE = re.compile(r"(?:heading|标题|標題)\s*(\d)", re.IGNORECASE)
_CONTENTS_STYLE = re.compile(r"toc\s*\d|目录\s*\d", re.IGNORECASE)
_ITEM_STYLE = re.compile(r"(?:list (?:bullet|number)|列表(?:项目符号|编号))\s*(\d)?", re.IGNORECASE)
_CODE_STYLE = re.compile(r"code|preformatted|代码", re.IGNORECASE)
_NOTES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_BODY_LEVEL = 9
"""The outline level of running text, from 0."""


def load_docx(data: bytes, source: str) -> Parsed:
    """Insertions that nobody has accepted yet count as text, deletions do not; a table of contents is left out."""
    check_archive(data, source, "DOCX file")
    import docx

    try:
        document = docx.Document(io.BytesIO(data))
        title = stated_title(document.core_properties.title)
        reader = _Reader(document)
        reader.read()
    except Exception as error:  # python-docx lets lxml, KeyError and ValueError through for damaged parts
        raise damaged(source, "DOCX file") from error
    builder = reader.builder
    if not builder.blocks:
        raise DocumentError(
            f"{source} holds no text: if it is made of pictures, save it as PDF and read that.", code="no_text"
        )
    blocks = with_titles(builder.text, builder.blocks, reader.bold)
    first = next((block.heading_path[-1] for block in blocks if block.kind == "heading"), "")
    return Parsed(builder.text, blocks, title=title or first)


class _Reader:
    def __init__(self, document: Any) -> None:
        self.builder = TextBuilder()
        self.bold: set[int] = set()
        """Numbers of the paragraphs that are bold throughout."""
        self._document = document
        self._styles = {style.style_id: style for style in document.styles}
        self._runs = Runs(self._styles)
        self._runs.settle(document.element.body)
        self._numbering = Numbering(document)
        self._lines: list[str] = []
        self._kind = ""

    def read(self) -> None:
        self._read(self._document.element.body)
        self._flush()
        for kind in ("footnote", "endnote"):
            self.builder.add("list", "\n".join(_notes(self._document, kind, self._runs)))

    def _read(self, parent: Any) -> None:
        for element in _content(parent):
            if element.tag != f"{W}tbl":
                self._paragraph(element)
            elif (box := _only_cell(element)) is not None:
                self._read(box)
            else:
                self._flush()
                self.builder.add("table", _table(element))

    def _paragraph(self, element: Any) -> None:
        style = self._styles.get(element.style)
        name = (style.name or "") if style is not None else ""
        text = words(element)
        if _CONTENTS_STYLE.match(name):
            return
        number = self._number(element, style) if text.strip() else None
        label = self._numbering.next(*number) if number else ""
        if level := self._level(element, style):
            self._flush()
            self.builder.add("heading", f"{label} {' '.join(text.split())}", level=level)
        elif text.strip() and (number is not None or _ITEM_STYLE.match(name)):
            depth = (number[1] if number else 0) or _depth_of(name)
            self._collect("list", f"{item_indent(depth)}{label or '-'} {' '.join(text.split())}")
        elif self._kind == "list" and name.lower().startswith("list"):
            self._lines[-1] += f" {' '.join(text.split())}"
        elif _CODE_STYLE.search(name):
            self._collect("code", text)
        else:
            self._flush()
            if self._runs.bold(element, style):
                self.bold.add(len(self.builder.blocks))
            self.builder.add("quote" if "quote" in name.lower() else "paragraph", text)
        for box in boxes(element):
            self._flush()
            self.builder.add("paragraph", "\n".join(filter(None, map(words, box.iter(f"{W}p")))))

    def _collect(self, kind: str, line: str) -> None:
        if kind != self._kind:
            self._flush()
        self._kind = kind
        self._lines.append(line)

    def _flush(self) -> None:
        if self._lines:
            self.builder.add("code" if self._kind == "code" else "list", "\n".join(self._lines))
        self._lines, self._kind = [], ""

    def _level(self, paragraph: Any, style: Any) -> int:
        """Depth of a heading from 1, by its style, its outline level, or those of a style that its own is based on."""
        family = list(self._runs.family(style))
        levels = [_named_level(each.name or "") for each in family[:1]]
        levels.append(_outline(paragraph))
        for each in family:
            levels += [_outline(each.element), _named_level(each.name or "")]
        return next((level for level in levels if level is not None), 0)

    def _number(self, element: Any, style: Any) -> tuple[str, int] | None:
        """Numbering and depth of a paragraph, its own or that of its style or of one that this is based on."""
        found = element.find(f"{W}pPr/{W}numPr")
        if found is None:
            given = ((each, each.element.find(f"{W}pPr/{W}numPr")) for each in self._runs.family(style))
            style, found = next((each for each in given if each[1] is not None), (None, None))
        identifier = "" if found is None else value(found, "numId")
        # Numbering 0 takes away what the style gives.
        if identifier in ("", "0"):
            return None
        depth = value(found, "ilvl")
        if depth.isascii() and depth.isdigit():
            return identifier, min(int(depth), 8)
        return identifier, self._numbering.depth_of_style(identifier, style.style_id) if style is not None else 0


def _content(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables in order, also those inside content controls."""
    for child in parent:
        if child.tag in (f"{W}p", f"{W}tbl"):
            yield child
        elif child.tag == f"{W}sdt":
            yield from (inner for content in child.iter(f"{W}sdtContent") for inner in _content(content))
        elif child.tag in (f"{W}ins", f"{W}customXml", f"{W}smartTag"):
            yield from _content(child)


def _depth_of(style: str) -> int:
    """Levels below the first: "List Bullet 2" is a level of its own, whose numbering begins at the first."""
    found = _ITEM_STYLE.match(style)
    return int(found.group(1) or 1) - 1 if found else 0


def _named_level(style: str) -> int | None:
    if style.lower() in ("title", "标题", "標題"):
        return 1
    match = _HEADING_STYLE.match(style)
    # Below a Title, Heading 1 is the second level; a document without one loses nothing by it.
    return int(match.group(1)) + 1 if match else None


def _outline(element: Any) -> int | None:
    """Depth by the outline level of a paragraph or a style, 0 for one of running text, None where there is none."""
    outline = element.find(f"{W}pPr/{W}outlineLvl")
    level = "" if outline is None else str(outline.get(f"{W}val", ""))
    if not (level.isascii() and level.isdigit()):
        return None
    return int(level) + 2 if int(level) < _BODY_LEVEL else 0


def _table(table: Any) -> str:
    """A cell over several columns counts once, one over several rows is said in each of them."""
    rows: list[list[str]] = []
    for row in table.iter(f"{W}tr"):
        # A row of a table inside a cell belongs to that cell; a deleted one is no text.
        if next(row.iterancestors(f"{W}tbl")) is not table or row.find(f"{W}trPr/{W}del") is not None:
            continue
        line: list[str] = []
        for cell in _cells(row):
            merged, width = cell.find(f"{W}tcPr/{W}vMerge"), cell.find(f"{W}tcPr/{W}gridSpan")
            goes_on = merged is not None and merged.get(f"{W}val", "continue") == "continue"
            above = rows[-1][len(line)] if goes_on and rows and len(rows[-1]) > len(line) else ""
            span = str(width.get(f"{W}val", "1")) if width is not None else "1"
            line += [above or _cell_text(cell), *[""] * (min(int(span), 100) - 1 if span.isdigit() else 0)]
        rows.append(line)
    marked = table.find(f"{W}tr/{W}trPr/{W}tblHeader") is not None
    # Two columns without a marked header are as often names and values.
    header = bool(rows) and len(rows) > 1 and (marked or (len(rows[0]) > 2 and is_header(rows[0])))
    return table_text(rows, header=header)


def _only_cell(table: Any) -> Any | None:
    """The cell of a table that is but a frame around text."""
    rows = table.findall(f"{W}tr")
    cells = list(_cells(rows[0])) if len(rows) == 1 else []
    return cells[0] if len(cells) == 1 else None


def _cells(row: Any) -> Iterator[Any]:
    for child in row:
        if child.tag == f"{W}tc":
            yield child
        elif child.tag == f"{W}sdt":
            yield from (cell for content in child.iter(f"{W}sdtContent") for cell in _cells(content))


def _cell_text(cell: Any) -> str:
    """Paragraphs one after the other; rows of a table inside are parted by semicolons."""
    parts = []
    for element in _content(cell):
        if element.tag == f"{W}tbl":
            inner = (" ".join(map(_cell_text, _cells(row))).strip() for row in element.findall(f"{W}tr"))
            parts.append("; ".join(filter(None, inner)))
        else:
            parts.append(words(element))
    return " ".join(filter(None, parts))


def _notes(document: Any, kind: str, runs: Runs) -> Iterator[str]:
    """Footnotes or endnotes, one line each, numbered as they are counted in the text."""
    references = document.element.body.iter(f"{W}{kind}Reference")
    order = list(dict.fromkeys(reference.get(f"{W}id") for reference in references))
    for relation in document.part.rels.values():
        if relation.reltype == f"{_NOTES}{kind}s" and not relation.is_external:
            from docx.oxml import parse_xml

            root = parse_xml(relation.target_part.blob)
            runs.settle(root)
            notes = {note.get(f"{W}id"): note for note in root.iter(f"{W}{kind}")}
            for number, identifier in enumerate(order, start=1):
                note = notes.get(identifier)
                text = "" if note is None else " ".join(" ".join(map(words, note.iter(f"{W}p"))).split())
                if text:
                    yield f"[{number}] {text}"
