"""Tables of every format are written the way Markdown writes them, so that one row is one line everywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Years are names of columns too.
_NUMBER = re.compile(r"(?!(?:19|20)\d\d\Z)[-+−$€£￥¥]?[\d.,]*\d[\d.,]*\s*[%‰]?\Z")


def table_text(rows: Sequence[Sequence[str]], *, header: bool) -> str:
    """One line ``| a | b |`` a row, cells on one line each, all rows of one width; rows without words are left out.

    `header` puts the separator under the first row. Pipes inside cells are escaped.
    """
    lines = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    lines = [line for line in lines if any(line)]
    width = max((len(line) for line in lines), default=0)
    written = ["| " + " | ".join([*line, *[""] * (width - len(line))]) + " |" for line in lines]
    if header and len(written) > 1:
        written.insert(1, "|" + " --- |" * width)
    return "\n".join(written)


def is_header(row: Sequence[str]) -> bool:
    """Whether a first row names columns: words in every cell but one at most, and no number."""
    filled = [cell.strip() for cell in row if cell.strip()]
    return len(filled) >= max(1, len(row) - 1) and not any(_NUMBER.match(cell) for cell in filled)
