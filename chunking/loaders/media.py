"""Which media type a file is of: its content tells first, then its name."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from chunking.errors import DocumentError

PDF = "application/pdf"
_OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX = _OFFICE + "wordprocessingml.document"
XLSX = _OFFICE + "spreadsheetml.sheet"
PPTX = _OFFICE + "presentationml.presentation"
EPUB = "application/epub+zip"
PICTURES = ("image/png", "image/jpeg", "image/tiff", "image/webp")
BINARY = frozenset([PDF, DOCX, XLSX, PPTX, EPUB, *PICTURES])

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
    ".csv": "text/csv",
    ".tsv": "text/csv",
    ".json": "application/json",
    ".pdf": PDF,
    ".docx": DOCX,
    ".xlsx": XLSX,
    ".xlsm": XLSX,
    ".pptx": PPTX,
    ".epub": EPUB,
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".webp": "image/webp",
}

SUPPORTED: tuple[str, ...] = tuple(MEDIA_TYPES)
"""File suffixes that `load_path` reads where every extra is installed, lower case."""

_NEEDS: dict[str, tuple[str, ...]] = {
    XLSX: ("openpyxl",),
    PPTX: ("pptx",),
    **dict.fromkeys(PICTURES, ("rapidocr", "PIL")),
}
"""Modules that come with an extra, by the media type that takes them."""

_ALIASES: dict[str, str] = {
    "application/xhtml+xml": "text/html",
    "text/x-markdown": "text/markdown",
    "application/x-tex": "text/x-tex",
    "text/tab-separated-values": "text/csv",
    "image/jpg": "image/jpeg",
}
_MAGIC: dict[bytes, str] = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"II*\0": "image/tiff",
    b"MM\0*": "image/tiff",
}
_MEMBERS: dict[bytes, str] = {
    b"word/document": DOCX,
    b"xl/workbook.xml": XLSX,
    b"ppt/presentation": PPTX,
    b"META-INF/container.xml": EPUB,
}
_FOREIGN: dict[bytes, str] = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old binary office file",
    b"GIF8": "an animation",
    b"\x1f\x8b": "a compressed file",
    b"7z\xbc\xaf": "a compressed file",
    b"Rar!": "a compressed file",
    b"\x7fELF": "a program",
    b"SQLite format 3": "a database",
    b"{\\rtf": "a rich text file",
}


def readable_suffixes() -> tuple[str, ...]:
    """Those of `SUPPORTED` that can be read with what is installed here."""
    missing = {kind for kind, modules in _NEEDS.items() if not all(map(find_spec, modules))}
    return tuple(suffix for suffix, kind in MEDIA_TYPES.items() if kind not in missing)


def file_name(source: str) -> str:
    """The last part of a path or URL."""
    path = urlsplit(source).path if "://" in source else source.replace("\\", "/")
    return path.rstrip("/").rsplit("/", 1)[-1]


def media_type_of(data: bytes, source: str, declared: str | None) -> str:
    """A value of `MEDIA_TYPES`. Raises DocumentError for anything else, and where content and name disagree."""
    suffix = PurePosixPath(file_name(source)).suffix
    named = MEDIA_TYPES.get(suffix.lower())
    wanted = named
    if declared:
        declared = declared.split(";")[0].strip().lower()
        declared = _ALIASES.get(declared, declared)
        # Servers send Markdown as text/plain; the name knows better.
        wanted = named if declared in ("text/plain", "application/octet-stream") and named else declared
    told, foreign = _sniff(data)
    if told:
        return told
    if foreign:
        raise DocumentError(
            f"{source} is {foreign}, which is not supported: convert it to {', '.join(readable_suffixes())}.",
            code="unsupported",
        )
    if wanted in BINARY:
        raise DocumentError(
            f"{source} is damaged or not what its name says: open it in its program and save it anew.", code="damaged"
        )
    if wanted is not None and wanted in MEDIA_TYPES.values():
        return wanted
    if declared is None and not suffix:
        return "text/plain"
    raise DocumentError(
        f"{source} is of no supported type: convert it to {', '.join(readable_suffixes())}.", code="unsupported"
    )


def _sniff(data: bytes) -> tuple[str | None, str | None]:
    """A supported media type or the name of an unsupported format, where the bytes show it beyond doubt."""
    head = data[:1024]
    kind: str | None = None
    if b"%PDF-" in head:
        kind = PDF
    elif head.startswith(b"PK\x03\x04"):
        # Member names stand uncompressed in the central directory at the end.
        places = (data[-65_536:], data[:65_536])
        kind = next((kind for place in places for member, kind in _MEMBERS.items() if member in place), None)
        return kind, "a ZIP archive or office file"
    elif re.match(rb"RIFF....WEBP", head, re.DOTALL):
        kind = "image/webp"
    elif head.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<!doctype html", b"<html")):
        kind = "text/html"
    else:
        kind = next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)
    return kind, next((name for magic, name in _FOREIGN.items() if data.startswith(magic)), None)
