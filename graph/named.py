"""Identifiers that a question names and its evidence does not: a QM-500 that no document knows has no warranty there.

To the signals of a search a near miss looks like the answer: a question about the QM-500 shares every word but one with
the page of the QM-300, and one about ``read_timeout`` with the row of ``write_timeout``. Of the 1,284 answerable
questions of the public sets 95 name one, and no answer to them lacks it; where one is lacking it is taken for what it
says.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from retrieval.types import Hit

UNNAMED = 0.05
"""The most that evidence counts for which lacks an identifier of the question."""

_IDENTIFIER = re.compile(
    r"(?<![A-Za-z0-9._/-])[A-Za-z](?=[A-Za-z0-9._/-]*\d)[A-Za-z0-9]*(?:[._/-][A-Za-z0-9]+)*"
    r"|(?<![A-Za-z0-9._/-])[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z][A-Za-z0-9-]*)*(?:_[A-Za-z0-9._-]*[A-Za-z0-9])"
    r"|(?<![A-Za-z0-9._/-])[a-z][a-z-]*(?:\.[a-z][a-z-]*){2,}(?![A-Za-z0-9._/-])"
)
"""A letter and digits; what an underscore joins; three lower-case words that dots join."""
_TOLD_APART = re.compile(r"[A-Z]|[._/-]")
"""In lower case and one piece it is as often a name or a word: user42, python3."""
_SHORTEST = 3
_JOINTS = re.compile(r"[\s._/\\-]+")
_VERSION = re.compile(r"^v(?=\d)")


def lacking(question: str, hits: Sequence[Hit]) -> tuple[str, ...]:
    """The identifiers of `question`, as it writes them, that no hit mentions; spelling them apart does not matter."""
    named = [found for found in _IDENTIFIER.findall(unicodedata.normalize("NFKC", question)) if _is_identifier(found)]
    if not named or not hits:
        return ()
    said = _plain(
        "\n".join(
            "\n".join((hit.document.title, *hit.chunk.heading_path, hit.chunk.context, hit.chunk.text)) for hit in hits
        )
    )
    return tuple(dict.fromkeys(one for one in named if _VERSION.sub("", _plain(one)) not in said))


def _is_identifier(text: str) -> bool:
    return len(text) >= _SHORTEST and _TOLD_APART.search(text) is not None


def _plain(text: str) -> str:
    return _JOINTS.sub("", unicodedata.normalize("NFKC", text).casefold())
