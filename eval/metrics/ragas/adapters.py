"""Our judge and our embedder in the shapes that Ragas' classes expect."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel
from ragas.embeddings.base import BaseRagasEmbedding
from ragas.llms.base import InstructorBaseRagasLLM

from eval.judge import Judge
from eval.metrics.ragas.replies import Asked, check
from retrieval.embedders.base import Embedder

_Reply = TypeVar("_Reply", bound=BaseModel)


class NoStatementsError(Exception):
    """The judge broke a text into no statements. Ragas then scores NaN, or 1.0 for answer correctness."""


class JudgeLLM(InstructorBaseRagasLLM):
    """Every call of a Ragas metric goes through `Judge.reply`, with its cache, slots and budget."""

    def __init__(self, judge: Judge, metric: str) -> None:
        self._judge = judge
        self._metric = metric

    def generate(self, prompt: str, response_model: type[_Reply]) -> _Reply:
        raise TypeError("the judge is asynchronous: use agenerate()")

    async def agenerate(self, prompt: str, response_model: type[_Reply]) -> _Reply:
        assert isinstance(prompt, Asked)
        reply = await self._judge.reply(str(prompt), response_model, self._metric, lambda found: check(found, prompt))
        if response_model.__name__ == "StatementGeneratorOutput" and not getattr(reply, "statements", None):
            raise NoStatementsError
        return reply


class EmbedderEmbedding(BaseRagasEmbedding):
    """Both sides are embedded as queries: the similarity is symmetric."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__()
        self._embedder = embedder
        self._known: dict[str, list[float]] = {}

    async def warm(self, texts: Sequence[str]) -> None:
        """Embed off the event loop: Ragas calls `embed_text` on it."""
        await asyncio.to_thread(self.embed_texts, list(texts))

    def embed_text(self, text: str, **kwargs: Any) -> list[float]:
        return self.embed_texts([text])[0]

    async def aembed_text(self, text: str, **kwargs: Any) -> list[float]:
        return (await self.aembed_texts([text]))[0]

    def embed_texts(self, texts: list[str], **kwargs: Any) -> list[list[float]]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            vectors = self._embedder.embed(missing, "query").tolist()
            self._known.update(zip(missing, vectors, strict=True))
        return [self._known[text] for text in texts]

    async def aembed_texts(self, texts: list[str], **kwargs: Any) -> list[list[float]]:
        return await asyncio.to_thread(self.embed_texts, texts)
