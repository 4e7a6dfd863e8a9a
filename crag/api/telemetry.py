"""Request ids, and the figures that `GET /metrics` gives in Prometheus' text format."""

from __future__ import annotations

import contextvars
import logging
import re
import time
import uuid
from collections.abc import Callable
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph.types import Answer

REQUEST_ID = "x-request-id"
_GIVEN = re.compile(r"[A-Za-z0-9._:-]{1,100}")
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_current: contextvars.ContextVar[str] = contextvars.ContextVar("request_id", default="-")


def request_id() -> str:
    """The id of the request that is being served, ``-`` outside of one."""
    return _current.get()


class RequestIdFilter(logging.Filter):
    """Gives every log record the attribute `request_id`."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id()
        return True


class Metrics:
    """The figures of one server. `gauges` are read when somebody looks."""

    def __init__(self, gauges: dict[str, tuple[str, Callable[[], float]]]) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self._registry = registry = CollectorRegistry()
        named: dict[str, Any] = {"registry": registry, "namespace": "crag"}
        self.requests = Counter("requests", "Requests by route and status.", ["method", "route", "status"], **named)
        self.seconds = Histogram(
            "request_seconds", "Time to the end of the reply.", ["route"], buckets=_SECONDS, **named
        )
        self.running = Gauge("requests_running", "Requests that are being served.", **named)
        self.answers = Counter("answers", "Answers by what became of them.", ["pipeline", "route", "status"], **named)
        self.failed = Counter("answers_unfinished", "Questions without an answer.", ["pipeline", "reason"], **named)
        self.first_text = Histogram("first_text_seconds", "Time to an answer's first text.", buckets=_SECONDS, **named)
        self.node = Histogram("node_seconds", "Time of a node in one answer.", ["node"], buckets=_SECONDS, **named)
        self.degraded = Counter("degraded", "Stages that were replaced by the next best thing.", ["stage"], **named)
        self.tokens = Counter("tokens", "Tokens of language models.", ["kind"], **named)
        self.calls = Counter("model_calls", "Calls of language models.", **named)
        for name, (description, read) in gauges.items():
            Gauge(name, description, **named).set_function(read)

    def answered(self, answer: Answer, first_text: float | None) -> None:
        self.answers.labels(answer.pipeline.get("name", ""), answer.route, answer.status).inc()
        for node, milliseconds in answer.timings.items():
            if node != "total":
                self.node.labels(node).observe(milliseconds / 1000)
        for entry in answer.degraded:
            self.degraded.labels(entry.stage).inc()
        self.tokens.labels("prompt").inc(answer.usage.prompt_tokens)
        self.tokens.labels("completion").inc(answer.usage.completion_tokens)
        self.calls.inc(answer.usage.model_calls)
        if first_text is not None:
            self.first_text.observe(first_text)

    def text(self) -> bytes:
        from prometheus_client import generate_latest

        return generate_latest(self._registry)


class Observed:
    """The outermost layer: gives each request an id, the client's own where it sent a fit one, and counts it."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID, "")
        identifier = given if _GIVEN.fullmatch(given) else uuid.uuid4().hex
        token = _current.set(identifier)
        status = 499  # The client left before there was a reply.

        async def send_named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID] = identifier
            await send(message)

        started = time.perf_counter()
        self._metrics.running.inc()
        try:
            await self._app(scope, receive, send_named)
        finally:
            self._metrics.running.dec()
            # Only what the application knows becomes a label: a client cannot invent one.
            route = getattr(scope.get("route"), "path", "other")
            method = scope["method"] if scope["method"] in ("GET", "POST", "DELETE", "HEAD", "OPTIONS") else "other"
            self._metrics.requests.labels(method, route, status).inc()
            self._metrics.seconds.labels(route).observe(time.perf_counter() - started)
            _current.reset(token)
