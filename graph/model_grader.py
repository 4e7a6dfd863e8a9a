"""What a language model says of the evidence, and how that joins the calibrated probability.

The model is asked once for all passages and answers with words, not with numbers: probabilities that a model states
of itself are poorly calibrated, labels of graded relevance are not (UMBRELA, arXiv:2406.06519). A label it does not
give, gives twice or makes up is no grade: that passage keeps its calibrated probability.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graph.language import language_of
from graph.llms.base import Message
from graph.neutral import neutralise
from graph.prompts import messages, shown
from retrieval.types import Hit

GRADES: dict[str, float] = {"full": 0.9, "part": 0.5, "none": 0.1}
"""Probability that a label stands for. Set, not fitted, and short of certainty: a passage can talk a model into one."""
UNSURE = "unsure"
PASSAGE_LIMIT = 1500
"""Characters of a passage that the model reads."""
TOKENS = 40
"""Of the reply for each passage, and once more for what encloses them."""

_LABEL = {"type": "string", "enum": [*GRADES, UNSURE]}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "passages": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": {"type": "integer"}, "grade": _LABEL},
                "required": ["id", "grade"],
                "additionalProperties": False,
            },
        },
        "together": _LABEL,
    },
    "required": ["passages", "together"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Grades:
    """One entry for each passage shown, and one for all together; None where the model abstained."""

    passages: tuple[float | None, ...]
    together: float | None


def grading_messages(question: str, hits: Sequence[Hit]) -> list[Message]:
    """The prompt: `hits` numbered from 1, then the question, in the question's language."""
    passages = shown(hits, PASSAGE_LIMIT)
    return messages(language_of(question), "grade", passages=passages, question=neutralise(question))


def read_grades(reply: Mapping[str, Any], count: int) -> Grades:
    """The grades in a reply about `count` passages; what cannot be read is no grade."""
    given: dict[int, set[float | None]] = {}
    for entry in reply["passages"]:
        if isinstance(entry, Mapping) and (number := _number(entry.get("id"))) is not None:
            given.setdefault(number, set()).add(_grade(entry.get("grade")))
    # Two grades for one passage contradict each other.
    passages = tuple(
        next(iter(grades)) if len(grades := given.get(number, set())) == 1 else None for number in range(1, count + 1)
    )
    return Grades(passages, _grade(reply["together"]))


def pooled(calibrated: float, graded: float | None, weight: float) -> float:
    """``sigmoid((1 - weight) * logit(calibrated) + weight * logit(graded))``; `calibrated` where there is no grade.

    The logarithmic opinion pool of two probabilities (Genest and Zidek, Statistical Science 1(1), 1986).
    """
    if graded is None:
        return calibrated
    total = (1 - weight) * _logit(calibrated) + weight * _logit(graded)
    return 1 / (1 + math.exp(-total))


def _logit(probability: float) -> float:
    held = min(1 - 1e-6, max(1e-6, probability))
    return math.log(held / (1 - held))


def _number(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    text = str(value).strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else None


def _grade(value: Any) -> float | None:
    return GRADES.get(value.strip().lower()) if isinstance(value, str) else None
