"""Spans at a collector on loopback: one for the answer, one below it for each node, and no word of what was read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from graph.tracing import configured, tracer
from tests.fakes.http import Reply, ScriptedServer

ROOT = Path(__file__).parents[2]
PROGRAM = """
import asyncio, logging, sys
from chunking.errors import StoreError
from collections import deque
from graph.config import RewriteConfig
from graph.engine import Engine
from tests.fakes.graph import CoverageReranker, MemoryRetriever, ScriptedGrader, deps, hit

logging.basicConfig(level=logging.WARNING)
passages = [hit("The secret tower has 312 steps.", source="tower.md", title="Tower")]
weak = CoverageReranker(RuntimeError("a defect"))
engine = Engine(deps(passages, reranker=weak, calibration=ScriptedGrader([0.9])))
broken = Engine(deps([], retriever=MemoryRetriever([], deque([StoreError("Locked.")]))))

async def main():
    print((await engine.ask("How many steps does the secret tower have?")).status)
    try:
        await broken.ask("How many steps?")
    except StoreError:
        print("error")

asyncio.run(main())
print("opentelemetry.exporter.otlp.proto.http" in sys.modules)
"""


def ran(**environment: str) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT, env={**plain, **environment}, capture_output=True, text=True, check=True,
    )  # fmt: skip


def attributes(span: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


def test_an_answer_is_a_span_and_each_node_one_below_it() -> None:
    with ScriptedServer(lambda request: Reply(b"", headers={"Content-Type": "application/x-protobuf"})) as collector:
        done = ran(OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
    assert done.stdout.split() == ["grounded", "error", "True"]
    assert {request.path for request in collector.requests} == {"/v1/traces"}
    bodies = [request.body for request in collector.requests]
    groups = [group for body in bodies for group in ExportTraceServiceRequest.FromString(body).resource_spans]
    resource = {each.key: each.value.string_value for each in groups[0].resource.attributes}
    assert resource["service.name"] == "agentic-crag"
    spans = [span for group in groups for scope in group.scope_spans for span in scope.spans]
    answered, failed = [span for span in spans if span.name == "crag.ask"]
    below = {span.name: span for span in spans if span.parent_span_id == answered.span_id}
    nodes = ["condense", "retrieve", "rerank", "grade", "refine", "generate", "verify", "answer"]
    assert list(below) == [f"crag.{node}" for node in nodes]
    told = attributes(answered)
    assert (told["crag.status"], told["crag.route"], told["crag.confidence"]) == ("grounded", "correct", 0.9)
    assert told["crag.pipeline.name"] == "test"
    assert attributes(below["crag.grade"])["crag.route"] == "correct"
    assert attributes(below["crag.retrieve"])["crag.passages_found"] == 1
    (event,) = below["crag.rerank"].events
    assert event.name == "degraded"
    assert all(span.start_time_unix_nano <= span.end_time_unix_nano for span in spans)
    # A failed answer, and the node that failed it.
    assert failed.status.code == 2
    (broken,) = [span for span in spans if span.parent_span_id == failed.span_id and span.status.code == 2]
    assert broken.name == "crag.retrieve"
    assert not [body for body in bodies if b"secret" in body or b"312" in body]


def test_off_nothing_is_loaded() -> None:
    assert ran().stdout.split() == ["grounded", "error", "False"]


@pytest.mark.parametrize(
    ("environment", "on"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:1"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, False),
    ],
)
def test_a_collector_switches_it_on(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], on: bool) -> None:
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert configured() is on
    if not on:
        assert tracer() is None


def test_variables_that_cannot_be_used_end_no_question() -> None:
    done = ran(OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9", OTEL_BSP_MAX_QUEUE_SIZE="-4")
    assert done.stdout.split()[:2] == ["grounded", "error"]
    assert done.stderr.count("No spans are sent: the OTEL_* variables cannot be used") == 1
