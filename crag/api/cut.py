"""Ending an answer where a client asked for it: at a stop sequence, or at a number of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from graph.types import Answer

_MARKER = re.compile(r"\[(\d{1,3})\]")
_HALF_MARKER = re.compile(r"\[\d{0,3}\Z")


class Cut:
    """Passes a text on, piece by piece, as far as it may go. `reason` says what has ended it.

    `count` gives the tokens of a text. What might be the beginning of a stop sequence is held back until it is not.
    """

    def __init__(self, stops: Sequence[str], max_tokens: int | None, count: Callable[[str], int]) -> None:
        self._stops = [stop for stop in stops if stop]
        self._most = max_tokens
        self._count = count
        self._sent = ""
        self._held = ""
        self.reason: Literal["stop", "length"] | None = None

    def push(self, piece: str) -> str:
        """What may go out now."""
        if self.reason:
            return ""
        text = self._held + piece
        found = [at for stop in self._stops if (at := text.find(stop)) >= 0]
        if found:
            self._held = ""
            return self._send(text[: min(found)], "stop")
        keep = max((_overlap(text, stop) for stop in self._stops), default=0)
        self._held = text[len(text) - keep :]
        return self._send(text[: len(text) - keep], None)

    def close(self) -> str:
        """The rest, when the text has ended."""
        held, self._held = self._held, ""
        return "" if self.reason else self._send(held, None)

    def _send(self, text: str, reason: Literal["stop"] | None) -> str:
        self.reason = reason
        if text and self._most is not None and self._count(self._sent + text) > self._most:
            text = self._fitting(text)
            self.reason = "length"
        self._sent += text
        return text

    def _fitting(self, text: str) -> str:
        assert self._most is not None
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if self._count(self._sent + text[:middle]) <= self._most:
                low = middle
            else:
                high = middle - 1
        return _HALF_MARKER.sub("", text[:low])


def shortened(answer: Answer, text: str) -> Answer:
    """The answer with a part of its text; a citation whose marker is cut off goes too."""
    if text == answer.text:
        return answer
    left = {int(match[1]) for match in _MARKER.finditer(text)}
    return replace(answer, text=text, citations=tuple(each for each in answer.citations if each.marker in left))


def _overlap(text: str, stop: str) -> int:
    """Length of the longest end of `text` with which `stop` begins."""
    return next((n for n in range(min(len(text), len(stop) - 1), 0, -1) if text.endswith(stop[:n])), 0)
