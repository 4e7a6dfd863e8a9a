"""Questions that the documents do not answer: a thing they name, asked for what none of them says of it, and the next
code of a table that has none by that number. Only such as somebody might ask: nobody asks what colour an error is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count, islice

from chunking.types import Document
from eval.drafting.facts import Fact
from eval.drafting.missing import missing_attributes
from eval.drafting.names import is_code, with_article
from eval.drafting.others import other_members
from eval.testset import Draft, passage

_ABSENT = {
    "price": {
        "zh": (r"[价费款钱元]|金额|成本|预算|[¥￥$€£]", "{subject}的价格是多少？"),
        "en": (
            r"\b(?:pric|costs?\b|costing|fees?\b|fares?\b|fines?\b|rates?\b|pay|paid\b|charg|budget|allowance"
            r"|euros?\b|dollars?\b|pounds?\b|yuan\b|eur\b|usd\b|gbp\b|cny\b)|[€$£¥]",
            "What is the price of {subject}?",
        ),
    },
    "invent": {
        "zh": (r"发明|研发|首创|创制|创始|提出|设计|开发|作者|来自|出自", "{subject}是谁提出的？"),
        "en": (
            r"\b(?:invent|devis|creat|design|propos|introduc|develop|authors?\b|written by|founded by)",
            "Who invented {subject}?",
        ),
    },
}
"""What documents seldom tell: words one of which any answer would need, and the question."""
_TELLING = {(word, lang): re.compile(row[0]) for word, rows in _ABSENT.items() for lang, row in rows.items()}
_DEFINED = ("definition", "definitions", "means", "purpose")
_PRODUCT = re.compile(r"(?<![\w-])[A-Z][A-Za-z]{0,7}-\d+[A-Za-z\d-]*(?![\w-])")
"""A model's number, as of what is sold: HX-200. BM25 is none."""
_MODEL = re.compile(r"(?<![\w-])[A-Z][A-Za-z]{0,7}\d+(?![\w-])")
_DEVICE = re.compile(
    r"\b(?:router|machine|pump|device|sensor|printer|camera|phone|car|truck|tool|meter)\b|[机器泵仪车灯阀]|设备"
)
_CODE = re.compile(r"(?P<letters>(?:[A-Za-z]{1,4}[-_]?)?)(?P<number>\d{1,5})")
_MOST_TRIED = 100


def unanswerable(facts: Sequence[Fact], documents: Sequence[Document]) -> Iterator[Draft]:
    """Of each kind by turns: what is not told of a name, another member of a kind, a thing's price or maker, a code."""
    kinds = [
        other_members(facts, documents),
        *missing_attributes(documents),
        _unsaid(facts, documents),
        _next_codes(facts, documents),
    ]
    while kinds:
        for kind in tuple(kinds):
            if (draft := next(kind, None)) is None:
                kinds.remove(kind)
            else:
                yield draft


def _unsaid(facts: Sequence[Fact], documents: Sequence[Document]) -> Iterator[Draft]:
    used: set[str] = set()
    for fact in facts:
        name = _bare(fact.subject)
        model = _PRODUCT.search(fact.subject)
        thing = model[0] if model else name
        word = "price" if _is_sold(fact) else "invent"
        if not name or thing in used or not (fact.pattern in _DEFINED or (word == "price" and fact.pattern != "table")):
            continue
        if word == "invent" and not _is_proper(fact.subject, fact.lang):
            continue
        if fact.pattern == "means" and not re.search(r"\d|[A-Z].*[A-Z]", fact.subject):
            continue  # "Urgent means that production stands still."
        if any(_TELLING[word, fact.lang].search(text) for text in _about(fact, name, documents)):
            continue
        used.add(thing)
        yield _draft(fact, _ABSENT[word][fact.lang][1].format(subject=with_article(fact.subject)), word)


def _next_codes(facts: Sequence[Fact], documents: Sequence[Document]) -> Iterator[Draft]:
    tables: set[str] = set()
    for fact in facts:
        first = fact.document.text[fact.start : fact.end].strip("| ").split("|")[0].strip(" *`")
        code = _CODE.fullmatch(first) if fact.pattern == "table" else None
        # The rows of one table share what is asked of their codes.
        shape = fact.question.replace(first, "")
        if code is None or first not in fact.question or shape in tables or not is_code(first, fact.subject):
            continue
        tables.add(shape)
        width = len(code["number"])
        for number in islice(count(int(code["number"]) + 1), _MOST_TRIED):
            other = f"{code['letters']}{number:0{width}}"
            if not any(re.search(rf"(?<!\w){re.escape(other)}(?!\w)", each.text, re.IGNORECASE) for each in documents):
                yield _draft(fact, fact.question.replace(first, other), "code")
                break


def _draft(fact: Fact, question: str, word: str) -> Draft:
    span = passage(fact.document, fact.start, fact.end)
    return Draft("", question, "", "unanswerable", fact.lang, False, (span,), f"pattern:absent-{word}")


def _is_sold(fact: Fact) -> bool:
    if _PRODUCT.search(fact.subject):
        return True
    said = fact.document.text[fact.start : fact.end]
    return bool(_MODEL.search(fact.subject) and _DEVICE.search(said))


def _is_proper(subject: str, lang: str) -> bool:
    """A name of its own, as far as one can tell: Chroma, BM25; no parking permit, no 向量模型."""
    if lang == "zh":
        return bool(re.search("[A-Za-z]", subject))
    return bool(re.match(r"(?:the )?[A-Z]", subject)) and all(
        word[0].isupper() for word in _bare(subject, lower=False).split()
    )


def _about(fact: Fact, name: str, documents: Sequence[Document]) -> Iterator[str]:
    """The block that the fact is from, and every other one that names its subject."""
    for document in documents:
        for block in document.blocks:
            text = document.text[block.start : block.end].lower()
            if name in text or (document.id == fact.document.id and block.start <= fact.start < block.end):
                yield text


def _bare(subject: str, *, lower: bool = True) -> str:
    """What other places call the subject: without its article."""
    return re.sub(r"^(?:the|an?) ", "", subject.lower() if lower else subject)
