"""Bytes -> clean text. Everything that would make offsets ambiguous is gone before an offset exists."""

from __future__ import annotations

import codecs
import re

from chunking.encodings import declared_text, guessed
from chunking.encodings_legacy import decoded
from chunking.errors import DocumentError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# Newlines in all their spellings; a form feed and the Unicode separators end a line as well.
_NEWLINES = re.compile("[\r\x0b\x0c\x85\u2028\u2029](?:(?<=\r)\n)?")
# Control characters, byte order marks, noncharacters, lone surrogates and the replacement character.
_JUNK = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufeff\ufffd\ufffe\uffff\ud800-\udfff]")

_FEW = 20
"""Characters beyond ASCII: of fewer the encoding may be another one."""
# What either of them begins with: most texts hold none, and one look is cheaper than two rewrites.
_UNCLEAN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffd\ufffe\uffff\ud800-\udfff]")


def clean(text: str) -> str:
    """LF newlines; NUL, control characters, U+FEFF, U+FFFD-U+FFFF and lone surrogates removed. Idempotent."""
    if not _UNCLEAN.search(text):
        return text
    return _JUNK.sub("", _NEWLINES.sub("\n", text))


def decode(data: bytes, *, source: str, declared: str | None = None) -> tuple[str, str | None]:
    """Clean text and a note that names the encoding when it is not plain UTF-8.

    Order: byte order mark, `declared` (an HTML meta charset), UTF-8, UTF-16 by its NUL pattern, then what
    `encodings.guessed` finds.
    Raises DocumentError for binary data.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            text = decoded(data, encoding)
            if text is not None:
                return clean(text), None if encoding == "utf-8-sig" else f"encoding: {encoding} (byte order mark)"
    if declared and (text := declared_text(data, declared)) is not None:
        return clean(text), f"encoding: {declared} (declared by the file)"
    text = decoded(data, "utf-8")
    if text is not None and data.count(0) * 5 <= len(data):
        _refuse_binary(text, source)
        return clean(text), None
    for encoding, odd in (("utf-16-le", 1), ("utf-16-be", 0)):
        # Western letters and line ends leave zeros in one half only.
        if data[odd::2].count(0) * 25 > len(data) // 2 > 0 and data[1 - odd :: 2].count(0) * 100 <= len(data) // 2:
            text = decoded(data[: len(data) // 2 * 2], encoding)
            if text is not None:
                return clean(text), f"encoding: {encoding} (guessed)"
    text, encoding = guessed(data, source)
    _refuse_binary(text, source)
    told = sum(char > "\x7f" for char in text[:1_000])
    few = f" from {told} characters, check that it reads well" if told < _FEW else ""
    return clean(text), f"encoding: {encoding} (guessed{few})"


def _refuse_binary(text: str, source: str) -> None:
    sample = text[:200_000]
    if len(_JUNK.findall(sample)) > 8 + len(sample) // 50:
        raise DocumentError(
            f"{source} is binary data, not text: remove it or convert it to a supported format.", code="unsupported"
        )
