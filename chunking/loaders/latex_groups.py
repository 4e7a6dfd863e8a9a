"""Arguments of LaTeX commands: groups in braces and options in brackets."""

from __future__ import annotations

import re

OPTION = r"(?:\[[^\]]{0,1000}+\])?"
"""An optional argument. Bounded, as brackets that never close would be looked through again from each of them."""
_ARGUMENTS = re.compile(rf"(?:\s*{OPTION})?")


def balanced(text: str, at: int) -> int:
    """Where the group that was opened before `at` is closed; the end of the text where it is not."""
    depth = 1
    for match in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, at):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if not depth:
            return match.start()
    return len(text)


def skip_group(text: str, at: int) -> int:
    """Past a group that begins at `at` or after whitespace; `at` where none does."""
    while at < len(text) and text[at].isspace():
        at += 1
    return balanced(text, at + 1) + 1 if text.startswith("{", at) else at


def past_option(text: str, at: int) -> int:
    found = _ARGUMENTS.match(text, at)
    return found.end() if found else at
