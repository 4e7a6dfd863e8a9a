"""Text of strangers, as far as a file can hold it."""

from __future__ import annotations

import re

_UNFIT = re.compile("[^\t\n\r\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What is no character of XML 1.0 (2.2), and the control characters that it only discourages."""


def printable(text: str) -> str:
    """With a replacement character for every control character and lone surrogate, which XML and HTML cannot hold."""
    return _UNFIT.sub("\ufffd", text)
