"""A judge is asked: its cache, its failures, its budget."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from chunking.errors import ConfigError, StoreError
from eval.judge import Judge, JudgeError, logged_calls
from eval.judge_config import JudgeConfig
from eval.prices import Budget, BudgetSpentError, Price, Prices
from tests.fakes.http import Reply, ScriptedServer
from tests.fakes.judge import config
from tests.fakes.openai import chat, chat_json, error


class Verdict(BaseModel):
    verdict: int


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(lambda request: chat_json({"verdict": 1})) as scripted:
        yield scripted


def ask(judging: JudgeConfig, *prompts: str, metric: str = "m", **options: Any) -> Any:
    """The log of one score that sends these prompts."""

    async def run() -> Any:
        async with Judge(judging, **options) as asked:
            with logged_calls() as log:
                for prompt in prompts:
                    await asked.reply(prompt, Verdict, metric)
            return log

    return asyncio.run(run())


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


def test_one_reply_that_takes_too_long_is_not_an_unreachable_judge() -> None:
    async def unreached(judging: JudgeConfig) -> bool:
        async with Judge(judging) as asked:
            with logged_calls(), pytest.raises(JudgeError, match="no reply from the judge"):
                await asked.reply("p", Verdict, "m")
            return asked.unreached

    with ScriptedServer(lambda request: Reply(None, delay=1)) as server:
        assert not asyncio.run(unreached(config(server, timeout=0.3)))
    assert asyncio.run(unreached(config(server)))


# Money


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
