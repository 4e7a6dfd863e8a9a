"""Draft question-answer pairs, have a person review them, and keep the accepted ones as a suite.

    drafts = draft_by_patterns(documents, count=20)          or: await draft_with_model(documents, model, count=20)
    save_drafts(path, drafts); drafts = load_drafts(path)
    drafts = decide(drafts, "d003", "accepted", question="...")      or: decide(drafts, "d003", None, question="...")
    write_suite(drafts, folder)                              accepted pairs only

A draft's `passages` are what it was made from: the reviewer sees them beside the question.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from chunking.errors import ConfigError, NotFoundError
from chunking.types import Document
from eval.corpus import find_text
from eval.lines import write_json
from graph.language import language_of

Kind = Literal["factual", "summary", "multi_hop", "unanswerable"]
Decision = Literal["draft", "accepted", "dropped"]
KINDS: tuple[Kind, ...] = ("factual", "summary", "multi_hop", "unanswerable")
PROPORTION: dict[Kind, int] = {"factual": 8, "summary": 6, "multi_hop": 6, "unanswerable": 4}
"""Of 24, the articles' twenty and four that the documents cannot answer."""
EDITABLE = ("question", "reference", "answers", "type", "evidence")
"""`evidence` is one quote for each passage."""
FILE_FORMAT = 1
QUESTIONS = "questions.jsonl"
"""What `write_suite` writes into the suite's folder, over one that is there."""


@dataclass(frozen=True, slots=True)
class Passage:
    """``document.text[start:end] == text``; the evidence of one group. `before` and `after` are for the reader.

    `closes`: `after` goes on to the end of the document.
    """

    source: str
    title: str
    start: int
    end: int
    text: str
    before: str = ""
    after: str = ""
    closes: bool = False

    @property
    def opens(self) -> bool:
        """Whether `before` begins where the document does."""
        return self.start == len(self.before)

    @property
    def shown_before(self) -> str:
        return self.before if self.opens else f"…{self.before}"

    @property
    def shown_after(self) -> str:
        return self.after if self.closes else f"{self.after}…"

    def moved(self, quote: str) -> Passage:
        """The passage with `quote` as its evidence. Raises ConfigError where what is shown does not say it."""
        if quote == self.text:
            return self
        shown = self.before + self.text + self.after
        place = find_text(shown, quote, near=len(self.before))
        if place is None:
            raise ConfigError(
                f"The passage of {self.source} does not say {quote[:60]!r}: take as evidence words shown in it."
            )
        start, end = place
        base = self.start - len(self.before)
        return replace(
            self, start=base + start, end=base + end, text=shown[start:end], before=shown[:start], after=shown[end:]
        )


@dataclass(frozen=True, slots=True)
class Draft:
    """A proposed question. `how` says what proposed it: a pattern's name, or the model's."""

    id: str
    question: str
    reference: str
    type: Kind
    lang: str
    answerable: bool
    passages: tuple[Passage, ...]
    how: str
    answers: tuple[str, ...] = ()
    decision: Decision = "draft"

    def to_question(self) -> dict[str, Any]:
        """The line of a suite's questions.jsonl. An unanswerable question has no evidence."""
        spans = [
            {"doc_id": p.source, "start": p.start, "end": p.end, "text": p.text, "group": group}
            for group, p in enumerate(self.passages)
        ]
        return {
            "id": self.id, "question": self.question, "reference": self.reference if self.answerable else "",
            "answers": list(self.answers) if self.answerable else [],
            "reference_spans": spans if self.answerable else [], "type": self.type, "lang": self.lang,
            "answerable": self.answerable,
        }  # fmt: skip


def shares(count: int, kinds: Sequence[Kind] = KINDS) -> dict[Kind, int]:
    """How many drafts of each kind, in the articles' proportion (largest remainders)."""
    whole = sum(PROPORTION[kind] for kind in kinds)
    exact = {kind: count * PROPORTION[kind] / whole for kind in kinds}
    found = {kind: int(value) for kind, value in exact.items()}
    for kind in sorted(kinds, key=lambda kind: found[kind] - exact[kind])[: count - sum(found.values())]:
        found[kind] += 1
    return found


def passage(document: Document, start: int, end: int, *, margin: int = 160) -> Passage:
    text = document.text
    return Passage(
        document.source, document.title, start, end, text[start:end], text[max(0, start - margin) : start],
        text[end : end + margin], end + margin >= len(text),
    )  # fmt: skip


def save_drafts(path: Path, drafts: Sequence[Draft]) -> None:
    """Replace the file as a whole, so that a review can be stopped at any time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {"format": FILE_FORMAT, "drafts": [asdict(draft) for draft in drafts]})


def load_drafts(path: Path) -> list[Draft]:
    """Raises NotFoundError and ConfigError."""
    if not path.is_file():
        raise NotFoundError(f"There are no drafts at {path}: make some with 'crag eval testset draft'.")
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        return [
            Draft(
                **{
                    **entry,
                    "passages": tuple(Passage(**p) for p in entry["passages"]),
                    "answers": tuple(entry["answers"]),
                }
            )
            for entry in value["drafts"]
        ]
    except (ValueError, TypeError, KeyError) as error:
        raise ConfigError(
            f"{path} is no file of drafts ({error}); make a new one with 'crag eval testset draft'."
        ) from None


def decide(drafts: Sequence[Draft], identity: str, decision: Decision | None, **edits: Any) -> list[Draft]:
    """The drafts with one accepted or dropped, its question, reference, answers, type or evidence edited on the way.

    None leaves the decision as it is. The language follows the question, and whether the documents answer it the type.

    Raises NotFoundError for an unknown id, and ConfigError for another field, evidence that is not in its passage, or
    an accepted question without text.
    """
    old = next((draft for draft in drafts if draft.id == identity), None)
    if old is None:
        raise NotFoundError(f"There is no draft {identity!r}.")
    new = replace(_edited(old, edits), decision=decision or old.decision)
    if new.decision == "accepted" and not new.question.strip():
        raise ConfigError(f"Draft {identity} has no question: write one or drop it.")
    return [new if draft is old else draft for draft in drafts]


def _edited(draft: Draft, edits: dict[str, Any]) -> Draft:
    unknown = [name for name in edits if name not in EDITABLE]
    if unknown:
        raise ConfigError(f"A draft's {unknown[0]} cannot be edited: choose from {', '.join(EDITABLE)}.")
    new = dict(edits)
    if "answers" in new:
        new["answers"] = tuple(new["answers"])
    if "type" in new:
        if new["type"] not in KINDS:
            raise ConfigError(f"A draft's type is one of {', '.join(KINDS)}.")
        new["answerable"] = new["type"] != "unanswerable"
    if new.get("question", draft.question) != draft.question:
        new["lang"] = language_of(new["question"])
    quotes = new.pop("evidence", None)
    if quotes is not None:
        if len(quotes) != len(draft.passages):
            raise ConfigError(f"Draft {draft.id} takes one quote for each of its {len(draft.passages)} passages.")
        new["passages"] = tuple(place.moved(quote) for place, quote in zip(draft.passages, quotes, strict=True))
    return replace(draft, **new)


def progress(drafts: Sequence[Draft]) -> dict[Decision, int]:
    counted = Counter(draft.decision for draft in drafts)
    return {"draft": counted["draft"], "accepted": counted["accepted"], "dropped": counted["dropped"]}


def write_suite(drafts: Sequence[Draft], folder: Path) -> int:
    """Write the accepted drafts as a suite over the ingested documents; their number.

    Raises ConfigError when none is accepted: what nobody has looked at does not enter a suite.
    """
    accepted = [draft for draft in drafts if draft.decision == "accepted"]
    if not accepted:
        raise ConfigError("No draft is accepted yet: go through them with 'crag eval testset review'.")
    folder.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(draft.to_question(), ensure_ascii=False) + "\n" for draft in accepted)
    (folder / QUESTIONS).write_text("".join(lines), encoding="utf-8")
    return len(accepted)


def numbered(drafts: Sequence[Draft]) -> list[Draft]:
    return [replace(draft, id=f"d{number:03}") for number, draft in enumerate(drafts, 1)]
