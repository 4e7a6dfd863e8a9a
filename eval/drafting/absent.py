"""Questions that the documents do not answer: a thing they tell of, asked for what none of them says of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from chunking.types import Document
from eval.drafting.facts import Fact
from eval.testset import Draft, passage

_ABSENT = {
    "zh": (
        ("发明", r"发明|研发|首创|创制|创始|提出|设计", "{subject}是谁发明的？"),
        ("价格", r"[价费款钱元]|金额|成本|预算|[¥￥$€£]", "{subject}的价格是多少？"),
        ("电话", r"电话|手机|热线|座机|号码|\d{3,4}-\d{4}", "{subject}的联系电话是多少？"),
        ("颜色", r"颜色|[红橙黄绿青蓝紫黑白灰棕粉金银]色", "{subject}是什么颜色的？"),
        ("专利", r"专利", "{subject}的专利号是什么？"),
    ),
    "en": (
        ("invent", r"\b(?:invent|devis|creat|design|propos|introduc|founded by)", "Who invented {subject}?"),
        (
            "price",
            r"\b(?:pric|costs?\b|costing|fees?\b|fares?\b|fines?\b|rates?\b|pay|paid\b|charg|budget|allowance"
            r"|euros?\b|dollars?\b|pounds?\b|yuan\b|eur\b|usd\b|gbp\b|cny\b)|[€$£¥]",
            "What is the price of {subject}?",
        ),
        ("phone", r"phone|\b(?:call|dial|hotline|tel)\b|\d{3,4}-\d{4}", "Which phone number belongs to {subject}?"),
        (
            "colo",
            r"colou?r|\b(?:red|orange|yellow|green|blue|violet|purple|black|white|gr[ae]y|brown|pink|gold|silver)\b",
            "What colour is {subject}?",
        ),
        ("patent", r"patent", "What is the patent number of {subject}?"),
    ),
}
"""What documents seldom tell: its name, words one of which any answer would need, and the question."""
_TELLING = {word: re.compile(words) for rows in _ABSENT.values() for word, words, _ in rows}


def unanswerable(facts: Sequence[Fact], documents: Sequence[Document]) -> Iterator[Draft]:
    """One for each subject, no two in a row asking for the same."""
    used: set[str] = set()
    things = sorted(
        facts, key=lambda fact: not fact.pattern.startswith(("definition", "means", "purpose", "does", "is-"))
    )
    for number, fact in enumerate(things):
        word, _, question = _ABSENT[fact.lang][number % len(_ABSENT[fact.lang])]
        if fact.subject in used or not fact.subject or fact.pattern == "named":
            continue
        if any(_TELLING[word].search(text) for text in _about(fact, documents)):
            continue
        used.add(fact.subject)
        span = passage(fact.document, fact.start, fact.end)
        asked = question.format(subject=fact.subject)
        yield Draft("", asked, "", "unanswerable", fact.lang, False, (span,), f"pattern:absent-{word}")


def _about(fact: Fact, documents: Sequence[Document]) -> Iterator[str]:
    """The block that the fact is from, a table's header with it, and every other one that names its subject."""
    name = _name(fact)
    for document in documents:
        for block in document.blocks:
            text = document.text[block.start : block.end].lower()
            if name in text or (document.id == fact.document.id and block.start <= fact.start < block.end):
                yield text


def _name(fact: Fact) -> str:
    """What other places call the subject: a table's row by its first cell, anything else without its article."""
    if fact.pattern == "table":
        return fact.document.text[fact.start : fact.end].strip("| ").split("|")[0].strip(" *`").lower()
    return re.sub(r"^(?:the|an?) ", "", fact.subject.lower())
