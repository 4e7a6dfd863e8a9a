"""Raised and lowered parts of a page, and the layout of MathML, in characters of one line."""

from __future__ import annotations

from typing import Any

from chunking.loaders.html_nesting import BLOCK_TAGS
from chunking.loaders.scripts import formula, lowered, raised

_NEAR = 12
"""Characters before a raised part that tell what it is."""
_STEPS = 8
"""Neighbours that are asked for them."""
_NOTES = ("#", "javascript:")
_LAYOUT = "mfrac, msqrt, mroot, msup, msub, msubsup, munder, mover, munderover"


def write_scripts(root: Any) -> None:
    """Replaces what is raised, lowered or set as a fraction by text; what stands inside of others first."""
    for node in reversed(root.css(_LAYOUT)):
        parts = ["".join(child.text().split()) for child in node.iter(include_text=True)]
        parts = [part for part in parts if part]  # an empty base, as of ¹⁴C, leaves no trace
        node.replace_with(formula(node.tag, ["".join(parts)] if node.tag == "msqrt" else parts))
    nested = root.css("sup sup, sup sub, sub sup, sub sub")
    inner = {node.mem_id for node in nested}
    outer = [node for node in root.css("sup, sub") if node.mem_id not in inner]
    for node in [*reversed(nested), *outer]:
        content, before, after = " ".join(node.text().split()), _beside(node, "prev"), _beside(node, "next")
        if node.tag == "sub":
            node.replace_with(lowered(content, before, after))
        else:
            node.replace_with(raised(content, before, after, note=_refers(node)))


def _refers(node: Any) -> bool:
    """Whether a raised part is a link to a note of its page, or in one."""
    link = node.css_first("a[href]") or (node.parent if node.parent is not None and node.parent.tag == "a" else None)
    return link is not None and (link.attributes.get("href") or "").startswith(_NOTES)


def _beside(node: Any, side: str) -> str:
    """The nearest text of the same line on one side, or its end that is nearest."""
    found = ""
    at = node
    for _ in range(_STEPS):
        beside = getattr(at, side)
        while beside is None:
            at = at.parent
            if at is None or at.tag in BLOCK_TAGS or at.tag in ("td", "th", "body"):
                return found
            beside = getattr(at, side)
        if beside.tag in BLOCK_TAGS or beside.tag == "br":
            break
        text = beside.text_content if beside.tag == "-text" else beside.text()
        found = (text or "")[-_NEAR:] + found if side == "prev" else found + (text or "")[:_NEAR]
        if len(found) >= _NEAR:
            break
        at = beside
    return found
