"""What models write before they answer: their thoughts in a tag, and a word of politeness."""

from __future__ import annotations

import re

_THOUGHT = re.compile(r"\s*<(think|thinking|thought|reasoning|reflection)>", re.IGNORECASE)
_TAGS = ("<think>", "<thinking>", "<thought>", "<reasoning>", "<reflection>")
_POLITE = re.compile(
    r"\s*(?:sure(?: thing)?|certainly|of course|absolutely|great question|good question|happy to help|gladly"
    r"|好的|当然(?:可以)?|当然了|没问题|好问题)\s*[!！.。~]+\s*(?=[^\s!！.。~])",
    re.IGNORECASE,
)
_HELD = 24
"""Characters within which a polite word ends."""


class Opening:
    """Takes a reply in pieces, gives it without its opening; thoughts that never end are the whole of it."""

    def __init__(self) -> None:
        self._held = ""
        self._ends: str | None = None
        self._done = False

    def push(self, piece: str) -> str:
        """What of the reply is certain by now, often nothing at its beginning."""
        if self._done:
            return piece
        self._held += piece
        return self._release(whole=False)

    def close(self) -> str:
        """The reply has ended: what was held back of it."""
        return "" if self._done else self._release(whole=True)

    def _release(self, *, whole: bool) -> str:
        while True:
            if self._ends is not None:
                at = self._held.lower().find(self._ends)
                if at < 0:
                    # The tag that ends it may be half here.
                    self._held = self._held[-len(self._ends) :]
                    return ""
                self._held, self._ends = self._held[at + len(self._ends) :], None
            elif match := _THOUGHT.match(self._held):
                self._held, self._ends = self._held[match.end() :], f"</{match[1].lower()}>"
            else:
                break
        begun = self._held.lstrip().lower()
        if not whole and (any(tag.startswith(begun) for tag in _TAGS) or len(begun) < _HELD):
            return ""
        self._done = True
        return _POLITE.sub("", self._held, count=1) if _POLITE.match(self._held) else self._held
