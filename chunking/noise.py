"""Blocks that would only be found by mistake are kept out of the index, and named.

Reference lists, copyright lines, link farms, tables of contents, badges, comments and import lines become islands that
match many questions and answer none. Each rule looks at the form of a block; none fires on running text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chunking.config import ChunkingConfig
from chunking.types import Block, Document

_REFERENCES = re.compile(
    r"\W*(?:[\dIVX]+[.、\s]+)?(?:references?|bibliography|works cited|literature cited|citations|参考文献|參考文獻|"
    r"参考资料|參考資料|引用文献|引文|注释与参考)\W*",
    re.IGNORECASE,
)
_CONTENTS = re.compile(r"\W*(?:(?:table of )?contents|on this page|目录|目錄|目次|本页内容)\W*", re.IGNORECASE)
_REFERENCE = re.compile(r"(?:\b(?:19|20)\d\d\b|https?://|\bdoi\b|\[[A-Z]\]|^\W*\[?\d{1,3}[\].])", re.IGNORECASE)
_COPYRIGHT = re.compile(
    r"\W*(?:©|\(c\)\s*(?:19|20)\d\d|copyright\b.{0,40}(?:19|20)\d\d|版权所有|版權所有|著作权归|本文版权)"
    r"|.{0,120}(?:all rights reserved|保留所有权利|保留一切權利)\W*\Z",
    re.IGNORECASE | re.DOTALL,
)
_NAVIGATION = re.compile(
    r"(?:from wikipedia, the free encyclopedia|(?:jump|skip) to [\w ]{1,40}|back to top|previous|next|share|print"
    r"|跳转至.{0,20}|跳至.{0,12}|返回顶部|上一页|下一页|\s|[|·›>])+",
    re.IGNORECASE,
)
# Labels and addresses are bounded, and dots are read from their first one only: what never closes, or ends in no
# number, would be looked through again from each of its characters.
_LABEL = r"[^\]]{0,500}+"
_ADDRESS = r"[^)\n]{0,1000}+"
_LINK = re.compile(rf"!?\[(?:[^\]\[]|!\[{_LABEL}\]\({_ADDRESS}\)){{0,1000}}\]\({_ADDRESS}\)|<?https?://[^\s<>）)]+>?")
_BADGES = re.compile(
    rf"(?:\s*(?:\[!\[{_LABEL}\]\({_ADDRESS}\)\]\({_ADDRESS}\)"
    rf"|!\[{_LABEL}\]\([^)\n]{{0,1000}}?(?:badge|shields\.io){_ADDRESS}\)))+\s*"
)
_TASK = re.compile(r"^\s*[-*+] \[[ xX]\]", re.MULTILINE)
_LEADERS = re.compile(r"(?:(?<!\.)\.{4,}+|(?<!…)…{2,}+|(?<!\. )(?:\. ){4,}+|(?<!·)·{4,}+)\s*\d{1,4}\s*$", re.MULTILINE)
_DOTS = ("....", "……", ". . . . ", "····")
"""What every match of `_LEADERS` holds one of."""
_IMPORTS = re.compile(r"(?:import\s+[\w{}\s,*]+\s+from\s+['\"][^'\"\n]+['\"];?\s*)+")
_MARKERS = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+", re.MULTILINE)

_FEWEST_LINKS = 6
_SHORT = 240


@dataclass(frozen=True, slots=True)
class Noise:
    """Blocks `first` to `last` (not included) of a document and what they are."""

    first: int
    last: int
    reason: str


def find_noise(text: str, blocks: Sequence[Block]) -> list[Noise]:
    """Stretches of noise in document order. Empty where nothing else would remain.

    Headings that would be left without anything below them go with the noise that follows; the heading path says them
    to what remains of their section.
    """
    reasons = [_reason(text, blocks, i) for i in range(len(blocks))]
    following = "heading without content"
    for i in range(len(blocks) - 1, -1, -1):
        if blocks[i].kind == "heading" and not reasons[i] and following:
            reasons[i] = following
        following = reasons[i]
    if all(reasons):
        return []
    found: list[Noise] = []
    for i, reason in enumerate(reasons):
        if not reason:
            continue
        if found and found[-1].last == i and found[-1].reason == reason:
            found[-1] = Noise(found[-1].first, i + 1, reason)
        else:
            found.append(Noise(i, i + 1, reason))
    return found


def noise_notes(text: str, blocks: Sequence[Block]) -> tuple[str, ...]:
    """One note that names what is kept out of the index, none where nothing is."""
    counts = Counter(noise.reason for noise in find_noise(text, blocks))
    if not counts:
        return ()
    named = ", ".join(reason if count == 1 else f"{reason} ({count} times)" for reason, count in counts.items())
    return (f"kept out of the index unless chunking.keep_noise is set: {named}",)


def kept_blocks(document: Document, config: ChunkingConfig) -> Sequence[Block]:
    """The blocks that chunks are made of."""
    if config.keep_noise:
        return document.blocks
    found = find_noise(document.text, document.blocks)
    dropped = {number for noise in found for number in range(noise.first, noise.last)}
    return [block for number, block in enumerate(document.blocks) if number not in dropped]


def _reason(text: str, blocks: Sequence[Block], number: int) -> str:
    block = blocks[number]
    if block.kind in ("heading", "code", "table", "math"):
        return ""
    own = text[block.start : block.end]
    for reason, holds in (_RULES if len(own) <= _SHORT else _RULES_AT_ANY_LENGTH).items():
        if holds(own, block):
            return reason
    return ""


def _is_references(own: str, block: Block) -> bool:
    if not (block.heading_path and any(map(_REFERENCES.fullmatch, block.heading_path[-2:]))):
        return False
    lines = [line for line in own.split("\n") if line.strip()]
    return sum(_REFERENCE.search(line) is not None for line in lines) * 2 >= len(lines)


def _is_contents(own: str, block: Block) -> bool:
    lines = own.count("\n") + 1
    # Nearly every block is one line of prose, and says so by its last character; others lack the dots.
    dotted = (lines > 1 or own[-1:].isdigit()) and any(dots in own for dots in _DOTS)
    if dotted and len(_LEADERS.findall(own)) * 2 > lines:
        return True
    may_be = block.kind == "list" and bool(block.heading_path) and len(own) < 120 * lines
    return may_be and _CONTENTS.fullmatch(block.heading_path[-1]) is not None


def _is_copyright(own: str, block: Block) -> bool:
    return _COPYRIGHT.match(own) is not None


def _is_badges(own: str, block: Block) -> bool:
    return _BADGES.fullmatch(own) is not None


def _is_comment(own: str, block: Block) -> bool:
    return own.startswith("<!--") and own.endswith("-->")


def _is_imports(own: str, block: Block) -> bool:
    return block.kind == "paragraph" and _IMPORTS.fullmatch(own) is not None


def _is_navigation(own: str, block: Block) -> bool:
    return _NAVIGATION.fullmatch(own) is not None


def _is_link_list(own: str, block: Block) -> bool:
    # Every link holds one of the two: counting them spares most blocks the slow expression.
    if own.count("[") + own.count(":") < _FEWEST_LINKS or own.count("](") + own.count("://") < _FEWEST_LINKS:
        return False
    links = [match.group() for match in _LINK.finditer(own)]
    if len(links) < _FEWEST_LINKS or _TASK.search(own):
        return False
    rest = "".join(_MARKERS.sub("", _LINK.sub("", own)).split())
    return len(rest) * 5 <= len("".join("".join(links).split()))


_RULES: dict[str, Callable[[str, Block], bool]] = {
    "reference list": _is_references,
    "table of contents": _is_contents,
    "copyright line": _is_copyright,
    "badges": _is_badges,
    "comment": _is_comment,
    "import lines": _is_imports,
    "navigation": _is_navigation,
    "link list": _is_link_list,
}
"""In order: the first that holds names the reason."""
_RULES_AT_ANY_LENGTH = {
    reason: holds for reason, holds in _RULES.items() if reason not in ("copyright line", "navigation")
}
