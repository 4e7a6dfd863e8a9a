"""Sentences that give the cause of what the sentence before them reports, or what was decided about it: they say of
what in no word, so no likeness to a question finds them."""

from __future__ import annotations

import re

_CAUSE = re.compile(
    r"(?:(?:the|its|their|a|one|main|root|likely|probable) )*(?:causes?|reasons?)\b"
    r"|(?:this|it) (?:is|was) (?:because|due|caused)\b|because\b|due to\b"
    r"|(?:其|主要|根本|究其|直接)*原因|[这這]是因[为為]|(?:[这這]是)?由于|系.{1,12}(?:所致|[导導]致)",
    re.IGNORECASE,
)
_OUTCOME = re.compile(
    r"(?:the )?(?:decision|resolution|result|outcome|conclusion|solution|remedy|action|measure)s?"
    r"(?: (?:is|was|are|were)\b|:)"
    r"|(?:it|this) (?:was|has been) (?:decided|agreed|resolved|concluded)\b|(?:decided|agreed|resolved):"
    r"|(?:we|they|the (?:team|board|council|meeting|group|committee)) (?:have |has )?(?:decided|agreed|resolved)\b"
    r"|(?:[会會][议議])?(?:[决決][定议議]|同意)|[结結][论論]|[经經](?:[讨討][论論]|研究)|措施|解[决決](?:方案|[办辦]法)",
    re.IGNORECASE,
)
_ASKS_NAME = re.compile(r"\b(?:which|who|whom|what)\b|哪|[谁誰]|什[么麼]", re.IGNORECASE)
_MARKS = " \t\n-*•>_“\"'「『（("


def gives_cause(sentence: str) -> bool:
    return _CAUSE.match(sentence.lstrip(_MARKS)) is not None


def concludes(sentence: str) -> bool:
    """Whether a sentence says by its opening that it gives a cause or a decision."""
    return gives_cause(sentence) or _OUTCOME.match(sentence.lstrip(_MARKS)) is not None


def asks_name(question: str) -> bool:
    return _ASKS_NAME.search(question) is not None
