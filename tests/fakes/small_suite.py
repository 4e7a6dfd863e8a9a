"""A suite of three questions on two documents, systems that answer it from a script, and its runs."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from eval.corpus import Corpus, corpus_of_suite
from eval.options import RunOptions
from eval.runner import RunResult, run_suite
from eval.suite import Suite, load_suite
from graph.types import Answer
from tests.fakes.systems import ScriptedSystem, answer, cite, hit

DOCUMENTS = [
    {"doc_id": "temple", "title": "寺庙", "text": "深水埗关帝庙是香港一所关帝庙。\n\n它建于1891年。"},
    {
        "doc_id": "panthers",
        "title": "Panthers",
        "text": "The defense gave up 308 points.\n\nFour players were selected.",
    },
]
QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "zh",
        "question": "深水埗关帝庙在哪里？",
        "reference": "香港",
        "reference_spans": [{"doc_id": "temple", "text": "深水埗关帝庙是香港一所关帝庙。", "start": 0, "end": 15}],
        "answer_spans": [{"doc_id": "temple", "text": "香港", "start": 7, "end": 9}],
        "type": "fact",
    },
    {
        "id": "en",
        "question": "How many points did the defense give up?",
        "reference": "308 points",
        "answers": ["308"],
        "reference_spans": [{"doc_id": "panthers", "text": "The defense gave up 308 points."}],
        "type": "fact",
    },
    {"id": "none", "question": "Who coached the team?", "answerable": False, "type": "unanswerable"},
]
FREE = ("retrieval", "answer", "crag")


def suite_folder(folder: Path, questions: list[dict[str, Any]] = QUESTIONS) -> Suite:
    folder.mkdir(exist_ok=True)
    for name, lines in (("documents", DOCUMENTS), ("questions", questions)):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return load_suite(folder)


def script(corpus: Corpus, **extra: Any) -> Any:
    """Right on Chinese, right words from a late passage in English, refusal elsewhere."""
    temple, panthers = (next(d for d in corpus.documents if d.id == corpus.names[n]) for n in ("temple", "panthers"))

    def handler(question: str) -> Answer:
        if "关帝庙" in question:
            return answer(question, "在香港。[1]", hits=[hit(temple, 0, 15)], citations=[cite(temple, 0, 15)], **extra)
        if "points" in question:
            hits = [hit(panthers, 33, len(panthers.text)), hit(panthers, 0, 31)]
            return answer(question, "It gave up 308 points [1].", hits=hits, citations=[cite(panthers, 0, 31)], **extra)
        return answer(question, "The documents do not say.", status="abstained", route="incorrect", confidence=0.1)

    return handler


def run(suite: Suite, *systems: ScriptedSystem, out: Path, **options: Any) -> list[RunResult]:
    corpus = corpus_of_suite(suite)
    return asyncio.run(run_suite(suite, corpus, systems, out, options=RunOptions(**{"metrics": FREE, **options})))
