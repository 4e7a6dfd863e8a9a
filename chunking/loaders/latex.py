"""LaTeX source: sections, lists, tables, code and displayed math; the rest gives way to text.

Macros that the source defines are written out; an unknown command leaves its arguments' text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from chunking.loaders.base import Parsed, TextBuilder, item_indent
from chunking.loaders.latex_inline import OPTION, balanced, plain
from chunking.loaders.latex_macros import expand
from chunking.loaders.tables import is_header, table_text
from chunking.normalize import decode

_LEVELS = {"part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5, "paragraph": 6}
_CODE = ("verbatim", "Verbatim", "lstlisting", "minted", "alltt")
_MATH = ("equation", "align", "gather", "multline", "eqnarray", "displaymath", "alignat", "flalign", "math")
_TABLES = ("tabular", "tabularx", "tabulary", "longtable", "supertabular", "tblr")
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
)
_DROPPED = ("comment", "tikzpicture", "filecontents", "picture", "CCSXML")

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*\n?[^\S\n]*")
_EVENT = re.compile(
    r"\\begin\s*\{(?P<begin>[A-Za-z]+)\*?\}|\\end\s*\{(?P<end>[A-Za-z]+)\*?\}"
    rf"|\\(?P<section>part|chapter|section|subsection|subsubsection|paragraph)\*?\s*{OPTION}\s*\{{"
    rf"|\\(?P<item>item|bibitem)\b\s*(?:\[(?P<label>[^\]]{{0,1000}}+)\])?"
    rf"|\\(?P<caption>caption)\*?\s*{OPTION}\s*\{{"
    r"|(?P<display>\\\[|(?<!\\)\$\$)|(?P<par>\n[^\S\n]*\n\s*|\\par\b)"
)
_ARGUMENTS = re.compile(rf"(?:\s*{OPTION})?")
_GIVEN = re.compile(r"[^\S\n]*\[([^\]]{0,1000}+)\]")
_RULE = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|(?:cline|cmidrule)(?:\([lr]*\))?\s*\{[^{}]*\})(?![A-Za-z])"
)
_ROW_END = re.compile(rf"\\\\{OPTION}|\\tabularnewline\b")
_CELL_END = re.compile(r"(?<!\\)&")
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
    """Code stays as it is: there a percent sign is one, and a macro is text."""
    pattern = re.compile(r"\\begin\{(" + "|".join(_CODE) + r")\}.*?(?:\\end\{\1\}|\Z)", re.DOTALL)
    codes: list[str] = []

    def keep(code: re.Match[str]) -> str:
        codes.append(code.group())
        return f"\0{len(codes) - 1}\0"

    prose = expand(_COMMENT.sub(r"\1", pattern.sub(keep, text)))
    return re.sub("\0(\\d+)\0", lambda mark: codes[int(mark.group(1))], prose)


@dataclass(slots=True)
class _Reader:
    text: str
    builder: TextBuilder = field(default_factory=TextBuilder)
    _buffer: list[str] = field(default_factory=list)
    _lists: list[tuple[str, int]] = field(default_factory=list)
    _items: list[str] = field(default_factory=list)
    _quotes: int = 0

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
        if environment := event["begin"]:
            return self._begin(environment, at)
        if environment := event["end"]:
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
            if environment == "thebibliography":
                self.builder.add("heading", "References", level=_LEVELS["section"])
                return _skip_group(self.text, at)
            return _ARGUMENTS.match(self.text, at).end()  # type: ignore[union-attr]
        if environment in _QUOTES:
            self._flush()
            self._quotes += 1
        elif environment == "abstract":
            self._flush()
            self.builder.add("heading", "Abstract", level=_LEVELS["section"])
        elif environment in (*_CODE, *_MATH, *_TABLES, *_DROPPED):
            stop = self.text.find(f"\\end{{{environment}", at)
            stop = len(self.text) if stop < 0 else stop
            after = self.text.find("}", stop) + 1 or len(self.text)
            inside = self.text[at:stop]
            if environment in _MATH:
                # The whole source: formulas are read as LaTeX.
                begin = self.text.rfind("\\begin", 0, at)
                return self._math(self.text[begin:after], after)
            self._flush()
            if environment in _CODE:
                inside = re.sub(r"\A(?:\[[^\]]*\]|\{[^}]*\})*[^\S\n]*\n?", "", inside)
                self._add(inside.rstrip(), code=True)
            elif environment in _TABLES:
                self._add(_table(inside), table=True)
            return after
        elif option := _GIVEN.match(self.text, at):
            # Where to place a float, or the name of a theorem.
            self._buffer.append("" if environment in _FLOATS else f"({option.group(1)}) ")
            return option.end()
        return at

    def _end(self, environment: str) -> None:
        if environment in _LISTS and self._lists:
            self._lists.pop()
            if not self._lists:
                self._end_lists()
        elif environment in _QUOTES:
            self._quotes = max(0, self._quotes - 1)

    def _item(self, event: re.Match[str]) -> int:
        at = event.end()
        environment, number = self._lists.pop() if self._lists else ("itemize", 0)
        self._lists.append((environment, number + 1))
        marker = f"{number + 1}." if environment in ("enumerate", "compactenum") else "-"
        if event["item"] == "bibitem":
            at = _skip_group(self.text, at)
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

    def _add(self, text: str, *, code: bool = False, table: bool = False) -> None:
        if not text.strip():
            return
        if self._lists:
            own = f"\n```\n{text}\n```" if code else f"\n{text}" if table else text
            if self._items:
                last = self._items[-1]
                self._items[-1] = last + ("" if last.endswith(" ") or own.startswith("\n") else " ") + own
            else:
                self._items.append(own.lstrip("\n"))
        else:
            kind = "code" if code else "table" if table else "quote" if self._quotes else "paragraph"
            self.builder.add(kind, text)  # type: ignore[arg-type]

    def _end_lists(self) -> None:
        self._lists.clear()
        self.builder.add("list", "\n".join(item.rstrip() for item in self._items))
        self._items.clear()


def _skip_group(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return balanced(text, at + 1) + 1 if text.startswith("{", at) else at


def _table(inside: str) -> str:
    at = _ARGUMENTS.match(inside).end()  # type: ignore[union-attr]
    # Width and column specifications come before the cells.
    while inside.startswith("{", at):
        at = _skip_group(inside, at)
    rows: list[list[str]] = []
    for line in _ROW_END.split(_RULE.sub("", inside[at:])):
        cells = [plain(cell) for cell in _CELL_END.split(line)]
        if any(cell.strip() for cell in cells):
            rows.append(cells)
    return table_text(rows, header=bool(rows) and is_header(rows[0]))
