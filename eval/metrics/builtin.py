"""The metrics that are formulas: how each is measured and when it applies."""

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
from eval.metrics.catalog import CATALOG, EVIDENCE_TOKENS
from eval.runs import AnswerRecord, Context

_GOLD: tuple[Check, ...] = (needs_answerable, needs_gold)
_TEXT: tuple[Check, ...] = (needs_answerable, needs_reference)


def retrieval_metrics() -> list[Measured]:
    def ranked(name: str, of: Callable[[list[retrieval.Rank]], float]) -> Measured:
        return Measured(CATALOG[name], lambda record: of(retrieval.found_ranks(record.gold, record.contexts)), _GOLD)

    return [
        ranked("hit_rate@5", lambda ranks: retrieval.hit_rate(ranks, 5)),
        ranked("recall@1", lambda ranks: retrieval.recall(ranks, 1)),
        ranked("recall@5", lambda ranks: retrieval.recall(ranks, 5)),
        ranked("recall@10", lambda ranks: retrieval.recall(ranks, 10)),
        ranked("mrr", retrieval.reciprocal_rank),
        ranked("ndcg@10", lambda ranks: retrieval.ndcg(ranks, 10)),
        Measured(
            CATALOG["coverage@1500"],
            lambda record: retrieval.coverage(
                record.evidence, retrieval.within_budget(record.contexts, EVIDENCE_TOKENS)
            ),
            _GOLD,
        ),
        Measured(
            CATALOG["span_precision@1500"],
            lambda record: retrieval.precision(record.evidence, best_passages(record)),
            (*_GOLD, needs_contexts),
        ),
        Measured(
            CATALOG["span_context_precision"],
            lambda record: retrieval.average_precision([retrieval.relevant(record.gold, c) for c in record.contexts]),
            (*_GOLD, needs_contexts),
        ),
    ]


def answer_metrics() -> list[Measured]:
    """A refusal of an answerable question earns 0 from the text metrics; they do not apply to unanswerable ones."""

    def text(name: str, of: Callable[[AnswerRecord, list[str]], float]) -> Measured:
        return Measured(
            CATALOG[name], lambda record: 0.0 if record.abstained else of(record, references(record)), _TEXT
        )

    return [
        text("exact_match", lambda record, wanted: answer.exact_match(record.text, wanted, record.question.lang)),
        text("f1", lambda record, wanted: answer.token_f1(record.text, wanted, record.question.lang)),
        text("contains_reference", lambda record, wanted: answer.contains_reference(record.text, wanted)),
        Measured(
            CATALOG["citation_precision"],
            lambda record: answer.citation_precision(citations(record), record.evidence),
            (*_GOLD, needs_attempt, lambda record: None if citations(record) else "the answer cites nothing"),
        ),
        Measured(
            CATALOG["citation_recall"],
            lambda record: answer.citation_recall(citations(record), record.evidence),
            _GOLD,
        ),
        Measured(
            CATALOG["refusal_accuracy"],
            lambda record: float(record.abstained is not record.question.answerable),
        ),
        Measured(
            CATALOG["brier"],
            lambda record: (confidence(record) - evidence_found(record)) ** 2,
            (needs_grading, lambda record: needs_gold(record) if record.question.answerable else None),
        ),
    ]


def best_passages(record: AnswerRecord) -> list[Context]:
    """Those that fit the evidence budget, and at least the first: what Ragas is given as contexts."""
    return retrieval.within_budget(record.contexts, EVIDENCE_TOKENS) or list(record.contexts[:1])


def references(record: AnswerRecord) -> list[str]:
    return [record.question.reference, *record.question.answers]


def citations(record: AnswerRecord) -> list[dict[str, object]]:
    return list(record.answer["citations"]) if record.answer else []


def graded(record: AnswerRecord) -> bool:
    """Whether the confidence and the route are a decision: with grading off they are constants of the code path."""
    return record.answer is not None and record.answer.get("models", {}).get("grading") != "off"


def needs_grading(record: AnswerRecord) -> str | None:
    return None if graded(record) else "the pipeline does not grade"


def confidence(record: AnswerRecord) -> float:
    """The calibrated probability that the evidence holds the answer."""
    return float(record.answer["confidence"]) if record.answer else 0.0


def evidence_found(record: AnswerRecord) -> float:
    """1 when every needed passage was retrieved, else 0; 0 for a question without an answer."""
    ranks = retrieval.found_ranks(record.gold, record.contexts)
    return float(record.question.answerable and bool(ranks) and None not in ranks)
