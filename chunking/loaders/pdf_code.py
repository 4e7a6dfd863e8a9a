"""Code on PDF pages: lines in a font of one width, their indentation and holes read from where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from chunking.loaders.pdf_lines import Cell, Line
from chunking.normalize import clean

CODE_APART = 3.0
"""Line heights from one line of code to the next, a blank one between them."""
_BLANK = 1.9
_ADVANCE = 0.6
"""Of the size of the font: the width of a character in Courier, and near it in the other fonts of one width."""
_ASCII = 0.7


def is_code(lines: Sequence[Line]) -> bool:
    """Fonts of one width that hold mostly Chinese set Chinese text."""
    words = "".join(line.text for line in lines)
    return all(line.mono for line in lines) and sum(char.isascii() for char in words) >= _ASCII * len(words)


def code_text(lines: Sequence[Line]) -> str:
    margin = min(line.left for line in lines)
    written = [_written(lines[0], margin)]
    for above, line in pairwise(lines):
        blank = above.bottom - line.bottom > _BLANK * line.size
        written += ["", _written(line, margin)] if blank else [_written(line, margin)]
    return "\n".join(written)


def _written(line: Line, margin: float) -> str:
    text = ""
    for cell in line.cells or (Cell(line.text, line.left, line.right),):
        column = round((cell.left - margin) / (_ADVANCE * line.size))
        text = (text + " " if text else "").ljust(column) + clean(cell.text)
    return text
