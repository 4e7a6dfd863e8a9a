"""bytes -> `Document`. The type of a file is told by its content first, then by its name."""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath

from chunking.errors import DocumentError
from chunking.loaders.base import MAX_BINARY_BYTES, MAX_TEXT_BYTES, Loader
from chunking.loaders.csv_table import load_csv
from chunking.loaders.docx import load_docx
from chunking.loaders.epub import load_epub
from chunking.loaders.html import load_html
from chunking.loaders.image import load_image
from chunking.loaders.json_tree import load_json
from chunking.loaders.latex import load_latex
from chunking.loaders.markdown import load_markdown
from chunking.loaders.media import (
    BINARY,
    DOCX,
    EPUB,
    MEDIA_TYPES,
    PDF,
    PICTURES,
    PPTX,
    SUPPORTED,
    XLSX,
    file_name,
    media_type_of,
)
from chunking.loaders.pdf import load_pdf
from chunking.loaders.pptx import load_pptx
from chunking.loaders.text import load_text
from chunking.loaders.xlsx import load_xlsx
from chunking.noise import noise_notes
from chunking.types import Document, document_id

__all__ = ["LOADERS", "SUPPORTED", "load_bytes", "load_path"]

LOADERS: dict[str, Loader] = {
    "text/plain": load_text,
    "text/markdown": load_markdown,
    "text/html": load_html,
    "text/x-tex": load_latex,
    "text/csv": load_csv,
    "application/json": load_json,
    PDF: load_pdf,
    DOCX: load_docx,
    XLSX: load_xlsx,
    PPTX: load_pptx,
    EPUB: load_epub,
    **dict.fromkeys(PICTURES, load_image),
}


def load_path(path: Path | str, *, origin: str | None = None, source: str | None = None) -> Document:
    """Reads a file. `origin` (default: the absolute path) makes the id, `source` (default: the path) is shown.

    Raises DocumentError when the file cannot be read, is empty, too large, of no supported type or without text.
    """
    path = Path(path)
    source = source or str(path)
    try:
        _check_size(path.stat().st_size, MEDIA_TYPES.get(path.suffix.lower()), source)
        data = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise DocumentError(
            f"{source} cannot be opened ({reason}): check that it exists and is readable.", code="unopenable"
        ) from error
    return load_bytes(data, source=source, origin=origin or str(path.resolve()))


def load_bytes(
    data: bytes, *, source: str, origin: str | None = None, media_type: str | None = None, title: str | None = None
) -> Document:
    """The same for bytes at hand; `media_type` overrules the name, `title` the document's own."""
    if not data:
        raise DocumentError(f"{source} is empty: there is nothing to read in it.", code="empty")
    kind = media_type_of(data, source, media_type)
    _check_size(len(data), kind, source)
    parsed = LOADERS[kind](data, source)
    if not parsed.blocks:
        raise DocumentError(f"{source} holds no text: there is nothing to read in it.", code="no_text")
    return Document(
        id=document_id(origin or source),
        source=source,
        title=title or parsed.title or PurePosixPath(file_name(source)).stem,
        media_type=kind,
        content_hash=hashlib.sha256(data).hexdigest(),
        text=parsed.text,
        blocks=parsed.blocks,
        notes=(*parsed.notes, *noise_notes(parsed.text, parsed.blocks)),
        page_starts=parsed.page_starts,
    )


def _check_size(size: int, media_type: str | None, source: str) -> None:
    limit = MAX_BINARY_BYTES if media_type in BINARY or media_type is None else MAX_TEXT_BYTES
    if size > limit:
        raise DocumentError(
            f"{source} is too large ({size / 1e6:.0f} MB, at most {limit / 1e6:.0f} MB): split it into smaller files.",
            code="too_large",
        )
