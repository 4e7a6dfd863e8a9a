"""Slides of the class beamer: written like any other text, without the numbers of the steps that they appear in."""

from __future__ import annotations

import re

from chunking.loaders.latex_groups import balanced

_CLASS = re.compile(r"\\documentclass\s*(?:\[[^\]]{0,1000}+\])?\s*\{beamer\}|\\begin\s*\{frame\}")
_STEPS = r"<[\d+\-,.|: a-z@]{1,80}>"
_OVERLAY = re.compile(rf"(\\[A-Za-z]+\*?(?:\{{[A-Za-z]+\}})?)\s*{_STEPS}|(?<=\}})\[{_STEPS}\]")
_SHORT_FRAME = re.compile(r"\\frame(?![a-z])\s*(\[[^\]]{0,1000}+\])?\s*\{")


def as_text(source: str) -> str:
    """The source without overlay specifications, and each ``\\frame{...}`` as the environment that it stands for.

    A source of another class stays as it is.
    """
    if not _CLASS.search(source):
        return source
    source = _OVERLAY.sub(lambda found: found[1] or "", source)
    parts: list[str] = []
    at = 0
    while frame := _SHORT_FRAME.search(source, at):
        stop = balanced(source, frame.end())
        # What begins with a group would be taken for the title.
        parts += [source[at : frame.start()], r"\begin{frame}\relax ", source[frame.end() : stop], r"\end{frame}"]
        at = stop + 1
    return "".join([*parts, source[at:]])
