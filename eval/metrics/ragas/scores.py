"""Ragas metrics by name: how each is built, what it is given, and when it has nothing to say."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragas.dataset_schema import SingleTurnSample
from ragas.metrics import collections
from ragas.metrics._context_precision import IDBasedContextPrecision
from ragas.metrics._context_recall import IDBasedContextRecall

from chunking.errors import ProviderError
from eval.judge import CallLog, Judge, JudgeError, logged_calls
from eval.metrics import retrieval
from eval.metrics.base import (
    Check,
    Outcome,
    first_reason,
    needs_answerable,
    needs_attempt,
    needs_contexts,
    needs_gold,
    needs_reference,
    not_applicable,
)
from eval.metrics.ragas.adapters import EmbedderEmbedding, JudgeLLM, NoStatementsError
from eval.metrics.ragas.prompts import CorrectnessInput, CorrectnessOutput, correctness_prompt, speak
from eval.prices import BudgetSpentError
from eval.runs import AnswerRecord, MetricInfo
from eval.text import is_chinese, without_markers

_DECLINED = "the pipeline declined to answer"


@dataclass
class RagasMetric:
    """`build` makes the Ragas object for a language; `refusal` is what declining an answerable question earns."""

    info: MetricInfo
    build: Callable[[str], Any]
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
            self._built[chinese] = speak(self.build(lang), self.info.name, lang)
        try:
            if self.embedding is not None:
                await self.embedding.warm([text for text in inputs.values() if isinstance(text, str) and text])
            result = await self._built[chinese].ascore(**inputs)
        except NoStatementsError:
            return not_applicable("the judge found no statement in the answer or the reference")
        except (JudgeError, ProviderError) as error:
            return Outcome(None, "judge_error", str(error))
        except BudgetSpentError:
            raise
        except Exception as error:
            # Ragas trips over verdicts that do not match the statements they are about.
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
            except JudgeError as error:
                return Outcome(None, "judge_error", str(error), log.to_dict())
        value = {"correct": 1.0, "partial": 0.5, "wrong": 0.0}[reply.verdict]
        return Outcome(value, reason=reply.reason, tokens=log.to_dict())


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


def span_scores() -> list[RagasMetric]:
    """Ragas' context recall and precision with spans of gold as ids: no model."""
    gold: tuple[Check, ...] = (needs_answerable, needs_gold)
    return [
        RagasMetric(
            MetricInfo("id_context_recall", "ragas", "needed passages that were retrieved (Ragas, by spans)"),
            lambda lang: _ByIds(IDBasedContextRecall()),
            _groups_found,
            gold,
        ),
        RagasMetric(
            MetricInfo("id_context_precision", "ragas", "retrieved passages that are needed (Ragas, by spans)"),
            lambda lang: _ByIds(IDBasedContextPrecision()),
            _passages_found,
            (*gold, needs_contexts),
        ),
    ]


def text_scores(embedding: EmbedderEmbedding | None) -> list[RagasMetric]:
    """Likeness of answer and reference, no model but the embedder. ROUGE and BLEU read no Chinese and are left out."""

    def both(record: AnswerRecord) -> dict[str, Any]:
        return {"reference": record.question.reference, "response": _response(record)}

    def metric(name: str, description: str, build: Callable[[str], Any], **more: Any) -> RagasMetric:
        info = MetricInfo(name, "ragas", description, range=more.pop("range", (0.0, 1.0)))
        return RagasMetric(info, build, both, (needs_answerable, needs_reference), refusal=0.0, **more)

    scores = [
        metric("chrf", "character n-grams shared with the reference", lambda lang: collections.CHRFScore()),
        metric(
            "string_similarity",
            "1 - edit distance to the reference over the longer length",
            lambda lang: collections.NonLLMStringSimilarity(),
        ),
    ]
    if embedding is not None:
        scores.append(
            metric(
                "semantic_similarity",
                "cosine of the embeddings of answer and reference",
                lambda lang: collections.SemanticSimilarity(embeddings=embedding),
                range=(-1.0, 1.0),
                embedding=embedding,
            )
        )
    return scores


def judged_scores(judge: Judge, embedding: EmbedderEmbedding | None, budget: int) -> Mapping[str, Any]:
    """Metrics that ask a judge. Ragas is given the best passages that fit `budget` tokens, at least one."""

    def contexts(record: AnswerRecord) -> list[str]:
        return [c.text for c in retrieval.within_budget(record.contexts, budget) or record.contexts[:1]]

    def fields(*names: str) -> Callable[[AnswerRecord], dict[str, Any]]:
        read: dict[str, Callable[[AnswerRecord], Any]] = {
            "user_input": lambda record: record.question.question,
            "response": _response,
            "reference": lambda record: record.question.reference,
            "retrieved_contexts": contexts,
        }
        return lambda record: {name: read[name](record) for name in names}

    def metric(
        name: str,
        description: str,
        build: Callable[[Any], Any],
        inputs: Callable[[AnswerRecord], dict[str, Any]],
        checks: tuple[Check, ...],
        *,
        direction: Any = "higher",
        range: tuple[float, float] = (0.0, 1.0),
        **more: Any,
    ) -> RagasMetric:
        info = MetricInfo(name, "ragas", description, direction, range, judged=True)
        return RagasMetric(info, lambda lang: build(JudgeLLM(judge, name)), inputs, checks, **more)

    reference: tuple[Check, ...] = (needs_answerable, needs_reference)
    answered: tuple[Check, ...] = (needs_attempt, _has_response)
    scores: list[Any] = [
        metric(
            "faithfulness",
            "statements of the answer that its passages support",
            lambda llm: collections.Faithfulness(llm=llm),
            fields("user_input", "response", "retrieved_contexts"),
            (*answered, needs_contexts),
        ),
        metric(
            "context_precision",
            "useful passages ranked first",
            lambda llm: collections.ContextPrecision(llm=llm),
            fields("user_input", "reference", "retrieved_contexts"),
            (*reference, needs_contexts),
        ),
        metric(
            "context_recall",
            "statements of the reference that the passages support",
            lambda llm: collections.ContextRecall(llm=llm),
            fields("user_input", "retrieved_contexts", "reference"),
            (*reference, needs_contexts),
        ),
        metric(
            "noise_sensitivity",
            "wrong statements that useful passages led to",
            lambda llm: collections.NoiseSensitivity(llm=llm),
            fields("user_input", "response", "reference", "retrieved_contexts"),
            (*reference, *answered, needs_contexts),
            direction="lower",
        ),
        Correctness(
            MetricInfo("correctness", "answer", "correct 1, partly 0.5, wrong 0, as judged", judged=True), judge
        ),
    ]
    if embedding is not None:
        scores += [
            metric(
                "answer_relevancy",
                "likeness of the question and those that the answer would answer",
                lambda llm: collections.AnswerRelevancy(llm=llm, embeddings=embedding),
                fields("user_input", "response"),
                (lambda record: None if record.question.answerable else needs_attempt(record), _has_response),
                range=(-1.0, 1.0),
                refusal=0.0,
                embedding=embedding,
                explain=lambda value: "the judge holds the answer to be non-committal" if value == 0 else None,
            ),
            metric(
                "answer_correctness",
                "statements shared with the reference, and likeness to it",
                lambda llm: collections.AnswerCorrectness(llm=llm, embeddings=embedding),
                fields("user_input", "response", "reference"),
                (*reference, _has_response),
                range=(-1.0, 1.0),
                refusal=0.0,
                embedding=embedding,
            ),
        ]
    return {score.info.name: score for score in scores}
