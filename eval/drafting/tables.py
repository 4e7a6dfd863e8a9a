"""Questions for the cells of tables and for named values in lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chunking.types import Block, Document
from eval.drafting.facts import PROSE, Fact, plain
from eval.drafting.names import identifies, is_attribute, thing_of, with_article
from eval.text import is_chinese
from graph.language import has_han

_CELL = re.compile(r"(?<!\\)\|")
_LONGEST_NAME, _LONGEST_VALUE = 40, 120
_LONGEST_KIND = 20
_NAMES = ("name", "名称", "名字", "名", "item", "项目", "parameter name", "参数名")
"""Heads of a first column that say no more than that a name stands below."""
_PARAMETERS = (
    "parameter",
    "property",
    "specification",
    "characteristic",
    "参数",
    "指标",
    "规格",
    "项目",
    "参数名",
    "item",
)
_VALUES = ("value", "rating", "specification", "值", "数值", "参数值", "取值", "规格")
_UNITS = ("unit", "units", "单位")
_MOST_WORDS = 4
_SPAN = re.compile(r"[约至少最多]*[\d.一二两三四五六七八九十半]+ ?(?:个月|年|天|周|小时|分钟|秒|个工作日)")
_DAY = re.compile(r"\d ?[年月][ \d]*\d ?[月日号]")
_SENTENCES = re.compile(r"[。；;]|[.!?] |^(?:按|先|不|请|会|可|把|将|用)|[\u3400-\u9fff][^，]*，")
"""What is no value but says something."""
_NAMED = re.compile(
    r"^[ \t]*(?:[-*•][ \t]+)?\**(?P<name>[^\s:：*|][^:：*|]{0,28}?)\**[:：]\**[ \t]*(?P<value>\S.{0,118})$",
    re.MULTILINE,
)
_NO_NAME = re.compile(
    r"^(?i:notes?|warning|example|e\.g\.|tip|important|caution|see|https?|mailto|step \d+)$"
    r"|[0-9“”\"]|[是的了有在吗呢败错时]"
    r"|注意|提示|例如|比如|警告|说明|示例|备注|参见|步骤|其中"
    r"|\b(?i:it|they|we|you)\b"
    r"|(?i:\b(?:is|are|was|were|has|have|can|if|when|where|by|to|in|for|on|with|of|who|what|how|that)$)"
    r"|^(?i:the|an?|this|these|if|when|where|how|what|for|to|in|on|with|by|each|all|one|two|three|then)\b"
)


def table_facts(document: Document) -> Iterator[Fact]:
    """A question for every cell that has a name above it and one at the head of its row."""
    for block in document.blocks:
        if block.kind == "table":
            yield from _cells(document, block)


def named_facts(document: Document) -> Iterator[Fact]:
    """``Warranty: two years`` under a heading, or in a document, that names a thing."""
    for block in document.blocks:
        if block.kind not in PROSE:
            continue
        thing = thing_of(block.heading_path, document)
        if not thing:
            continue
        for found in _NAMED.finditer(document.text[block.start : block.end]):
            name, value = found["name"].strip(), plain(found["value"]).rstrip("。.")
            if not _is_name(name) or not is_attribute(name) or _SENTENCES.search(value) or value.startswith("//"):
                continue
            lang = "zh" if has_han(name) else "en"
            question = _of(name, thing, value, lang)
            span = block.start + found.start(), block.start + found.end()
            yield Fact(document, *span, question, "named", lang, thing, value)


def _is_name(text: str) -> bool:
    """A short noun, as far as one can tell without a grammar."""
    if not re.fullmatch(r"[\w /()（）-]+", text):
        return False
    words = len(text) / 2 if has_han(text) else len(text.split())
    return words <= _MOST_WORDS and not _NO_NAME.search(text)


def read_table(document: Document, block: Block) -> tuple[list[str], list[tuple[int, int, list[str]]]]:
    """The header's cells, and start, end and cells of each row; none where the block is not a header and its rows."""
    lines = document.text[block.start : block.end].split("\n")
    rows = [[cell.strip().strip("*`") for cell in _CELL.split(line.strip().strip("|"))] for line in lines]
    if len(rows) < 3 or not all(set(cell) <= set("-: ") for cell in rows[1]):
        return [], []
    start, found = block.start + len(lines[0]) + len(lines[1]) + 2, []
    for line, row in zip(lines[2:], rows[2:], strict=True):
        found.append((start, start + len(line), row))
        start += len(line) + 1
    return rows[0], found


def _cells(document: Document, block: Block) -> Iterator[Fact]:
    header, rows = read_table(document, block)
    heads = [row[0] for _, _, row in rows]
    for start, end, row in rows:
        if not _nameable(row[0]) or heads.count(row[0]) > 1:
            continue
        for column, value in list(zip(header, row, strict=False))[1:]:
            if not (_nameable(column) and _is_name(column) and value) or len(value) > _LONGEST_VALUE:
                continue
            if re.fullmatch(r"[-–—/]+", value):
                continue
            lang = "zh" if has_han(column) or has_han(header[0]) else "en"
            if header[0].lower() in _PARAMETERS and column.lower() in _VALUES:
                unit = next((cell for head, cell in zip(header, row, strict=False) if head.lower() in _UNITS), "")
                thing = thing_of(block.heading_path, document)
                if thing and _is_name(row[0]) and is_attribute(row[0]):
                    question = _of(row[0], thing, value, lang)
                    yield Fact(document, start, end, question, "table", lang, thing, f"{value} {unit}".strip())
            elif is_attribute(column) and identifies(row[0], header[0]):
                label = _labelled(header[0], row[0], lang)
                yield Fact(document, start, end, _of(column, label, value, lang), "table", lang, label, value)


def _nameable(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_NAME and not text.endswith(("?", "？", "...", "…"))


def _labelled(kind: str, name: str, lang: str) -> str:
    """The row with what it is one of: ``error code E07``, 错误代码 E07."""
    plain = kind.strip("*` ")
    if not plain or plain.casefold() in (*_NAMES, name.casefold()) or len(plain) > _LONGEST_KIND:
        return name
    if is_chinese(lang):
        return f"{plain}“{name}”" if has_han(name) else f"{plain} {name} "
    return f"{plain[0].lower() + plain[1:] if not plain.isupper() else plain} {name}"


def _of(name: str, topic: str, value: str, lang: str) -> str:
    if is_chinese(lang):
        if _DAY.search(value):
            return f"{topic}的{name}是什么时候？"
        if _SPAN.fullmatch(value):
            return f"{topic}的{name}是多长时间？"
        return f"{topic}的{name}是{'多少' if re.match(r'[约≥≤<>+-]?[0-9]', value) else '什么'}？"
    lower = name if name.isupper() or any(c.isupper() for c in name[1:]) else name.lower()
    return f"What is the {lower} of {with_article(topic)}?"
