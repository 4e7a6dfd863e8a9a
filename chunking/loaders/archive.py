"""Formats that are ZIP archives inside: refused before anything is unpacked where they are damaged or a bomb."""

from __future__ import annotations

import io
import zipfile

from chunking.errors import DocumentError
from chunking.loaders.base import MAX_BINARY_BYTES


def check_archive(data: bytes, source: str, what: str) -> None:
    """`what` names the format in the message, as in ``DOCX file``."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    # NotImplementedError is how zipfile refuses a version or split archive that it cannot read.
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise damaged(source, what) from error
    if unpacked > MAX_BINARY_BYTES:
        raise DocumentError(
            f"{source} unpacks to {unpacked // 1_000_000} MB, too large: split it into smaller files.", code="too_large"
        )


def damaged(source: str, what: str) -> DocumentError:
    return DocumentError(f"{source} is a damaged {what}: open it in its program and save it anew.", code="damaged")
