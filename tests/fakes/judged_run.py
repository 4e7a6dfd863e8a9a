"""A judged run in a process of its own, to be killed at any moment. Importing this warms what each process needs."""

from __future__ import annotations

import asyncio
import os
from multiprocessing.synchronize import Event
from pathlib import Path

from eval.corpus import corpus_of_suite
from eval.judge import import_clients
from eval.judge_config import JudgeConfig
from eval.options import RunOptions
from eval.runner import run_suite
from eval.suite import load_suite
from graph.types import Answer
from tests.fakes.systems import ScriptedSystem, answer, hit

import_clients()
import eval.metrics.ragas.scores  # noqa: E402, F401 - seconds of import time, spent before there is something to kill

METRICS = ("faithfulness", "context_precision", "correctness", "mrr")
SLOTS = 4


def run_judged(suite: Path, out: Path, endpoint: str, log: Path, started: Event) -> None:
    """Two systems over a suite; each question asked is appended to `log` first."""
    loaded = load_suite(suite)
    corpus = corpus_of_suite(loaded)
    (document,) = corpus.documents
    hits = [hit(document, start, end, tokens=10) for start, end in ((0, 13), (14, 26), (27, 42))]
    asked = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def system(name: str) -> ScriptedSystem:
        def respond(question: str) -> Answer:
            os.write(asked, f"{name} {question}\n".encode())
            return answer(question, f"{question[:-1]} of {name}. Beta is two.", hits=hits)

        return ScriptedSystem(respond, name=name, delay=0.01)

    judge = JudgeConfig(model="scripted", base_url=endpoint, concurrency=SLOTS, timeout=60)
    options = RunOptions(metrics=METRICS, resume=True, concurrency=2)
    started.set()
    asyncio.run(run_suite(loaded, corpus, [system("a"), system("b")], out, options=options, judge=judge))
