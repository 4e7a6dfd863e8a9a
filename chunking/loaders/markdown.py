"""Markdown: the text stays as it is; CommonMark with tables and formulas says which lines are which block.

YAML or TOML front matter belongs to no block. Its `title` names the document, else the first heading of level one does.
"""

from __future__ import annotations

import re
from itertools import pairwise

from chunking.loaders.base import Headings, Parsed
from chunking.loaders.markdown_math import use_math
from chunking.loaders.scripts import raised
from chunking.normalize import decode
from chunking.types import Block, BlockKind

_KEY = r"(?:[\"']?[\w.-][\w. -]{0,40}[\"']?[ \t]*:.*|\#.*)"
# A page may as well open with a rule: only lines of YAML, a key or a remark first, are front matter.
_FRONT_MATTER = re.compile(
    rf"\A(?:---[^\S\n]*\n(?:{_KEY}\n(?:(?:{_KEY}|[ \t]+\S.*|[ \t]*|-[ \t].*|[\]}}].*)\n)*?)?(?:---|\.\.\.)"
    r"|\+\+\+[^\S\n]*\n(?:.*\n)*?\+\+\+)[^\S\n]*(?:\n|\Z)"
)
_FRONT_TITLE = re.compile(r"^title\s*[:=][^\S\n]*(.+)$", re.MULTILINE)
_FORMULA = re.compile(r"\$\$[^$]+\$\$|\\\[|\\begin\{")
_KINDS: dict[str, BlockKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "blockquote_open": "quote",
    "html_block": "other",
    "hr": "other",
    "math_block": "math",
}
_MARKUP = re.compile(
    r"!?\[([^\]]{0,500}+)\]\([^)]{0,1000}+\)|[*`]+|(?<!\w)_+|_+(?!\w)|<[^>\n]{1,200}>|\s*\{#[\w-]+\}\s*\Z"
)
_RAISED = re.compile(r"<sup>([^<>\n]{0,100}+)</sup>", re.IGNORECASE)


def load_markdown(data: bytes, source: str) -> Parsed:
    text, note = decode(data, source=source)
    front = _FRONT_MATTER.match(text)
    body_start = front.end() if front else 0
    title = ""
    if front and (named := _FRONT_TITLE.search(front.group())):
        title = named.group(1).strip().strip("\"'")
    blocks = _blocks(text, body_start)
    if not title:
        title = next((block.heading_path[-1] for block in blocks if _is_top_heading(text, block)), "")
    return Parsed(text, tuple(blocks), title=title, notes=(note,) if note else ())


def plain_heading(markup: str) -> str:
    """A heading's words without emphasis, code marks, links, tags and anchors."""

    def write(found: re.Match[str]) -> str:
        start, end = found.span()
        return raised(found[1], markup[max(0, start - 24) : start], markup[end : end + 4])

    markup = _RAISED.sub(write, markup)
    return " ".join(_MARKUP.sub(r"\1", markup).split())


def _is_top_heading(text: str, block: Block) -> bool:
    return block.kind == "heading" and len(block.heading_path) == 1 and not text.startswith("##", block.start)


def _blocks(text: str, body_start: int) -> list[Block]:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    use_math(parser)
    # Block structure only; inline parsing would take most of the time.
    parser.core.ruler.disable(["inline", "text_join"])
    body = text[body_start:]
    line_starts = [body_start, *(match.end() + body_start for match in re.finditer("\n", body)), len(text)]
    headings = Headings()
    blocks: list[Block] = []
    at = body_start
    tokens = parser.parse(body)
    for token, following in pairwise([*tokens, None]):
        if token is None or token.level or token.map is None or token.type not in _KINDS:
            continue
        start, end = _trim(text, line_starts[token.map[0]], line_starts[min(token.map[1], len(line_starts) - 1)])
        if start >= end:
            continue
        # Link definitions leave no token; their text is still the document's.
        _other(text, at, start, headings, blocks)
        kind = _KINDS[token.type]
        path = headings.path
        if kind == "heading" and following is not None:
            path = headings.enter(int(token.tag[1:]), plain_heading(following.content))
        if kind == "paragraph" and _FORMULA.match(text, start, end):
            kind = "math"
        blocks.append(Block(kind, start, end, path))
        at = end
    _other(text, at, len(text), headings, blocks)
    return blocks


def _other(text: str, start: int, end: int, headings: Headings, blocks: list[Block]) -> None:
    start, end = _trim(text, start, end)
    if start < end:
        blocks.append(Block("other", start, end, headings.path))


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    stripped = piece.rstrip()
    # The first line keeps its indentation where that is code; elsewhere whitespace is no content.
    lead = len(stripped) - len(stripped.lstrip())
    return start + lead, start + len(stripped)
