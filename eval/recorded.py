"""A system whose answers are in the suite already: outputs of another program, scored and compared like our own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from chunking.errors import ConfigError
from chunking.types import Chunk, chunk_id
from eval.corpus import Corpus, find_text
from eval.questions import SuiteQuestion
from eval.suite import Suite
from graph.types import Answer, Turn
from retrieval.types import DocumentInfo, Hit

_ELSEWHERE = DocumentInfo("recorded", "recorded", "recorded", "text/plain")


class RecordedSystem:
    """Replays `response` and `retrieved_contexts` of a suite's questions.

    Contexts are found in the corpus by their text, so that gold spans apply; one that is in no document stays a
    passage without a place. Tokens are counted as letters of Chinese and words otherwise. Raises ConfigError when the
    suite holds no response.
    """

    def __init__(self, suite: Suite, corpus: Corpus, name: str = "recorded") -> None:
        self._questions = {question.question: question for question in suite.questions if question.response is not None}
        if not self._questions:
            raise ConfigError(f"Suite {suite.name} holds no responses: give its rows a column response (or answer).")
        self._corpus = corpus
        self.name = name
        lines = [[q.id, q.response, q.retrieved_contexts] for q in self._questions.values()]
        self.version = hashlib.sha256(json.dumps(lines, ensure_ascii=False).encode()).hexdigest()[:16]

    def manifest(self) -> dict[str, Any]:
        return {"recorded": len(self._questions)}

    async def ready(self) -> Mapping[str, Any]:
        """Nothing is to be loaded."""
        return {}

    async def ask(self, question: str, history: Sequence[Turn]) -> Answer:
        recorded = self._questions.get(question)
        if recorded is None:
            raise ConfigError(f"There is no recorded response to {question!r}.")
        return Answer(
            question=question,
            text=recorded.response or "",
            status="grounded" if (recorded.response or "").strip() else "abstained",
            route="correct",
            confidence=1.0,
            pipeline={"name": self.name, "version": self.version},
            hits=self._hits(recorded),
        )

    def _hits(self, question: SuiteQuestion) -> tuple[Hit, ...]:
        return tuple(self._hit(text, rank) for rank, text in enumerate(question.retrieved_contexts, 1))

    def _hit(self, text: str, rank: int) -> Hit:
        for document in self._corpus.documents:
            place = find_text(document.text, text)
            if place is not None:
                start, end = place
                info = DocumentInfo(document.id, document.source, document.title, document.media_type)
                return Hit(_chunk(document.id, start, end, document.text[start:end]), info, 1 / rank)
        return Hit(_chunk(_ELSEWHERE.id, 0, len(text), text), _ELSEWHERE, 1 / rank)


def _chunk(document: str, start: int, end: int, text: str) -> Chunk:
    tokens = sum((not word.isascii() and len(word)) or 1 for word in text.split())
    return Chunk(chunk_id(document, start, end, text), document, start, end, text, tokens)
