"""HTML as parsers read it in time that grows with its length: nothing nested deep, no empty element left open.

Parsers, and whatever walks their tree, take time that grows with depth times size.
"""

from __future__ import annotations

import re
from collections import Counter

_DEEPEST = 256
"""Chromium stops at 512 (`kMaximumHTMLParserDOMTreeDepth`); what people write seldom reaches 50."""
_MOST_FORMATTING = 8
"""A formatting element that nobody closes is opened anew in every block that follows (HTML standard, "reconstruct
the active formatting elements"): thousands of them make millions."""
# What is opened but never closed ends at the end: no stretch is looked through twice.
_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<raw>script|style)\b(?![^<>]*[\s\"']/>).*?(?:</(?P=raw)\b|\Z)"
    r"|<(?P<close>/?)(?P<name>[a-z][^\s/<>]*)[^<>]*>?",
    re.IGNORECASE | re.DOTALL,
)
# XHTML's empty element; a slash at the end of an unquoted address belongs to the address.
_EMPTY = re.compile(r"(?:\A<[^\s/<>]+|[\s\"'])/>\Z")
BLOCK_TAGS = frozenset(
    [
        *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt"),
        *("fieldset", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr"),
        *("html", "legend", "li", "main", "ol", "p", "pre", "section", "summary", "table", "ul"),
    ]
)
_VOID = frozenset(
    [
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track"),
        "wbr",
    ]
)
_FORMATTING = frozenset(["b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"])
# The next of their kind or the end of their parent closes these, so they do not count.
_UNCOUNTED = frozenset(
    [
        *("a", "body", "colgroup", "dd", "dt", "head", "html", "li", "optgroup", "option", "p", "rp", "rt", "tbody"),
        *("td", "tfoot", "th", "thead", "tr"),
    ]
)
# An end tag inside does not close what was opened outside.
_WALLS = frozenset(["applet", "caption", "marquee", "math", "object", "svg", "table", "template"])
_SPECIAL = frozenset(
    ["button", "dir", "form", "iframe", "listing", "menu", "nav", "noscript", "select", "textarea", "title"]
)
_BLOCKS = BLOCK_TAGS | _SPECIAL | _UNCOUNTED - {"a"}
_CLOSING = _BLOCKS - _UNCOUNTED - _WALLS
_FARTHEST = 600
"""Open elements that an end tag is looked for among."""


def bounded(html: str) -> str:
    """The same page, empty elements written out, and without the tags that lie too deep; their words stay.

    ``<title/>`` would otherwise be taken for a title that goes on to the end of the page.
    """
    parts: list[str] = []
    at = 0
    nesting = _Nesting()
    for tag in _TAG.finditer(html):
        name = (tag["name"] or "").lower()
        if not name or name in _VOID:
            continue
        if not tag["close"] and _EMPTY.search(tag[0]):
            parts += [html[at : tag.end() - 2], f"></{tag['name']}>"]
        elif not (nesting.close(name) if tag["close"] else nesting.open(name)):
            parts.append(html[at : tag.start()])
        else:
            continue
        at = tag.end()
    return "".join([*parts, html[at:]])


class _Nesting:
    """The elements that are open at a point: never fewer than a parser keeps open."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()
        self._depth = 0
        self._walls = 0
        self._formatting: list[tuple[str, int]] = []
        self._left_out: Counter[str] = Counter()

    def open(self, name: str) -> bool:
        """False where the tag is to be left out."""
        if name in _FORMATTING:
            fits = len(self._formatting) < _MOST_FORMATTING
            if fits:
                self._formatting.append((name, self._walls))
        else:
            fits = name in _UNCOUNTED or self._depth < _DEEPEST
            if fits:
                self._push(name)
        self._left_out[name] += not fits
        return fits

    def close(self, name: str) -> bool:
        if self._left_out[name]:
            self._left_out[name] -= 1
            return False
        if name in _FORMATTING:
            if (entry := (name, self._walls)) in self._formatting:
                self._formatting.remove(entry)
        elif self._counts[name]:
            self._pop_to(name)
        return True

    def _push(self, name: str) -> None:
        self._open.append(name)
        self._counts[name] += 1
        self._depth += name not in _UNCOUNTED
        self._walls += name in _WALLS

    def _pop_to(self, name: str) -> None:
        for steps, other in enumerate(reversed(self._open[-_FARTHEST:]), start=1):
            if other == name:
                for gone in self._open[-steps:]:
                    self._counts[gone] -= 1
                    self._depth -= gone not in _UNCOUNTED
                    self._walls -= gone in _WALLS
                del self._open[-steps:]
                return
            # Only the end of a block ends the blocks inside it.
            if name != "table" and (other in _WALLS or (other in _BLOCKS and name not in _CLOSING)):
                return
