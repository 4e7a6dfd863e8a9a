"""How long scoring takes beside what the judge's slots allow, and how long a run takes with nothing left to do.

Bars: 20 questions, 4 pipelines, five Ragas metrics, a judge at 200 ms a call: at most 1.3 times the bound set by its
slots, memory under 1 GB; the second run makes no call and takes at most a twentieth of the first's time.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import resource
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

from eval.corpus import corpus_of_suite
from eval.judge_config import JudgeConfig
from eval.options import RunOptions
from eval.runner import run_suite
from eval.suite import load_suite
from graph.types import Answer
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.judge import judge
from tests.fakes.systems import ScriptedSystem, answer, hit

QUESTIONS, PIPELINES, DELAY, SLOTS = 20, 4, 0.2, 8
METRICS = ("faithfulness", "context_precision", "context_recall", "answer_correctness", "noise_sensitivity")


class _Lengths:
    """An embedder that costs nothing: the benchmark is about waiting."""

    name = fingerprint = "lengths"
    dimension = 2
    max_tokens = 512

    def embed(self, texts, role):  # type: ignore[no-untyped-def]
        import numpy as np

        rows = np.asarray([[len(text), 100] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def count_tokens(self, texts):  # type: ignore[no-untyped-def]
        return [len(text) for text in texts]


def _serve(pipe: Connection) -> None:
    """In a process of its own, so that it does not wait for the interpreter that is measured."""

    def slow(request: Request) -> Reply:
        return Reply(judge(request).body, delay=DELAY)

    with ScriptedServer(slow) as server:
        pipe.send(server.url)
        while pipe.recv() == "count":
            pipe.send(len(server.requests))


def _suite(folder: Path) -> Path:
    text = " ".join(f"Passage number {n} tells of {n}." for n in range(5))
    (folder / "documents.jsonl").write_text(json.dumps({"doc_id": "d", "text": text}) + "\n")
    lines = (
        json.dumps({"id": f"q{n}", "question": f"What is told of {n}?", "reference": f"It tells of {n}. It is short."})
        for n in range(QUESTIONS)
    )
    (folder / "questions.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def main() -> None:
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    server.start()
    url = ours.recv()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "suite"
        folder.mkdir()
        suite = load_suite(_suite(folder))
        corpus = corpus_of_suite(suite)
        (document,) = corpus.documents
        width = len(document.text) // 5

        def system(number: int) -> ScriptedSystem:
            def respond(question: str) -> Answer:
                hits = [hit(document, place * width, place * width + width - number, tokens=40) for place in range(5)]
                return answer(question, f"Pipeline {number} says {question[8:-1]}. It is short.", hits=hits)

            return ScriptedSystem(respond, name=f"p{number}")

        def run(out: str, systems: int, *, resume: bool = False, model: str = "scripted") -> float:
            started = time.perf_counter()
            asyncio.run(
                run_suite(
                    suite,
                    corpus,
                    [system(number) for number in range(systems)],
                    Path(scratch) / out,
                    options=RunOptions(metrics=METRICS, resume=resume, sample=1 if out == "warm" else None),
                    judge=JudgeConfig(model=model, base_url=f"{url}/v1", concurrency=SLOTS),
                    embedder=_Lengths,
                )
            )
            return time.perf_counter() - started

        def calls() -> int:
            ours.send("count")
            return int(ours.recv())

        run("warm", 1, model="warm")  # imports, once in a process
        before = calls()
        first = run("runs", PIPELINES)
        made = calls() - before
        second = run("runs", PIPELINES, resume=True)
        again = calls() - before - made
    ours.send("stop")
    bound = made * DELAY / SLOTS
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{made} calls at {DELAY:g} s in {SLOTS} slots: {first:.1f} s, bound {bound:.1f} s, ratio {first / bound:.2f}"
    )
    print(
        f"nothing left to do: {again} calls, {second:.2f} s, {second / first:.3f} of the first; memory {memory:.0f} MB"
    )


if __name__ == "__main__":
    main()
