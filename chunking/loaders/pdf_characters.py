"""Characters of a PDF page with their boxes, fonts and direction, as pdfium gives them."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from typing import Any

HYPHEN = "\ufffe"
"""Stands for a hyphen that breaks a word at a line end; pdfium calls it character 2."""
Box = tuple[float, float, float, float]
"""Left, right, bottom, top, in points."""
_BOLD = re.compile(rb"bold|black|heavy", re.IGNORECASE)
_MONO = re.compile(rb"mono|courier|consol|menlo|typewriter|cmtt|code", re.IGNORECASE)
_FORCE_BOLD, _FIXED_PITCH = 1 << 18, 1  # PDF 32000-1, table 123
_SAMPLES = 12
"""Characters of a page that tell its direction."""


def upright(box: Box, direction: int) -> Box:
    """A box of the page, turned with the text that runs in a `direction`."""
    left, right, bottom, top = box
    if direction == 0:
        return box
    if direction == 270:
        return bottom, top, -right, -left
    if direction == 90:
        return -top, -bottom, left, right
    return -right, -left, -top, -bottom


class Boxes:
    """Character boxes and fonts of a text page, each asked for only where it matters: a call costs a microsecond.

    `direction` is the one that most of the text runs in, in degrees as pdfium counts them: 0, 90 (down), 180, 270 (up).
    """

    def __init__(self, text_page: Any, text: str) -> None:
        import pypdfium2.raw as pdfium

        self._pdfium = pdfium
        self._page = text_page.raw
        self._get = pdfium.FPDFText_GetLooseCharBox
        self._sides = (ctypes.c_float * 4)()  # read at once: one by one they cost more than the call
        self._reference = ctypes.cast(self._sides, ctypes.POINTER(pdfium.FS_RECTF))
        self._name = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()
        self._matrix = pdfium.FS_MATRIX()
        places = range(0, len(text), len(text) // _SAMPLES + 1)
        directions = Counter(self._angle(index) for index in places if not text[index].isspace())
        self.direction = directions.most_common(1)[0][0] if directions else 0

    def box(self, index: int) -> Box | None:
        """The font's box around a character, turned upright with the page's text."""
        if not self._get(self._page, index, self._reference):
            return None
        left, top, right, bottom = self._sides[:]
        if self.direction:
            return upright((left, right, bottom, top), self.direction)
        return left, right, bottom, top

    def turned(self, index: int) -> bool:
        """Whether a character runs in another direction than most."""
        return self._angle(index) != self.direction

    def _angle(self, index: int) -> int:
        radians = self._pdfium.FPDFText_GetCharAngle(self._page, index)
        return round(math.degrees(radians) / 90) % 4 * 90 if radians > 0 else 0

    def size(self, index: int) -> float:
        """Of a character's font on the page, in points; boxes differ from font to font, and from glyph to glyph."""
        if not self._pdfium.FPDFText_GetMatrix(self._page, index, ctypes.byref(self._matrix)):
            return 0.0
        scale = math.hypot(self._matrix.c, self._matrix.d)
        return float(self._pdfium.FPDFText_GetFontSize(self._page, index)) * scale

    def style(self, first: int, last: int) -> tuple[bool, bool]:
        """Whether a stretch is bold, and whether it is set in a font of one width, as code is."""
        bold = mono = True
        for index in (first, (first + last) // 2, last):
            name, flags = self._font(index)
            bold = bold and (_BOLD.search(name) is not None or bool(flags & _FORCE_BOLD))
            mono = mono and (_MONO.search(name) is not None or bool(flags & _FIXED_PITCH))
            if not bold and not mono:
                break
        return bold, mono

    def _font(self, index: int) -> tuple[bytes, int]:
        self._pdfium.FPDFText_GetFontInfo(self._page, index, self._name, 128, ctypes.byref(self._flags))
        return self._name.value, self._flags.value


def characters(text_page: Any) -> str:
    """One character for each of pdfium's indices."""
    import pypdfium2.raw as pdfium

    count = text_page.count_chars()
    text: str = text_page.get_text_range() if count else ""
    if len(text) == count:
        return text
    # Characters beyond the basic plane, or left out of the range, shift the indices.
    codes = (pdfium.FPDFText_GetUnicode(text_page, index) for index in range(count))
    return "".join(HYPHEN if code == 2 else "\0" if 0xD800 <= code < 0xE000 else chr(code) for code in codes)
