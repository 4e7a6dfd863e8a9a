"""Why an answer failed, in words: the first stage that lost it, and what to try next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from eval.metrics import retrieval
from eval.metrics.builtin import best_passages, graded
from eval.runs import AnswerRecord, Context, Score

Stage = Literal["pipeline", "retrieval", "ranking", "grading", "generation", "judge"]

NEXT: dict[Stage, str] = {
    "pipeline": "read the error, then run again with --resume --retry-errors",
    "retrieval": "compare with hybrid retrieval, or raise retrieval.top_k and retrieval.candidates",
    "ranking": "switch a reranker on, or raise generation.evidence_tokens",
    "grading": "lower grading.lower and grading.upper, or calibrate the confidence on labelled questions",
    "generation": "use a stronger model, lower its temperature, or hand it fewer and better passages",
    "judge": "run again with --resume --retry-errors, or raise the judge's max_tokens or timeout",
}
_FEW, _SHORT, _LONG = 5, 60, 400
"""Passages of an answer, and their mean tokens: half the default top_k, a sentence or two, a page."""

_SWITCH_ON = "switch grading on, so that weak evidence is refused"
_REFUSE = "raise grading.upper and grading.lower so that weak evidence is refused, or calibrate the confidence"


@dataclass(frozen=True, slots=True)
class Finding:
    """What went wrong with one answer. `sentence` says it, `advice` what to try."""

    question: str
    repeat: int
    stage: Stage
    sentence: str
    advice: str

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def retrieval_advice(contexts: Sequence[Context]) -> str:
    """What to try where retrieval missed a passage, by what it did retrieve."""
    tokens = sum(context.tokens for context in contexts) / len(contexts) if contexts else None
    steps = ["compare with hybrid retrieval"]
    if len(contexts) < _FEW:
        steps.insert(0, f"raise retrieval.top_k (only {len(contexts)} retrieved)")
    else:
        steps.append("raise retrieval.top_k and retrieval.candidates")
    if tokens is not None and tokens < _SHORT:
        steps.insert(1, f"cut larger chunks (these have {tokens:.0f} tokens)")
    elif tokens is not None and tokens > _LONG:
        steps.append("cut smaller chunks with their headings")
    return f"{', '.join(steps[:-1])}, or {steps[-1]}" if len(steps) > 1 else steps[0]


def diagnose(record: AnswerRecord, scores: Mapping[str, Score]) -> Finding | None:
    """The finding on one answer with its scores by metric; None when nothing failed."""
    found = _finding(record, scores)
    if found is None:
        return None
    stage, sentence, *advice = found
    return Finding(record.question.id, record.repeat, stage, sentence, advice[0] if advice else NEXT[stage])


def diagnose_run(findings: Sequence[Finding], means: Mapping[str, float | None], answers: int) -> dict[str, Any]:
    """Counts by stage, the findings, and a paragraph that says where to begin."""
    stages = Counter(finding.stage for finding in findings)
    causes = Counter((finding.stage, finding.advice) for finding in findings)
    lines = []
    if not findings:
        lines.append("No answer failed by the metrics of this run.")
    lines += [
        f"{count} of {answers} answers were lost in {stage}: {advice}."
        for (stage, advice), count in causes.most_common()
    ]
    faithfulness, recall = means.get("faithfulness"), means.get("context_recall", means.get("id_context_recall"))
    if faithfulness is not None and faithfulness < 0.8:
        lines.append(f"Faithfulness is low ({faithfulness:.2f}): generation says more than its passages hold.")
    if recall is not None and recall < 0.8:
        lines.append(f"Context recall is low ({recall:.2f}): begin with data, chunking and retrieval.")
    return {"stages": dict(stages), "text": " ".join(lines), "findings": [finding.to_dict() for finding in findings]}


def _finding(record: AnswerRecord, scores: Mapping[str, Score]) -> tuple[Stage, str] | tuple[Stage, str, str] | None:
    question = record.question
    if record.status == "pipeline_error":
        return "pipeline", f"the pipeline failed: {record.error['message'] if record.error else 'no reason given'}"
    if not question.answerable:
        if record.abstained:
            return None
        advice = _REFUSE if graded(record) else _SWITCH_ON
        return "grading", "the documents hold no answer, and one was given", advice
    lost = _lost(record)
    if record.abstained:
        return lost or ("grading", "the evidence was retrieved, and grading refused it")
    failed = _failed(record, scores)
    if failed is None:
        broken = [score for score in scores.values() if score.status == "judge_error"]
        return ("judge", f"the judge failed on {broken[0].metric}: {broken[0].reason}") if broken else None
    return (
        (lost or ("generation", f"the evidence was at hand, and generation ignored it: {failed}")) if failed else None
    )


def _lost(record: AnswerRecord) -> tuple[Stage, str] | tuple[Stage, str, str] | None:
    """Retrieval missed the evidence, or ranked it below what generation reads; None when neither is known."""
    if not record.gold:
        return None
    ranks = retrieval.found_ranks(record.gold, record.contexts)
    missing = sum(rank is None for rank in ranks)
    if missing:
        needed = f"{missing} of {len(ranks)} needed passages" if len(ranks) > 1 else "the needed passage"
        said = f"retrieval missed {needed} among its {len(record.contexts)} passages"
        return "retrieval", said, retrieval_advice(record.contexts)
    worst = max(rank for rank in ranks if rank is not None)
    read = best_passages(record)
    if None in retrieval.found_ranks(record.gold, read):
        return (
            "ranking",
            f"the needed passage came at rank {worst}, and only the first {len(read)} fit the evidence budget",
        )
    return None


def _failed(record: AnswerRecord, scores: Mapping[str, Score]) -> str | None:
    """Why the answer counts as failed; empty when it is right; None when no score can tell."""
    value = {name: score.value for name, score in scores.items() if score.value is not None}
    if "faithfulness" in value and value["faithfulness"] < 0.5:
        return f"faithfulness {value['faithfulness']:.2f}"
    for name in ("correctness", "answer_correctness"):
        if name in value:
            return f"{name} {value[name]:.2f}" if value[name] < 0.5 else ""
    signs = [value[name] for name in ("contains_reference", "citation_recall") if name in value]
    if not signs:
        return None
    # A free-form reference rarely stands in an answer word for word: citing its evidence counts too.
    return "" if max(signs) >= 0.5 else "it neither holds the reference nor cites its evidence"
