"""HTML: the main content as text, with headings, lists, tables and code.

What frames the content (navigation, page header and footer, forms, hidden parts) is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Any

from chunking.errors import DocumentError
from chunking.loaders.base import Parsed, TextBuilder, item_indent
from chunking.loaders.html_nesting import BLOCK_TAGS, bounded
from chunking.loaders.html_tables import flat, is_records, rows_of, written
from chunking.normalize import clean, decode

_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_DROPPED = (
    "script,style,noscript,template,svg,canvas,iframe,object,embed,form,button,select,input,textarea,nav,dialog,"
    "[hidden],[aria-hidden=true],[role=navigation],[role=search],.mw-editsection,sup.reference,.navbox,"
    "td.linenos,span.linenos,span.lineno,td.gutter"
)
_FRAME = "header,footer,aside,[role=banner],[role=contentinfo],[role=complementary]"
# What pages without semantic elements call their frames.
_FRAME_WORDS = (
    *("breadcrumb", "consent", "cookie", "onetrust", "page-footer", "pagination", "prev-next", "site-footer"),
    *("skip-link", "table-of-contents", "toc-macro"),
)
_NAMED_FRAMES = ",".join(
    [
        *(f"[{name}*={word}]" for name in ("class", "id") for word in _FRAME_WORDS),
        *(f"[class~={word}]" for word in ("menu", "nav", "navbar", "sidebar", "toc", "footer", "share", "related")),
        *(f"[id={word}]" for word in ("menu", "nav", "navbar", "sidebar", "toc", "footer")),
    ]
)
_FEWEST_LINKS = 6
_LINK_SHARE = 0.8
_PARTS = BLOCK_TAGS | {"td", "th", "tr"}
_SPANS = "a table's cells over many rows and columns are said once: written out they would be most of the text"
_MAIN = ("main", "[role=main]", "article", "#mw-content-text", "#main-content", "#content", "#main", "body")


def load_html(data: bytes, source: str) -> Parsed:
    declared = _CHARSET.search(data[:4096])
    html, note = decode(data, source=source, declared=declared.group(1).decode() if declared else None)
    builder = TextBuilder()
    page = write_page(html, builder)
    if page is None:
        raise DocumentError(f"{source} has no HTML body: check that it is a whole page.")
    title = page.title
    first = next((block for block in builder.blocks if block.kind == "heading"), None)
    if first and (not title or (len(first.heading_path[-1]) > 3 and first.heading_path[-1] in title)):
        # "Page | Site": the page's own heading is the better name.
        title = first.heading_path[-1]
    return Parsed(builder.text, tuple(builder.blocks), title=title, notes=((note,) if note else ()) + page.notes)


@dataclass(frozen=True, slots=True)
class Page:
    """The title that a page states, and what readers of its text should know."""

    title: str
    notes: tuple[str, ...]


def write_page(html: str, builder: TextBuilder) -> Page | None:
    """Adds the main content. None where the page has no body."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(bounded(html))
    title_node = tree.css_first("title")
    title = " ".join(clean(title_node.text()).split()) if title_node else ""
    for node in reversed(tree.css(_DROPPED)):  # the inner ones first
        node.decompose()
    root, unframed = _main(tree)
    if root is None:
        return None
    if not unframed:
        for node in reversed(root.css(_FRAME)):
            node.decompose()
    _drop_navigation(root)
    writer = _Writer(builder)
    writer.walk(root)
    return Page(title, tuple(writer.notes))


def _main(tree: Any) -> tuple[Any, bool]:
    """The innermost element that surely holds the content, and whether page frames lie outside of it."""
    body = tree.body
    if body is None:
        return None, False
    whole = len(body.text())
    for selector in _MAIN[:-1]:
        found = tree.css(selector)
        # Several articles are a list of teasers; a main element with little text is a shell.
        if len(found) == 1 and len(found[0].text()) * 4 >= whole:
            return found[0], not selector.endswith(("#content", "#main"))
    return body, False


def _drop_navigation(root: Any) -> None:
    """Removes named frames and lists of links, unless they hold so much of the page that they are its content."""
    whole = len(_squeezed(root))
    named = {node.mem_id for node in root.css(_NAMED_FRAMES)}
    for node in reversed(root.css(f"{_NAMED_FRAMES},ul,ol")):
        if node.mem_id == root.mem_id:
            continue
        own = len(_squeezed(node))
        if own * 3 < whole and (node.mem_id in named or _is_navigation(node, own)):
            node.decompose()


def _is_navigation(items: Any, length: int) -> bool:
    """Whether a list is nothing but links: to other pages, or two and more to places of this one."""
    links = items.css("a[href]")
    if sum(len(_squeezed(link)) for link in links) < _LINK_SHARE * length:
        return False
    here = all((link.attributes.get("href") or "").startswith("#") for link in links)
    return len(links) >= (2 if here else _FEWEST_LINKS)


def _squeezed(node: Any) -> str:
    return "".join(node.text().split())


class _Writer:
    """Walks the tree with its own stack: nesting in the wild is deeper than Python's recursion limit."""

    def __init__(self, builder: TextBuilder) -> None:
        self.builder = builder
        self.notes: dict[str, None] = {}
        self._inline: list[str] = []

    def walk(self, root: Any) -> None:
        stack: list[tuple[Any, bool]] = [(root, False)]
        while stack:
            node, leaving = stack.pop()
            tag = node.tag
            if leaving:
                self._flush()
                continue
            if tag == "-text":
                self._inline.append(node.text_content or "")
                continue
            if tag == "br":
                self._inline.append("\x00")
                continue
            if tag not in _PARTS:
                # Inline: its children in place.
                stack.extend((child, False) for child in reversed(_children(node)))
                continue
            self._flush()
            if not self._whole(node, tag):
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(_children(node)))
        self._flush()

    def _whole(self, node: Any, tag: str) -> bool:
        """Adds a node that makes one block of its own; False where its children must be walked."""
        if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            for link in node.css('a[href^="#"]'):
                if not any(letter.isalnum() for letter in link.text()):  # ¶, #: a link to the heading itself
                    link.decompose()
            self.builder.add("heading", flat(node), level=int(tag[1]))
        elif tag == "pre":
            self.builder.add("code", clean(node.text()))
        elif tag == "table":
            self._add_table(node)
        elif tag in ("ul", "ol", "dl") and not node.css("table, h1, h2, h3, h4, h5, h6"):
            self.builder.add("list", "\n".join(_items(node)))
        elif tag == "blockquote" and not node.css("table, pre, ul, ol"):
            paragraphs = [flat(child) for child in _children(node) if child.tag == "p"]
            self.builder.add("quote", "\n".join(paragraphs) if paragraphs else flat(node))
        else:
            return False
        return True

    def _add_table(self, table: Any) -> None:
        caption = table.css_first("caption")
        if caption is not None:
            self.builder.add("paragraph", flat(caption))
        for records, rows in groupby(rows_of(table), is_records):
            if records:
                text, whole = written(list(rows))
                self.builder.add("table", text)
                if not whole:
                    self.notes[_SPANS] = None
            else:
                for row in rows:
                    self.walk(row)  # depth is bounded, see html_nesting

    def _flush(self) -> None:
        if self._inline:
            lines = "".join(self._inline).split("\x00")
            self.builder.add("paragraph", clean("\n".join(" ".join(line.split()) for line in lines)))
            self._inline.clear()


def _children(node: Any) -> list[Any]:
    return list(node.iter(include_text=True))


def _items(root: Any) -> list[str]:
    """One line an item, two spaces of indentation a level, numbers for ordered lists."""
    lines: list[str] = []
    stack: list[tuple[Any, int, str]] = [(root, 0, "")]
    while stack:
        node, depth, marker = stack.pop()
        tag = node.tag
        if tag in ("ul", "ol", "dl"):
            number = 0
            inner: list[tuple[Any, int, str]] = []
            for child in node.iter():
                if child.tag == "li":
                    number += 1
                    inner.append((child, depth, f"{number}. " if tag == "ol" else "- "))
                elif child.tag in ("dt", "dd", "ul", "ol", "div"):
                    inner.append((child, depth, "- " if child.tag == "dt" else "  " if child.tag == "dd" else ""))
            stack.extend(reversed(inner))
            continue
        nested = [child for child in node.css("ul, ol, dl") if _nearest_item(child, node)]
        own = _own_text(node)
        if own:
            lines.append(f"{item_indent(depth)}{marker}{own}")
        stack.extend((child, depth + 1, "") for child in reversed(nested))
    return lines


def _nearest_item(child: Any, item: Any) -> bool:
    parent = child.parent
    while parent is not None and parent.mem_id != item.mem_id:
        if parent.tag in ("ul", "ol", "dl"):
            return False
        parent = parent.parent
    return parent is not None


def _own_text(item: Any) -> str:
    """Words of an item on one line, without those of lists inside; code between fences."""
    parts: list[str] = []
    codes: list[str] = []
    stack = list(reversed(_children(item)))
    while stack:
        node = stack.pop()
        if node.tag == "-text":
            parts.append(node.text_content or "")
        elif node.tag == "pre":
            codes.append(clean(node.text()).strip("\n").rstrip())
            parts.append("\v")
        elif node.tag not in ("ul", "ol", "dl"):
            if node.tag in BLOCK_TAGS or node.tag == "br":
                parts.append(" ")
            stack.extend(reversed(_children(node)))
    pieces = [" ".join(clean(piece).split()) for piece in "".join(parts).split("\v")]
    fenced = [f"\n```\n{code}\n```\n" for code in codes]
    return "".join(piece + code for piece, code in zip_longest(pieces, fenced, fillvalue="")).strip()
