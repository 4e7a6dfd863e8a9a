"""HTML: the main content as text, with headings, lists, tables and code.

What frames the content (navigation, page header and footer, forms, hidden parts) is left out, see `html_frames`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from chunking.errors import DocumentError
from chunking.loaders.base import Parsed, TextBuilder, item_indent
from chunking.loaders.html_frames import content
from chunking.loaders.html_nesting import BLOCK_TAGS, bounded
from chunking.loaders.html_scripts import write_scripts
from chunking.loaders.html_tables import flat, runs_of, written
from chunking.loaders.stated import stated_title
from chunking.loaders.titles import with_titles
from chunking.normalize import clean, decode

_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_PARTS = BLOCK_TAGS | {"form", "td", "th", "tr"}
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_LONGEST_NUMBER = 6
_SPANS = "a table's cells over many rows and columns are said once: written out they would be most of the text"


def load_html(data: bytes, source: str) -> Parsed:
    declared = _CHARSET.search(data[:4096])
    html, note = decode(data, source=source, declared=declared.group(1).decode() if declared else None)
    builder = TextBuilder()
    page = write_page(html, builder)
    if page is None:
        raise DocumentError(f"{source} has no HTML body: check that it is a whole page.", code="damaged")
    title = page.title
    blocks = with_titles(builder.text, builder.blocks, page.bold)
    first = next((block for block in blocks if block.kind == "heading"), None)
    if first and (not title or (len(first.heading_path[-1]) > 3 and first.heading_path[-1] in title)):
        # "Page | Site": the page's own heading is the better name.
        title = first.heading_path[-1]
    return Parsed(builder.text, blocks, title=title, notes=((note,) if note else ()) + page.notes)


@dataclass(frozen=True, slots=True)
class Page:
    """The title that a page states, what readers of its text should know, and the numbers of the blocks that are bold
    throughout.
    """

    title: str
    notes: tuple[str, ...]
    bold: frozenset[int]


def write_page(html: str, builder: TextBuilder, *, framed: bool = True) -> Page | None:
    """Adds the main content; a page that is not `framed` is no part of a site. None where it has no body."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(bounded(html))
    title_node = tree.css_first("title")
    title = stated_title(title_node.text()) if title_node else ""
    root = content(tree, framed=framed)
    if root is None:
        return None
    write_scripts(root)
    for line in reversed(root.css("pre br, pre div, pre li, pre p")):
        if line.tag == "br":
            line.replace_with("\n")
        else:
            line.insert_after("\n")
    writer = _Writer(builder)
    writer.walk(root)
    return Page(title, tuple(writer.notes), frozenset(writer.bold))


class _Writer:
    """Walks the tree with its own stack: nesting in the wild is deeper than Python's recursion limit."""

    def __init__(self, builder: TextBuilder) -> None:
        self.builder = builder
        self.notes: dict[str, None] = {}
        self.bold: set[int] = set()
        self._inline: list[str] = []
        self._is_bold = True

    def walk(self, root: Any) -> None:
        stack: list[tuple[Any, bool]] = [(root, False)]
        while stack:
            node, leaving = stack.pop()
            tag = node.tag
            if leaving:
                self._flush()
                continue
            if tag == "-text":
                words = node.text_content or ""
                self._inline.append(words)
                self._is_bold = self._is_bold and (words.isspace() or _is_bold(node))
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
            children = _children(node)
            parts = (
                [_words(child) for child in children] if any(child.tag == "p" for child in children) else [flat(node)]
            )
            self.builder.add("quote", "\n".join(part for part in parts if part))
        else:
            return False
        return True

    def _add_table(self, table: Any) -> None:
        caption = table.css_first("caption")
        if caption is not None:
            self.builder.add("paragraph", flat(caption))
        for records, rows in runs_of(table):
            if records:
                text, whole = written(rows)
                self.builder.add("table", text)
                if not whole:
                    self.notes[_SPANS] = None
            else:
                for row in rows:
                    self.walk(row)  # depth is bounded, see html_nesting

    def _flush(self) -> None:
        if self._inline:
            lines = "".join(self._inline).split("\x00")
            words = clean("\n".join(" ".join(line.split()) for line in lines))
            if self._is_bold and words.strip():
                self.bold.add(len(self.builder.blocks))
            self.builder.add("paragraph", words)
            self._inline.clear()
        self._is_bold = True


def _is_bold(node: Any) -> bool:
    """Whether an element of the line that a text stands in makes it bold."""
    while (node := node.parent) is not None and node.tag not in _PARTS:
        if node.tag in ("b", "strong") or _BOLD.search(node.attributes.get("style") or ""):
            return True
    return node is not None and _BOLD.search(node.attributes.get("style") or "") is not None


def _words(node: Any) -> str:
    return " ".join(clean(node.text_content or "").split()) if node.tag == "-text" else flat(node)


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
            number = _number(node.attributes.get("start"), 1) - 1
            inner: list[tuple[Any, int, str]] = []
            for child in node.iter():
                if child.tag == "li":
                    number = _number(child.attributes.get("value"), number + 1)
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


def _number(stated: str | None, otherwise: int) -> int:
    stated = (stated or "").strip()
    return int(stated) if stated.isascii() and stated.isdigit() and len(stated) < _LONGEST_NUMBER else otherwise


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
        if node is None:
            parts.append(" ")
        elif node.tag == "-text":
            parts.append(node.text_content or "")
        elif node.tag == "pre":
            codes.append(clean(node.text()).strip("\n").rstrip())
            parts.append("\v")
        elif node.tag not in ("ul", "ol", "dl"):
            if node.tag in BLOCK_TAGS or node.tag == "br":
                parts.append(" ")
                stack.append(None)  # a block ends as it begins
            stack.extend(reversed(_children(node)))
    pieces = [" ".join(clean(piece).split()) for piece in "".join(parts).split("\v")]
    fenced = [f"\n```\n{code}\n```\n" for code in codes]
    return "".join(piece + code for piece, code in zip_longest(pieces, fenced, fillvalue="")).strip()
