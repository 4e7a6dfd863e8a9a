"""Kill -9 at ten random moments, resume: the same scores, no question asked twice, no reply paid twice."""

from __future__ import annotations

import multiprocessing
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from eval.judge import JudgeCache
from eval.runs import read_run
from tests.fakes import judged_run
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.judge import judge

QUESTIONS = 8
KILLS = 10


def slow(request: Request) -> Reply:
    return Reply(judge(request).body, delay=0.05)


def write_suite(folder: Path) -> Path:
    folder.mkdir()
    (folder / "documents.jsonl").write_text('{"doc_id": "d", "text": "Alpha is one. Beta is two. Gamma is three."}\n')
    lines = (
        f'{{"id": "q{n}", "question": "What is {n}?", "reference": "It is {n}.",'
        ' "reference_spans": [{"doc_id": "d", "text": "Beta is two."}]}\n'
        for n in range(QUESTIONS)
    )
    (folder / "questions.jsonl").write_text("".join(lines))
    return folder


def test_ten_kills_change_nothing(tmp_path: Path) -> None:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        pytest.skip("needs kill -9 and fork")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.fakes.judged_run"])
    suite = write_suite(tmp_path / "suite")

    def start(server: ScriptedServer, name: str) -> multiprocessing.Process:
        ready = context.Event()
        arguments = (suite, tmp_path / name, f"{server.url}/v1", tmp_path / f"{name}.log", ready)
        process = context.Process(target=judged_run.run_judged, args=arguments)
        process.start()
        assert ready.wait(120)
        return process

    with ScriptedServer(slow) as server:
        clean = start(server, "clean")
        began = time.monotonic()
        clean.join(120)
        took = time.monotonic() - began
        assert clean.exitcode == 0
        calls = len(server.requests)
        server.requests.clear()

        chance = random.Random(11)
        answered: Counter[str] = Counter()
        kills = 0
        for _ in range(KILLS):
            process = start(server, "killed")
            process.join(chance.uniform(0, took / 8))
            kills += process.exitcode is None
            process.kill()
            process.join(60)
            asked = Counter((tmp_path / "killed.log").read_text().splitlines())
            for question, count in answered.items():
                assert asked[question] == count, f"{question} was answered and asked again"
            answered = Counter({question: asked[question] for question in kept(tmp_path / "killed")})
        assert kills >= KILLS - 2, "most runs were done before they could be killed"
        final = start(server, "killed")
        final.join(120)
        assert final.exitcode == 0

        # What the judge had sent when it was killed is in the cache; only calls in flight can have been lost.
        cache = JudgeCache(tmp_path / "killed" / "judge-cache.sqlite")
        clean_cache = JudgeCache(tmp_path / "clean" / "judge-cache.sqlite")
        assert len(cache) == len(clean_cache) == calls
        assert calls <= len(server.requests) <= calls + KILLS * judged_run.SLOTS
        cache.close()
        clean_cache.close()
    for name in ("a", "b"):
        killed, whole = read_run(tmp_path / "killed" / name), read_run(tmp_path / "clean" / name)
        assert {key: score.value for key, score in killed.scores.items()} == {
            key: score.value for key, score in whole.scores.items()
        }
        assert killed.summary["metrics"] == whole.summary["metrics"]


def kept(out: Path) -> list[str]:
    """The questions with an answer on disk, in the log's words."""
    folders = [folder for folder in (out / "a", out / "b") if (folder / "manifest.json").is_file()]
    return [
        f"{folder.name} {record.question.question}"
        for folder in folders
        for record in read_run(folder).answers.values()
    ]
