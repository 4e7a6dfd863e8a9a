"""Runs of a DOCX paragraph -> its words: what is hidden stays out, what is raised or set as a formula is one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from chunking.loaders.docx_numbering import W, value
from chunking.loaders.scripts import HEIGHTS, Height, formula, on_one_line
from chunking.normalize import clean

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MATH_TEXT = f"{_M}t"
_BREAKS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
_UNREAD = frozenset(f"{W}{name}" for name in ("txbxContent", "pPr", "moveFrom", "del"))
_SHAPES = {
    f"{_M}sSup": ("msup", ("e", "sup")),
    f"{_M}sSub": ("msub", ("e", "sub")),
    f"{_M}sSubSup": ("msubsup", ("e", "sub", "sup")),
    f"{_M}f": ("mfrac", ("num", "den")),
    f"{_M}rad": ("mroot", ("e", "deg")),
    f"{_M}limLow": ("munder", ("e", "lim")),
    f"{_M}limUpp": ("mover", ("e", "lim")),
}
"""Two-dimensional elements of Office's formulas (ECMA-376, 22.1.2): what MathML calls them, and their parts."""


class Runs:
    """What the styles of a document, by their ids, do to the runs that have them."""

    def __init__(self, styles: Mapping[str, Any]) -> None:
        self._styles = styles
        self._marks = {"vanish": self._marked("vanish"), "vertAlign": self._marked("vertAlign")}

    def family(self, style: Any) -> Iterator[Any]:
        """A style and those that it is based on, the nearest first."""
        seen = set()
        while style is not None and style.style_id not in seen:
            seen.add(style.style_id)
            yield style
            style = self._styles.get(value(style.element, "basedOn"))

    def settle(self, root: Any) -> None:
        """Gives runs what their styles say of hiding and height, where they do not say otherwise themselves, and
        writes formulas on one line.
        """
        for name, styles in self._marks.items():
            given = (mark for kind in ("rStyle", "pStyle") for mark in root.iter(f"{W}{kind}"))
            for mark in [mark for mark in given if mark.get(f"{W}val") in styles]:
                owner = mark.getparent().getparent()
                for run in [owner] if owner.tag == f"{W}r" else owner.iter(f"{W}r"):
                    _give(run, name, styles[mark.get(f"{W}val")])
        for node in reversed([*root.iter(*_SHAPES)]):
            shape, names = _SHAPES[node.tag]
            parts = ["".join(each.text or "" for each in node.iterfind(f"{_M}{name}//{_MATH_TEXT}")) for name in names]
            written = node.makeelement(_MATH_TEXT, {})
            written.text, written.tail = formula(shape, parts), node.tail
            node.getparent().replace(node, written)

    def bold(self, paragraph: Any, style: Any) -> bool:
        """Whether every run with words is bold, by itself or by the style of the paragraph."""
        given = [mark for each in self.family(style) if (mark := each.element.find(f"{W}rPr/{W}b")) is not None]
        runs = [run for run in paragraph.iter(f"{W}r") if "".join(run.itertext(f"{W}t")).strip()]
        marks = (run.find(f"{W}rPr/{W}b") for run in runs)
        return bool(runs) and all(_is_on(mark if mark is not None else next(iter(given), None)) for mark in marks)

    def _marked(self, name: str) -> dict[str, str]:
        """Styles that set a property of their runs, by id, with its value."""
        found = {}
        for identifier, style in self._styles.items():
            marks = (each.element.find(f"{W}rPr/{W}{name}") for each in self.family(style))
            mark = next((mark for mark in marks if mark is not None), None)
            if mark is not None and _is_on(mark):
                found[identifier] = mark.get(f"{W}val", "1")
        return found


def _give(run: Any, name: str, setting: str) -> None:
    if run.find(f"{W}rPr/{W}{name}") is not None:
        return
    properties = run.find(f"{W}rPr")
    if properties is None:
        properties = run.makeelement(f"{W}rPr", {})
        run.insert(0, properties)
    properties.append(properties.makeelement(f"{W}{name}", {f"{W}val": setting}))


def words(paragraph: Any) -> str:
    """Text of a paragraph without that of text boxes inside it."""
    runs: list[tuple[Height, str]] = []
    height: Height = ""
    waiting = list(reversed(paragraph))
    while waiting:
        node = waiting.pop()
        if node.tag == f"{W}r":
            height = _height(node)
        if node.tag == _MATH_TEXT:
            runs.append(("", node.text or ""))
        elif node.tag == f"{W}t":
            runs.append((height, node.text or ""))
        elif node.tag in _BREAKS:
            runs.append(("", _BREAKS[node.tag]))
        elif node.tag not in _UNREAD and isinstance(node.tag, str) and not _is_on(node.find(f"{W}rPr/{W}vanish")):
            waiting.extend(reversed(node))
    return clean(on_one_line(runs))


def boxes(paragraph: Any) -> list[Any]:
    """Text boxes; the copy of each that is kept for old programs is passed over."""
    return [
        box
        for box in paragraph.iter(f"{W}txbxContent")
        if not any(isinstance(up.tag, str) and up.tag.endswith("}Fallback") for up in box.iterancestors())
    ]


def _height(run: Any) -> Height:
    mark = run.find(f"{W}rPr/{W}vertAlign")
    return HEIGHTS.get(mark.get(f"{W}val", ""), "") if mark is not None else ""


def _is_on(mark: Any | None) -> bool:
    return mark is not None and mark.get(f"{W}val", "1") not in ("0", "false", "off", "baseline")
