"""The models of a suite: what a line of its files may say."""

from __future__ import annotations

import difflib
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, model_validator

from eval.text import language_code
from graph.language import has_han, language_of

LABELS = frozenset({"split"})
"""Keys by which sets tell their parts apart; no evaluation uses them, and none needs to be told so."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _no_slips(cls, value: Any) -> Any:
        known = list(cls.model_fields)
        for key in value if isinstance(value, dict) else ():
            close = difflib.get_close_matches(str(key), known, n=1, cutoff=0.85)
            if key not in known and close and close[0] not in value:
                raise ValueError(f"unknown key {key!r}: did you mean {close[0]!r}?")
        return value

    @property
    def extra(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class SuiteSpan(_Model):
    """A passage of a document. `doc_id` None searches every document for the text."""

    doc_id: StrictStr | None = None
    text: StrictStr = Field(min_length=1)
    start: StrictInt | None = Field(default=None, ge=0)
    end: StrictInt | None = Field(default=None, ge=0)
    group: StrictInt = 0

    @model_validator(mode="after")
    def _both_ends(self) -> SuiteSpan:
        if (self.start is None) is not (self.end is None):
            raise ValueError("give both start and end, or neither")
        if self.start is not None and self.end is not None and self.end - self.start != len(self.text):
            raise ValueError(
                f"start {self.start} and end {self.end} do not enclose a text of {len(self.text)} characters"
            )
        return self


class SuiteTurn(_Model):
    role: Literal["user", "assistant", "system"]
    content: StrictStr


class SuiteQuestion(_Model):
    id: StrictStr = Field(min_length=1)
    question: StrictStr = Field(min_length=1)
    reference: StrictStr = ""
    answers: tuple[StrictStr, ...] = ()
    """Further wordings that are right."""
    reference_spans: tuple[SuiteSpan, ...] = ()
    """The evidence: all passages a full answer needs."""
    answer_spans: tuple[SuiteSpan, ...] = ()
    """The answer itself inside the evidence, where it is quoted verbatim."""
    type: StrictStr = "question"
    lang: StrictStr = ""
    answerable: StrictBool = True
    history: tuple[SuiteTurn, ...] = ()
    response: StrictStr | None = None
    retrieved_contexts: tuple[StrictStr, ...] = ()
    """`response` and `retrieved_contexts` are what some system answered: see `eval.system.RecordedSystem`."""

    @model_validator(mode="before")
    @classmethod
    def _completed(cls, value: Any) -> Any:
        """The language by its code, or as the question reads; the first of several answers is the reference."""
        if not isinstance(value, dict):
            return value
        value = dict(value)
        if not value.get("lang") and isinstance(value.get("question"), str):
            value["lang"] = language_of(value["question"])
        elif isinstance(value.get("lang"), str):
            value["lang"] = language_code(value["lang"])
        if not value.get("reference") and isinstance(value.get("answers"), list | tuple) and value["answers"]:
            value["reference"], *value["answers"] = value["answers"]
        return value


class SuiteDocument(_Model):
    """`text` in the line, or `file`: a path that `Suite.root` or its ``corpus`` folder holds. A file wins over text."""

    doc_id: StrictStr = Field(min_length=1)
    title: StrictStr = ""
    text: StrictStr | None = None
    file: StrictStr | None = None
    source: StrictStr = ""
    lang: StrictStr = ""

    @model_validator(mode="after")
    def _content(self) -> SuiteDocument:
        if self.text is None and self.file is None:
            raise ValueError("a document needs its text or a file")
        return self


def _mislabelled(question: SuiteQuestion) -> bool:
    """Names in the other script are no sign of it; a question without one character of its language is."""
    if question.lang == "zh":
        return not has_han(question.question + question.reference)
    return question.lang == "en" and language_of(question.question) == "zh"


@dataclass(frozen=True)
class Suite:
    """`documents` is None when the questions are about what is already ingested."""

    name: str
    root: Path
    questions: tuple[SuiteQuestion, ...]
    documents: tuple[SuiteDocument, ...] | None

    @property
    def hash(self) -> str:
        """16 hex digits over everything the questions say, gold included; the documents have a hash of their own."""
        lines = [
            question.model_dump(mode="json", exclude={"response", "retrieved_contexts"}) for question in self.questions
        ]
        return hashlib.sha256(json.dumps(lines, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def unused_keys(self) -> tuple[str, ...]:
        """Keys or columns of the questions that mean nothing here, sorted, without `LABELS`."""
        return tuple(sorted({key for question in self.questions for key in question.extra if key not in LABELS}))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is read otherwise than its writer may have meant, a sentence each."""
        told = []
        if self.unused_keys:
            told.append(
                f"The questions of {self.name} have keys that no evaluation uses: {', '.join(self.unused_keys)}."
            )
        if any(q.response for q in self.questions) and not any(q.reference for q in self.questions):
            told.append(
                "No question has a reference: what stands under answer or response is what a system said, the right "
                "answer goes under reference."
            )
        odd = [q for q in self.questions if _mislabelled(q)]
        if odd:
            told.append(
                f"Scored as {odd[0].lang} though not written so: {', '.join(q.id for q in odd[:5])}"
                f"{f' and {len(odd) - 5} more' if len(odd) > 5 else ''}; leave lang out to have it found."
            )
        return tuple(told)

    @property
    def language(self) -> str:
        """``zh`` when at least half of the questions are Chinese, else ``en``: the language of judge prompts."""
        chinese = sum(question.lang.startswith("zh") for question in self.questions)
        return "zh" if chinese * 2 >= len(self.questions) else "en"
