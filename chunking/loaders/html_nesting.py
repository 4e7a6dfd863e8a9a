"""Nesting of HTML held to a depth: parsers and whatever walks the tree take time that grows with depth times size."""

from __future__ import annotations

import re

_DEEPEST = 256
"""Chromium stops at 512 (`kMaximumHTMLParserDOMTreeDepth`); what people write seldom reaches 50."""
# What is opened but never closed ends at the end: no stretch is looked through twice.
_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<raw>script|style)\b.*?(?:</(?P=raw)\b|\Z)|<(?P<close>/?)(?P<name>[a-z][^\s/<>]*)[^<>]*>?",
    re.IGNORECASE | re.DOTALL,
)
# Elements that hold nothing, or that the next of their kind closes.
_NEVER_NEST = frozenset(
    {
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "source",
        "track",
        "wbr",
        "param",
        "html",
        "head",
        "body",
        "p",
        "li",
        "dt",
        "dd",
        "tr",
        "td",
        "th",
        "thead",
        "tbody",
        "tfoot",
        "colgroup",
        "option",
        "optgroup",
        "rp",
        "rt",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
    }
)


def bounded(html: str) -> str:
    """The same page, or, where elements lie deeper than that, without the tags of those; their words stay."""
    parts: list[str] = []
    at = depth = 0
    for tag in _TAG.finditer(html):
        name = tag["name"]
        if name is None or tag[0].endswith("/>") or name.lower() in _NEVER_NEST:
            continue
        if not tag["close"]:
            depth += 1
        if depth > _DEEPEST:
            parts.append(html[at : tag.start()])
            at = tag.end()
        if tag["close"]:
            depth = max(0, depth - 1)
    return "".join([*parts, html[at:]])
