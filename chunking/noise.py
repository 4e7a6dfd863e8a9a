"""Blocks that would only be found by mistake are kept out of the index, and named.

Reference lists, copyright lines, link farms, tables of contents, badges, comments and import lines become islands that
match many questions and answer none. Each rule looks at the form of a block; none fires on running text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from chunking.config import ChunkingConfig
from chunking.types import Block, Document

_REFERENCES = re.compile(
    r"\W*(?:[\dIVX]+[.、\s]+)?(?:references|bibliography|works cited|literature cited|citations|参考文献|參考文獻|"
    r"参考资料|參考資料|引用文献|引文|注释与参考)\W*",
    re.IGNORECASE,
)
_CONTENTS = re.compile(r"\W*(?:(?:table of )?contents|on this page|目录|目錄|目次|本页内容)\W*", re.IGNORECASE)
# What only citations hold: a marker, a kind of source ([J], [EB/OL]), an identifier, or a link that is the entry.
_CITATION = re.compile(
    r"^\W*\[(?:\d{1,3}|[A-Z]\w{1,20})\](?!\()|\[[A-Z](?:/[A-Z]{2})?\]|\bdoi\b|\barxiv\b"
    r"|^\W*(?:\d{1,3}[.)]\s+)?(?:\[|<?https?://)"
    r"|(?:^|[.:：,，–—-]\s*)<?https?://\S{1,500}+\s*$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d[a-z]?(?!\d)")
# What stands beside the year of a citation: initials, other authors, a journal, pages, a publisher, an address.
_AUTHOR = re.compile(
    r"\b[A-Z]\.|\b[A-Z][a-z]+ [A-Z]{1,2},|\bet al\b|\b(?:pp?|vol|no|eds?)\.|\(\d{4}[a-z]?\)\.|https?://"
    r"|\b(?:Journal|Proceedings|Proc|Transactions|Conference|Press|University|Publish\w+|Review|ISBN|Retrieved|Archived)\b"
    r"|等[.．,，]|出版社|学报|學報|大学|《"
)
_RIGHTS = re.compile(
    r"\W*(?:©|\(c\)\s*(?:19|20)\d\d|copyright\b)|.*(?:\ball rights reserved)\W*\Z", re.IGNORECASE | re.DOTALL
)
_RIGHTS_MARK = re.compile(r"©|\(c\)|(?:19|20)\d\d|\bby\b|all rights reserved", re.IGNORECASE)
# Words of a notice that are no name: whatever else begins with a small letter makes a sentence.
_RIGHTS_WORDS = re.compile(
    r"\(c\)|\b(?:copyright|all rights reserved|and|or|its|the|by|of|for|to|in|present|authors?|contributors?|affiliates"
    r"|others?|subsidiaries|team|project|inc|ltd|llc|gmbh|licensed under|see|license)\b|\S+[.@]\w+",
    re.IGNORECASE,
)
_SMALL_WORD = re.compile(r"\b[a-z][a-z]+\b")
_RIGHTS_ZH = re.compile(r"\W*(?:版权所有|版權所有|(?:本文|本站|本书)?(?:版权|著作权|版權|著作權)归)(?![者人权權])")
_KEEPING_ZH = re.compile(r"保留(?:所有|一切)(?:权利|權利)")
_REUSE_ZH = re.compile(r"转载|轉載|翻印|必究|侵权|侵權|盗版|盜版|复制|複製|保留|出处|出處")
_STATEMENT = re.compile(r"[，。；！？]|[,.;!?]\s")
_NAVIGATION = re.compile(
    r"(?:from wikipedia, the free encyclopedia|(?:jump|skip) to (?:the )?(?:main )?(?:content|navigation|search"
    r"|sidebar|footer|header|menu|main|top|bottom|table of contents)|back to top|previous|next|share|print"
    r"|(?:跳转至|跳至|跳到)(?:主要)?(?:内容|导航|搜索|正文|目录|菜单|页脚|侧栏|侧边栏|顶部|底部)|返回顶部|上一页|下一页|\s|[|·›>])+",
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
_ENTRY = re.compile(
    r"^\s*(?:\d{1,2}(?:\.\d{1,2})*[.、]?\s|第.{1,4}[章节節篇]|chapter\b|appendix\b|附录|[IVX]+\.\s)", re.IGNORECASE
)
_PAGE = re.compile(r"[\s.…·](\d{1,4})\s*$")
_MANY = 8
"""Lines with page numbers that rise: a list of contents whatever it is called."""
_DOTS = ("....", "……", ". . . . ", "····")
"""What every match of `_LEADERS` holds one of."""
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_IMPORTS = re.compile(r"(?:import\s+[\w{}\s,*]+\s+from\s+['\"][^'\"\n]+['\"];?\s*)+")
_MARKERS = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+", re.MULTILINE)

_FEWEST_LINKS = 6
_SHORT = 240
_LONGEST_HOLDER = 30
_WORDS = 5
_NUMBER = re.compile(r"\d{2}")


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
    titles = frozenset(_folded(block.heading_path[-1]) for block in blocks if block.kind == "heading")
    reasons = [_reason(text, block, titles) for block in blocks]
    last = blocks[-1] if blocks else None
    states = last is not None and last.kind == "heading" and _is_statement(last.heading_path[-1])
    following = "" if states else "heading without content"
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


def _reason(text: str, block: Block, titles: AbstractSet[str]) -> str:
    if block.kind in ("heading", "code", "table", "math"):
        return ""
    own = text[block.start : block.end]
    if _is_contents(own, block, titles):
        return "table of contents"
    for reason, openings, holds in _RULES if len(own) <= _SHORT else _RULES_AT_ANY_LENGTH:
        if (not openings or own[0] in openings) and holds(own, block):
            return reason
    return ""


def _is_statement(title: str) -> bool:
    """Whether a heading with nothing below says something by itself, as the last line of a FAQ or a slide may."""
    words = _ENTRY.sub("", title)
    return (
        len(words.split()) >= _WORDS
        or len(words) - len(words.encode("ascii", "ignore")) >= 2 * _WORDS
        or bool(_NUMBER.search(words))
    )


def _is_references(own: str, block: Block) -> bool:
    if not (block.heading_path and any(map(_REFERENCES.fullmatch, block.heading_path[-2:]))):
        return False
    lines = [line for line in own.split("\n") if line.strip()]
    return sum(map(_is_citation, lines)) * 2 >= len(lines)


def _is_citation(line: str) -> bool:
    return bool(_CITATION.search(line) or (_YEAR.search(line) and _AUTHOR.search(line)))


def _is_contents(own: str, block: Block, titles: AbstractSet[str]) -> bool:
    named = bool(block.heading_path) and _CONTENTS.fullmatch(block.heading_path[-1]) is not None
    # Nearly every block is one line of prose, and says so by its last character; others lack the dots.
    dotted = ("\n" in own or own[-1:].isdigit()) and any(dots in own for dots in _DOTS)
    if not (dotted or named):
        return False
    lines = own.split("\n")
    if dotted and len(_LEADERS.findall(own)) * 2 > len(lines):
        return named or _are_places(lines, titles)
    if not named or block.kind != "list" or len(own) >= 120 * len(lines):
        return False
    places = sum(bool("](" in line or _PAGE.search(line) or _folded(line) in titles) for line in lines)
    return places * 2 > len(lines)


def _are_places(lines: Sequence[str], titles: AbstractSet[str]) -> bool:
    """Whether entries with dots and numbers are sections and their pages, not goods and their prices."""
    pages = [int(page.group(1)) for line in lines if (page := _PAGE.search(line))]
    if pages != sorted(pages):
        return False
    known = sum(bool(_ENTRY.match(line)) or _folded(_LEADERS.sub("", line)) in titles for line in lines)
    return len(pages) >= _MANY or known * 2 > len(lines)


def _folded(title: str) -> str:
    """A title without its marker, number and case."""
    return " ".join(_ENTRY.sub("", _MARKERS.sub("", title)).split()).casefold()


def _is_copyright(own: str, block: Block) -> bool:
    """A notice and nothing else: no sentence about rights, and no item (c) of a list."""
    if _RIGHTS.match(own):
        rest = _RIGHTS_WORDS.sub(" ", own)
        if _SMALL_WORD.search(rest) or not _RIGHTS_MARK.search(own):
            return False
        chinese = _RIGHTS_MARK.sub("", own).strip()
        return chinese.isascii() or bool(_YEAR.search(own)) or not _STATEMENT.search(chinese)
    if match := _RIGHTS_ZH.match(own):
        holder, *others = [part for part in _STATEMENT.split(own[match.end() :]) if part.strip()] or [""]
        owned = "归" not in match.group() or bool(_REUSE_ZH.search(own))
        return owned and len(holder) <= _LONGEST_HOLDER and all(map(_is_reuse, others))
    return _KEEPING_ZH.fullmatch(own.strip(" 。.")) is not None


def _is_reuse(part: str) -> bool:
    return _REUSE_ZH.search(part) is not None


def _is_badges(own: str, block: Block) -> bool:
    return _BADGES.fullmatch(own) is not None


def _is_comment(own: str, block: Block) -> bool:
    return own.startswith("<!--") and own.endswith("-->") and not _COMMENT.sub("", own).strip()


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


_Rule = tuple[str, str, Callable[[str, Block], bool]]
_RULES_AT_ANY_LENGTH: list[_Rule] = [
    ("reference list", "", _is_references),
    ("badges", "[!", _is_badges),
    ("comment", "<", _is_comment),
    ("import lines", "i", _is_imports),
    ("link list", "", _is_link_list),
]
"""In order: the first that holds names the reason. Its block begins with one of some characters, or with any."""
_RULES: list[_Rule] = [
    *_RULES_AT_ANY_LENGTH[:1],
    ("copyright line", "", _is_copyright),
    *_RULES_AT_ANY_LENGTH[1:-1],
    ("navigation", "", _is_navigation),
    *_RULES_AT_ANY_LENGTH[-1:],
]
