"""The language model that judges: own disk cache, and one verb, `Judge.reply`.

Ragas' cache leaves model, temperature and endpoint out of its key, so that a second judge is served the first one's
verdicts; this one is keyed by everything that changes a reply. A reply is stored the moment it arrives, and calls with
one key that run at the same time share one request.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ValidationError

from chunking.errors import MissingExtraError, ProviderError, StoreError, without_keys
from eval.judge_config import JudgeConfig
from eval.metrics.base import NO_REPLY
from eval.prices import Budget, BudgetSpentError, Prices, require_price

_Reply = TypeVar("_Reply", bound=BaseModel)

_HOPELESS = 8
"""So many failed connections without a single success, and the endpoint counts as unreachable."""


class JudgeError(Exception):
    """The judge gave nothing usable; the message says why in a few words."""


class JudgeDownError(ProviderError):
    """A command that needs the judge got no score from it. Gates exit with the same code."""

    kind = "judge_down"
    exit_code = 4


@dataclass
class CallLog:
    """What one score asked of the judge."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    model_calls: int = 0
    cached_calls: int = 0
    cost: float | None = 0.0
    asked: Counter[str] = field(default_factory=Counter)

    def to_dict(self) -> dict[str, float]:
        tokens = {
            name: getattr(self, name) for name in ("prompt_tokens", "completion_tokens", "model_calls", "cached_calls")
        }
        return tokens if self.cost is None else {**tokens, "cost": self.cost}


_LOG: ContextVar[CallLog] = ContextVar("judge_calls")
_PROMPT: ContextVar[str] = ContextVar("judge_prompt")


@contextmanager
def logged_calls() -> Iterator[CallLog]:
    """Collects the calls of one score; the n-th time that a score sends one prompt is a call of its own."""
    log = CallLog()
    token = _LOG.set(log)
    try:
        yield log
    finally:
        _LOG.reset(token)


class JudgeCache:
    """Replies by key in one SQLite file, written as they arrive; None keeps them in memory. Raises StoreError."""

    def __init__(self, path: Path | None) -> None:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(path or ":memory:", isolation_level=None, timeout=30, check_same_thread=False)
        try:
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.execute("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL)")
        except sqlite3.DatabaseError as error:
            self._database.close()
            raise StoreError(f"The judge's cache {path} cannot be used ({error}); delete the file and go on.") from None

    def get(self, key: str) -> str | None:
        row = self._database.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def __len__(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM replies").fetchone()[0])

    def put(self, key: str, reply: str) -> None:
        self._database.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, reply))

    def close(self) -> None:
        self._database.close()


class Judge:
    """An async context manager. `round` sets a series of verdicts apart: another round asks everything anew."""

    def __init__(
        self,
        config: JudgeConfig,
        *,
        cache: Path | None = None,
        prices: Prices | None = None,
        budget: Budget | None = None,
        round: int = 0,
    ) -> None:
        self.config = config
        self.calls = 0
        self.failures = 0
        self.silences = 0
        """Those of the failures that were a reply awaited in vain."""
        self._cache_path = cache
        self._prices = prices or Prices({})
        self._budget = budget or Budget()
        self._round = round
        self._running: dict[str, asyncio.Future[str]] = {}
        if self._budget.limit is not None:
            require_price(self._prices, config.model)

    @property
    def unreachable(self) -> bool:
        """No call has got through, and so many have failed that no more are tried."""
        return self.calls == 0 and self.failures >= _HOPELESS

    @property
    def unreached(self) -> bool:
        """None got through, and it is more than a reply or two that took too long."""
        return self.unreachable or (self.calls == 0 and self.failures > self.silences)

    async def __aenter__(self) -> Self:
        instructor, openai = import_clients()
        from ragas.llms.base import InstructorLLM

        # It reports each failed request on stderr; here a failure is a status with a reason.
        logging.getLogger("instructor").setLevel(logging.CRITICAL)
        config = self.config
        self._cache = JudgeCache(self._cache_path)
        self._client = openai.AsyncOpenAI(
            base_url=config.base_url,
            api_key=os.environ.get(config.api_key_env) or "none",
            timeout=config.timeout,
            max_retries=config.retries,
            http_client=_client(openai, config.concurrency),
        )
        mode = {
            "json": instructor.Mode.JSON,
            "json_schema": instructor.Mode.JSON_SCHEMA,
            "tools": instructor.Mode.TOOLS,
        }[config.mode]
        patched = instructor.from_openai(self._client, mode=mode)
        patched.on("completion:response", self._book)
        self._model = InstructorLLM(
            client=patched,
            model=config.model,
            provider="openai",
            temperature=config.temperature,
            top_p=config.top_p,
            max_tokens=config.max_tokens,
            max_retries=config.attempts - 1,
            **config.extra,
        )
        # Twice the requests that may run: while one is prepared or its reply read, another keeps the judge busy.
        self._started = asyncio.Semaphore(2 * config.concurrency)
        self._versions = [version("ragas"), version("instructor")]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()
        self._cache.close()

    async def reply(
        self,
        prompt: str,
        shape: type[_Reply],
        metric: str,
        check: Callable[[_Reply], None] = lambda reply: None,
    ) -> _Reply:
        """The judge's reply as a `shape`, from the cache where it was given before.

        `check` raises JudgeError for one that fits the shape and still says nothing usable: it is not kept.
        Call it inside `logged_calls`. Raises JudgeError and BudgetSpentError.
        """
        log = _LOG.get()
        log.asked[prompt] += 1
        key = self._key(prompt, shape, metric, log.asked[prompt])
        stored = self._cache.get(key)
        if stored is None and key in self._running:
            stored = await asyncio.shield(self._running[key])
        if stored is not None:
            log.cached_calls += 1
            return shape.model_validate_json(stored)
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._running[key] = future
        try:
            reply = await self._ask(prompt, shape)
            check(reply)
            self._cache.put(key, reply.model_dump_json())
            future.set_result(reply.model_dump_json())
        except BaseException as error:
            future.set_exception(error if isinstance(error, JudgeError | BudgetSpentError) else JudgeError("cancelled"))
            future.exception()  # seen: nobody may be waiting
            raise
        finally:
            del self._running[key]
        return reply

    async def _ask(self, prompt: str, shape: type[_Reply]) -> _Reply:
        async with self._started, self._budget.booked(lambda: self._most(prompt)):
            if self.unreachable:
                raise JudgeError(
                    f"{NO_REPLY}{self.config.base_url} refused or failed {self.failures} calls and gave no reply"
                )
            _PROMPT.set(prompt)
            try:
                reply: _Reply = await self._model.agenerate(prompt, shape)
            except Exception as error:
                missed = _transport(error)
                self.failures += missed
                self.silences += _silent(error)
                raise JudgeError(f"{NO_REPLY if missed else ''}{_reason(error, self.config)}") from error
            self.calls += 1
            return reply

    def _most(self, prompt: str) -> float:
        """Dollars that a reply can cost with all its attempts, 0 without a price."""
        return self.config.attempts * (self._prices.cost(self.config.model, *self._most_tokens(prompt)) or 0.0)

    def _most_tokens(self, prompt: str) -> tuple[int, int]:
        """Of the prompt and the reply of one attempt: a token is at least a byte, and a retry sends the replies that
        failed and their errors along."""
        config = self.config
        prompt_tokens = len(prompt.encode(errors="replace")) + 2000 + config.max_tokens * (config.attempts - 1)
        return prompt_tokens, config.max_tokens

    def _book(self, response: Any) -> None:
        """Tokens of every response, also of those that did not fit the schema.

        What an endpoint does not tell of a completion, or tells wrongly, is paid as dearly as it can have been. A web
        page of a gateway costs nothing.
        """
        log = _LOG.get()
        log.model_calls += 1
        usage = getattr(response, "usage", None)
        prompt, completion = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
        if isinstance(prompt, int) and isinstance(completion, int) and prompt > 0 and completion >= 0:
            log.prompt_tokens += prompt
            log.completion_tokens += completion
        elif getattr(response, "choices", None):
            prompt, completion = self._most_tokens(_PROMPT.get())
        else:
            prompt = completion = 0
        cost = self._prices.cost(self.config.model, prompt, completion)
        log.cost = None if cost is None or log.cost is None else log.cost + cost
        self._budget.spend(cost or 0.0)

    def _key(self, prompt: str, shape: type[BaseModel], metric: str, time: int) -> str:
        config = self.config
        parts = [config.model, config.base_url, config.parameters, self._versions, metric, time, self._round]
        parts += [prompt, _schema(shape)]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def _client(openai: Any, slots: int) -> Any:
    """An HTTP client with so many requests at a time. A slot is held while the judge works, not while a prompt is
    built, a reply read or a retry waited for."""
    semaphore = asyncio.Semaphore(slots)

    class Client(openai.DefaultAsyncHttpxClient):  # type: ignore[misc]  # openai is imported late, so Any
        async def send(self, *arguments: Any, **options: Any) -> Any:
            async with semaphore:
                return await super().send(*arguments, **options)

    return Client()


@cache
def _schema(shape: type[BaseModel]) -> str:
    return json.dumps(shape.model_json_schema(), sort_keys=True)


def import_clients() -> tuple[Any, Any]:
    """instructor and openai, with Ragas at hand and silent. Raises MissingExtraError."""
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"  # it sends usage events unless told before its first call
    try:
        import instructor
        import openai
        import ragas  # noqa: F401 - missed here, not in the middle of a run
    except ImportError as error:
        raise MissingExtraError("Ragas scores", "eval") from error
    return instructor, openai


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def _transport(error: Exception) -> bool:
    import openai

    refused = (
        openai.APIConnectionError,
        openai.AuthenticationError,
        openai.PermissionDeniedError,
        openai.NotFoundError,
    )
    return any(isinstance(cause, refused) for cause in _causes(error))


def _silent(error: Exception) -> bool:
    """The judge was there and did not reply in time."""
    # By name: openai speaks through httpx or its successor, whichever is installed.
    return any(type(cause).__name__ == "ReadTimeout" for cause in _causes(error))


def _reason(error: Exception, config: JudgeConfig) -> str:
    """Why a reply failed, in a few words."""
    import openai
    from instructor.core.exceptions import IncompleteOutputException, InstructorRetryException

    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, IncompleteOutputException):
            return f"the reply was cut off at {config.max_tokens} tokens: raise the judge's max_tokens"
        if isinstance(cause, openai.APITimeoutError):
            return f"none came within {config.timeout:g} s"
        if isinstance(cause, openai.APIConnectionError):
            return f"cannot connect to {config.base_url}"
        if isinstance(cause, openai.APIStatusError):
            return f"status {cause.status_code} from {config.base_url}: {without_keys(cause.message[:200])}"
    for cause in causes:
        if isinstance(cause, InstructorRetryException | ValidationError):
            return _misfit(getattr(cause, "last_completion", None), config)
    return f"{type(error).__name__}: {str(error)[:200]}"


def _misfit(completion: Any, config: JudgeConfig) -> str:
    """What came in place of the JSON that was asked for."""
    if isinstance(completion, str):
        return f"{config.base_url} sent no chat completion but {_start(completion)}: correct the judge's endpoint"
    choices = getattr(completion, "choices", None)
    message = choices[0].message if choices else None
    said = None if message is None else message.content or message.refusal
    came = "nothing" if not said else _start(said)
    return f"the reply did not fit the schema in {config.attempts} attempts; the last one was {came}"


def _start(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 80 else f"{line[:80]}…")
