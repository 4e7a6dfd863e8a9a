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
        *("area", "base", "basefont", "bgsound", "body", "br", "col", "embed", "frame", "head", "hr", "html", "image"),
        *("img", "input", "keygen", "link", "meta", "param", "source", "track", "wbr"),
    ]
)
_VOID_IN_FOREIGN = frozenset(["body", "br", "embed", "head", "hr", "img", "meta"])
"""Those that end `svg` and `math`; in there the others may hold what follows, as any name may."""
_FORMATTING = frozenset(["b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"])
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_TABLE_PARTS = frozenset(["caption", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr"])
_SPECIAL = frozenset(["button", "dialog", "dir", "form", "listing", "menu", "nav", "noscript", "search"])
_RAW = frozenset(["iframe", "noembed", "noframes", "textarea", "title", "xmp"])
"""Elements whose content is text, whatever it looks like; not so a `title` of `svg`."""
_WALLS = _RAW | {"applet", "marquee", "math", "object", "select", "svg", "table", "template"}
"""Elements that hide what is open outside from what is closed inside."""
_PLAIN_END = frozenset(["dialog", "legend", "noscript", "search"])
"""Blocks whose end tag ends no other block in lexbor, as that of an inline element does not."""
_INTEGRATION = frozenset(["annotation-xml", "desc", "foreignobject", "mi", "mn", "mo", "ms", "mtext", "title"])
"""Elements of `svg` and `math` that hold HTML."""
_BREAKOUT = frozenset(
    [
        *("b", "big", "blockquote", "body", "center", "code", "dd", "div", "dl", "dt", "em", "h1", "h2", "h3", "h4"),
        *("h5", "h6", "i", "li", "listing", "menu", "nobr", "ol", "p", "pre", "ruby", "s", "small", "span", "strike"),
        *("strong", "sub", "sup", "table", "tt", "u", "ul", "var"),
    ]
)
"""Elements whose start ends `svg` and `math`."""
_BLOCKS = BLOCK_TAGS | _SPECIAL | _TABLE_PARTS | _WALLS
_SCOPES = (*_WALLS, "caption", "td", "th")
_RUBY_PARTS = frozenset(["rb", "rp", "rt", "rtc"])
_OPTIONS = frozenset(["optgroup", "option"])
_IMPLIED = _RUBY_PARTS | _OPTIONS | {"dd", "dt", "li", "p"}
"""Elements that another tag ends where they are innermost (HTML standard, "generate implied end tags")."""
_PERHAPS = " "
"""After the name of an element that may have ended: it counts, and an end tag of its name ends nothing inside of it."""
_ENDS = {
    **{name: (name,) for name in ("a", "li", "p", "td", "th", "tr", "tbody", "thead", "tfoot")},
    **dict.fromkeys(["dd", "dt"], ("dd", "dt")),
    **dict.fromkeys(["td", "th"], ("td", "th")),
    **dict.fromkeys(["tbody", "thead", "tfoot"], ("tbody", "thead", "tfoot")),
}
"""The open elements that the start of another ends, as their end tags may be left out."""
_ENDS_INNERMOST = {
    **dict.fromkeys(_HEADINGS, _HEADINGS),
    **dict.fromkeys(_OPTIONS, frozenset(["option"])),
}
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
        if not name or name in (_VOID_IN_FOREIGN if nesting.foreign else _VOID):
            if name == "input" and not tag["close"]:
                nesting.end_select()
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
        self._low: list[int] = []
        """For each of these, how many elements have been open outside of it all the time."""
        self._left_out: Counter[str] = Counter()
        self._form = False
        """Whether a form has begun whose end tag has not come: the standard's "form element pointer"."""

    @property
    def foreign(self) -> bool:
        return bool(self._counts["math"] or self._counts["svg"])

    def open(self, name: str) -> bool:
        """False where the tag is to be left out."""
        if self.foreign and name in _BREAKOUT and self._fits(name):
            self._break_out()
        foreign = self.foreign
        if name in _TABLE_PARTS and not (self._counts["table"] or foreign):
            return True  # parsers pass over it
        if name in _FORMATTING:
            fits = self._fits(name)
            if fits:
                self._formatting.append((name, self._scopes()))
                self._low.append(len(self._open))
        else:
            for other in () if foreign else _ENDS.get(name, ()):
                self._end(other, by_start=True)
            if name == "table" and self._fits(name):  # Without a doctype it goes into the paragraph.
                self._doubt_paragraph()
            elif name in _BLOCKS:
                self._end("p", by_start=True, alone=True)
            fits = self._fits(name)
            if fits:
                self._doubt(self._ended_innermost(name))
                entry = name
                if (name == "form" and self._form) or (name == "select" and self.end_select()):
                    entry += _PERHAPS  # parsers pass over it, mostly
                self._form = self._form or name == "form"
                self._open.append(entry)
                self._counts[entry] += 1
        self._left_out[name] += not fits
        return fits

    def _fits(self, name: str) -> bool:
        return len(self._formatting) < _MOST_FORMATTING if name in _FORMATTING else len(self._open) < _DEEPEST

    def close(self, name: str) -> bool:
        """False where the tag is to be left out."""
        if self._left_out[name]:
            self._left_out[name] -= 1
            return False
        if name in _FORMATTING:
            if (entry := (name, self._scopes())) in self._formatting:
                self._end_formatting(self._formatting.index(entry))
        elif name == "form":
            self._end_form()
        else:
            self._end(name, alone=name in ("math", "svg"))
        return True

    def _scopes(self) -> int:
        """Open elements that hide formatting outside from its end tag."""
        return sum(self._counts[name] for name in _SCOPES)

    def _ended_innermost(self, name: str) -> frozenset[str]:
        """The elements that the start of another ends where they are innermost."""
        if (name in _RUBY_PARTS and (self._counts["ruby"] or self._counts["ruby" + _PERHAPS])) or (
            name in _OPTIONS and self._counts["select"]
        ):
            return _IMPLIED
        return _ENDS_INNERMOST.get(name, frozenset())

    def _doubt(self, names: frozenset[str]) -> None:
        """The innermost elements, as far as they are of these names, end here; unless formatting is open in them."""
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at] in names:
                self._rename(at)
            elif not self._open[at].endswith(_PERHAPS):
                return

    def _break_out(self) -> None:
        """The innermost `svg` or `math` ends here, and what is in it; unless that holds HTML."""
        for at in range(len(self._open) - 1, -1, -1):
            name = self._open[at]
            if name in _INTEGRATION:
                return
            if name in ("math", "svg"):
                self._rename_from(at)
                return

    def end_select(self) -> bool:
        """The start of an input or of another one ends `select`. Whether there is one, perhaps."""
        if self._counts["select"]:
            self._rename_from(self._open.index("select"))
        return bool(self._counts["select" + _PERHAPS])

    def _rename_from(self, first: int) -> None:
        for at in range(first, len(self._open)):
            self._rename(at)

    def _rename(self, at: int) -> None:
        name = self._open[at].removesuffix(_PERHAPS)
        self._counts[self._open[at]] -= 1
        self._open[at] = name + _PERHAPS
        self._counts[name + _PERHAPS] += 1

    def _doubt_paragraph(self) -> None:
        for at in range(len(self._open) - 1, -1, -1):
            name = self._open[at].removesuffix(_PERHAPS)
            if name == "p":
                self._rename(at)
                return
            if _hides(name, "p", by_start=True):
                return

    def _end_formatting(self, number: int) -> None:
        """What is no block ends with the formatting that it is in."""
        for at in range(self._low[number], len(self._open)):
            if self._open[at].removesuffix(_PERHAPS) not in _BLOCKS:
                self._rename(at)
        del self._formatting[number], self._low[number]

    def _end_form(self) -> None:
        """The last form that began inside of no other ends; what is open in it stays so, and stays nested in it."""
        self._doubt(_IMPLIED)
        if self._counts["form"]:
            at = self._open.index("form")
            inside = [each.removesuffix(_PERHAPS) for each in self._open[at + 1 :]]
            if (self.foreign and inside) or any(_hides(each, "form", by_start=False) for each in inside):
                self._rename(at)
            else:
                self._drop(at, at + 1)
        self._form = False

    def _end(self, name: str, *, by_start: bool = False, alone: bool = False) -> None:
        """Ends the innermost element of the name and, unless `alone`, those inside.

        One that may have ended goes alone: then the next one may have ended, too.
        """
        names = _HEADINGS if name in _HEADINGS else (name,)  # the end of any heading ends one of whatever level
        if not any(self._counts[each] or self._counts[each + _PERHAPS] for each in names):
            return
        doubtful = False
        last = len(self._open) - 1
        for at in range(last, max(last - _FARTHEST, -1), -1):
            entry = self._open[at]
            other = entry.removesuffix(_PERHAPS)
            if other not in names:
                if _hides(other, name, by_start=by_start):
                    return
            elif entry != other:
                if not doubtful:
                    self._drop(at, at + 1)
                doubtful = True
            elif doubtful:
                self._rename(at)
                return
            elif alone:
                self._drop(at, at + 1)
                self._rename_from(at)
                return
            else:
                self._drop(at, len(self._open))
                return

    def _drop(self, first: int, end: int) -> None:
        self._counts.subtract(self._open[first:end])
        del self._open[first:end]
        self._low = [low - (end - first) if end <= low else min(low, first) for low in self._low]


def _hides(other: str, name: str, *, by_start: bool) -> bool:
    """Whether an open element keeps those outside of it from being ended by a tag inside."""
    if name in _RAW and not by_start and other not in ("math", "svg"):
        return False
    if name in _TABLE_PARTS or name == "table":
        return other in ("math", "svg", "table", "template") or other in _RAW
    if other in _WALLS or other in _TABLE_PARTS:
        return True
    if by_start or name not in _BLOCKS or name in _PLAIN_END or name == "p":  # Blocks inside of `p` have ended it.
        return other in _BLOCKS and not (name == "li" and other == "p")
    return name == "li" and other in ("ol", "ul")
