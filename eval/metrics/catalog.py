"""Every metric by name, told without loading what measures it."""

from __future__ import annotations

from eval.runs import MetricInfo

EVIDENCE_TOKENS = 1500
"""Tokens of the best passages that coverage, precision and Ragas look at: generation's own default budget."""

_INFOS = [
    MetricInfo("hit_rate@5", "retrieval", "any needed passage within five"),
    MetricInfo("recall@1", "retrieval", "needed passages at rank one"),
    MetricInfo("recall@5", "retrieval", "needed passages within five"),
    MetricInfo("recall@10", "retrieval", "needed passages within ten"),
    MetricInfo("mrr", "retrieval", "reciprocal rank of the first needed passage"),
    MetricInfo("ndcg@10", "retrieval", "needed passages within ten, early ones counting more"),
    MetricInfo("coverage@1500", "retrieval", "evidence inside the best passages of 1,500 tokens"),
    MetricInfo("span_precision@1500", "retrieval", "share of evidence in the best passages of 1,500 tokens"),
    MetricInfo("span_context_precision", "retrieval", "relevant passages ranked first (average precision, by spans)"),
    MetricInfo("exact_match", "answer", "the answer is the reference, word for word"),
    MetricInfo("f1", "answer", "overlap with the reference in words, in characters for Chinese"),
    MetricInfo("contains_reference", "answer", "the reference stands in the answer"),
    MetricInfo("citation_precision", "answer", "citations that point at the evidence"),
    MetricInfo("citation_recall", "answer", "needed passages that are cited"),
    MetricInfo("refusal_accuracy", "answer", "answered what has an answer, refused what has none"),
    MetricInfo("brier", "crag", "squared error of the confidence that the evidence is there", "lower"),
    MetricInfo("id_context_recall", "ragas", "needed passages that were retrieved (Ragas, by spans)"),
    MetricInfo("id_context_precision", "ragas", "retrieved passages that are needed (Ragas, by spans)"),
    MetricInfo("chrf", "ragas", "character n-grams shared with the reference"),
    MetricInfo("string_similarity", "ragas", "1 - edit distance to the reference over the longer length"),
    MetricInfo("semantic_similarity", "ragas", "cosine of the embeddings of answer and reference", range=(-1.0, 1.0)),
    MetricInfo("faithfulness", "ragas", "statements of the answer that its passages support", judged=True),
    MetricInfo(
        "answer_relevancy",
        "ragas",
        "likeness of the question and those that the answer would answer",
        range=(-1.0, 1.0),
        judged=True,
    ),
    MetricInfo("context_precision", "ragas", "useful passages ranked first", judged=True),
    MetricInfo("context_recall", "ragas", "statements of the reference that the passages support", judged=True),
    MetricInfo(
        "answer_correctness",
        "ragas",
        "statements shared with the reference, and likeness to it",
        range=(-0.25, 1.0),
        judged=True,
    ),
    MetricInfo("noise_sensitivity", "ragas", "wrong statements that useful passages led to", "lower", judged=True),
    MetricInfo("correctness", "answer", "correct 1, partly 0.5, wrong 0", judged=True),
    MetricInfo(
        "hallucination", "answer", "answers with a statement that the passages do not support", "lower", judged=True
    ),
]

CATALOG: dict[str, MetricInfo] = {info.name: info for info in _INFOS}
ON_REQUEST = frozenset({"answer_correctness", "noise_sensitivity"})
"""Left out unless named (or ``all`` is): three, and three plus two a passage, calls for each answer."""
