"""Questions that a document asks itself, as a list of frequent ones does, and the bare verdicts that answer them."""

from __future__ import annotations

import re

_VERDICT = re.compile(
    r"\W*(?:(?:a|answer|回?答|答案)\W*[:：]\W*)?"
    r"(?:yes|no|not yet|never|always|[是对]的?|否|不[是行能会可]|能|会|有|没有|不?(?:可以|支持|需要|允许))\W*",
    re.IGNORECASE,
)


_ANSWERS = re.compile(r"[\s>*•_-]*(?:A(?:nswer)?|回?答|答案)[ \t*_]*[:：](?:\*\*|__)?[ \t]*")


def without_label(answer: str, question: str | None) -> str:
    """An answer without its "A:", "**答：**", given what stands before it: "A: 5 mm" after no question is none."""
    label = _ANSWERS.match(answer)
    if label is None or not (question and is_question(question)):
        return answer
    return answer[label.end() :] or answer


def is_question(sentence: str) -> bool:
    return sentence.rstrip("*_ \t\n").endswith(("?", "？"))


def is_verdict(sentence: str) -> bool:
    """Whether a sentence is no more than "Yes.": what follows says of what."""
    return _VERDICT.fullmatch(sentence) is not None
