"""Where the evidence may be half of it, the search goes on from what it found: once, bounded, and named."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest

from chunking.errors import StoreError
from graph.config import GenerationConfig, GradingConfig, LimitsConfig, RewriteConfig
from graph.engine import Engine
from graph.llms import build_llm
from graph.types import Answer
from retrieval.config import RetrievalConfig
from tests.fakes.graph import MemoryRetriever, ScriptedGrader, deps, hit
from tests.fakes.http import Reply, ScriptedServer
from tests.fakes.openai import chat, chat_json, chat_stream, error

LELAND = hit("Leland is a town where the film Maximum Overdrive was shot in 1986.", source="leland.md", title="Leland")
FILM = hit("Stephen King directed Maximum Overdrive.", source="film.md", title="Film")
OTHERS = [hit(f"In Leland the film club number {n} met in 1986.", source=f"o{n}.md") for n in range(4)]
QUESTION = "Who made the film shot in Leland in 1986?"


def ask(confidence: float, retriever: MemoryRetriever | None = None, **rewrite: Any) -> Answer:
    settings = {"attempts": 0, "hops": 2, **rewrite}
    return asyncio.run(
        Engine(
            deps(
                [LELAND, FILM, *OTHERS],
                **({"retriever": retriever} if retriever else {}),
                calibration=ScriptedGrader([confidence]),
                rewrite=RewriteConfig(**settings),
                retrieval=RetrievalConfig(top_k=5),
            )
        ).ask(QUESTION)
    )


def found(answer: Answer) -> set[str]:
    return {one.document.source for one in answer.hits}


def test_a_passage_that_only_the_first_one_leads_to_joins_the_evidence() -> None:
    fillers = [hit(f"Cake recipe {n}.", source=f"f{n}.md") for n in range(1)]

    def sources(hops: int) -> tuple[set[str], Answer]:
        parts = deps(
            [LELAND, *OTHERS, *fillers, FILM],
            calibration=ScriptedGrader([0.4]),
            rewrite=RewriteConfig(attempts=0, hops=hops),
            retrieval=RetrievalConfig(top_k=6),
        )
        answer = asyncio.run(Engine(parts).ask(QUESTION))
        return found(answer), answer

    assert "film.md" not in sources(0)[0]
    reached, answer = sources(5)
    assert "film.md" in reached
    assert len(answer.hits) == 6
    (event,) = [event for event in answer.trace if event.node == "hop"]
    assert "Leland" in event.detail["started_from"]
    assert event.detail["passages_added"] >= 1


@pytest.mark.parametrize(("source", "reached"), [("film.md", True), ("leland.md", False)])
def test_a_hop_leads_to_another_document(source: str, reached: bool) -> None:
    film = hit("Stephen King directed Maximum Overdrive.", source=source, title="Film")
    parts = deps(
        [LELAND, *OTHERS, hit("Cake recipe.", source="cake.md"), film],
        calibration=ScriptedGrader([0.4]),
        rewrite=RewriteConfig(attempts=0, hops=1),
        retrieval=RetrievalConfig(top_k=6),
    )
    answer = asyncio.run(Engine(parts).ask(QUESTION))
    assert (film.chunk.id in {one.chunk.id for one in answer.hits}) is reached


def test_it_goes_on_from_the_best_passages_once() -> None:
    retriever = MemoryRetriever([LELAND, FILM, *OTHERS])
    answer = ask(0.5, retriever)
    first, *hops = retriever.asked
    assert first == QUESTION
    assert len(hops) == 2
    assert all(query.startswith(f"{QUESTION} ") for query in hops)
    assert LELAND.chunk.text in "\n".join(hops)
    assert [event.node for event in answer.trace].count("hop") == 1
    assert len(answer.hits) <= 5


@pytest.mark.parametrize(
    ("confidence", "rewrite"), [(0.95, {}), (0.5, {"hops": 0}), (0.01, {}), (0.5, {"hop_below": 0.4})]
)
def test_sure_hopeless_and_unbounded_questions_do_not_hop(confidence: float, rewrite: dict[str, Any]) -> None:
    retriever = MemoryRetriever([LELAND, FILM, *OTHERS])
    answer = ask(confidence, retriever, **rewrite)
    assert retriever.asked == [QUESTION]
    assert "hop" not in [event.node for event in answer.trace]


def test_without_grading_nothing_hops() -> None:
    retriever = MemoryRetriever([LELAND, FILM])
    parts = deps([], retriever=retriever, rewrite=RewriteConfig(hops=2), grading=GradingConfig(enabled=False))
    asyncio.run(Engine(parts).ask(QUESTION))
    assert retriever.asked == [QUESTION]


def test_a_hop_that_fails_leaves_the_first_search_and_is_named() -> None:
    retriever = MemoryRetriever([LELAND, FILM, *OTHERS], deque([None, StoreError("Locked.")]))
    answer = ask(0.5, retriever)
    assert answer.status == "grounded"
    assert [entry.stage for entry in answer.degraded] == ["hop"]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


def ask_with_model(
    server: ScriptedServer, retriever: MemoryRetriever, *, question: str = QUESTION, limits: LimitsConfig | None = None
) -> Answer:
    generation = GenerationConfig(provider="openai", model="m", base_url=f"{server.url}/v1")
    model = build_llm(generation)
    engine = Engine(
        deps(
            [],
            retriever=retriever,
            generator=model.generator,
            chat=model.chat,
            generation=generation,
            limits=limits or LimitsConfig(),
            calibration=ScriptedGrader([0.4]),
            rewrite=RewriteConfig(attempts=0, hops=2),
            retrieval=RetrievalConfig(top_k=6),
        )
    )

    async def answered() -> Answer:
        try:
            return await engine.ask(question)
        finally:
            await engine.aclose()

    return asyncio.run(answered())


def hop_of(answer: Answer) -> dict[str, Any]:
    return dict(next(event for event in answer.trace if event.node == "hop").detail)


CHAPTER = hit("Maximum Overdrive was made by Stephen King, of Maine.", source="king.md", title="King")
WRITTEN = ["Maximum Overdrive was made by Stephen King."]


def test_with_a_model_what_is_missing_is_searched_for_by_name(server: ScriptedServer) -> None:
    server.enqueue(chat_json({"questions": ["Who made Maximum Overdrive?", " "]}), chat_stream(WRITTEN))
    retriever = MemoryRetriever([LELAND, *OTHERS, *OTHERS, CHAPTER])
    answer = ask_with_model(server, retriever)
    assert retriever.asked == [QUESTION, "Who made Maximum Overdrive?"]
    assert hop_of(answer) == {"searched_for": ("Who made Maximum Overdrive?",), "passages_added": 1}
    assert "king.md" in found(answer)
    assert (answer.status, answer.citations[0].source) == ("grounded", "king.md")
    asked, written = server.requests
    assert asked.body["response_format"]["json_schema"]["schema"]["required"] == ["questions"]
    assert LELAND.chunk.text in asked.body["messages"][1]["content"]
    assert "at most 2" in asked.body["messages"][0]["content"]
    # The sentence bears on the sub-question more than on the question; it is evidence all the same.
    assert CHAPTER.chunk.text in written.body["messages"][1]["content"]
    assert answer.usage.model_calls == 2


def test_a_question_in_several_parts_is_searched_for_part_by_part(server: ScriptedServer) -> None:
    missing = ["Who made Maximum Overdrive?", "Where was Maximum Overdrive shot?", "When was it shown?"]
    server.enqueue(chat_json({"questions": missing}), chat_stream(WRITTEN))
    retriever = MemoryRetriever([LELAND, CHAPTER])
    ask_with_model(server, retriever)
    assert retriever.asked[-2:] == missing[:2]


def test_where_nothing_is_missing_nothing_more_is_searched_for(server: ScriptedServer) -> None:
    server.enqueue(chat_json({"questions": []}), chat_stream(WRITTEN))
    retriever = MemoryRetriever([CHAPTER, LELAND])
    answer = ask_with_model(server, retriever)
    assert retriever.asked == [QUESTION]
    assert hop_of(answer) == {"searched_for": (), "passages_added": 0}
    assert answer.degraded == ()


@pytest.mark.parametrize(
    ("replies", "limits", "says"),
    [
        ([chat("I would look for the director.")], None, "held no questions"),
        ([chat_json({"questions": [1, 2]})], None, "held no questions"),
        ([error(500, **{"retry-after-ms": "5"})] * 3, None, "status 500"),
        ([], LimitsConfig(model_calls=1), "raise limits.model_calls"),
    ],
)
def test_a_model_that_says_nothing_leaves_the_hops_from_passages(
    server: ScriptedServer, replies: list[Reply], limits: LimitsConfig | None, says: str
) -> None:
    server.enqueue(*replies, chat_stream(WRITTEN))
    retriever = MemoryRetriever([LELAND, *OTHERS, CHAPTER])
    answer = ask_with_model(server, retriever, limits=limits)
    assert len(retriever.asked) == 3
    assert "Leland" in hop_of(answer)["started_from"]
    (entry,) = answer.degraded
    assert entry.stage == "hop"
    assert says in entry.reason
    assert "from the best passages" in entry.action


def test_a_rewrite_that_is_better_keeps_what_a_hop_found() -> None:
    parts = deps(
        [LELAND, *OTHERS, hit("Cake recipe.", source="cake.md"), FILM],
        calibration=ScriptedGrader([0.15, 0.9]),
        rewrite=RewriteConfig(attempts=1, hops=5),
        retrieval=RetrievalConfig(top_k=6),
    )
    answer = asyncio.run(Engine(parts).ask(QUESTION))
    nodes = [event.node for event in answer.trace]
    assert (nodes.count("hop"), nodes.count("retrieve"), answer.confidence) == (1, 2, 0.9)
    assert "film.md" in found(answer)
