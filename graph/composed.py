"""Questions that take more than one sentence to answer: of a thing that is only described, or of two side by side."""

from __future__ import annotations

import re

_NAME_OF = re.compile(r"\bnames? of\b|'s (?:full |first |last )?name\b|的(?:名字|姓名)")
_NESTED = re.compile(
    r"\bof\b.*\bof\b|\w.*\b(?:which|that|who|whom|whose|where)\b|['’]s\b.*(?:['’]s|\bof)\b|\bof\b.*['’]s\b|的.*的",
    re.IGNORECASE,
)
_DESCRIBED = re.compile(
    r"['’]s\b[^?]*(?:['’]s|\bof)\b|\bof\b[^?]*['’]s\b"
    r"|\bof (?:the )?\w+(?: \w+)? (?:of|that|who|which|whose|where|in which)\b"
    r"|\b(?!in |to |of |by |for |with |from |at |on )\w+ (?:that|who|whose|whom|where) (?!is\?|did\?)\w|的[^的]+的",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b[Bb]oth\b|\bin common\b|\b[Bb]etween [A-Z]|, [A-Z][^?,]* or [A-Z]"
    r"|\b(?:first|older|younger|larger|earlier|later|longer)\b[^?]*,[^?]* or "
)


def nested(question: str) -> bool:
    """Whether it asks of what is only described, as the sibling of the performer of Decade: what tells it need not know
    Decade."""
    return _NESTED.search(_NAME_OF.sub(" ", question)) is not None


def described(question: str) -> bool:
    """`nested`, but only where a clause or a chain of owners describes it: "the actress who starred in Darkon"."""
    return _DESCRIBED.search(_NAME_OF.sub(" ", question)) is not None


def compared(question: str) -> bool:
    """Whether it sets two things side by side: "Are both magazines British?"."""
    return _COMPARED.search(question) is not None
