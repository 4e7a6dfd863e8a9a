"""Whole runs with a judge: resumed, scored anew, broken, unreachable, out of money."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from chunking.errors import ConfigError
from eval.corpus import corpus_of_suite
from eval.judge_config import JudgeConfig
from eval.options import RunOptions
from eval.runner import RunResult, run_suite
from eval.runs import ANSWERS, read_run
from eval.suite import load_suite
from graph.types import Answer
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.judge import config, judge, prompt_of
from tests.fakes.openai import chat, error
from tests.fakes.systems import ScriptedSystem, answer, hit


def judged_run(tmp_path: Path, judging: JudgeConfig | None, name: str = "run", **options: Any) -> RunResult:
    (results,) = [judged_runs(tmp_path, judging, 1, name, **options)]
    return results[0]


def judged_runs(
    tmp_path: Path, judging: JudgeConfig | None, systems: int, name: str, **options: Any
) -> list[RunResult]:
    folder = tmp_path / "suite"
    folder.mkdir(exist_ok=True)
    (folder / "documents.jsonl").write_text('{"doc_id": "d", "text": "Alpha is one. Beta is two. Gamma is three."}\n')
    (folder / "questions.jsonl").write_text(
        "".join(
            f'{{"id": "q{n}", "question": "What is number {n}?", "reference": "Alpha is one. It is {n}."}}\n'
            for n in range(20)
        )
    )
    suite = load_suite(folder)
    corpus = corpus_of_suite(suite)
    (document,) = corpus.documents
    hits = [hit(document, start, end, tokens=10) for start, end in ((0, 13), (14, 26), (27, 42))]

    def handler(system: int) -> Any:
        def respond(question: str) -> Answer:
            return answer(question, f"{question[:-1]} of {system}. Beta is two.", hits=hits)

        return respond

    metrics = ("faithfulness", "context_recall", "context_precision", "correctness", "mrr")
    return asyncio.run(
        run_suite(
            suite,
            corpus,
            [ScriptedSystem(handler(n), name=f"s{n}") for n in range(systems)],
            tmp_path / name,
            options=RunOptions(**{"metrics": metrics, **options}),
            judge=judging,
        )
    )


def test_nothing_is_judged_twice_on_resume(tmp_path: Path) -> None:
    with ScriptedServer(judge) as server:
        first = judged_run(tmp_path, config(server))
        calls = len(server.requests)
        assert calls == 20 * (2 + 1 + 3 + 1)
        assert first.run.summary["judge"]["model_calls"] == calls
        second = judged_run(tmp_path, config(server), resume=True)
        assert len(server.requests) == calls
        assert second.run == first.run


def test_rescoring_is_served_from_the_cache_and_another_round_is_not(tmp_path: Path) -> None:
    with ScriptedServer(judge) as server:
        first = judged_run(tmp_path, config(server))
        calls = len(server.requests)
        again = judged_run(tmp_path, config(server), resume=True, rescore=True)
        assert len(server.requests) == calls
        assert {k: s.value for k, s in again.run.scores.items()} == {k: s.value for k, s in first.run.scores.items()}
        judged_run(tmp_path, config(server), resume=True, rescore=True, round=1)
        assert len(server.requests) == 2 * calls


def test_another_judge_needs_rescoring(tmp_path: Path) -> None:
    with ScriptedServer(judge) as server:
        judged_run(tmp_path, config(server))
        with pytest.raises(ConfigError, match="--rescore"):
            judged_run(tmp_path, config(server, model="other"), resume=True)
        other = judged_run(tmp_path, config(server, model="other"), resume=True, rescore=True)
        assert other.run.manifest["judge"]["model"] == "other"


def test_a_judge_that_breaks_a_tenth_of_the_calls_leaves_a_whole_run_with_right_statuses(tmp_path: Path) -> None:
    """Broken JSON, truncation, 429, silence, another language, by turns; metric and question decide which are hit."""
    broken = [
        chat('{"statements": ['),
        chat('{"verdict": 1, "reason": "', finish="length"),
        error(429, **{"Retry-After": "0"}),
        Reply(None, delay=6),
        chat("这个问题我无法用 JSON 回答。"),
    ]

    def fails(request: Request) -> bool:
        return any(f"number {n}?" in prompt_of(request) for n in (3, 13))

    counter = itertools.count()

    def flaky(request: Request) -> Reply:
        return broken[next(counter) % len(broken)] if fails(request) else judge(request)

    with ScriptedServer(flaky) as server:
        result = judged_run(tmp_path, config(server, timeout=4, attempts=1))
    scores = list(result.run.scores.values())
    assert len(scores) == 20 * 5
    assert result.stopped is None
    failed = {(score.question, score.metric) for score in scores if score.status == "judge_error"}
    assert failed == {
        (f"q{n}", metric)
        for n in (3, 13)
        for metric in ("faithfulness", "context_recall", "context_precision", "correctness")
    }
    assert all(score.reason for score in scores if score.status == "judge_error")
    summary = result.run.summary
    assert (summary["metrics"]["faithfulness"]["n"], summary["metrics"]["faithfulness"]["judge_error"]) == (18, 2)
    with ScriptedServer(judge) as healthy:
        address = config(server).base_url
        run_file = tmp_path / "run" / "manifest.json"
        run_file.write_text(run_file.read_text().replace(address, f"{healthy.url}/v1"))
        repaired = judged_run(tmp_path, config(healthy), resume=True, retry_errors=True)
        assert {score.status for score in repaired.run.scores.values()} == {"ok", "not_applicable"}
        assert {n for n in range(20) if any(f"number {n}?" in prompt_of(r) for r in healthy.requests)} == {3, 13}


def test_an_unreachable_judge_ends_quickly_and_says_so(tmp_path: Path) -> None:
    with ScriptedServer() as closed:
        nowhere = config(closed)
    result = judged_run(tmp_path, nowhere)
    assert result.stopped == "judge_unreachable"
    assert {s.status for s in result.run.scores.values() if s.metric == "faithfulness"} == {"judge_error"}
    assert result.run.values("mrr") == {}
    assert len(read_run(tmp_path / "run").answers) == 20


USELESS = chat("I cannot help with that.")


@contextmanager
def changing_judge() -> Iterator[tuple[ScriptedServer, list[Reply]]]:
    """A judge that gives the last reply put into the list, and judges while there is none."""
    wrong: list[Reply] = []
    with ScriptedServer(lambda request: wrong[-1] if wrong else judge(request)) as server:
        yield server, wrong


THREE: dict[str, Any] = {"metrics": ("correctness", "mrr"), "sample": 3}


def test_a_resume_judges_what_did_not_reach_the_judge(tmp_path: Path) -> None:
    """Three calls are too few to give up early, and still none got through."""
    with changing_judge() as (server, wrong):
        wrong.append(error(401))
        dead = judged_run(tmp_path, config(server), **THREE)
        assert dead.stopped == dead.run.summary["stopped"] == "judge_unreachable"
        assert judged_run(tmp_path, config(server), **THREE, resume=True).stopped == "judge_unreachable"
        unjudged = judged_run(tmp_path, None, metrics=("mrr",), sample=3, resume=True)
        assert unjudged.stopped == unjudged.run.summary["stopped"] == "judge_unreachable"
        wrong.clear()
        server.requests.clear()
        alive = judged_run(tmp_path, config(server), **THREE, resume=True)
        assert len(server.requests) == 3
    assert alive.stopped is None
    assert len(alive.run.values("correctness")) == 3


def test_a_judge_whose_replies_are_all_useless_is_told(tmp_path: Path) -> None:
    with ScriptedServer(lambda request: USELESS) as server:
        useless = judged_run(tmp_path, config(server), **THREE)
        assert useless.stopped == useless.run.summary["stopped"] == "judge_failed"
        calls = len(server.requests)
        assert judged_run(tmp_path, config(server), **THREE, resume=True).stopped == "judge_failed"
        assert len(server.requests) == calls, "a useless reply is asked for again with --retry-errors only"


@pytest.mark.parametrize(
    ("reply", "stopped", "paid"), [(error(401), "judge_unreachable", 0), (USELESS, "judge_failed", 3)]
)
def test_a_rescoring_that_fails_leaves_the_scores(tmp_path: Path, reply: Reply, stopped: str, paid: int) -> None:
    with changing_judge() as (server, wrong):
        judging = config(server, attempts=1)
        whole = judged_run(tmp_path, judging, **THREE)
        wrong.append(reply)
        failed = judged_run(tmp_path, judging, **THREE, resume=True, rescore=True, round=1)
    assert failed.stopped == stopped
    assert failed.reason
    assert failed.run.scores == whole.run.scores
    assert failed.run.manifest == whole.run.manifest
    assert failed.run.summary["stopped"] is None
    assert failed.run.summary["judge"]["model_calls"] == 3 + paid, "what was paid is remembered"


def test_metrics_of_another_judge_are_not_kept_beside_new_ones(tmp_path: Path) -> None:
    with ScriptedServer(judge) as server:
        judged_run(tmp_path, config(server), metrics=("correctness", "faithfulness"), sample=2)
        options: dict[str, Any] = {"sample": 2, "resume": True, "rescore": True}
        with pytest.raises(ConfigError, match="another judge: name faithfulness in --metrics too"):
            judged_run(tmp_path, config(server, model="other"), metrics=("correctness",), **options)
        unjudged = judged_run(tmp_path, None, metrics=("mrr",), **options)
        assert unjudged.run.manifest["judge"]["model"] == "scripted"
        assert set(unjudged.run.metrics) == {"correctness", "faithfulness", "mrr"}


def test_the_judges_share_of_the_budget_ends_a_run_that_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "prices.yaml"
    table.write_text("scripted: {input: 100, output: 0}\n")
    monkeypatch.setenv("CRAG_PRICES", str(table))

    def dear(request: Request) -> Reply:
        reply = judge(request)
        return Reply({**reply.body, "usage": {"prompt_tokens": 1500, "completion_tokens": 0, "total_tokens": 1500}})

    with ScriptedServer(dear) as server:
        # A reply costs 0.15 dollars; some 2 are booked for it, at a token a byte and for two attempts.
        short = judged_run(tmp_path, config(server, max_tokens=64, concurrency=2), max_cost=6)
        assert short.stopped == "max_cost"
        assert 3 < short.run.summary["cost"]["judge"] <= 6
        asked = len(server.requests)
        assert 20 < asked < 40
        whole = judged_run(tmp_path, config(server, max_tokens=64), max_cost=50, resume=True)
        assert whole.stopped is None
        assert len(server.requests) == 140
        assert whole.run.summary["cost"]["judge"] == pytest.approx(140 * 0.15)
        assert len(whole.run.scores) == 100


def test_a_limit_without_a_price_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with ScriptedServer() as server, pytest.raises(ConfigError, match="price for scripted"):
        judged_run(tmp_path, config(server), max_cost=1.0)
    assert not (tmp_path / "run").exists()


def test_four_pipelines_keep_the_judges_slots_full_and_no_more(tmp_path: Path) -> None:
    """Of the first 64 calls none is answered before eight wait for it together."""
    running, seen, lock, full = 0, [], threading.Lock(), threading.Barrier(8, timeout=60)

    def slow(request: Request) -> Reply:
        nonlocal running
        with lock:
            running += 1
            seen.append(running)
            together = len(seen) <= 64
        if together:
            full.wait()
        with lock:
            running -= 1
        return judge(request)

    with ScriptedServer(slow) as server:
        metrics = ("faithfulness", "correctness")
        judged_runs(tmp_path, config(server, timeout=120), 4, "runs", sample=10, metrics=metrics)
    assert len(seen) == 4 * 10 * 3
    assert max(seen) == 8
    assert (tmp_path / "runs" / "s3" / ANSWERS).is_file()
