"""DOCX: headings by style or outline level, lists, and tables with ``a | b | c`` a row."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

from chunking.errors import DocumentError
from chunking.loaders.base import MAX_BINARY_BYTES, Parsed, TextBuilder
from chunking.normalize import clean

_HEADING_STYLE = re.compile(r"(?:heading|标题|標題)\s*(\d)", re.IGNORECASE)


def load_docx(data: bytes, source: str) -> Parsed:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise DocumentError(
            f"{source} is a damaged DOCX file: open it in a word processor and save it anew."
        ) from error
    if unpacked > MAX_BINARY_BYTES:
        raise DocumentError(f"{source} unpacks to {unpacked // 1_000_000} MB, too large: split it into smaller files.")
    import docx

    try:
        document = docx.Document(io.BytesIO(data))
        builder = TextBuilder()
        title = clean(document.core_properties.title or "").strip()
        _write(document, builder)
    except Exception as error:  # python-docx lets lxml, KeyError and ValueError through for damaged parts
        raise DocumentError(
            f"{source} is a damaged DOCX file: open it in a word processor and save it anew."
        ) from error
    if not builder.blocks:
        raise DocumentError(f"{source} holds no text: if it is made of pictures, run text recognition on it first.")
    return Parsed(builder.text, tuple(builder.blocks), title=title or _first_heading(builder))


def _first_heading(builder: TextBuilder) -> str:
    return next((block.heading_path[-1] for block in builder.blocks if block.kind == "heading"), "")


def _write(document: Any, builder: TextBuilder) -> None:
    items: list[str] = []
    code: list[str] = []
    for element in document.iter_inner_content():
        paragraph = not hasattr(element, "rows")
        text = clean(element.text) if paragraph else ""
        style = (element.style.name or "") if paragraph and element.style is not None else ""
        is_item = paragraph and bool(text.strip()) and _is_item(element, style)
        is_code = paragraph and not is_item and bool(re.search(r"code|preformatted|代码", style, re.IGNORECASE))
        if not is_item and items:
            builder.add("list", "\n".join(items))
            items = []
        if not is_code and code:
            builder.add("code", "\n".join(code))
            code = []
        if is_item:
            ordered = "number" in style.lower()
            items.append(f"{len(items) + 1}. {text.strip()}" if ordered else f"- {text.strip()}")
        elif is_code:
            code.append(text)
        elif not paragraph:
            builder.add("table", "\n".join(_rows(element)))
        elif level := _level(element, style):
            builder.add("heading", " ".join(text.split()), level=level)
        else:
            builder.add("quote" if "quote" in style.lower() else "paragraph", text)
    builder.add("list", "\n".join(items))
    builder.add("code", "\n".join(code))


def _level(paragraph: Any, style: str) -> int:
    if style.lower() in ("title", "标题", "標題"):
        return 1
    if match := _HEADING_STYLE.match(style):
        # Below a Title, Heading 1 is the second level; a document without one loses nothing by it.
        return int(match.group(1)) + 1
    outline = paragraph._p.find(".//{*}pPr/{*}outlineLvl")
    if outline is not None:
        value = next(iter(outline.attrib.values()), "9")
        return int(value) + 2 if value.isdigit() and int(value) < 9 else 0
    return 0


def _is_item(paragraph: Any, style: str) -> bool:
    if _HEADING_STYLE.match(style):
        return False
    return style.lower().startswith("list") or paragraph._p.find(".//{*}pPr/{*}numPr") is not None


def _rows(table: Any) -> list[str]:
    rows = []
    for row in table.rows:
        seen: set[int] = set()
        cells = []
        for cell in row.cells:
            # A merged cell is handed out once for every column it spans.
            if id(cell._tc) not in seen:
                seen.add(id(cell._tc))
                cells.append(" ".join(clean(cell.text).split()))
        if any(cells):
            rows.append(" | ".join(cells).strip())
    return rows
