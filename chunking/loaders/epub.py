"""EPUB: the chapters of its reading order, each read like a page of HTML."""

from __future__ import annotations

import io
import posixpath
import zipfile
from urllib.parse import unquote
from xml.etree import ElementTree

from chunking.errors import DocumentError
from chunking.loaders.archive import check_archive, damaged
from chunking.loaders.base import Parsed, TextBuilder
from chunking.loaders.html import write_page
from chunking.normalize import clean, decode

_WHAT = "EPUB file"
_PAGES = ("application/xhtml+xml", "text/html")


def load_epub(data: bytes, source: str) -> Parsed:
    check_archive(data, source, _WHAT)
    builder = TextBuilder()
    notes: dict[str, None] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            title, chapters = _contents(archive)
            for chapter in chapters:
                html, _ = decode(archive.read(chapter), source=source)
                builder.close_headings()
                page = write_page(html, builder, framed=False)
                notes.update(dict.fromkeys(page.notes if page else ()))
    except (KeyError, ValueError, OSError, ElementTree.ParseError, zipfile.BadZipFile) as error:
        raise damaged(source, _WHAT) from error
    except (RuntimeError, NotImplementedError) as error:  # how zipfile says that a member is encrypted
        raise DocumentError(
            f"{source} is protected against copying: use a copy without protection.", code="protected"
        ) from error
    return Parsed(builder.text, tuple(builder.blocks), title=title, notes=tuple(notes))


def _contents(archive: zipfile.ZipFile) -> tuple[str, list[str]]:
    """Title and the members that hold the chapters, in reading order; the table of contents is none."""
    container = ElementTree.fromstring(archive.read("META-INF/container.xml"))
    root = container.find(".//{*}rootfile")
    if root is None:
        raise ValueError("the container names no package")
    package_path = root.attrib["full-path"]
    package = ElementTree.fromstring(archive.read(package_path))
    manifest = {item.attrib["id"]: item.attrib for item in package.iter("{http://www.idpf.org/2007/opf}item")}
    title = package.find(".//{http://purl.org/dc/elements/1.1/}title")
    chapters = []
    for reference in package.iter("{http://www.idpf.org/2007/opf}itemref"):
        item = manifest.get(reference.attrib["idref"])
        if item and item["media-type"] in _PAGES and "nav" not in item.get("properties", "").split():
            chapters.append(posixpath.normpath(posixpath.join(posixpath.dirname(package_path), unquote(item["href"]))))
    return clean((title.text if title is not None else "") or "").strip(), chapters
