"""Run folders with scores that a test dictates, written through the real format and read back with `read_run`."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval.lines import LineWriter, write_json
from eval.metrics import retrieval
from eval.runs import (
    ANSWERS,
    MANIFEST,
    SCORES,
    SUMMARY,
    AnswerRecord,
    Context,
    MetricInfo,
    Question,
    Run,
    Score,
    Span,
    answer_to_dict,
    read_run,
)

CORRECTNESS = MetricInfo("correctness", "answer", "judged 0, 0.5 or 1 against the reference", judged=True)
F1 = MetricInfo("f1", "answer", "overlap with the reference in words, in characters for Chinese")
FAITHFULNESS = MetricInfo("faithfulness", "ragas", "statements that the contexts support", judged=True)
RECALL = MetricInfo("recall@5", "retrieval", "needed passages within five")
MRR = MetricInfo("mrr", "retrieval", "reciprocal rank of the first needed passage")
BRIER = MetricInfo("brier", "crag", "squared error of the confidence that the evidence is there", "lower")
METRICS = (CORRECTNESS, F1, FAITHFULNESS, RECALL, MRR, BRIER)


@dataclass
class Case:
    """One answer to write. A score is a value, or a status such as ``judge_error``. `gold_rank` None: not retrieved."""

    id: str
    scores: Mapping[str, float | str] = field(default_factory=dict)
    repeat: int = 0
    question: str = "What does the reranker see?"
    reference: str = "The thirty best candidates."
    text: str = "The thirty best candidates [1]."
    type: str = "factual"
    lang: str = "en"
    answerable: bool = True
    gold: bool = True
    gold_rank: int | None = 1
    held: float = 0.0
    """Share of the gold passage that the last context holds; without a `gold_rank` the rest is nowhere, with
    `split` it stands in the context before."""
    split: bool = False
    status: str = "grounded"
    route: str = "correct"
    confidence: float = 0.8
    latency_ms: float = 100.0
    tokens: int = 0
    cost: float | None = 0.0
    error: Mapping[str, str] | None = None
    reason: str | None = None


def write_run(
    folder: Path,
    cases: Sequence[Case],
    *,
    name: str = "base",
    metrics: Sequence[MetricInfo] = METRICS,
    finished: bool = True,
    **manifest: Any,
) -> Run:
    """Write a run folder of these cases and read it back. `manifest` replaces top-level entries of its manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / MANIFEST, {**_manifest(name, cases, metrics), **manifest})
    answers, scores = LineWriter(folder / ANSWERS), LineWriter(folder / SCORES)
    for case in cases:
        answers.write(answer_to_dict(_record(case, name)))
        for metric, value in case.scores.items():
            status = value if isinstance(value, str) else "ok"
            number = None if isinstance(value, str) else value
            scores.write(Score(case.id, case.repeat, metric, number, status, case.reason).to_dict())  # type: ignore[arg-type]
    answers.close()
    scores.close()
    if finished:
        write_json(folder / SUMMARY, {"finished": True})
    return read_run(folder)


def _manifest(name: str, cases: Sequence[Case], metrics: Sequence[MetricInfo]) -> dict[str, Any]:
    return {
        "format": 1,
        "suite": {"name": "samples", "hash": "5a" * 32, "questions": len({case.id for case in cases})},
        "corpus": {"hash": "c0" * 32, "documents": 18},
        "pipeline": {
            "name": name,
            "version": (name.encode().hex() + "0" * 12)[:12],
            "resolved": {"retrieval": {"dense": True, "lexical": name != "vector", "top_k": 10}, "chunking": {}},
        },
        "judge": {"model": "judge-1", "endpoint": "http://127.0.0.1/v1", "parameters": {}, "prompts": "9f" * 32},
        "embedder": "e5-small",
        "metrics": [metric.to_dict() for metric in metrics],
        "settings": {"context_tokens": 1500, "sample": None, "stratify": None, "round": 0},
        "packages": {"agentic-crag": "0.1.0", "ragas": "0.4.3"},
        "git": {"commit": "1f" * 20, "dirty": False},
        "started": "2026-11-30T01:00:00Z",
        "seed": 0,
        "repeat": 1,
        "concurrency": 4,
    }


def _record(case: Case, pipeline: str) -> AnswerRecord:
    gold = Span(f"doc-{case.id}", 0, len(case.reference), case.reference)
    failed = case.error is not None
    contexts = [] if failed else _contexts(case, gold)
    timings = {"retrieve": 0.4 * case.latency_ms, "generate": 0.5 * case.latency_ms, "total": case.latency_ms}
    answer = {
        "question": case.question,
        "text": case.text,
        "status": case.status,
        "route": case.route,
        "confidence": case.confidence,
        "citations": [],
        "degraded": [],
        "usage": {"prompt_tokens": case.tokens, "completion_tokens": 0, "model_calls": 1},
        "timings": timings,
        "pipeline": {"name": pipeline, "version": "0"},
        "models": {"generation": "extractive"},
    }
    spans = ((gold,),) if case.gold and case.answerable else ()
    return AnswerRecord(
        question=Question(case.id, case.question, case.reference, (), case.type, case.lang, case.answerable),
        repeat=case.repeat,
        status="pipeline_error" if failed else "ok",
        answer=None if failed else answer,
        contexts=tuple(contexts),
        gold=spans,
        evidence=spans,
        unlocated=(),
        trace=(),
        latency_ms=case.latency_ms,
        usage={"prompt_tokens": case.tokens, "completion_tokens": 0, "model_calls": 1},
        cost=case.cost,
        error=case.error,
    )


def _contexts(case: Case, gold: Span) -> list[Context]:
    contexts = []
    cut = round(case.held * len(gold.text))
    for rank in range(1, 7):
        start, document, text = 0, f"other-{rank}", f"A passage about something else, number {rank}."
        if rank == case.gold_rank and case.answerable:
            document, text = gold.document, gold.text
        elif rank == 6 and case.held:
            document, text = gold.document, gold.text[:cut]
        elif rank == 5 and case.split:
            start, document, text = cut, gold.document, gold.text[cut:]
        end, source = start + len(text), f"docs/{document}.md"
        contexts.append(Context(rank, document, source, document, start, end, text, 12, None, None, 1 / rank, {}, {}))
    return contexts


TOPICS = (
    ("en", "factual", "How many candidates does the reranker see?", "The thirty best candidates of the fusion."),
    ("zh", "factual", "重排序器会看到多少个候选片段？", "融合之后得分最高的三十个候选片段。"),
    ("en", "factual", "Which constant does reciprocal rank fusion use?", "The constant k is sixty."),
    ("zh", "factual", "语义分块的默认阈值是多少？", "相邻句子的余弦相似度低于零点七时切分。"),
    (
        "en",
        "summary",
        "What does corrective retrieval change?",
        "It grades passages, then refines, rewrites or refuses.",
    ),
    ("zh", "summary", "概括混合检索的好处。", "向量检索补足语义，词法检索补足标识符，二者互补。"),
    (
        "en",
        "multi-hop",
        "Which stage feeds the one that drops strips?",
        "Reranking feeds grading, which feeds refining.",
    ),
    ("zh", "multi-hop", "分块上限由哪个模型的哪个限制决定？", "由嵌入模型的最大输入长度决定，约五百个词元。"),
    ("en", "unanswerable", "What did the vendor charge in 1987?", "The documents do not say."),
    ("zh", "unanswerable", "作者的生日是哪一天？", "文档中没有说明。"),
)


def realistic(folder: Path, name: str, *, skill: float, seed: int = 7, cost: float = 0.0004, rounds: int = 4) -> Run:
    """A run of 40 questions as a pipeline of this `skill` (0 to 1) would leave it: ties, refusals, failures, costs.

    Questions draw their difficulty from `seed`, so two runs agree on most of them; a little luck is the run's own.
    """
    cases = []
    for number in range(rounds * len(TOPICS)):
        shared, own = random.Random(f"{seed}-{number}"), random.Random(f"{name}-{number}")
        cases.append(_case(number, skill, shared, own, cost * (1 + skill)))
    failing = cases[13] if skill < 0.6 else cases[27]
    failing.error = {"type": "ProviderError", "message": "chat endpoint timed out after 60 s"}
    failing.scores = dict.fromkeys(failing.scores, "pipeline_error")
    return write_run(folder, cases, name=name)


def _case(number: int, skill: float, shared: random.Random, own: random.Random, cost: float) -> Case:
    lang, kind, question, reference = TOPICS[number % len(TOPICS)]
    ease = skill - 0.75 * shared.random() - (0.2 if kind == "multi-hop" else 0.0) + 0.12 * own.random()
    answerable = kind != "unanswerable"
    rank = 1 if ease > 0.35 else 2 if ease > 0.2 else 5 if ease > 0.05 else None
    warmth = 0.25 + ease if answerable else 0.75 - 0.6 * skill - 0.4 * shared.random()
    confidence = min(0.98, max(0.03, warmth + 0.15 * own.random()))
    refused = confidence < 0.3
    right = float(refused) if not answerable else 0.0 if refused or rank is None else 1.0 if rank <= 2 else 0.5
    wrong_text = {"en": "It depends on the configuration [1].", "zh": "取决于具体配置 [1]。"}[lang]
    refusal = {"en": "The documents do not say.", "zh": "文档中没有说明。"}[lang]
    text = refusal if refused else f"{reference} [1]" if right == 1 else wrong_text
    ranks = [rank]
    scores: dict[str, float | str] = {"correctness": right}
    if answerable:
        scores["f1"] = 0.0 if refused else min(1.0, 0.35 + 0.6 * right * (0.8 + 0.2 * own.random()))
        scores["recall@5"] = retrieval.recall(ranks, 5)
        scores["mrr"] = retrieval.reciprocal_rank(ranks)
    else:
        scores.update(dict.fromkeys(("f1", "recall@5", "mrr"), "not_applicable"))
    scores["faithfulness"] = "not_applicable" if refused else 1.0 if ease > 0.1 else 0.5
    scores["brier"] = (confidence - float(answerable and rank is not None)) ** 2
    return Case(
        f"q{number + 1:02}",
        scores,
        question=f"{question} ({number + 1})",
        reference=reference,
        text=text,
        type=kind,
        lang=lang,
        answerable=answerable,
        gold_rank=rank,
        status="abstained" if refused else "grounded" if right else "partial",
        route="incorrect" if confidence < 0.3 else "correct" if confidence > 0.7 else "ambiguous",
        confidence=confidence,
        latency_ms=90 + 60 * own.random() + 900 * cost * own.random() * 100,
        tokens=int(700 + 300 * own.random()),
        cost=cost * (0.8 + 0.4 * own.random()),
        reason=None if right else "states nothing that the reference asks for",
    )
