"""LaTeX source: sections, lists, tables, code and displayed math; the rest gives way to text.

Macros that the source defines are written out; an unknown command leaves its arguments' text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from chunking.loaders.base import Parsed, TextBuilder, item_indent
from chunking.loaders.latex_groups import OPTION, balanced, past_option, skip_group
from chunking.loaders.latex_inline import INLINE_CODE, plain
from chunking.loaders.latex_macros import expand
from chunking.loaders.latex_slides import as_text
from chunking.loaders.latex_tables import TABLES, table
from chunking.normalize import decode
from chunking.types import BlockKind

_LEVELS = {"part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5, "frametitle": 6, "paragraph": 7}
_BLOCK = 8
"""The level of a block with a title, inside a slide."""
_CODE = ("verbatim", "Verbatim", "lstlisting", "minted", "alltt")
_MATH = ("equation", "align", "gather", "multline", "eqnarray", "displaymath", "alignat", "flalign", "math")
_LISTS = ("itemize", "enumerate", "description", "thebibliography", "compactitem", "compactenum")
_QUOTES = ("quote", "quotation", "verse")
_FLOATS = (
    "figure",
    "table",
    "wrapfigure",
    "wraptable",
    "algorithm",
    "algorithmic",
    "minipage",
    "multicols",
    "subfigure",
    "columns",
    "frame",
)
_BLOCKS = ("block", "alertblock", "exampleblock")
_SETTINGS = {"minipage": 1, "multicols": 1, "subfigure": 1, "adjustbox": 1, "column": 1, "spacing": 1}
_SETTINGS |= {"wrapfigure": 2, "wraptable": 2, "CJK": 2, "adjustwidth": 2}
"""How many arguments of environments are no text: widths, fonts and places."""
_DROPPED = ("comment", "tikzpicture", "filecontents", "picture", "CCSXML")

_SOURCE = re.compile(
    r"\\[\\%]|(?P<comment>%[^\n]*(?:\n(?![^\S\n]*\n)[^\S\n]*)?)"
    rf"|(?P<kept>\\begin\{{(?P<name>{'|'.join(_CODE)})\}}.*?(?:\\end\{{(?P=name)\}}|\Z)|{INLINE_CODE}"
    r"|\\(?:url|nolinkurl|path|href|lstinline|mintinline\{\w+\})\s*\{[^{}\n]*+\})",
    re.DOTALL,
)
_EVENT = re.compile(
    rf"(?P<inline>{INLINE_CODE})"
    r"|\\begin\s*\{(?P<begin>[A-Za-z]+)\*?\}|\\end\s*\{(?P<end>[A-Za-z]+)\*?\}"
    rf"|\\(?P<section>{'|'.join(_LEVELS)})\*?\s*{OPTION}\s*\{{"
    rf"|\\(?P<item>item|bibitem)\b\s*(?:\[(?P<label>[^\]]{{0,1000}}+)\])?"
    rf"|\\(?P<caption>caption|framesubtitle|note)\*?\s*{OPTION}\s*\{{"
    r"|(?P<display>\\\[|(?<!\\)\$\$)|(?P<par>\n[^\S\n]*\n\s*|\\par\b)"
)
_OPENING = re.compile(r"[^\S\n]*\n?[^\S\n]*\{")
_GIVEN = re.compile(r"[^\S\n]*\[([^\]]{0,1000}+)\]")
_TITLE = re.compile(rf"\\title\s*{OPTION}\s*\{{")


def load_latex(data: bytes, source: str) -> Parsed:
    text, note = decode(data, source=source)
    text = _without_comments_and_macros(text)
    title = ""
    if named := _TITLE.search(text):
        title = " ".join(plain(text[named.end() : balanced(text, named.end())]).split())
    begin = text.find("\\begin{document}")
    if begin >= 0:
        end = text.find("\\end{document}", begin)
        text = text[begin + len("\\begin{document}") : end if end >= 0 else len(text)]
    reader = _Reader(text)
    reader.read()
    builder = reader.builder
    return Parsed(builder.text, tuple(builder.blocks), title=title, notes=(note,) if note else ())


def _without_comments_and_macros(text: str) -> str:
    """Code and addresses stay as they are: there a percent sign is one, and a macro is text."""
    codes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        if found["comment"]:
            return ""
        if not found["kept"]:
            return found.group()
        codes.append(found.group())
        return f"\0{len(codes) - 1}\0"

    prose = as_text(expand(_SOURCE.sub(keep, text)))
    return re.sub("\0(\\d+)\0", lambda mark: codes[int(mark.group(1))], prose)


@dataclass(slots=True)
class _Reader:
    text: str
    builder: TextBuilder = field(default_factory=TextBuilder)
    _buffer: list[str] = field(default_factory=list)
    _lists: list[tuple[str, int]] = field(default_factory=list)
    _items: list[str] = field(default_factory=list)
    _quotes: int = 0
    _closings: dict[str, dict[int, tuple[int, int]]] = field(default_factory=dict)

    def read(self) -> None:
        at = 0
        while event := _EVENT.search(self.text, at):
            self._buffer.append(self.text[at : event.start()])
            at = self._take(event)
        self._buffer.append(self.text[at:])
        self._flush()
        self._end_lists()

    def _take(self, event: re.Match[str]) -> int:
        """Handles one event; returns where reading goes on."""
        at = event.end()
        if event["inline"]:
            self._buffer.append(event.group())
        elif environment := event["begin"]:
            return self._begin(environment, at)
        elif environment := event["end"]:
            self._flush()
            self._end(environment)
        elif event["section"] or event["caption"]:
            self._flush()
            stop = balanced(self.text, at)
            words = " ".join(plain(self.text[at:stop]).split())
            if event["section"]:
                self._end_lists()
                self.builder.add("heading", words, level=_LEVELS[event["section"]])
            else:
                self._add(words)
            return stop + 1
        elif event["item"]:
            self._flush()
            return self._item(event)
        elif event["display"]:
            closing = "\\]" if event["display"] == "\\[" else "$$"
            stop = self.text.find(closing, at)
            stop = len(self.text) if stop < 0 else stop
            return self._math(self.text[event.start() : stop + 2], stop + 2)
        else:
            self._flush()
        return at

    def _begin(self, environment: str, at: int) -> int:
        if environment in _LISTS:
            self._flush()
            self._lists.append((environment, 0))
            listed = past_option(self.text, at)
            if environment == "thebibliography":
                self.builder.add("heading", "References", level=_LEVELS["section"])
                listed = skip_group(self.text, at)
            return listed
        if environment in _QUOTES:
            self._flush()
            self._quotes += 1
        elif environment == "abstract":
            self._flush()
            self.builder.add("heading", "Abstract", level=_LEVELS["section"])
        elif environment in (*_CODE, *_MATH, *TABLES, *_DROPPED):
            stop, after = self._closing(environment, at)
            inside = self.text[at:stop]
            if environment in _MATH:
                # The whole source: formulas are read as LaTeX.
                begin = self.text.rfind("\\begin", 0, at)
                return self._math(self.text[begin:after], after)
            self._flush()
            if environment in _CODE:
                inside = re.sub(r"\A(?:\[[^\]]*\]|\{[^}]*\})*[^\S\n]*\n?", "", inside)
                self._add(inside.rstrip(), code=True)
            elif environment in TABLES:
                self._add(table(inside), rows=True)
            return after
        elif environment == "frame" or environment in _BLOCKS:
            self._flush()
            return self._titled(past_option(self.text, at), _BLOCK if environment in _BLOCKS else _LEVELS["frametitle"])
        elif environment in _SETTINGS:
            at = _skip_settings(self.text, at, _SETTINGS[environment])
        elif option := _GIVEN.match(self.text, at):
            # Where to place a float, or the name of a theorem.
            self._buffer.append("" if environment in _FLOATS else f"({option.group(1)}) ")
            return option.end()
        return at

    def _titled(self, at: int, level: int) -> int:
        """Reads the title of a slide or a block, and what stands below that of a slide, where they follow."""
        names = 2 if level < _BLOCK else 1
        for number in range(names):
            opening = _OPENING.match(self.text, at)
            if opening is None:
                break
            stop = balanced(self.text, opening.end())
            words = " ".join(plain(self.text[opening.end() : stop]).split())
            if number:
                self._add(words)
            else:
                self._end_lists()
                self.builder.add("heading", words, level=level)
            at = stop + 1
        return at

    def _closing(self, environment: str, at: int) -> tuple[int, int]:
        """Where the environment that was opened before `at` ends, and where the text goes on; others of its name may
        stand inside. One that is never closed takes the rest.
        """
        name = environment + ("*" if self.text.startswith("*}", at - 2) else "")
        if name not in self._closings:
            opened: list[int] = []
            closings = self._closings[name] = {}
            for mark in re.finditer(rf"\\(begin|end)\s*\{{{re.escape(name)}\}}", self.text):
                if mark.group(1) == "begin" and not (opened and environment in _CODE):
                    opened.append(mark.end())
                elif mark.group(1) == "end" and opened:
                    closings[opened.pop()] = mark.span()
        if at in self._closings[name]:
            return self._closings[name][at]
        end = re.compile(rf"\\end\s*\{{{re.escape(name)}\}}").search(self.text, at)
        return end.span() if end else (len(self.text), len(self.text))

    def _end(self, environment: str) -> None:
        if environment in _LISTS and self._lists:
            self._lists.pop()
            if not self._lists:
                self._end_lists()
        elif environment in _QUOTES:
            self._quotes = max(0, self._quotes - 1)
        elif environment == "frame" or environment in _BLOCKS:
            self.builder.leave(_BLOCK if environment in _BLOCKS else _LEVELS["frametitle"])

    def _item(self, event: re.Match[str]) -> int:
        at = event.end()
        environment, number = self._lists.pop() if self._lists else ("itemize", 0)
        self._lists.append((environment, number + 1))
        marker = f"{number + 1}." if environment in ("enumerate", "compactenum") else "-"
        if event["item"] == "bibitem":
            at = skip_group(self.text, at)
            marker = f"[{number + 1}]"
        label = f"{plain(event['label']).strip()}: " if event["label"] and environment == "description" else ""
        self._items.append(f"{item_indent(len(self._lists) - 1)}{marker} {label}")
        return at

    def _math(self, source: str, after: int) -> int:
        if self._lists:
            self._buffer.append(" " + " ".join(source.split()) + " ")
        else:
            self._flush()
            self.builder.add("math", source)
        return after

    def _flush(self) -> None:
        words = plain("".join(self._buffer))
        self._buffer.clear()
        self._add(" ".join(words.split()))

    def _add(self, text: str, *, code: bool = False, rows: bool = False) -> None:
        if not text.strip():
            return
        if self._lists:
            own = f"\n```\n{text}\n```" if code else f"\n{text}" if rows else text
            if self._items:
                last = self._items[-1]
                self._items[-1] = last + ("" if last.endswith(" ") or own.startswith("\n") else " ") + own
            else:
                self._items.append(own.lstrip("\n"))
        else:
            kind: BlockKind = "code" if code else "table" if rows else "quote" if self._quotes else "paragraph"
            self.builder.add(kind, text)

    def _end_lists(self) -> None:
        self._lists.clear()
        self.builder.add("list", "\n".join(item.rstrip() for item in self._items))
        self._items.clear()


def _skip_settings(text: str, at: int, groups: int) -> int:
    """Past options and as many groups in braces."""
    while option := _GIVEN.match(text, at):
        at = option.end()
    for _ in range(groups):
        at = skip_group(text, at)
        while option := _GIVEN.match(text, at):
            at = option.end()
    return at
