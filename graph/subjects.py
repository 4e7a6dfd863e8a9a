"""A follow-up that only names another subject puts it in the place of the one before: "And the HX-300?"."""

from __future__ import annotations

import re

from graph.support import content_words

_NAME = re.compile(
    r"(?<![A-Za-z0-9_])(?:[a-z]+(?:_[a-z0-9]+)+|[A-Za-z]+-?\d[A-Za-z0-9]*|[A-Z][a-z]+[A-Z]\w*(?: \d+(?:\.(?:\d+|x))+)?"
    r"|\d+(?:\.(?:\d+|x))+)(?![A-Za-z0-9])"
)
"""HX-300, E07; KuStore, with its version; a version alone."""
_VERSION = re.compile(r"(?<![\w.])\d+(?:\.(?:\d+|x))+(?![A-Za-z0-9])")
_NOUN = re.compile(
    r"\A\W*(?:the |an? )?(?!(?i:the|an?|in|on|at|for|from|of|with|without|by|to|near|inside|outside|before|after|during"
    r"|until|since|under|over|within) )([A-Za-z][\w+#.-]*) ([a-z]{3,})\W*\Z"
)
_NOT_OF_IT = re.compile(
    r"(?:the|an?|this|that|its|my|our|your|of|for|on|in|does|do|is|are|which|what)\Z", re.IGNORECASE
)


def replaced(anchor: str, rest: str) -> str | None:
    """`anchor` with what `rest` names in the place of what is of the same kind; None where nothing is.

    `rest` must name and do no more; what it names beside that is added at the end.
    """
    named = [match[0] for match in _NAME.finditer(rest)]
    beside = {word for word in content_words(_NAME.sub(" ", rest)) if word != "呢"}
    if not named or beside:
        return _other_noun(anchor, rest)
    left = []
    for name in named:
        # A version alone may stand for the one behind a product's name.
        pattern = _VERSION if _kind(name) == "version" else _NAME
        fitting = [match for match in pattern.finditer(anchor) if _kind(match[0]) == _kind(name)]
        if len({match[0] for match in fitting}) != 1:
            left.append(name)
            continue
        for match in reversed(fitting):
            anchor = anchor[: match.start()] + name + anchor[match.end() :]
    if len(left) == len(named):
        return None
    ends = re.search(r"[?？.。!！\s]*\Z", anchor)
    at = ends.start() if ends else len(anchor)
    return anchor[:at] + "".join(f", {name}" for name in left) + anchor[at:]


def _kind(name: str) -> str:
    if name[0].isdigit():
        return "version"
    if "_" in name:
        return "parameter"
    return "product" if re.match(r"[A-Z][a-z]+[A-Z]", name) else re.split(r"[-\d]", name, maxsplit=1)[0].lower()


def _other_noun(anchor: str, rest: str) -> str | None:
    """ "the Python client" for "the Go client"."""
    match = _NOUN.match(rest)
    if match is None:
        return None
    found = re.search(rf"(?:([\w+#.-]+) )?\b{re.escape(match[2])}\b", anchor)
    if found is None:
        return None
    before = found[1] or ""
    kept = f"{before} " if before and _NOT_OF_IT.match(before) else ""
    return f"{anchor[: found.start()]}{kept}{match[1]} {match[2]}{anchor[found.end() :]}"
