"""Rerank endpoints over HTTP: Jina, Cohere, SiliconFlow, vLLM, Infinity, Xinference, and text-embeddings-inference."""

from __future__ import annotations

import json
import math
import os
import random
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chunking.errors import ConfigError, ProviderError, code_of_status
from retrieval.config import RerankConfig
from retrieval.embedders.base import Embedder
from retrieval.rerankers.base import Reranker
from retrieval.types import Hit

if TYPE_CHECKING:
    import httpx

_BATCH = 32
"""Passages of one request: what text-embeddings-inference accepts unless told otherwise."""
_REPLY_BYTES = 4_000_000
_RETRIES = 2
_PASSING = {429, 500, 502, 503, 504}
_OWN_SHARE = 0.9
"""Of `rerank.timeout`: the caller's deadline is the whole, and would not know to name the endpoint."""


def _common(config: RerankConfig, question: str, texts: Sequence[str]) -> dict[str, Any]:
    model = {"model": config.model} if config.model else {}
    return {**model, "query": question, "documents": list(texts), "top_n": len(texts)}


def _tei(config: RerankConfig, question: str, texts: Sequence[str]) -> dict[str, Any]:
    return {"query": question, "texts": list(texts), "truncate": True}


_PROTOCOLS: dict[str, Callable[[RerankConfig, str, Sequence[str]], dict[str, Any]]] = {"common": _common, "tei": _tei}


class HTTPReranker:
    """Score: what the endpoint gives, on its own scale. Raises ProviderError, always within the deadline.

    Requests that a busy server refused or that did not connect are sent again while time is left, after Retry-After
    where that is given.
    """

    def __init__(self, client: httpx.Client, config: RerankConfig, url: str) -> None:
        self._client = client
        weakref.finalize(self, client.close)
        self._config = config
        self._url = url
        self.name = f"http ({config.model or client.base_url.host or url})"
        self.fingerprint = f"http-{config.protocol}-{url}-{config.model}"

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        deadline = time.monotonic() + self._config.timeout * _OWN_SHARE
        # A lone surrogate cannot be sent.
        question, *texts = (
            text.encode("utf-8", "replace").decode() for text in [question, *(hit.chunk.embedded_text for hit in hits)]
        )
        scores: list[float] = []
        for first in range(0, len(texts), _BATCH):
            scores += self._scores(question, texts[first : first + _BATCH], deadline)
        order = sorted(range(len(hits)), key=lambda i: (-scores[i], i))
        return [hits[i].at_stage("rerank", scores[i], rank) for rank, i in enumerate(order, 1)]

    def _scores(self, question: str, texts: Sequence[str], deadline: float) -> list[float]:
        raw = self._ask(_PROTOCOLS[self._config.protocol](self._config, question, texts), deadline)
        try:
            reply = json.loads(raw)
            results = reply["results"] if isinstance(reply, Mapping) else reply
            scores = {item["index"]: item.get("relevance_score", item.get("score")) for item in results}
            count = len(results)
        # RecursionError: of brackets in brackets.
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise self._failure("sent a reply that is not a list of results", "check rerank.protocol.") from error
        if count != len(texts) or set(scores) != set(range(len(texts))):
            raise self._failure(f"returned {count} scores for {len(texts)} passages", "check its model and log.")
        values = [_finite(scores[i]) for i in range(len(texts))]
        if None in values:
            raise self._failure("returned a score that is not a finite number", "check its model and log.")
        return [value for value in values if value is not None]

    def _ask(self, body: dict[str, Any], deadline: float) -> bytes:
        import httpx

        for attempt in range(_RETRIES + 1):
            cause: Exception | None = None
            pause = random.uniform(0.5, 1.0) * 0.25 * 2**attempt
            try:
                status, asked_pause, raw = self._post(body, deadline)
            except (httpx.TimeoutException, TimeoutError) as error:
                raise self._late() from error
            except httpx.HTTPError as error:
                advice = "check rerank.base_url and that the server runs."
                problem, cause = (
                    self._failure(f"cannot be reached ({type(error).__name__})", advice, "unreachable"),
                    error,
                )
            else:
                if status == 200:
                    return raw
                problem = self._refused(status)
                if status not in _PASSING:
                    raise problem
                pause = pause if asked_pause is None else asked_pause
            if attempt == _RETRIES or time.monotonic() + pause >= deadline:
                raise problem from cause
            time.sleep(pause)
        raise AssertionError("unreachable")

    def _post(self, body: dict[str, Any], deadline: float) -> tuple[int, float | None, bytes]:
        # The client's timeout is between two packets: a server that drips would never meet it.
        if (left := deadline - time.monotonic()) <= 0:
            raise TimeoutError
        with self._client.stream("POST", self._url, json=body, timeout=left) as response:
            raw = b""
            for part in response.iter_bytes():
                raw += part
                if time.monotonic() > deadline:
                    raise TimeoutError
                if len(raw) > _REPLY_BYTES:
                    raise self._failure(f"sent more than {_REPLY_BYTES} bytes", "check rerank.base_url.")
            return response.status_code, _seconds(response.headers.get("retry-after")), raw

    def _late(self) -> ProviderError:
        return self._failure(
            f"gave no answer in time (rerank.timeout is {self._config.timeout:g} s)",
            "raise it, lower rerank.candidates, or check the server.",
            "timeout",
        )

    def _refused(self, status: int) -> ProviderError:
        advice = {
            401: f"check the key in {self._config.api_key_env}.",
            403: f"check what the key in {self._config.api_key_env} may use.",
            404: "check rerank.base_url and rerank.model.",
            422: "check rerank.protocol (common or tei) and rerank.model.",
            429: "wait, or raise the account's limit.",
        }.get(status, "check rerank.model and the endpoint's log.")
        return self._failure(f"answered {status}", advice, code_of_status(status))

    def _failure(self, what: str, advice: str, code: str = "bad_reply") -> ProviderError:
        return ProviderError(f"The rerank endpoint {self._url} {what}: {advice}", provider="http", code=code)


def _finite(score: Any) -> float | None:
    if not isinstance(score, int | float) or isinstance(score, bool):
        return None
    try:
        return float(score) if math.isfinite(score) else None
    except OverflowError:
        return None


def _seconds(value: str | None) -> float | None:
    """Of a Retry-After header; a date, which rerank servers do not send, counts as none."""
    try:
        seconds = float(value or "")
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def build_http(config: RerankConfig, *, embedder: Embedder) -> Reranker:
    """Raises ConfigError without an address that HTTP can use."""
    import httpx

    address = (config.base_url or "").rstrip("/")
    try:
        parsed = httpx.URL(address)
    except httpx.InvalidURL:
        parsed = httpx.URL("")
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ConfigError(
            f"rerank.base_url {config.base_url!r} is no http(s) address: the reranker http needs that of a server with "
            "POST /rerank, such as https://api.jina.ai/v1."
        )
    url = address if address.endswith("/rerank") else f"{address}/rerank"
    key = os.environ.get(config.api_key_env)
    if key and not (key.isascii() and key.isprintable()):
        raise ConfigError(f"the key in {config.api_key_env} holds characters that no HTTP header can: set it again.")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return HTTPReranker(httpx.Client(base_url=address, headers=headers), config, url)
