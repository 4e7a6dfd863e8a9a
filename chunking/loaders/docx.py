"""DOCX: headings by style or outline level, numbered and nested lists, tables, text boxes and footnotes."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from chunking.errors import DocumentError
from chunking.loaders.archive import check_archive, damaged
from chunking.loaders.base import Parsed, TextBuilder, item_indent
from chunking.loaders.tables import is_header, table_text
from chunking.normalize import clean

_HEADING_STYLE = re.compile(r"(?:heading|标题|標題)\s*(\d)", re.IGNORECASE)
_CONTENTS_STYLE = re.compile(r"toc\s*\d|目录\s*\d", re.IGNORECASE)
_CODE_STYLE = re.compile(r"code|preformatted|代码", re.IGNORECASE)
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BREAKS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_FOOTNOTES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"


def load_docx(data: bytes, source: str) -> Parsed:
    """Insertions that nobody has accepted yet count as text, deletions do not; a table of contents is left out."""
    check_archive(data, source, "DOCX file")
    import docx

    try:
        document = docx.Document(io.BytesIO(data))
        title = clean(document.core_properties.title or "").strip()
        reader = _Reader(document)
        reader.read()
    except Exception as error:  # python-docx lets lxml, KeyError and ValueError through for damaged parts
        raise damaged(source, "DOCX file") from error
    builder = reader.builder
    if not builder.blocks:
        raise DocumentError(f"{source} holds no text: if it is made of pictures, save it as PDF and read that.")
    first = next((block.heading_path[-1] for block in builder.blocks if block.kind == "heading"), "")
    return Parsed(builder.text, tuple(builder.blocks), title=title or first)


class _Reader:
    def __init__(self, document: Any) -> None:
        self.builder = TextBuilder()
        self._document = document
        self._styles = {style.style_id: style for style in document.styles}
        self._formats = _number_formats(document)
        self._counts: Counter[tuple[str, int]] = Counter()
        self._lines: list[str] = []
        self._kind = ""

    def read(self) -> None:
        for element in _content(self._document.element.body):
            if element.tag == f"{_W}tbl":
                self._flush()
                self.builder.add("table", _table(element))
            else:
                self._paragraph(element)
        self._flush()
        self.builder.add("list", "\n".join(_footnotes(self._document)))

    def _paragraph(self, element: Any) -> None:
        style = self._styles.get(element.style)
        name = (style.name or "") if style is not None else ""
        text = _words(element)
        number = self._number(element, style)
        if _CONTENTS_STYLE.match(name):
            return
        if level := _level(element, name):
            self._flush()
            self.builder.add("heading", " ".join(text.split()), level=level)
        elif text.strip() and (number is not None or name.lower().startswith("list")):
            identifier, depth = number or ("", 0)
            self._collect("list", f"{item_indent(depth)}{self._marker(identifier, depth)} {' '.join(text.split())}")
        elif _CODE_STYLE.search(name):
            self._collect("code", text)
        else:
            self._flush()
            self.builder.add("quote" if "quote" in name.lower() else "paragraph", text)
        for box in _boxes(element):
            self._flush()
            self.builder.add("paragraph", "\n".join(filter(None, map(_words, box.iter(f"{_W}p")))))

    def _collect(self, kind: str, line: str) -> None:
        if kind != self._kind:
            self._flush()
        self._kind = kind
        self._lines.append(line)

    def _flush(self) -> None:
        if self._lines:
            self.builder.add("code" if self._kind == "code" else "list", "\n".join(self._lines))
        self._lines, self._kind = [], ""

    def _number(self, element: Any, style: Any) -> tuple[str, int] | None:
        """Numbering and depth of a paragraph, its own or its style's."""
        for owner in (element, style.element if style is not None else None):
            found = owner.find(f"{_W}pPr/{_W}numPr") if owner is not None else None
            if found is not None:
                identifier, depth = _value(found, "numId"), _value(found, "ilvl")
                # Numbering 0 takes away what the style gives.
                return None if identifier in ("", "0") else (identifier, int(depth) if depth.isdigit() else 0)
        return None

    def _marker(self, identifier: str, depth: int) -> str:
        if self._formats.get((identifier, depth), "bullet") in ("bullet", "none"):
            return "-"
        self._counts[identifier, depth] += 1
        for deeper in range(depth + 1, 9):
            self._counts[identifier, deeper] = 0
        return f"{self._counts[identifier, depth]}."


def _number_formats(document: Any) -> dict[tuple[str, int], str]:
    """Formats (``bullet``, ``decimal``, ...) by numbering and depth."""
    try:
        numbering = document.part.numbering_part.element
    except (KeyError, NotImplementedError):
        return {}
    abstract: dict[str, dict[int, str]] = {}
    for each in numbering.iter(f"{_W}abstractNum"):
        levels = {int(level.get(f"{_W}ilvl", "0")): _value(level, "numFmt") for level in each.iter(f"{_W}lvl")}
        abstract[each.get(f"{_W}abstractNumId", "")] = levels
    return {
        (each.get(f"{_W}numId", ""), depth): form
        for each in numbering.iter(f"{_W}num")
        for depth, form in abstract.get(_value(each, "abstractNumId"), {}).items()
    }


def _value(parent: Any, name: str) -> str:
    found = parent.find(f"{_W}{name}")
    return "" if found is None else str(found.get(f"{_W}val", ""))


def _content(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables in order, also those inside content controls."""
    for child in parent:
        if child.tag in (f"{_W}p", f"{_W}tbl"):
            yield child
        elif child.tag == f"{_W}sdt":
            yield from (inner for content in child.iter(f"{_W}sdtContent") for inner in _content(content))
        elif child.tag in (f"{_W}ins", f"{_W}customXml", f"{_W}smartTag"):
            yield from _content(child)


def _words(paragraph: Any) -> str:
    """Text of a paragraph without that of text boxes inside it."""
    parts: list[str] = []
    waiting = list(reversed(paragraph))
    while waiting:
        node = waiting.pop()
        if node.tag == f"{_W}t":
            parts.append(node.text or "")
        elif node.tag in _BREAKS:
            parts.append(_BREAKS[node.tag])
        elif node.tag not in (f"{_W}txbxContent", f"{_W}pPr", f"{_W}moveFrom") and isinstance(node.tag, str):
            waiting.extend(reversed(node))
    return clean("".join(parts))


def _boxes(paragraph: Any) -> list[Any]:
    """Text boxes; the copy of each that is kept for old programs is passed over."""
    return [
        box
        for box in paragraph.iter(f"{_W}txbxContent")
        if not any(isinstance(up.tag, str) and up.tag.endswith("}Fallback") for up in box.iterancestors())
    ]


def _level(paragraph: Any, style: str) -> int:
    if style.lower() in ("title", "标题", "標題"):
        return 1
    if match := _HEADING_STYLE.match(style):
        # Below a Title, Heading 1 is the second level; a document without one loses nothing by it.
        return int(match.group(1)) + 1
    outline = paragraph.find(f"{_W}pPr/{_W}outlineLvl")
    value = "" if outline is None else str(outline.get(f"{_W}val", ""))
    return int(value) + 2 if value.isdigit() and int(value) < 9 else 0


def _table(table: Any) -> str:
    """A cell over several columns counts once, one over several rows is said in each of them."""
    rows: list[list[str]] = []
    for row in table.iter(f"{_W}tr"):
        # A row of a table inside a cell belongs to that cell.
        if next(row.iterancestors(f"{_W}tbl")) is not table:
            continue
        line: list[str] = []
        for cell in _cells(row):
            merged, width = cell.find(f"{_W}tcPr/{_W}vMerge"), cell.find(f"{_W}tcPr/{_W}gridSpan")
            goes_on = merged is not None and merged.get(f"{_W}val", "continue") == "continue"
            above = rows[-1][len(line)] if goes_on and rows and len(rows[-1]) > len(line) else ""
            span = str(width.get(f"{_W}val", "1")) if width is not None else "1"
            line += [above or _cell_text(cell), *[""] * (min(int(span), 100) - 1 if span.isdigit() else 0)]
        rows.append(line)
    marked = table.find(f"{_W}tr/{_W}trPr/{_W}tblHeader") is not None
    # Two columns without a marked header are as often names and values.
    header = bool(rows) and len(rows) > 1 and (marked or (len(rows[0]) > 2 and is_header(rows[0])))
    return table_text(rows, header=header)


def _cells(row: Any) -> Iterator[Any]:
    for child in row:
        if child.tag == f"{_W}tc":
            yield child
        elif child.tag == f"{_W}sdt":
            yield from (cell for content in child.iter(f"{_W}sdtContent") for cell in _cells(content))


def _cell_text(cell: Any) -> str:
    """Paragraphs one after the other; rows of a table inside are parted by semicolons."""
    parts = []
    for element in _content(cell):
        if element.tag == f"{_W}tbl":
            inner = (" ".join(map(_cell_text, _cells(row))).strip() for row in element.findall(f"{_W}tr"))
            parts.append("; ".join(filter(None, inner)))
        else:
            parts.append(_words(element))
    return " ".join(filter(None, parts))


def _footnotes(document: Any) -> Iterator[str]:
    """One line each, numbered as they are counted in the text."""
    for relation in document.part.rels.values():
        if relation.reltype == _FOOTNOTES and not relation.is_external:
            from docx.oxml import parse_xml

            for note in parse_xml(relation.target_part.blob).iter(f"{_W}footnote"):
                text = " ".join(" ".join(map(_words, note.iter(f"{_W}p"))).split())
                if text and note.get(f"{_W}type") is None:
                    yield f"[{note.get(f'{_W}id')}] {text}"
