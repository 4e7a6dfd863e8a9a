"""Ragas metrics by name: how each is built, what it is given, and when it has nothing to say."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from ragas.dataset_schema import SingleTurnSample
from ragas.metrics import collections
from ragas.metrics._context_precision import IDBasedContextPrecision
from ragas.metrics._context_recall import IDBasedContextRecall

from chunking.errors import ProviderError
from eval.judge import CallLog, Judge, JudgeError, logged_calls
from eval.metrics import retrieval
from eval.metrics.base import (
    OUT_OF_BUDGET,
    Check,
    Metric,
    Outcome,
    first_reason,
    needs_answerable,
    needs_attempt,
    needs_contexts,
    needs_gold,
    needs_reference,
    not_applicable,
)
from eval.metrics.builtin import best_passages
from eval.metrics.catalog import CATALOG
from eval.metrics.ragas.adapters import EmbedderEmbedding, JudgeLLM, NoStatementsError
from eval.metrics.ragas.prompts import CorrectnessInput, CorrectnessOutput, correctness_prompt, speak
from eval.prices import BudgetSpentError
from eval.runs import AnswerRecord, MetricInfo
from eval.text import is_chinese, without_markers
from retrieval.embedders.base import Embedder

_DECLINED = "the pipeline declined to answer"


@dataclass
class RagasMetric:
    """`build` makes the Ragas object; `refusal` is what declining an answerable question earns."""

    info: MetricInfo
    build: Callable[[], Any]
    inputs: Callable[[AnswerRecord], dict[str, Any]]
    checks: tuple[Check, ...]
    refusal: float | None = None
    embedding: EmbedderEmbedding | None = None
    explain: Callable[[float], str | None] = lambda value: None
    _built: dict[bool, Any] = field(default_factory=dict)

    async def score(self, record: AnswerRecord) -> Outcome:
        reason = first_reason(self.checks, record)
        if reason is not None:
            return not_applicable(reason)
        if record.abstained and self.refusal is not None:
            return Outcome(self.refusal, reason=_DECLINED)
        inputs = self.inputs(record)
        with logged_calls() as log:
            outcome = await self._ask(record.question.lang, inputs)
        return self._with_tokens(outcome, log)

    async def _ask(self, lang: str, inputs: dict[str, Any]) -> Outcome:
        chinese = is_chinese(lang)
        if chinese not in self._built:
            self._built[chinese] = speak(self.build(), self.info.name, lang)
        try:
            if self.embedding is not None:
                await self.embedding.warm([text for text in inputs.values() if isinstance(text, str) and text])
            result = await self._built[chinese].ascore(**inputs)
        except NoStatementsError:
            return not_applicable("the judge found no statement in the answer or the reference")
        except (JudgeError, ProviderError) as error:
            return Outcome(None, "judge_error", str(error))
        except BudgetSpentError:
            return Outcome(None, "judge_error", OUT_OF_BUDGET)
        except Exception as error:
            return Outcome(
                None, "judge_error", f"Ragas could not use the replies: {type(error).__name__}: {error}"[:300]
            )
        return self._checked(float(result.value))

    def _checked(self, value: float) -> Outcome:
        low, high = self.info.range
        if not math.isfinite(value):
            return Outcome(None, "judge_error", "the judge gave no verdict")
        if not low - 1e-6 <= value <= high + 1e-6:
            return Outcome(None, "judge_error", f"the judge's verdicts give {value:g}, outside {low:g} to {high:g}")
        return Outcome(min(max(value, low), high), reason=self.explain(value))

    def _with_tokens(self, outcome: Outcome, log: CallLog) -> Outcome:
        if not self.info.judged:
            return outcome
        return Outcome(outcome.value, outcome.status, outcome.reason, log.to_dict())


@dataclass(frozen=True)
class Correctness:
    """Our own prompt: 1 correct, 0.5 partial, 0 wrong, by a judge through the same client."""

    info: MetricInfo
    judge: Judge
    checks: tuple[Check, ...] = (needs_answerable, needs_reference)

    async def score(self, record: AnswerRecord) -> Outcome:
        reason = first_reason(self.checks, record)
        if reason is not None:
            return not_applicable(reason)
        if record.abstained:
            return Outcome(0.0, reason=_DECLINED)
        question = record.question
        reference = " / ".join(dict.fromkeys((question.reference, *question.answers)))
        said = CorrectnessInput(question=question.question, reference=reference, answer=_response(record))
        with logged_calls() as log:
            try:
                prompt = correctness_prompt(question.lang).to_string(said)
                reply = await self.judge.reply(prompt, CorrectnessOutput, self.info.name)
            except BudgetSpentError:
                return Outcome(None, "judge_error", OUT_OF_BUDGET, log.to_dict())
            except JudgeError as error:
                return Outcome(None, "judge_error", str(error), log.to_dict())
        value = {"correct": 1.0, "partial": 0.5, "wrong": 0.0}[reply.verdict]
        return Outcome(value, reason=reply.reason, tokens=log.to_dict())


@dataclass(frozen=True)
class Hallucination:
    """1 when faithfulness is below 1. It asks faithfulness, whose calls it shares."""

    info: MetricInfo
    faithfulness: RagasMetric

    async def score(self, record: AnswerRecord) -> Outcome:
        outcome = await self.faithfulness.score(record)
        return outcome if outcome.value is None else replace(outcome, value=float(outcome.value < 1))


class _ByIds:
    """Ragas' id-based metrics live in its older module; this gives them the newer call."""

    def __init__(self, metric: Any) -> None:
        self._metric = metric

    async def ascore(self, retrieved: list[str | int], reference: list[str | int]) -> Any:
        sample = SingleTurnSample(retrieved_context_ids=retrieved, reference_context_ids=reference)
        return _Value(await self._metric.single_turn_ascore(sample))


@dataclass(frozen=True)
class _Value:
    value: float


def _response(record: AnswerRecord) -> str:
    return without_markers(record.text)


def _has_response(record: AnswerRecord) -> str | None:
    return None if _response(record) else "the answer is empty"


def _groups_found(record: AnswerRecord) -> dict[str, Any]:
    """Recall: the reference ids are the groups of gold, the retrieved ones the groups that were found."""
    ranks = retrieval.found_ranks(record.gold, record.contexts)
    found = [f"group {number}" for number, rank in enumerate(ranks) if rank is not None]
    return {"retrieved": found or ["none"], "reference": [f"group {number}" for number in range(len(ranks))]}


def _passages_found(record: AnswerRecord) -> dict[str, Any]:
    """Precision: the retrieved ids are the passages, the reference ones those that hold gold."""
    names = [f"{context.document}:{context.start}-{context.end}" for context in record.contexts]
    verdicts = [retrieval.relevant(record.gold, context) for context in record.contexts]
    return {"retrieved": names, "reference": [n for n, yes in zip(names, verdicts, strict=True) if yes] or ["none"]}


def ragas_metrics(judge: Judge | None, embedder: Embedder | None) -> list[Metric]:
    """Every metric that what is at hand allows: without a judge the ones by spans and by text."""
    embedding = None if embedder is None else EmbedderEmbedding(embedder)
    metrics: list[Metric] = [*_by_spans(), *_by_text(embedding)]
    if judge is not None:
        metrics += _judged(judge, embedding)
    return metrics


def _by_spans() -> list[RagasMetric]:
    """Ragas' context recall and precision with spans of gold as ids: no model."""
    gold: tuple[Check, ...] = (needs_answerable, needs_gold)
    recall, precision = CATALOG["id_context_recall"], CATALOG["id_context_precision"]
    return [
        RagasMetric(recall, lambda: _ByIds(IDBasedContextRecall()), _groups_found, gold),
        RagasMetric(precision, lambda: _ByIds(IDBasedContextPrecision()), _passages_found, (*gold, needs_contexts)),
    ]


def _by_text(embedding: EmbedderEmbedding | None) -> list[RagasMetric]:
    """Likeness of answer and reference, no model but the embedder. ROUGE and BLEU read no Chinese and are left out."""
    builders: dict[str, Callable[[], Any]] = {
        "chrf": collections.CHRFScore,
        "string_similarity": collections.NonLLMStringSimilarity,
    }
    if embedding is not None:
        builders["semantic_similarity"] = lambda: collections.SemanticSimilarity(embeddings=embedding)
    return [
        RagasMetric(
            CATALOG[name],
            build,
            _fields("reference", "response"),
            _REFERENCE,
            refusal=0.0,
            embedding=embedding if name == "semantic_similarity" else None,
        )
        for name, build in builders.items()
    ]


def _judged(judge: Judge, embedding: EmbedderEmbedding | None) -> list[Metric]:
    def metric(
        name: str, build: Callable[[Any], Any], inputs: tuple[str, ...], *checks: Check, **more: Any
    ) -> RagasMetric:
        return RagasMetric(CATALOG[name], lambda: build(JudgeLLM(judge, name)), _fields(*inputs), checks, **more)

    faithfulness = metric(
        "faithfulness",
        lambda llm: collections.Faithfulness(llm=llm),
        ("user_input", "response", "retrieved_contexts"),
        *_ANSWERED,
        needs_contexts,
    )
    metrics: list[Metric] = [
        faithfulness,
        Hallucination(CATALOG["hallucination"], faithfulness),
        metric(
            "context_precision",
            lambda llm: collections.ContextPrecision(llm=llm),
            ("user_input", "reference", "retrieved_contexts"),
            *_REFERENCE,
            needs_contexts,
        ),
        metric(
            "context_recall",
            lambda llm: collections.ContextRecall(llm=llm),
            ("user_input", "retrieved_contexts", "reference"),
            *_REFERENCE,
            needs_contexts,
        ),
        metric(
            "noise_sensitivity",
            lambda llm: collections.NoiseSensitivity(llm=llm),
            ("user_input", "response", "reference", "retrieved_contexts"),
            *_REFERENCE,
            *_ANSWERED,
            needs_contexts,
        ),
        Correctness(CATALOG["correctness"], judge),
    ]
    if embedding is None:
        return metrics
    return [
        *metrics,
        metric(
            "answer_relevancy",
            lambda llm: collections.AnswerRelevancy(llm=llm, embeddings=embedding),
            ("user_input", "response"),
            lambda record: None if record.question.answerable else needs_attempt(record),
            _has_response,
            refusal=0.0,
            embedding=embedding,
            explain=lambda value: "the judge holds the answer to be non-committal" if value == 0 else None,
        ),
        metric(
            "answer_correctness",
            lambda llm: collections.AnswerCorrectness(llm=llm, embeddings=embedding),
            ("user_input", "response", "reference"),
            *_REFERENCE,
            _has_response,
            refusal=0.0,
            embedding=embedding,
        ),
    ]


_REFERENCE: tuple[Check, ...] = (needs_answerable, needs_reference)
_ANSWERED: tuple[Check, ...] = (needs_attempt, _has_response)
_READ: dict[str, Callable[[AnswerRecord], Any]] = {
    "user_input": lambda record: record.question.question,
    "response": _response,
    "reference": lambda record: record.question.reference,
    "retrieved_contexts": lambda record: [context.text for context in best_passages(record)],
}


def _fields(*names: str) -> Callable[[AnswerRecord], dict[str, Any]]:
    return lambda record: {name: _READ[name](record) for name in names}
