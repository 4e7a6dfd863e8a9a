"""bytes -> `Document`. The type of a file is told by its content first, then by its name."""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from chunking.errors import DocumentError
from chunking.loaders.base import MAX_BINARY_BYTES, MAX_TEXT_BYTES, Loader
from chunking.loaders.docx import load_docx
from chunking.loaders.html import load_html
from chunking.loaders.latex import load_latex
from chunking.loaders.markdown import load_markdown
from chunking.loaders.pdf import load_pdf
from chunking.loaders.text import load_text
from chunking.noise import noise_notes
from chunking.types import Document, document_id

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

LOADERS: dict[str, Loader] = {
    "text/plain": load_text,
    "text/markdown": load_markdown,
    "text/html": load_html,
    "text/x-tex": load_latex,
    PDF: load_pdf,
    DOCX: load_docx,
}

MEDIA_TYPES: dict[str, str] = {
    ".txt": "text/plain",
    ".text": "text/plain",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".mdx": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".tex": "text/x-tex",
    ".latex": "text/x-tex",
    ".pdf": PDF,
    ".docx": DOCX,
}

SUPPORTED: tuple[str, ...] = tuple(MEDIA_TYPES)
"""File suffixes that `load_path` reads, lower case."""


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
        raise DocumentError(f"{source} cannot be opened ({reason}): check that it exists and is readable.") from error
    return load_bytes(data, source=source, origin=origin or str(path.resolve()))


def load_bytes(
    data: bytes, *, source: str, origin: str | None = None, media_type: str | None = None, title: str | None = None
) -> Document:
    """The same for bytes at hand; `media_type` overrules the name, `title` the document's own."""
    if not data:
        raise DocumentError(f"{source} is empty: there is nothing to read in it.")
    kind = _media_type(data, source, media_type)
    _check_size(len(data), kind, source)
    parsed = LOADERS[kind](data, source)
    if not parsed.blocks:
        raise DocumentError(f"{source} holds no text: there is nothing to read in it.")
    return Document(
        id=document_id(origin or source),
        source=source,
        title=title or parsed.title or PurePosixPath(_name(source)).stem,
        media_type=kind,
        content_hash=hashlib.sha256(data).hexdigest(),
        text=parsed.text,
        blocks=parsed.blocks,
        notes=(*parsed.notes, *noise_notes(parsed.text, parsed.blocks)),
        page_starts=parsed.page_starts,
    )


def _check_size(size: int, media_type: str | None, source: str) -> None:
    limit = MAX_BINARY_BYTES if media_type in (PDF, DOCX) or media_type is None else MAX_TEXT_BYTES
    if size > limit:
        raise DocumentError(
            f"{source} is too large ({size / 1e6:.0f} MB, at most {limit / 1e6:.0f} MB): split it into smaller files."
        )


def _name(source: str) -> str:
    path = urlsplit(source).path if "://" in source else source.replace("\\", "/")
    return path.rstrip("/").rsplit("/", 1)[-1]


def _media_type(data: bytes, source: str, declared: str | None) -> str:
    named = MEDIA_TYPES.get(PurePosixPath(_name(source)).suffix.lower())
    if declared:
        declared = declared.split(";")[0].strip().lower()
        declared = _ALIASES.get(declared, declared)
        # Servers send Markdown as text/plain; the name knows better.
        wanted: str | None = named if declared in ("text/plain", "application/octet-stream") and named else declared
    else:
        wanted = named
    told = _sniff(data)
    if told in LOADERS:
        return told
    if told:
        raise DocumentError(f"{source} is {told}, which is not supported: convert it to {_list_supported()}.")
    if wanted in (PDF, DOCX):
        raise DocumentError(f"{source} is damaged or not what its name says: open it in its program and save it anew.")
    if wanted in LOADERS:
        return wanted
    if declared is None and not PurePosixPath(_name(source)).suffix:
        return "text/plain"
    raise DocumentError(f"{source} is of no supported type: convert it to {_list_supported()}.")


def _list_supported() -> str:
    return ", ".join(SUPPORTED)


def _sniff(data: bytes) -> str | None:
    """A supported media type or the name of an unsupported format that the bytes show beyond doubt, else None."""
    head = data[:1024]
    if b"%PDF-" in head:
        return PDF
    if head.startswith(b"PK\x03\x04"):
        # Member names stand uncompressed in the central directory at the end.
        tail = data[-65_536:]
        if b"word/document" in tail or b"word/document" in data[:65_536]:
            return DOCX
        return "a ZIP archive or office file"
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "text/html"
    return next((name for magic, name in _FOREIGN.items() if data.startswith(magic)), None)


_ALIASES: dict[str, str] = {
    "application/xhtml+xml": "text/html",
    "text/x-markdown": "text/markdown",
    "application/x-tex": "text/x-tex",
}
_FOREIGN: dict[bytes, str] = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old binary office file",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\x1f\x8b": "a compressed file",
    b"7z\xbc\xaf": "a compressed file",
    b"Rar!": "a compressed file",
    b"\x7fELF": "a program",
    b"SQLite format 3": "a database",
    b"{\\rtf": "a rich text file",
}
