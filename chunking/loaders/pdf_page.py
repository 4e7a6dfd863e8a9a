"""A PDF page -> its lines in reading order, ruled tables among them as one line each."""

from __future__ import annotations

from typing import Any

from chunking.loaders.pdf_cells import with_written_tables
from chunking.loaders.pdf_characters import Boxes, characters
from chunking.loaders.pdf_lines import Line, line_segments, reading_order
from chunking.loaders.pdf_rules import page_grids
from chunking.loaders.pdf_tables import with_ruled_tables


def page_lines(page: Any) -> list[Line]:
    """Lines of a page whose text runs in any of the four directions; the points are those of the upright text."""
    text_page = page.get_textpage()
    try:
        text = characters(text_page)
        boxes = Boxes(text_page, text)
        upright = (360 - boxes.direction) % 360
        if upright != page.get_rotation():
            # pdfium orders the lines as they are shown.
            page.set_rotation(upright)
            text_page.close()
            text_page = page.get_textpage()
            text = characters(text_page)
            boxes = Boxes(text_page, text)
        grids = page_grids(page, boxes.direction) if text else []
        segments = with_ruled_tables(line_segments(text, boxes, grids), grids)
        return reading_order(with_written_tables(segments), page.get_width())
    finally:
        text_page.close()
