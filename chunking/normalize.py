"""Bytes -> clean text. Everything that would make offsets ambiguous is gone before an offset exists."""

from __future__ import annotations

import codecs
import re

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

# The most frequent characters of written Chinese; a wrong legacy decoding yields rare ones instead.
_COMMON = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多"
    "经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知"
    "全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门"
    "這個們來為國說時會對於著過發後裡種經麼學現當沒動還進樣開從實軍無與長機關點業將兩間問應戰頭體見產話給門數據們"
    "，。、；：？！“”（）《》「」『』"
)


# What either of them begins with: most texts hold none, and one look is cheaper than two rewrites.
_UNCLEAN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffd\ufffe\uffff\ud800-\udfff]")


def clean(text: str) -> str:
    """LF newlines; NUL, control characters, U+FEFF, U+FFFD-U+FFFF and lone surrogates removed. Idempotent."""
    if not _UNCLEAN.search(text):
        return text
    return _JUNK.sub("", _NEWLINES.sub("\n", text))


def decode(data: bytes, *, source: str, declared: str | None = None) -> tuple[str, str | None]:
    """Clean text and a note that names the encoding when it is not plain UTF-8.

    Order: byte order mark, `declared` (an HTML meta charset), UTF-8, UTF-16 by its NUL pattern, UTF-8 with up
    to one damaged character in a thousand, then the likelier of GB18030 and Big5, then charset-normalizer.
    Raises DocumentError for binary data.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            text = _try(data, encoding)
            if text is not None:
                return clean(text), None if encoding == "utf-8-sig" else f"encoding: {encoding} (byte order mark)"
    if declared and (text := _declared(data, declared)) is not None:
        plain = codecs.lookup(declared).name in ("utf-8", "ascii")
        return clean(text), None if plain else f"encoding: {declared} (declared by the file)"
    text = _try(data, "utf-8")
    if text is not None and data.count(0) * 5 <= len(data):
        _refuse_binary(text, source)
        return clean(text), None
    for encoding, odd in (("utf-16-le", 1), ("utf-16-be", 0)):
        # Western letters and line ends leave zeros in one half only.
        if data[odd::2].count(0) * 25 > len(data) // 2 > 0 and data[1 - odd :: 2].count(0) * 100 <= len(data) // 2:
            text = _try(data[: len(data) // 2 * 2], encoding)
            if text is not None:
                return clean(text), f"encoding: {encoding} (guessed)"
    text, encoding = _guess(data, source)
    _refuse_binary(text, source)
    return clean(text), f"encoding: {encoding} (guessed)"


def _declared(data: bytes, encoding: str) -> str | None:
    try:
        codecs.lookup(encoding)
    except LookupError:
        return None
    return _try(data, encoding)


def _guess(data: bytes, source: str) -> tuple[str, str]:
    replaced = data.decode("utf-8", "replace")
    if replaced.count("\ufffd") * 1000 <= sum(char > "\x7f" for char in replaced[:1_000_000]) and "\0" not in replaced:
        return replaced, "utf-8 with damaged bytes left out"
    candidates: list[tuple[float, str, str]] = []
    for encoding in ("gb18030", "big5"):
        decoded = _try(data, encoding)
        if decoded is None:
            # One byte lost at the end of a cut-off file must not decide.
            decoded = _try(data[:-1], encoding)
        if decoded is not None:
            sample = [char for char in decoded[:200_000] if char > "\x7f"]
            share = sum(char in _COMMON for char in sample) / max(1, len(sample))
            candidates.append((share, encoding, decoded))
    if candidates and max(candidates)[0] >= 0.2:
        _, encoding, decoded = max(candidates)
        return decoded, encoding
    from charset_normalizer import from_bytes

    best = from_bytes(data[:1_000_000]).best()
    if best is None:
        raise DocumentError(f"{source} is not text in any encoding that is known here: save it as UTF-8 and try again.")
    return data.decode(best.encoding, "replace"), best.encoding


def _refuse_binary(text: str, source: str) -> None:
    sample = text[:200_000]
    if len(_JUNK.findall(sample)) > 8 + len(sample) // 50:
        raise DocumentError(f"{source} is binary data, not text: remove it or convert it to a supported format.")


def _try(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (ValueError, LookupError):  # "undefined" and "punycode" raise what is no UnicodeDecodeError
        return None
