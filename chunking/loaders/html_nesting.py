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
# Elements without content, and those that stand once whatever a page says.
_VOID = frozenset(
    [
        *("area", "base", "body", "br", "col", "embed", "head", "hr", "html", "img", "input", "link", "meta", "param"),
        *("source", "track", "wbr"),
    ]
)
_FORMATTING = frozenset(["b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"])
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_TABLE_PARTS = frozenset(["caption", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr"])
_SPECIAL = frozenset(["button", "dir", "form", "iframe", "menu", "nav", "noscript", "select", "textarea", "title"])
_WALLS = frozenset(["applet", "marquee", "math", "object", "svg", "table", "template"])
"""Elements that hide what is open outside from what is closed inside."""
_BLOCKS = BLOCK_TAGS | _SPECIAL | _TABLE_PARTS | _WALLS
_INLINE_ONLY = frozenset(["form", "p"])
"""Blocks whose end ends no block inside: `form` leaves the others open, `p` was ended by their start."""
_ENDS = {
    **{name: (name,) for name in ("a", "li", "p", "td", "th", "tr", "tbody", "thead", "tfoot")},
    **dict.fromkeys(["dd", "dt"], ("dd", "dt")),
    **dict.fromkeys(["td", "th"], ("td", "th")),
    **dict.fromkeys(["tbody", "thead", "tfoot"], ("tbody", "thead", "tfoot")),
}
"""The open elements that the start of another ends, as their end tags may be left out."""
_FARTHEST = 600
"""Open elements that one to be ended is looked for among."""


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
            fits = nesting.open(name)
            nesting.close(name)
            parts += [html[at : tag.end() - 2], f"></{tag['name']}>"] if fits else [html[at : tag.start()]]
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
        self._formatting: list[tuple[str, int]] = []
        self._left_out: Counter[str] = Counter()

    def open(self, name: str) -> bool:
        """False where the tag is to be left out."""
        foreign = self._counts["math"] or self._counts["svg"]
        if name in _TABLE_PARTS and not (self._counts["table"] or foreign):
            return True  # parsers pass over it
        if name in _FORMATTING:
            fits = len(self._formatting) < _MOST_FORMATTING
            if fits:
                self._formatting.append((name, self._counts["table"]))
        else:
            for other in () if foreign else _ENDS.get(name, ()):
                self._end(other, by_start=True)
            if name in _BLOCKS and self._counts["p"]:
                self._end("p", by_start=True, alone=True)
            fits = len(self._open) < _DEEPEST
            if fits:
                self._open.append(name)
                self._counts[name] += 1
        self._left_out[name] += not fits
        return fits

    def close(self, name: str) -> bool:
        """False where the tag is to be left out."""
        if self._left_out[name]:
            self._left_out[name] -= 1
            return False
        if name in _FORMATTING:
            if (entry := (name, self._counts["table"])) in self._formatting:
                self._formatting.remove(entry)
        else:
            if name in _HEADINGS:  # the end of any heading ends the innermost one, whatever its level
                name = next((each for each in reversed(self._open[-_FARTHEST:]) if each in _HEADINGS), name)
            self._end(name, alone=name in ("math", "svg"))
        return True

    def _end(self, name: str, *, by_start: bool = False, alone: bool = False) -> None:
        """Ends the element and, unless `alone`, those inside."""
        if not self._counts[name]:
            return
        for steps, other in enumerate(reversed(self._open[-_FARTHEST:]), start=1):
            if other == name and alone:
                self._counts[name] -= 1
                del self._open[-steps]
                return
            if other == name:
                self._counts.subtract(self._open[-steps:])
                del self._open[-steps:]
                return
            if _hides(other, name, by_start=by_start):
                return


def _hides(other: str, name: str, *, by_start: bool) -> bool:
    """Whether an open element keeps those outside of it from being ended by a tag inside."""
    if name in _TABLE_PARTS or name == "table":
        return other in ("math", "svg", "table", "template")
    if other in _WALLS or other in _TABLE_PARTS:
        return True
    if by_start or name not in _BLOCKS or name in _INLINE_ONLY:
        return other in _BLOCKS and not (name == "li" and other == "p")
    return name == "li" and other in ("ol", "ul")
