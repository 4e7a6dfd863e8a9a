"""What a language has for one attribute."""

from __future__ import annotations

from typing import NamedTuple


class Words(NamedTuple):
    """Regular expressions, read without case. `name` is what a refusal calls it."""

    name: str
    asks: str
    """Met in questions: one that only mentions the attribute, or what has it, is better not met."""
    tells: str
    """Met in every passage that may tell it: what asks is met here too."""
    others: str = ""
    """Met in what says something else with the same words: it is not read."""
