"""A model for the `llm` chunking strategy that follows a rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class EveryThird:
    """Marks every third sentence, and quotes wrongly in texts with an odd number of sentences."""

    def mark(self, instructions: str, texts: Sequence[str], schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        return [self._reply(text.split("\n")) for text in texts]

    def _reply(self, lines: Sequence[str]) -> Mapping[str, Any]:
        right = len(lines) % 2 == 0
        return {
            "boundaries": [
                {"sentence": n, "opening": lines[n - 1].split(". ", 1)[1] if right else "no such words"}
                for n in range(4, len(lines) + 1, 3)
            ]
        }
