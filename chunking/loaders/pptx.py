"""Slides (extra ``office``): a page a slide, its title as heading, then text, tables and the speaker's notes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from chunking.errors import DocumentError, install_line
from chunking.loaders.archive import check_archive, damaged
from chunking.loaders.base import Parsed, TextBuilder
from chunking.loaders.scripts import Height, on_one_line
from chunking.loaders.stated import stated_title
from chunking.loaders.tables import table_text
from chunking.normalize import clean

_WHAT = "presentation"
_RUN = "{http://schemas.openxmlformats.org/drawingml/2006/main}rPr"


def load_pptx(data: bytes, source: str) -> Parsed:
    check_archive(data, source, _WHAT)
    try:
        import pptx
    except ImportError as error:
        raise DocumentError(
            f"{source} is a presentation: run {install_line('office')}.", code="missing_extra"
        ) from error
    builder = TextBuilder()
    page_starts: list[int] = []
    try:
        slides = pptx.Presentation(io.BytesIO(data))
        title = stated_title(slides.core_properties.title)
        for number, slide in enumerate(slides.slides, start=1):
            page_starts.append(builder.next_start)
            _write(slide, builder, number)
    except Exception as error:  # python-pptx lets lxml, KeyError and ValueError through for damaged parts
        raise damaged(source, _WHAT) from error
    if not builder.blocks:
        raise DocumentError(
            f"{source} holds no text: if it is made of pictures, save it as PDF and read that.", code="no_text"
        )
    first = next((block.heading_path[-1] for block in builder.blocks if block.kind == "heading"), "")
    # "PowerPoint Presentation" is what the program writes where nobody named it.
    return Parsed(
        builder.text,
        tuple(builder.blocks),
        title=title or first,
        page_starts=tuple(page_starts),
    )


def _write(slide: Any, builder: TextBuilder, page: int) -> None:
    title = slide.shapes.title
    builder.close_headings()
    if title is not None and title.has_text_frame:
        builder.add("heading", " ".join(_words(title.text_frame).split()), level=1, page=page)
    for shape in _in_order(slide.shapes):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if shape.has_table:
            builder.add("table", table_text(_rows(shape.table), header=True), page=page)
        elif shape.has_text_frame:
            paragraphs = [(p.level, " ".join(_line(p).split())) for p in shape.text_frame.paragraphs]
            paragraphs = [(level, text) for level, text in paragraphs if text]
            if len(paragraphs) > 1:
                lines = "\n".join(f"{'  ' * level}- {text}" for level, text in paragraphs)
                builder.add("list", lines, page=page)
            elif paragraphs and not _is_number(shape):
                builder.add("paragraph", paragraphs[0][1], page=page)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        builder.add("paragraph", _words(slide.notes_slide.notes_text_frame), page=page)


def _words(frame: Any) -> str:
    return "\n".join(map(_line, frame.paragraphs))


def _line(paragraph: Any) -> str:
    """Text of a paragraph; what its runs raise or lower is written at the height of the line."""
    runs: list[tuple[Height, str]] = []
    for each in paragraph._p.content_children:  # runs, line breaks and fields in order
        properties = each.find(_RUN)
        shift = str(properties.get("baseline") or "0").rstrip("%") if properties is not None else "0"
        runs.append(("lowered" if shift.startswith("-") else "raised" if shift.strip("0.") else "", each.text))
    return clean(on_one_line(runs))


def _rows(table: Any) -> list[list[str]]:
    """A cell over several columns counts once, one over several rows is said in each of them."""
    rows: list[list[str]] = []
    height: dict[int, int] = {}  # column -> rows that the cell above still reaches into
    for row in table.rows:
        line = []
        for column, cell in enumerate(row.cells):
            goes_on = cell.is_spanned and height.get(column, 0) > 0
            height[column] = height.get(column, 0) - 1 if goes_on else cell.span_height - 1
            line.append(rows[-1][column] if goes_on else _words(cell.text_frame))
        rows.append(line)
    return rows


def _in_order(shapes: Iterable[Any]) -> Iterator[Any]:
    """Top to bottom and left to right, members of a group in place of it."""
    for shape in sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0)):
        if hasattr(shape, "shapes"):
            yield from _in_order(shape.shapes)
        else:
            yield shape


def _is_number(shape: Any) -> bool:
    """Slide numbers, dates and footers, which every slide repeats."""
    if not shape.is_placeholder:
        return False
    return shape.placeholder_format.type is not None and shape.placeholder_format.type.name in (
        "SLIDE_NUMBER",
        "DATE",
        "FOOTER",
        "HEADER",
    )
