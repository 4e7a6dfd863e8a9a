"""The judge's configuration, cache, budget, and what a broken one does to a run."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from chunking.errors import ConfigError, StoreError
from eval.corpus import corpus_of_suite
from eval.judge import Judge, JudgeError, logged_calls
from eval.judge_config import JudgeConfig, judge_config
from eval.options import RunOptions
from eval.prices import Budget, BudgetSpentError, Price, Prices, load_prices
from eval.runner import RunResult, run_suite
from eval.runs import ANSWERS, read_run
from eval.suite import load_suite
from graph.types import Answer
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.judge import judge, prompt_of
from tests.fakes.openai import chat, chat_json, error
from tests.fakes.systems import ScriptedSystem, answer, hit


class Verdict(BaseModel):
    verdict: int


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(lambda request: chat_json({"verdict": 1})) as scripted:
        yield scripted


def config(server: ScriptedServer, **changes: Any) -> JudgeConfig:
    base = {"model": "scripted", "base_url": f"{server.url}/v1", "retries": 0, "timeout": 5}
    return JudgeConfig(**{**base, **changes})


def ask(judging: JudgeConfig, *prompts: str, metric: str = "m", **options: Any) -> Any:
    """The log of one score that sends these prompts."""

    async def run() -> Any:
        async with Judge(judging, **options) as asked:
            with logged_calls() as log:
                for prompt in prompts:
                    await asked.reply(prompt, Verdict, metric)
            return log

    return asyncio.run(run())


# Configuration


def test_the_environment_names_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    assert judge_config() is None
    monkeypatch.setenv("CRAG_JUDGE_MODEL", "gpt-4o-mini")
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        judge_config()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    found = judge_config()
    assert found is not None
    assert (found.model, found.base_url) == ("gpt-4o-mini", "https://api.openai.com/v1")
    assert "sk-secret" not in found.model_dump_json()


def test_options_win_over_the_file_and_the_file_over_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CRAG_JUDGE_MODEL", "from-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    file = tmp_path / "judge.yaml"
    file.write_text("model: from-file\nmax_tokens: 512\n")
    found = judge_config({"model": "from-option", "mode": None}, file)
    assert found is not None
    assert (found.model, found.max_tokens, found.base_url) == ("from-option", 512, "http://127.0.0.1:1/v1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("modle: x\nmodel: y", "modle"),
        ("model: x\ntemperature: 9", "temperature"),
        ("- 1", "keys and values"),
        ("a: [", "not YAML"),
    ],
)
def test_a_bad_judge_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "judge.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=message):
        judge_config({"base_url": "http://127.0.0.1:1/v1"}, file)


# Cache


def test_a_reply_is_paid_once_across_processes(server: ScriptedServer, tmp_path: Path) -> None:
    first = ask(config(server), "p", cache=tmp_path / "c.sqlite")
    second = ask(config(server), "p", cache=tmp_path / "c.sqlite")
    assert len(server.requests) == 1
    assert (first.model_calls, first.cached_calls, first.prompt_tokens) == (1, 0, 10)
    assert (second.model_calls, second.cached_calls, second.prompt_tokens) == (0, 1, 0)


def test_the_same_prompt_twice_in_one_score_is_two_calls_and_both_are_kept(
    server: ScriptedServer, tmp_path: Path
) -> None:
    """Answer relevancy asks three times to average over the judge's chance."""
    ask(config(server), "p", "p", "p", cache=tmp_path / "c.sqlite")
    assert len(server.requests) == 3
    assert ask(config(server), "p", "p", "p", cache=tmp_path / "c.sqlite").cached_calls == 3
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("changes", "options"),
    [
        ({"model": "other"}, {}),
        ({"temperature": 0.5}, {}),
        ({"top_p": 0.5}, {}),
        ({"max_tokens": 100}, {}),
        ({"mode": "json_schema"}, {}),
        ({"extra": {"seed": 1}}, {}),
        ({}, {"round": 1}),
        ({}, {"metric": "other"}),
    ],
)
def test_whatever_changes_a_reply_is_in_the_key(
    server: ScriptedServer, tmp_path: Path, changes: dict[str, Any], options: dict[str, Any]
) -> None:
    ask(config(server), "p", cache=tmp_path / "c.sqlite")
    ask(config(server, **changes), "p", cache=tmp_path / "c.sqlite", **options)
    assert len(server.requests) == 2


def test_another_endpoint_is_not_served_the_first_ones_verdicts(server: ScriptedServer, tmp_path: Path) -> None:
    with ScriptedServer(lambda request: chat_json({"verdict": 0})) as other:
        ask(config(server), "p", cache=tmp_path / "c.sqlite")
        ask(config(other), "p", cache=tmp_path / "c.sqlite")
        assert len(other.requests) == 1


def test_calls_that_run_at_the_same_time_share_one_request(tmp_path: Path) -> None:
    async def run(server: ScriptedServer) -> list[int]:
        async with Judge(config(server)) as asked:

            async def one() -> int:
                with logged_calls() as log:
                    await asked.reply("p", Verdict, "m")
                return log.cached_calls

            return list(await asyncio.gather(*(one() for _ in range(5))))

    with ScriptedServer(lambda request: Reply(chat_json({"verdict": 1}).body, delay=0.1)) as server:
        assert sorted(asyncio.run(run(server))) == [0, 1, 1, 1, 1]
        assert len(server.requests) == 1


def test_a_damaged_cache_is_named(server: ScriptedServer, tmp_path: Path) -> None:
    (tmp_path / "c.sqlite").write_bytes(b"this is no database, whatever its name says" * 50)
    with pytest.raises(StoreError, match=r"c\.sqlite"):
        ask(config(server), "p", cache=tmp_path / "c.sqlite")


def test_a_failed_reply_is_not_kept(tmp_path: Path) -> None:
    replies = itertools.chain([error(400)], itertools.repeat(chat_json({"verdict": 1})))
    with ScriptedServer(lambda request: next(replies)) as server:
        with pytest.raises(JudgeError, match="status 400"):
            ask(config(server), "p", cache=tmp_path / "c.sqlite")
        assert ask(config(server), "p", cache=tmp_path / "c.sqlite").model_calls == 1


# Failures


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (chat("this is no JSON"), "did not fit the schema in 2 attempts; the last one was 'this is no JSON'"),
        (chat(""), "the last one was nothing"),
        (
            Reply(b"<html>Bad gateway</html>", headers={"Content-Type": "text/html"}),
            "no chat completion but '<html>Bad",
        ),
        (chat_json({"verdict": "perhaps"}), "did not fit the schema"),
        (chat('{"verdict": 1', finish="length"), "cut off at 4096 tokens"),
        (error(429), "status 429"),
        (error(401), "status 401"),
        (error(500), "status 500"),
        (Reply({"verdict": 1}, delay=1.5), "no reply from the judge: none came within 1 s"),
    ],
)
def test_every_failure_has_its_reason(reply: Reply, message: str) -> None:
    with (
        ScriptedServer(lambda request: reply) as server,
        pytest.raises(JudgeError, match=message),
    ):
        ask(config(server, timeout=1), "p")


def test_a_second_attempt_may_repair_a_reply_and_both_are_paid() -> None:
    with ScriptedServer() as server:
        server.enqueue(chat("no JSON"), chat_json({"verdict": 1}))
        log = ask(config(server), "p")
        assert (log.model_calls, log.prompt_tokens, log.completion_tokens) == (2, 20, 10)


def test_a_full_endpoint_is_asked_again_when_it_says() -> None:
    with ScriptedServer() as server:
        server.enqueue(error(429, **{"Retry-After": "0"}), error(503), chat_json({"verdict": 1}))
        log = ask(config(server, retries=2), "p")
        assert (len(server.requests), log.model_calls) == (3, 1)


def test_an_endpoint_that_is_not_there_is_given_up_after_a_few_calls() -> None:
    with ScriptedServer() as closed:
        unreachable = config(closed)

    async def run() -> list[str]:
        reasons = []
        async with Judge(unreachable) as asked:
            for number in range(12):
                with logged_calls():
                    try:
                        await asked.reply(f"p{number}", Verdict, "m")
                    except JudgeError as failure:
                        reasons.append(str(failure))
            assert asked.unreachable
        return reasons

    reasons = asyncio.run(run())
    assert reasons[0].startswith("no reply from the judge: cannot connect to http://127.0.0.1")
    assert "refused or failed 8 calls" in reasons[-1]
    assert len(reasons) == 12


# Money


def test_the_bundled_prices_and_their_rules(tmp_path: Path) -> None:
    prices = load_prices()
    assert prices.cost("gpt-4o-mini-2024-07-18", 1_000_000, 1_000_000) == pytest.approx(0.75)
    assert prices.cost("openai:gpt-4o", 1_000_000, 0) == pytest.approx(2.5)
    assert prices.cost("qwen2.5:7b", 10, 0) is None
    assert prices.cost(None, 0, 0) == 0.0
    table = tmp_path / "prices.yaml"
    table.write_text("'*': {input: 0, output: 0}\nqwen2.5:7b: {input: 1, output: 2}\n")
    assert load_prices(table).cost("anything", 5, 5) == 0.0
    assert load_prices(table).cost("qwen2.5:7b", 1_000_000, 0) == 1.0
    table.write_text("x: {input: -1, output: 0}\n")
    with pytest.raises(ConfigError, match=r"x\.input"):
        load_prices(table)


def test_a_judge_without_a_price_cannot_have_a_limit(server: ScriptedServer) -> None:
    with pytest.raises(ConfigError, match="price for scripted"):
        Judge(config(server), budget=Budget(1.0))


@pytest.mark.parametrize("limit", [0.0, 0.01, 0.05, 0.2])
def test_the_judge_never_exceeds_the_limit(server: ScriptedServer, limit: float) -> None:
    budget = Budget(limit)
    prices = Prices({"scripted": Price(input=1000, output=200)})  # 10 prompt and 5 completion tokens: 0.011

    async def run() -> int:
        async with Judge(config(server, max_tokens=64), budget=budget, prices=prices) as asked:

            async def one(number: int) -> bool:
                with logged_calls():
                    try:
                        await asked.reply(f"p{number}", Verdict, "m")
                    except BudgetSpentError:
                        return False
                return True

            return sum(await asyncio.gather(*(one(n) for n in range(30))))

    done = asyncio.run(run())
    assert budget.spent <= limit
    assert budget.spent == pytest.approx(0.011 * done)


DEAR = Prices({"scripted": Price(input=1000, output=200)})


@pytest.mark.parametrize(
    "usage",
    [None, {}, {"prompt_tokens": -500, "completion_tokens": 5}, {"prompt_tokens": "many", "completion_tokens": None}],
)
def test_a_reply_that_does_not_tell_its_tokens_is_paid_as_dearly_as_it_can_be(usage: Any) -> None:
    """Else a limit never stops such an endpoint, and negative tokens would buy further calls."""
    budget = Budget(10.0)
    reply = Reply({**chat_json({"verdict": 1}).body, "usage": usage})
    with ScriptedServer(lambda request: reply) as server:
        judging = config(server, max_tokens=64, attempts=1)
        # A prompt of one byte, 2,000 tokens of schema and 64 of the reply: 2.0138 dollars; four fit into ten.
        with pytest.raises(BudgetSpentError):
            ask(judging, *"abcdefgh", budget=budget, prices=DEAR)
        assert len(server.requests) == 4
    assert budget.spent == pytest.approx(4 * (2001 * 1000 + 64 * 200) / 1e6)


def test_a_web_page_in_place_of_a_reply_costs_nothing() -> None:
    budget, page = Budget(10.0), Reply(b"<html>Bad gateway</html>", headers={"Content-Type": "text/html"})
    with ScriptedServer(lambda request: page) as server, pytest.raises(JudgeError, match="no chat completion"):
        ask(config(server, max_tokens=64, attempts=1), "p", budget=budget, prices=DEAR)
    assert budget.spent == 0


def test_a_call_waits_for_booked_money_that_comes_back() -> None:
    async def run() -> list[str]:
        budget, order = Budget(1.0), []

        async def one(name: str, cost: float) -> None:
            async with budget.booked(lambda: 0.8):
                await asyncio.sleep(0.01)
                budget.spend(cost)
                order.append(name)

        await asyncio.gather(one("a", 0.1), one("b", 0.1))
        with pytest.raises(BudgetSpentError):
            async with budget.booked(lambda: 0.9):
                order.append("too dear")
        return order

    assert asyncio.run(run()) == ["a", "b"]


# Whole runs


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


def test_one_reply_that_takes_too_long_is_not_an_unreachable_judge() -> None:
    async def unreached(judging: JudgeConfig) -> bool:
        async with Judge(judging) as asked:
            with logged_calls(), pytest.raises(JudgeError, match="no reply from the judge"):
                await asked.reply("p", Verdict, "m")
            return asked.unreached

    with ScriptedServer(lambda request: Reply(None, delay=1)) as server:
        assert not asyncio.run(unreached(config(server, timeout=0.3)))
    assert asyncio.run(unreached(config(server)))


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


def test_a_limit_without_a_price_is_refused_before_anything_is_asked(tmp_path: Path, server: ScriptedServer) -> None:
    with pytest.raises(ConfigError, match="price for scripted"):
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
