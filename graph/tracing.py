"""OpenTelemetry spans: one for an answer, one below it for each node. Off, they cost a comparison a node.

On where ``OTEL_EXPORTER_OTLP_ENDPOINT`` (or ``..._TRACES_ENDPOINT``) names a collector and ``OTEL_SDK_DISABLED`` is not
``true``; the SDK's other variables (``OTEL_SERVICE_NAME``, ``OTEL_EXPORTER_OTLP_HEADERS``, samplers, batches) count as
everywhere. Spans carry numbers, names and decisions, never the question, a passage or the answer.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from chunking.errors import install_line
from graph.types import Answer, Usage
from retrieval.types import Degraded

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

logger = logging.getLogger(__name__)

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
TIMEOUTS = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")
TIMEOUT = 2
"""Seconds, retries included, for which a collector that is gone may hold up the end of the process."""
SERVICE = "agentic-crag"
_WORDS = frozenset(
    {"route", "status", "how", "kind", "small_talk", "searched", "reranker", "generator", "better_search"}
)
"""Keys of a node's detail whose text is the program's own."""


class Spans:
    """Of one answer. `end` closes the answer's own span, whatever became of it."""

    def __init__(self, tracer: Tracer, pipeline: Mapping[str, str]) -> None:
        self._tracer = tracer
        named = {f"crag.pipeline.{key}": value for key, value in pipeline.items()}
        self._answer = tracer.start_span("crag.ask", attributes=named)

    @contextmanager
    def node(self, name: str) -> Iterator[Span]:
        """The span of a node, in use while it runs: what its clients trace hangs below it."""
        from opentelemetry.trace import set_span_in_context, use_span

        span = self._tracer.start_span(f"crag.{name}", context=set_span_in_context(self._answer))
        with use_span(span, end_on_exit=True):
            yield span

    def end(self, answer: Answer | None) -> None:
        """`answer` is None where there was none: an error, or a reader who left."""
        from opentelemetry.trace import StatusCode

        if answer is None:
            self._answer.set_status(StatusCode.ERROR, "no answer")
        else:
            self._answer.set_attributes(
                {
                    "crag.status": answer.status,
                    "crag.route": answer.route,
                    "crag.confidence": answer.confidence,
                    "crag.citations": len(answer.citations),
                    "crag.degraded": [entry.stage for entry in answer.degraded],
                    **_used(answer.usage),
                }
            )
        self._answer.end()


def tell(span: Span, update: Mapping[str, Any], detail: Mapping[str, Any]) -> None:
    """What a node decided, spent and could not do, without a word of what it read."""
    for key, value in detail.items():
        if isinstance(value, bool | int | float) or (key in _WORDS and isinstance(value, str)):
            span.set_attribute(f"crag.{key}", value)
    if isinstance(usage := update.get("usage"), Usage) and usage.model_calls:
        span.set_attributes(_used(usage))
    entries: tuple[Degraded, ...] = update.get("degraded", ())
    for entry in entries:
        span.add_event("degraded", {"stage": entry.stage, "reason": entry.reason, "action": entry.action})


def _used(usage: Usage) -> dict[str, int]:
    """Named as OpenTelemetry's conventions for generative models name them."""
    return {
        "gen_ai.usage.input_tokens": usage.prompt_tokens,
        "gen_ai.usage.output_tokens": usage.completion_tokens,
        "crag.model_calls": usage.model_calls,
    }


def configured() -> bool:
    disabled = os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    return not disabled and any(os.environ.get(name) for name in ENDPOINTS)


def tracer() -> Tracer | None:
    """One for the process, None where nothing is configured or, with a warning, where the extra is missing."""
    return _tracer() if configured() else None


@cache
def _tracer() -> Tracer | None:
    try:
        return _provider().get_tracer(SERVICE)
    except ImportError:
        logger.warning("No spans are sent: OpenTelemetry needs the extra 'otel': run %s.", install_line("otel"))
    except Exception as error:
        # The SDK raises whatever comes of what the variables say, some of it when it is imported.
        logger.warning("No spans are sent: the OTEL_* variables cannot be used (%s): correct them.", error)
    return None


def _provider() -> TracerProvider:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    # `create` lets OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win over a name only where none is given here.
    named = Resource.create({} if os.environ.get("OTEL_SERVICE_NAME") else {SERVICE_NAME: SERVICE})
    # Of our own, not the process's: who embeds us keeps theirs. What is left is sent when the process ends.
    provider = TracerProvider(resource=named)
    given = any(os.environ.get(name) for name in TIMEOUTS)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=None if given else TIMEOUT)))
    return provider
