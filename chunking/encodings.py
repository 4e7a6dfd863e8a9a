"""Which encoding bytes are in, where no byte order mark says it: by what a page declares, or by what they look like."""

from __future__ import annotations

import codecs
import re

from chunking.encodings_legacy import by_language, decoded
from chunking.errors import DocumentError

# What a page means by the name of an encoding that has a larger sister, see
# https://encoding.spec.whatwg.org/#names-and-labels
_MEANT = {
    **dict.fromkeys(["ascii", "iso8859_1"], "cp1252"),
    **dict.fromkeys(["gb2312", "gbk"], "gb18030"),
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "iso8859_9": "cp1254",
    **dict.fromkeys(["iso8859_11", "tis_620"], "cp874"),
    "shift_jis": "cp932",
}
# Python's own, no encodings of documents; and those whose declaration could not be read if it were true.
_MEANINGLESS = frozenset(
    [
        *("idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"),
        *("utf_16", "utf_16_be", "utf_16_le", "utf_32", "utf_32_be", "utf_32_le", "utf_7"),
    ]
)
_SINGLE_BYTE = ("cp125", "iso8859", "koi8", "mac")
# Western letters and typographic signs; a sign that follows a letter which it never follows tells another alphabet.
_WESTERN = frozenset("ÄÖÜäöüßÀÂÇÈÉÊËÎÏÔÙÛàâçèéêëîïôùûœŒÁÍÓÚÑáíóúñãõÃÕÅØÆåøæ€£¥§©®°±²³µ«»¿¡“”‘’‚„–—…•·™×½¼¾\xa0")
_NOT_WESTERN = re.compile(r"[^\W\d_][¿¡£¥±µ¼½¾×«„‚•]|[a-zà-ÿ][³²][a-zà-ÿ]")
_DENSEST = 0.3


def declared_text(data: bytes, label: str) -> str | None:
    """The text in the encoding that a page declares, read the way browsers read it.

    None where that is UTF-8 or no encoding of documents, or where the bytes are none of it: a declared encoding of one
    byte a character, which takes everything, gives way to bytes that are UTF-8.
    """
    try:
        name = codecs.lookup(label).name.replace("-", "_")
    except LookupError:
        return None
    name = _MEANT.get(name, name)
    if (
        name in _MEANINGLESS
        or name == "utf_8"
        or (name.startswith(_SINGLE_BYTE) and decoded(data, "utf-8") is not None)
    ):
        return None
    if name == "cp1252":
        return data.decode(name, "replace")  # five bytes of it mean nothing
    return decoded(data, name)


def guessed(data: bytes, source: str) -> tuple[str, str]:
    """Text and the name of its encoding.

    Order: UTF-8 that lost a byte at its ends or up to one character in a thousand, the likeliest of Chinese, Korean,
    Japanese and Russian in their own encodings, UTF-8 with more sound characters than damaged ones, Windows-1252, then
    what charset-normalizer says.

    Raises DocumentError for bytes of no known encoding.
    """
    if (cut := _cut_utf_8(data)) is not None:
        return cut, "utf-8 with damaged bytes left out"
    replaced = data.decode("utf-8", "replace")
    if replaced.count("\ufffd") * 1000 <= sum(char > "\x7f" for char in replaced[:1_000_000]) and "\0" not in replaced:
        return replaced, "utf-8 with damaged bytes left out"
    if found := by_language(data):
        return found.text, found.encoding
    if 0 < (damaged := replaced.count("\ufffd")) <= sum(char > "\x7f" for char in replaced) - damaged:
        return replaced, "utf-8 with damaged bytes left out"
    if (western := decoded(data, "cp1252")) is not None and _is_western(western):
        return western, "cp1252"
    from charset_normalizer import from_bytes

    best = from_bytes(data[:1_000_000]).best()
    if best is None:
        raise DocumentError(
            f"{source} is not text in any encoding that is known here: save it as UTF-8 and try again.", code="not_text"
        )
    return data.decode(best.encoding, "replace"), best.encoding


def _cut_utf_8(data: bytes) -> str | None:
    """UTF-8 out of which the cut took a part of its first or last character."""
    start = next((at for at in range(min(4, len(data))) if data[at] & 0xC0 != 0x80), 0)
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        text = decoder.decode(data[start:])
    except UnicodeDecodeError:
        return None
    # A few bytes of another encoding may pass for UTF-8; whole characters of three bytes do not come by accident.
    return text if sum(char > "\u07ff" for char in text[:1_000_000]) >= 2 else None


def _is_western(text: str) -> bool:
    beyond = [char for char in text[:200_000] if char > "\x7f"]
    return (
        len(beyond) <= _DENSEST * len(text[:200_000])
        and all(char in _WESTERN for char in beyond)
        and not _NOT_WESTERN.search(text[:200_000])
    )
