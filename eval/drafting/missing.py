"""Questions about what no document tells of a product, a person, a project or an organisation that one names."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

from chunking.types import Document
from eval.drafting.mentions import Mention, mentions
from eval.testset import Draft, passage
from graph.language import language_of

_MOST_ASKED = 2
"""Questions about one name."""
_AROUND = 200
"""Characters on either side of a name that tell the language of what it stands in."""
_GENERAL = re.compile(
    r"\b(?:all|every|each|any)\b(?: \w+){0,2} "
    r"(?:products?|models?|devices?|machines?|units?|employees|staff|projects?)\b"
    r"|(?:所有|全部|各|每)[\u4e00-\u9fff]{0,3}(?:产品|型号|设备|机器|员工|项目)",
    re.IGNORECASE,
)
"""What is said of all of them is told of each."""


@dataclass(frozen=True)
class _Attribute:
    """`telling` matches whatever an answer would need to say, in either language."""

    telling: re.Pattern[str]
    en: str
    zh: str


@lru_cache
def _attributes() -> dict[str, tuple[_Attribute, ...]]:
    """By kind of name."""
    rows = yaml.safe_load(Path(__file__).with_name("attributes.yaml").read_text(encoding="utf-8"))
    return {
        kind: tuple(_Attribute(re.compile(row["telling"], re.IGNORECASE), row["en"], row["zh"]) for row in table)
        for kind, table in rows.items()
    }


def missing_attributes(documents: Sequence[Document]) -> list[Iterator[Draft]]:
    """For each kind of name; the documents by turns, and for each name two things that are not told of it."""
    named = mentions(documents)
    return [_asked([each for each in named if each.kind == kind], documents) for kind in _attributes()]


def _asked(named: Sequence[Mention], documents: Sequence[Document]) -> Iterator[Draft]:
    general = [part for document in documents for part in _general(document)]
    untold = {each.name: _untold(each, documents, general) for each in named}
    for _ in range(_MOST_ASKED):
        for kind, name, document, start in named:
            attribute = next(untold[name], None)
            if attribute is None:
                continue
            lang = language_of(document.text[max(0, start - _AROUND) : start + _AROUND])
            shown = f"the {name}" if kind == "product" and lang == "en" else name
            question = (attribute.zh if lang == "zh" else attribute.en).format(name=shown)
            span = passage(document, start, start + len(name))
            yield Draft("", question, "", "unanswerable", lang, False, (span,), f"pattern:absent-{kind}")


def _untold(named: Mention, documents: Sequence[Document], general: Sequence[str]) -> Iterator[_Attribute]:
    """Those of which no document that has the name says anything, nor what is said of all; the name picks the first."""
    called, rows = named.called, _attributes()[named.kind]
    texts = [document.text for document in documents if called.search(document.text)]
    first = zlib.crc32(named.name.encode()) % len(rows)
    for row in rows[first:] + rows[:first]:
        if not any(row.telling.search(text) for text in (*texts, *general)):
            yield row


def _general(document: Document) -> Iterator[str]:
    for block in document.blocks:
        if _GENERAL.search(text := document.text[block.start : block.end]):
            yield text
