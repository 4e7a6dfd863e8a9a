"""PDF: pdfium's characters -> lines in reading order; pages that are pictures go through text recognition."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from chunking.errors import DocumentError, install_line
from chunking.loaders.base import Parsed
from chunking.loaders.ocr import LONG_SIDE, can_recognise, recognise
from chunking.loaders.pages import compose_pages, page_ranges
from chunking.loaders.pdf_lines import Line
from chunking.loaders.pdf_page import page_lines
from chunking.loaders.stated import stated_title

_PDFIUM = threading.Lock()  # the library is not thread-safe, not even across documents
_FEW_CHARACTERS = 40
_MOST_DPI = 300.0


@dataclass(slots=True)
class _Reading:
    pages: list[list[Line]] = field(default_factory=list)
    title: str = ""
    damaged: list[int] = field(default_factory=list)
    recognised: list[int] = field(default_factory=list)


def load_pdf(data: bytes, source: str) -> Parsed:
    """Pages without text are named in the notes, those that text recognition read as well."""
    ocr = can_recognise()
    reading = _read(data, source, ocr)
    if not any(reading.pages):
        if reading.damaged:
            raise DocumentError(
                f"{source} is a damaged PDF file: open it in a viewer and save it anew.", code="damaged"
            )
        advice = "and no text was recognised on its pages" if ocr else f"it is a scan: run {install_line('ocr')}"
        raise DocumentError(f"{source} has no text layer, {advice}.", code="no_text_layer")
    empty = [n for n, lines in enumerate(reading.pages, start=1) if not lines and n not in reading.damaged]
    builder, page_starts, dropped = compose_pages(reading.pages)
    notes = []
    if reading.damaged:
        notes.append(f"damaged pages left out: {page_ranges(reading.damaged)}")
    if reading.recognised:
        notes.append(f"pages read by text recognition: {page_ranges(reading.recognised)}")
    if empty:
        advice = "" if ocr else f" (if they are scans, run {install_line('ocr')})"
        notes.append(f"pages without text: {page_ranges(empty)}{advice}")
    if dropped:
        notes.append(f"running headers, footers and page numbers left out: {dropped} lines")
    headings = (block.heading_path[-1] for block in builder.blocks if block.kind == "heading")
    title = reading.title or next(headings, "")
    return Parsed(builder.text, tuple(builder.blocks), title, tuple(notes), page_starts)


def _read(data: bytes, source: str, ocr: bool) -> _Reading:
    import pypdfium2

    with _PDFIUM:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            if "password" in str(error).lower():
                raise DocumentError(
                    f"{source} is protected by a password: save a copy without one.", code="protected"
                ) from error
            raise DocumentError(
                f"{source} is a damaged PDF file: open it in a viewer and save it anew.", code="damaged"
            ) from error
        count = len(document)
    reading = _Reading()
    try:
        for number in range(1, count + 1):
            try:
                with _PDFIUM:
                    lines, picture = _page(document, number - 1, ocr)
            except pypdfium2.PdfiumError:
                reading.pages.append([])
                reading.damaged.append(number)
                continue
            if picture is not None and (found := recognise(*picture)):
                lines = found
                reading.recognised.append(number)
            reading.pages.append(lines)
        with _PDFIUM:
            reading.title = stated_title(document.get_metadata_dict().get("Title"))
        return reading
    finally:
        with _PDFIUM:
            document.close()


def _page(document: Any, index: int, ocr: bool) -> tuple[list[Line], tuple[Any, float] | None]:
    """Lines of a page and, where these are its picture's to tell, that picture with its dots per inch."""
    page = document[index]
    try:
        lines = page_lines(page)
        return lines, _picture(page) if ocr and _is_scan(page, lines) else None
    finally:
        page.close()


def _is_scan(page: Any, lines: list[Line]) -> bool:
    """No text but something drawn, or hardly any text (a stamp, a number) beside a picture of half the page."""
    import pypdfium2.raw as pdfium

    if sum(len(line.text) for line in lines) > _FEW_CHARACTERS:
        return False
    if not lines:
        return bool(pdfium.FPDFPage_CountObjects(page))
    half = page.get_width() * page.get_height() / 2
    for picture in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE]):
        left, bottom, right, top = picture.get_bounds()
        if (right - left) * (top - bottom) >= half:
            return True
    return False


def _picture(page: Any) -> tuple[Any, float]:
    dpi = min(_MOST_DPI, 72 * LONG_SIDE / max(page.get_width(), page.get_height()))
    bitmap = page.render(scale=dpi / 72, rev_byteorder=False)
    try:
        pixels = bitmap.to_numpy().copy()
    finally:
        bitmap.close()
    return pixels, dpi
