"""Does a reply of the judge answer what was asked? Ragas takes any that fits the schema.

One verdict on five statements makes it a faithfulness of 1, a verdict of -1 is faithful to it, and no classification at
all is full marks. Each prompt carries its input along, so that the reply can be held against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pydantic import BaseModel

from eval.judge import JudgeError


class Asked(str):
    """A prompt that remembers its input."""

    __slots__ = ("given",)
    given: BaseModel

    @classmethod
    def of(cls, prompt: str, given: BaseModel) -> Asked:
        asked = cls(prompt)
        asked.given = given
        return asked


def remembering(prompt: Any) -> Any:
    """The Ragas prompt, whose strings remember their input."""
    to_string = prompt.to_string
    prompt.to_string = lambda given: Asked.of(to_string(given), given)
    return prompt


def check(reply: Any, asked: Asked) -> None:
    """Raises JudgeError for a reply that does not answer what was asked."""
    _CHECKS[type(reply).__name__](reply, asked.given)


def _binary(verdicts: Iterable[int]) -> None:
    odd = [verdict for verdict in verdicts if verdict not in {0, 1}]
    if odd:
        raise JudgeError(f"the judge's verdict was {odd[0]}, neither 0 nor 1")


def _statements(reply: Any, given: Any) -> None:
    if any(not statement.strip() for statement in reply.statements):
        raise JudgeError("the judge gave an empty statement")


def _verdicts(reply: Any, given: Any) -> None:
    if len(reply.statements) != len(given.statements):
        raise JudgeError(f"the judge gave {len(reply.statements)} verdicts on {len(given.statements)} statements")
    _binary(each.verdict for each in reply.statements)


def _attributions(reply: Any, given: Any) -> None:
    if not reply.classifications:
        raise JudgeError("the judge gave no verdict")
    _binary(each.attributed for each in reply.classifications)


def _usefulness(reply: Any, given: Any) -> None:
    _binary([reply.verdict])


def _question(reply: Any, given: Any) -> None:
    if not reply.question.strip():
        raise JudgeError("the judge gave an empty question")
    _binary([reply.noncommittal])


def _classes(reply: Any, given: Any) -> None:
    """Each statement of the answer is a true or a false positive; of the reference, those it lacks are named."""
    classified = len(reply.TP) + len(reply.FP)
    if classified != len(given.answer) or len(reply.FN) > len(given.ground_truth):
        raise JudgeError(
            f"the judge classified {classified} of the answer's {len(given.answer)} statements and "
            f"{len(reply.FN)} of the reference's {len(given.ground_truth)}"
        )


_CHECKS: dict[str, Callable[[Any, Any], None]] = {
    "StatementGeneratorOutput": _statements,
    "NLIStatementOutput": _verdicts,
    "StatementFaithfulnessOutput": _verdicts,
    "ContextRecallOutput": _attributions,
    "ContextPrecisionOutput": _usefulness,
    "AnswerRelevanceOutput": _question,
    "ClassificationWithReason": _classes,
}
"""By the name of the reply's class: Ragas defines some of them once a metric."""
