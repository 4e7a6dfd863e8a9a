"""What of an HTML page is its content: neither hidden, nor a control, nor what frames the content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_DROPPED = (
    "script,style,noscript,template,svg,canvas,iframe,object,embed,button,select,input,textarea,nav,dialog,"
    "[hidden],[aria-hidden=true],[role=navigation],[role=search],.mw-editsection,sup.reference,.navbox,"
    "td.linenos,span.linenos,span.lineno,td.gutter"
)
_STYLED = "[style*=none],[style*=hidden]"
_HIDING = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_TITLES = ("h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt", "[role=heading]")
_OPENED = ",".join([*(f"{title} [aria-controls]" for title in _TITLES), "[role=tab][aria-controls]"])
"""What shows a part of the content that is hidden at first."""
_CONTENT = "h1,h2,h3,h4,p,table,ul,ol,pre,article,main"
_FRAME = "header,footer,aside,[role=banner],[role=contentinfo],[role=complementary]"
_INSIDE = frozenset(["article", "section", "blockquote", "main"])
_FRAME_TAGS = frozenset(["a", "aside", "div", "footer", "form", "header", "ol", "p", "span", "ul"])
# What pages without semantic elements call their frames: words of a class or an id, joined by hyphens.
_NAME = re.compile(
    r"(?:^|-)(?:breadcrumbs?|onetrust|page-footer|pagination|prev-next|site-footer|skip-link|table-of-contents|toc-macro"
    r"|cookie-?(?:consent|law|banner|notice|bar)|consent-(?:banner|bar|dialog|manager|modal|notice|popup))(?:-|$)"
    r"|(?:^|-)(?:cookies?|gdpr)(?:-.*)?-(?:banner|bar|dialog|message|modal|notice|overlay|popup|prompt)(?:-|$)"
    r"|^(?:menu|nav|navbar|sidebar|toc|footer)$"
)
_CLASS = frozenset(["share", "related"])
_WORD = re.compile(r"[a-z0-9]+|[A-Z][a-z0-9]*")
_NAMED = ",".join(
    f"[{name}*={word} i]"
    for name in ("class", "id")
    for word in (
        *("breadcrumb", "consent", "cookie", "contents", "footer", "gdpr", "menu", "nav", "onetrust", "pagination"),
        *("prev", "related", "share", "sidebar", "skip", "toc"),
    )
)
_FEWEST_LINKS = 6
_LINK_SHARE = 0.8
_MAIN = ("main", "[role=main]", "article", "#mw-content-text", "#main-content", "#content", "#main")


def content(tree: Any, *, framed: bool) -> Any:
    """The element that holds the content, without what is none of it; None where the page has no body.

    A page that is not `framed`, a chapter of a book, has no page header, page footer or side bar.
    """
    _drop_hidden(tree)
    if tree.body is None:
        return None
    _drop_forms(tree.body)
    root, unframed = _main(tree)
    if framed and not unframed:
        for node in reversed(root.css(_FRAME)):
            if not _is_inside(node, root) or _is_mostly_links(node):
                node.decompose()
    _drop_navigation(root, framed=framed)
    return root


def _drop_hidden(tree: Any) -> None:
    """Removes controls and what is not shown, but for the titles that buttons hold, what those open, and formulas that
    stand behind their picture. A formula is said once: as TeX where the page has it."""
    titles = {node.mem_id for title in _TITLES for node in tree.css(f"{title} button")}
    opened = {node.attributes.get("aria-controls") for node in tree.css(_OPENED)} - {None}
    for node in reversed(tree.css(_DROPPED)):  # the inner ones first
        if node.mem_id in titles:
            node.unwrap()
        elif node.tag != "body" and node.attributes.get("id") not in opened:
            node.decompose()
    whole = len(_squeezed(tree.body)) if tree.body is not None else 0
    for node in reversed(tree.css(_STYLED)):
        attributes = node.attributes
        if not _HIDING.search(attributes.get("style") or "") or attributes.get("id") in opened:
            continue
        # A script shows what is most of the page.
        if node.css_first("math") is None and len(_squeezed(node)) * 2 < whole:
            node.decompose()
    for formula in tree.css("math semantics"):
        written = formula.css_first('annotation[encoding="application/x-tex"]')
        for child in list(formula.iter(include_text=True)):
            if child.mem_id != written.mem_id if written is not None else child.tag.startswith("annotation"):
                child.decompose()


def _drop_forms(body: Any) -> None:
    """Removes forms, but not one that holds most of the page: some servers wrap every page in one."""
    whole = len(_squeezed(body))
    for form in reversed(body.css("form")):
        if len(_squeezed(form)) * 2 < whole or form.css_first(_CONTENT) is None:
            form.decompose()


def _main(tree: Any) -> tuple[Any, bool]:
    """The innermost element that surely holds the content, and whether page frames lie outside of it."""
    whole = len(tree.body.text())
    for selector in _MAIN:
        found = tree.css(selector)
        # Several articles are a list of teasers; a main element with little text is a shell.
        if len(found) == 1 and len(found[0].text()) * 4 >= whole:
            return found[0], not selector.endswith(("#content", "#main"))
    return tree.body, False


def _drop_navigation(root: Any, *, framed: bool) -> None:
    """Removes named frames and lists of links, unless they hold so much of the page that they are its content."""
    whole = len(_squeezed(root))
    named = {node.mem_id for node in root.css(_NAMED) if _is_named(node)} if framed else set()
    for node in reversed(root.css(f"{_NAMED},ul,ol")):
        if node.mem_id == root.mem_id:
            continue
        own = len(_squeezed(node))
        if own * 3 >= whole:
            continue
        frame = node.mem_id in named and (not _is_inside(node, root) or _is_mostly_links(node))
        if frame or (node.tag in ("ul", "ol") and _is_navigation(node, own)):
            node.decompose()


def _is_named(node: Any) -> bool:
    """Whether class or id call the element a frame; what is no frame element must be nearly all links as well."""
    attributes = node.attributes
    classes = (attributes.get("class") or "").split()
    names = ("-".join(_WORD.findall(name)).lower() for name in [*classes, attributes.get("id") or ""])
    if not any(map(_NAME.search, names)) and _CLASS.isdisjoint(classes):
        return False
    return node.tag in _FRAME_TAGS or _is_mostly_links(node)


def _is_inside(node: Any, root: Any) -> bool:
    """Whether the element is a part of an article, a section or a quote, the root included."""
    if root.tag in _INSIDE:
        return True
    return any(parent.tag in _INSIDE for parent in _parents(node, root))


def _parents(node: Any, root: Any) -> Iterator[Any]:
    while (node := node.parent) is not None and node.mem_id != root.mem_id:
        yield node


def _is_navigation(items: Any, length: int) -> bool:
    """Whether a list is nothing but links: to other pages, or two and more to places of this one."""
    links = items.css("a[href]")
    if sum(len(_squeezed(link)) for link in links) < _LINK_SHARE * length:
        return False
    here = all((link.attributes.get("href") or "").startswith("#") for link in links)
    return len(links) >= (2 if here else _FEWEST_LINKS)


def _is_mostly_links(node: Any) -> bool:
    own = len(_squeezed(node))
    links = [node] if node.tag == "a" else node.css("a[href]")
    return sum(len(_squeezed(link)) for link in links) * 2 >= own


def _squeezed(node: Any) -> str:
    return "".join(node.text().split())
