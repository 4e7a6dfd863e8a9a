"""Each node's failure: what is done instead, that the answer names it, and that the deadline holds."""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import pytest

from chunking.errors import ProviderError, StoreError
from graph.config import GenerationConfig, GradingConfig, LimitsConfig, RewriteConfig
from graph.engine import Engine
from graph.llms import build_llm
from graph.nodes import NODES
from graph.rescore import rescored
from graph.types import Answer
from retrieval.config import RerankConfig
from retrieval.embedders.base import Role, Vectors
from retrieval.types import Degraded
from tests.fakes.graph import CoverageReranker, Found, HashEmbedder, MemoryRetriever, ScriptedGrader, deps, hit, ranked
from tests.fakes.http import ScriptedServer
from tests.fakes.openai import chat_stream
from tests.graph import faults

PASSAGES = [
    hit("The tower has 312 steps. It was finished in 1889.", source="tower.md", title="Tower"),
    hit("The bridge carries trains and was closed in 1950.", source="bridge.md", title="Bridge"),
]
QUESTION = "How many steps does the tower have?"


def ask(**changes: Any) -> Answer:
    return asyncio.run(Engine(deps(PASSAGES, **{"calibration": ScriptedGrader([0.9]), **changes})).ask(QUESTION))


def stages(answer: Answer) -> list[str]:
    return [entry.stage for entry in answer.degraded]


def test_nothing_is_degraded_when_nothing_fails() -> None:
    answer = ask(reranker=CoverageReranker())
    assert answer.degraded == ()
    assert answer.hits[0].ranks["rerank"] == 1


@pytest.mark.parametrize(
    "reranker",
    [
        CoverageReranker(ProviderError("The reranker is down.", provider="x")),
        CoverageReranker(RuntimeError("a defect")),
        CoverageReranker(delay=1.0),
    ],
)
def test_a_reranker_that_fails_or_is_late_leaves_the_fused_order(reranker: CoverageReranker) -> None:
    started = time.perf_counter()

    async def timed() -> tuple[Answer, float]:
        engine = Engine(
            deps(PASSAGES, calibration=ScriptedGrader([0.9]), reranker=reranker, rerank=RerankConfig(timeout=0.2))
        )
        return await engine.ask(QUESTION), time.perf_counter() - started

    answer, seconds = asyncio.run(timed())
    assert seconds < 0.9
    assert answer.status == "grounded"
    assert stages(answer) == ["rerank"]
    assert "order of the search" in answer.degraded[0].action
    assert "rerank" not in answer.hits[0].ranks


@pytest.mark.parametrize(
    "fault", [StoreError("The index is damaged: run crag index rebuild."), ProviderError("Down.", provider="openai")]
)
def test_a_first_search_that_fails_is_an_error_that_says_why(fault: Exception) -> None:
    with pytest.raises(type(fault), match=str(fault)):
        ask(retriever=MemoryRetriever(PASSAGES, deque([fault])))


def test_a_search_that_outlasts_the_deadline_is_an_error_that_says_what_to_raise() -> None:
    with pytest.raises(ProviderError, match=r"deadline of 0\.3 s: raise limits\.deadline"):
        ask(
            retriever=MemoryRetriever(PASSAGES, delay=0.8),
            limits=LimitsConfig(deadline=0.3),
        )


def test_a_rewritten_search_that_fails_leaves_the_one_before() -> None:
    faults: deque[Exception | None] = deque([None, StoreError("Locked.")])
    answer = ask(
        retriever=MemoryRetriever(PASSAGES, faults),
        calibration=ScriptedGrader([0.1, 0.9]),
        rewrite=RewriteConfig(attempts=1),
    )
    assert answer.status == "abstained"
    assert answer.confidence == 0.1
    assert stages(answer) == ["retrieve"]


class OneSided(MemoryRetriever):
    """Finds, and says that one side of the search was down."""

    def retrieve(self, question: str, **arguments: Any) -> Found:
        found = super().retrieve(question, **arguments)
        return Found(found.hits, (Degraded("dense", "The embedder is down.", "Only words were searched."),))


def test_a_rewrite_gains_no_confidence_from_its_own_words() -> None:
    """The rewritten query is made of the passages' words; what they score for it says nothing."""
    passages = [hit("Marble quarries of the island. Marble dust and marble tiles.", source="marble.md")]
    question = "Who invented the telescope?"
    once = asyncio.run(Engine(deps(passages, rewrite=RewriteConfig(attempts=0))).ask(question))
    # Weak, but not so weak that the passages lend no words.
    grading = GradingConfig(lower=2 * once.confidence)
    answer = asyncio.run(Engine(deps(passages, grading=grading, rewrite=RewriteConfig(attempts=3))).ask(question))
    graded = [event.detail["confidence"] for event in answer.trace if event.node == "grade"]
    assert len(graded) > 1
    assert len(set(graded)) == 1
    assert answer.status == "abstained"


def test_a_passage_that_only_the_rewrite_finds_is_measured_against_the_question() -> None:
    embedder = HashEmbedder()
    question = "tower steps"
    known = ranked(question, [PASSAGES[1]], embedder)
    found = ranked("something else entirely", PASSAGES, embedder)
    tower, bridge = sorted(rescored(question, found, known, embedder), key=lambda one: -one.scores["dense"])
    assert bridge == known[0]
    assert tower.ranks == {}
    assert tower.signals["coverage"] == 1.0
    assert tower.scores["dense"] == pytest.approx(ranked(question, [PASSAGES[0]], embedder)[0].scores["dense"])


def test_what_retrieval_degrades_is_named_once_over_all_attempts() -> None:
    answer = ask(
        retriever=OneSided(PASSAGES), calibration=ScriptedGrader([0.1, 0.2, 0.9]), rewrite=RewriteConfig(attempts=2)
    )
    assert stages(answer) == ["dense"]


class BrokenEmbedder(HashEmbedder):
    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        raise ProviderError("The embedder is down.", provider="openai")


def test_refinement_without_embedder_goes_by_words() -> None:
    answer = ask(embedder=BrokenEmbedder())
    assert answer.text.startswith("The tower has 312 steps. [1]")
    assert stages(answer) == ["refine"]


LATE = 3.0


@pytest.mark.parametrize("pieces", [[], ["", " \n", "\u200b"], ["<think>The tower has ", "312 steps"]])
def test_a_model_that_writes_nothing_is_named_and_the_passages_quoted(
    pieces: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with ScriptedServer(lambda request: chat_stream(pieces)) as server:
        config = GenerationConfig(provider="openai", model="m", base_url=f"{server.url}/v1")
        answer = ask(generator=build_llm(config).generator, generation=config)
    assert (answer.status, "312 steps" in answer.text) == ("grounded", True)
    assert stages(answer) == ["generate"]


def test_a_deadline_that_passes_midway_still_gives_an_answer() -> None:
    started = time.perf_counter()

    async def timed() -> tuple[Answer, float]:
        engine = Engine(
            deps(
                PASSAGES,
                calibration=ScriptedGrader([0.9]),
                reranker=CoverageReranker(delay=LATE),
                limits=LimitsConfig(deadline=0.5),
            )
        )
        return await engine.ask(QUESTION), time.perf_counter() - started

    answer, seconds = asyncio.run(timed())
    assert seconds < LATE, "it did not wait for the reranker"
    assert answer.status in ("grounded", "abstained")
    assert "rerank" in stages(answer)
    assert "raise limits.deadline" in next(entry.reason for entry in answer.degraded if entry.stage == "rerank")


@pytest.fixture(scope="module")
def found() -> list[faults.Outcome]:
    return faults.outcomes()


def test_every_node_survives_every_fault_of_its_provider(found: list[faults.Outcome]) -> None:
    """An answer, or one sentence that says why not, inside the deadline; what failed is named."""
    nodes = {node.name for node in NODES} - set(faults.NODES_WITHOUT)
    assert {(one.case.node, one.fault.name) for one in found} == {(n, f.name) for n in nodes for f in faults.FAULTS}
    for one in found:
        what = f"{one.case.node}, {one.case.asks}, {one.fault.name}"
        assert one.seconds < faults.DEADLINE, what
        if one.answer is None:
            assert one.fault.name in one.case.ends, what
            assert re.fullmatch(r"The [^\n]+(raise|check|look)[^\n]+\.", str(one.error)), what
        else:
            assert one.answer.text, what
            assert {entry.stage for entry in one.answer.degraded} == {one.case.stage}, what
            assert all(entry.reason.endswith(".") and entry.action for entry in one.answer.degraded), what
            assert "Traceback" not in str(one.answer.to_dict(trace=True)), what


def test_the_page_of_faults_is_what_happened(found: list[faults.Outcome]) -> None:
    assert faults.PAGE.read_text(encoding="utf-8") == faults.page(found)
