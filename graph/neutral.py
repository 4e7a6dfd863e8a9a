"""Untrusted text made harmless: it cannot close a delimiter, forge a marker or hide instructions."""

from __future__ import annotations

import re

_INVISIBLE = re.compile(
    # Zero-width characters, soft hyphen, bidirectional controls, tag characters, variation selectors, controls.
    "[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u00ad\u061c\u180e\U000e0000-\U000e0fff\ufe00-\ufe0f"
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
    # Half a character: no file and no reply can be written with it.
    "\ud800-\udfff]"
)
_DELIMITER = re.compile(
    r"[<＜‹〈]\s*+(?:(/)\s*+)?(?=(source|passage|question|conversation|system|user|assistant)\b)", re.IGNORECASE
)
OPENING, CLOSING = "[［【〔⟦", "]］】〕⟧"
_MARKER_LIKE = re.compile(
    rf"[{re.escape(OPENING)}]\s*(\^?[^{re.escape(OPENING + CLOSING)}\n]{{0,40}}?)[{re.escape(CLOSING)}]"
)
_OPEN_BEFORE_DIGIT = re.compile(rf"[{re.escape(OPENING)}](?=\s*\^?\d)")


def visible(text: str) -> str:
    """`text` without the characters that show nothing: controls, bidirectional marks, halves of characters."""
    return _INVISIBLE.sub("", text)


def neutralise(text: str) -> str:
    """`text` without invisible characters, delimiters and citation markers; its words are untouched.

    ``[12]`` becomes ``(12)``: reference marks of a document must not pass for markers of the answer.
    """
    text = visible(text)
    text = _DELIMITER.sub(r"(\1", text)
    before = ""
    while before != text:
        before, text = text, _MARKER_LIKE.sub(_in_round_brackets, text)
    return _OPEN_BEFORE_DIGIT.sub("(", text)


def _in_round_brackets(match: re.Match[str]) -> str:
    return f"({match[1]})" if any(character.isdigit() for character in match[1]) else match[0]


def neutral_line(text: str) -> str:
    """The same for an attribute: on one line, without quotes and angle brackets."""
    return re.sub(r"\s+", " ", neutralise(text)).translate(str.maketrans('"<>', "'()")).strip()
