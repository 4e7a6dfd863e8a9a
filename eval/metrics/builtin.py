"""The metrics that are formulas: name -> what it says, how it is measured and when it applies."""

from __future__ import annotations

from collections.abc import Callable

from eval.metrics import answer, retrieval
from eval.metrics.base import (
    Check,
    Measured,
    needs_answerable,
    needs_attempt,
    needs_contexts,
    needs_gold,
    needs_reference,
)
from eval.runs import AnswerRecord, MetricInfo

_GOLD: tuple[Check, ...] = (needs_answerable, needs_gold)
_TEXT: tuple[Check, ...] = (needs_answerable, needs_reference)


def retrieval_metrics(budget: int) -> list[Measured]:
    """`budget` is the tokens of evidence that coverage and precision look at."""

    def ranked(name: str, description: str, of: Callable[[list[retrieval.Rank]], float]) -> Measured:
        return Measured(
            MetricInfo(name, "retrieval", description),
            lambda record: of(retrieval.found_ranks(record.gold, record.contexts)),
            _GOLD,
        )

    def precision(record: AnswerRecord) -> float:
        contexts = retrieval.within_budget(record.contexts, budget) or record.contexts[:1]
        return retrieval.precision(record.evidence, contexts)

    return [
        ranked("hit_rate@5", "any needed passage within five", lambda ranks: retrieval.hit_rate(ranks, 5)),
        ranked("recall@1", "needed passages at rank one", lambda ranks: retrieval.recall(ranks, 1)),
        ranked("recall@5", "needed passages within five", lambda ranks: retrieval.recall(ranks, 5)),
        ranked("recall@10", "needed passages within ten", lambda ranks: retrieval.recall(ranks, 10)),
        ranked("mrr", "reciprocal rank of the first needed passage", retrieval.reciprocal_rank),
        ranked("ndcg@10", "needed passages, early ones counting more", lambda ranks: retrieval.ndcg(ranks, 10)),
        Measured(
            MetricInfo(f"coverage@{budget}", "retrieval", f"evidence inside the best passages of {budget} tokens"),
            lambda record: retrieval.coverage(record.evidence, retrieval.within_budget(record.contexts, budget)),
            _GOLD,
        ),
        Measured(
            MetricInfo(f"span_precision@{budget}", "retrieval", f"share of evidence in the best {budget} tokens"),
            precision,
            (*_GOLD, needs_contexts),
        ),
        Measured(
            MetricInfo("span_context_precision", "retrieval", "relevant passages ranked first (average precision)"),
            lambda record: retrieval.average_precision([retrieval.relevant(record.gold, c) for c in record.contexts]),
            (*_GOLD, needs_contexts),
        ),
    ]


def answer_metrics() -> list[Measured]:
    """A refusal of an answerable question earns 0 from the text metrics; they do not apply to unanswerable ones."""

    def text(name: str, description: str, of: Callable[[AnswerRecord, list[str]], float]) -> Measured:
        return Measured(
            MetricInfo(name, "answer", description),
            lambda record: 0.0 if record.abstained else of(record, references(record)),
            _TEXT,
        )

    return [
        text(
            "exact_match",
            "the answer is the reference, word for word",
            lambda record, wanted: answer.exact_match(record.text, wanted, record.question.lang),
        ),
        text(
            "f1",
            "overlap with the reference in words, in characters for Chinese",
            lambda record, wanted: answer.token_f1(record.text, wanted, record.question.lang),
        ),
        text(
            "contains_reference",
            "the reference stands in the answer",
            lambda record, wanted: answer.contains_reference(record.text, wanted),
        ),
        Measured(
            MetricInfo("citation_precision", "answer", "citations that point at the evidence"),
            lambda record: answer.citation_precision(citations(record), record.evidence),
            (*_GOLD, needs_attempt, lambda record: None if citations(record) else "the answer cites nothing"),
        ),
        Measured(
            MetricInfo("citation_recall", "answer", "needed passages that are cited"),
            lambda record: answer.citation_recall(citations(record), record.evidence),
            _GOLD,
        ),
        Measured(
            MetricInfo("refusal_accuracy", "answer", "answered what has an answer, refused what has none"),
            lambda record: float(record.abstained is not record.question.answerable),
        ),
        Measured(
            MetricInfo("brier", "crag", "squared error of the confidence that the evidence is there", "lower"),
            lambda record: (confidence(record) - evidence_found(record)) ** 2,
            (lambda record: needs_gold(record) if record.question.answerable else None,),
        ),
    ]


def references(record: AnswerRecord) -> list[str]:
    return [record.question.reference, *record.question.answers]


def citations(record: AnswerRecord) -> list[dict[str, object]]:
    return list(record.answer["citations"]) if record.answer else []


def confidence(record: AnswerRecord) -> float:
    """The calibrated probability that the evidence holds the answer."""
    return float(record.answer["confidence"]) if record.answer else 0.0


def evidence_found(record: AnswerRecord) -> float:
    """1 when every needed passage was retrieved, else 0; 0 for a question without an answer."""
    ranks = retrieval.found_ranks(record.gold, record.contexts)
    return float(record.question.answerable and bool(ranks) and None not in ranks)
