"""Macros that a LaTeX source defines for itself, written out: papers name their method and their terms by them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chunking.loaders.latex_groups import balanced

_DEFINITION = re.compile(
    r"\\(?P<kind>(?:re|provide)?newcommand|providecommand|def|DeclareMathOperator)\*?\s*\{?\s*\\(?P<name>[A-Za-z]+)\s*\}?"
    r"\s*(?:\[(?P<count>\d)\])?\s*(?:\[(?P<default>[^\]]{0,1000}+)\])?(?P<marks>(?:#\d)*)\s*\{"
)
_MACRO = re.compile(r"\\([A-Za-z]+)")
# A space, unless a mark follows (package xspace).
_XSPACE = re.compile(r"\\xspace(?![A-Za-z])[^\S\n]*((?=[\w(\\$]))?")
_LONGEST = 2_000
"""Characters of a definition: longer ones draw or set type, they do not name."""
_PASSES = 4
"""Definitions within definitions."""
_GROWTH = 4
"""Times its length that a text may grow to; what grows beyond is left as it was written."""


@dataclass(frozen=True, slots=True)
class _Macro:
    body: str
    count: int
    default: str | None


def expand(text: str) -> str:
    """The text without its definitions and with what they stand for. Linear for each pass, and bounded in length."""
    macros: dict[str, _Macro] = {}
    parts: list[str] = []
    at = 0
    while definition := _DEFINITION.search(text, at):
        stop = balanced(text, definition.end())
        parts.append(text[at : definition.start()])
        body = text[definition.end() : stop]
        # What is defined anew or as an operator of formulas keeps the meaning that readers know.
        if definition["kind"] in ("newcommand", "providecommand", "def") and len(body) <= _LONGEST:
            count = int(definition["count"] or 0) or definition["marks"].count("#")
            macros[definition["name"]] = _Macro(body, count, definition["default"])
        at = stop + 1
    written = "".join([*parts, text[at:]])
    most = _GROWTH * len(text) + _LONGEST
    for _ in range(_PASSES if macros else 0):
        longer = _written_out(written, macros, most)
        if longer in (written, None):
            break
        written = longer or ""
    return _XSPACE.sub(lambda found: "" if found.group(1) is None else " ", written)


def _written_out(text: str, macros: dict[str, _Macro], most: int) -> str | None:
    """One pass; None where the text would become longer than `most`."""
    parts: list[str] = []
    at = length = 0
    for use in _MACRO.finditer(text):
        macro = macros.get(use.group(1))
        if macro is None or use.start() < at:
            continue
        values, after = _arguments(text, use.end(), macro)
        body = macro.body
        for number in range(1, macro.count + 1):
            body = body.replace(f"#{number}", values[number])
        parts += [text[at : use.start()], body]
        length += use.start() - at + len(body)
        if length > most:
            return None
        at = after
    return "".join([*parts, text[at:]])


def _arguments(text: str, at: int, macro: _Macro) -> tuple[dict[int, str], int]:
    """The arguments after a use and where the text goes on."""
    values: dict[int, str] = {}
    for number in range(1, macro.count + 1):
        here = at
        while text[here : here + 1].isspace():
            here += 1
        if number == 1 and macro.default is not None:
            stop = text.find("]", here, here + 1_000) if text.startswith("[", here) else -1
            values[1], at = (text[here + 1 : stop], stop + 1) if stop > 0 else (macro.default, at)
        elif text.startswith("{", here):
            stop = balanced(text, here + 1)
            values[number], at = text[here + 1 : stop], stop + 1
        else:
            values[number], at = text[here : here + 1], here + 1
    return values, at
