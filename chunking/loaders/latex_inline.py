"""LaTeX inside a paragraph -> plain words. Substitutions only, no recursion: linear, and safe on unbalanced input."""

from __future__ import annotations

import re
import unicodedata

from chunking.loaders.latex_groups import OPTION, balanced
from chunking.loaders.latex_units import with_units
from chunking.loaders.scripts import lowered, raised

_MARKS = "\u0300\u0301\u0302\u0308\u0303\u0304\u0307\u0306\u030c\u030b\u0327\u0323\u030a\u0328"
_ACCENTS = dict(zip("`'^\"~=.uvHcdrk", _MARKS, strict=True))
_LETTERS = {
    "ss": "ß",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "aa": "å",
    "AA": "Å",
    "i": "i",
    "j": "j",
    "LaTeX": "LaTeX",
    "TeX": "TeX",
    "copyright": "©",
    "times": "×",
    "ldots": "…",
    "dots": "…",
    "textellipsis": "…",
    "textbackslash": "＼",
    "textasciitilde": "～",
    "S": "§",
    "P": "¶",
    "textendash": "–",
    "textemdash": "—",
    "textless": "<",
    "textgreater": ">",
    "textbar": "|",
    "quad": " ",
    "qquad": " ",
    "newline": " ",
    "linebreak": " ",
}
INLINE_CODE = (
    r"\\(?:verb\*?|lstinline(?:\[[^\]\n]{0,200}+\])?|mintinline\{\w+\})"
    r"(?P<bar>[^\w\s{*\[])(?P<code>[^\n]{0,300}?)(?P=bar)"
)
"""Code inside a line, between two of any mark."""
# Their arguments are no text.
_DROPPED = re.compile(
    r"\\(?:label|vspace|hspace|includegraphics|bibliographystyle|bibliography|input|include|pagestyle|thispagestyle|"
    r"setlength|addtolength|setcounter|definecolor|usepackage|documentclass|graphicspath|nocite|index|color|"
    r"phantom|vskip|hskip|centering|maketitle|tableofcontents|newpage|clearpage|noindent)\b\*?"
    rf"\s*{OPTION}\s*(?:\{{[^{{}}]*\}})?"
)
_CITATION = re.compile(
    rf"\\(?:[cC]ite\w*|parencite|textcite|(?:auto|eq|page|c|C|name)?ref)\*?\s*{OPTION}\s*{OPTION}\s*\{{([^{{}}]*)\}}"
)
_LINK = re.compile(r"\\href\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_NOTE = re.compile(rf"\\(?:footnote|endnote)\s*{OPTION}\s*\{{")
_SCRIPT = re.compile(r"\\text(super|sub)script\s*\{([^{}]*)\}")
_COLUMNS = re.compile(r"\\multicolumn\s*\{[^{}]*\}\s*\{[^{}]*\}")
_ACCENT = re.compile(r"\\(?:([`'^\"~=.])|([uvHcdrk])(?=[\s{]))\s*(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?[^\S\n]*")
_AS_IT_IS = re.compile(
    r"(?<!\\)\$[^$]+\$|\\\((?:[^\\]|\\[^()]){1,2000}\\\)"
    rf"|{INLINE_CODE}|\\(?:url|nolinkurl|path)\s*\{{(?P<address>[^{{}}\n]*+)\}}"
)
_LINE_END = re.compile(rf"\\\\{OPTION}")
_ESCAPED = re.compile(r"\\([%&_#${}])")


def plain(source: str) -> str:
    """Words of a stretch of LaTeX, notes in brackets. Inline math and code stay as they are written."""
    source = _with_notes(source)
    parts: list[str] = []
    at = 0
    for found in _AS_IT_IS.finditer(source):
        kept = found["code"] if found["bar"] else _ESCAPED.sub(r"\1", found["address"] or "") or found.group()
        parts += [_words(source[at : found.start()]), kept]
        at = found.end()
    parts.append(_words(source[at:]))
    return "".join(parts)


def _with_notes(source: str) -> str:
    parts: list[str] = []
    at = 0
    while note := _NOTE.search(source, at):
        stop = balanced(source, note.end())
        if stop == len(source):
            break
        words = source[note.end() : stop].strip()
        parts += [source[at : note.start()].rstrip(), f" ({words})" if words else ""]
        at = stop + 1
    return "".join([*parts, source[at:]])


def _words(source: str) -> str:
    if "\\" in source:
        source = with_units(_LINE_END.sub(" ", source))
        # Escaped characters step aside while braces and commands are removed.
        source = _ESCAPED.sub(lambda match: chr(0xE000 + ord(match.group(1))), source)
        source = _DROPPED.sub("", source)
        source = _LINK.sub(r"\2 (\1)", source)
        source = _CITATION.sub(r"[\1]", source)
        source = _scripts(source)
        source = _COLUMNS.sub("", source)
        source = _ACCENT.sub(_accent, source)
        source = _COMMAND.sub(lambda match: _LETTERS.get(match.group(1), ""), source)
        source = re.sub(r"\\[,;:! /-]", lambda match: "" if match.group() in ("\\-", "\\/", "\\!") else " ", source)
    source = source.replace("{", "").replace("}", "").replace("~", " ")
    source = source.replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”")
    return re.sub("[\ue000-\ue07f]", lambda match: chr(ord(match.group()) - 0xE000), source)


def _scripts(source: str) -> str:
    done: list[str] = []
    at = 0
    for found in _SCRIPT.finditer(source):
        done.append(source[at : found.start()])
        before = "".join(done[-4:])[-24:].rstrip("{}$")
        write = raised if found[1] == "super" else lowered
        done.append(write(found[2], before, source[found.end() : found.end() + 4]))
        at = found.end()
    return "".join([*done, source[at:]])


def _accent(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", (match[3] or match[4]) + _ACCENTS[match[1] or match[2]])
