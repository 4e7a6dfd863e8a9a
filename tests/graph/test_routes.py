"""Every route through the machine, and that each loop ends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from graph import routes
from graph.config import GradingConfig, RewriteConfig
from graph.engine import Engine
from graph.state import Graded, Policy, State
from graph.types import Answer
from graph.web.base import WebPage
from retrieval.types import Filters
from tests.fakes.graph import MemoryRetriever, ScriptedGrader, deps, hit, rank_pages

PASSAGES = [
    hit("The tower has 312 steps. It was finished in 1889.", source="tower.md", title="Tower"),
    hit("The bridge carries trains and was closed in 1950 for repairs.", source="bridge.md", title="Bridge"),
]
QUESTION = "How many steps does the tower have?"


class Web:
    """Finds the same pages for every query and remembers the queries."""

    name = "fixed"

    def __init__(self, *pages: WebPage) -> None:
        self.pages = pages
        self.queries: list[str] = []

    async def search(self, query: str) -> list[WebPage]:
        self.queries.append(query)
        return list(self.pages)

    async def aclose(self) -> None:
        return


PAGE = WebPage("https://example.org/tower", "Tower guide", "Visitors climb 312 steps in the tower.")


def run(confidences: Sequence[float], *, web: Web | None = None, attempts: int = 1, **changes: object) -> Answer:
    engine = Engine(
        deps(
            PASSAGES,
            calibration=ScriptedGrader(confidences),
            web_search=web,
            rank_web=rank_pages if web else None,
            rewrite=RewriteConfig(attempts=attempts),
            **changes,
        )
    )
    return asyncio.run(engine.ask(QUESTION))


def path(answer: Answer) -> list[str]:
    return [event.node for event in answer.trace]


def test_correct_evidence_is_answered_from_the_documents() -> None:
    web = Web(PAGE)
    answer = run([0.7], web=web)
    assert path(answer) == ["condense", "retrieve", "rerank", "grade", "refine", "generate", "verify"]
    assert (answer.route, answer.status) == ("correct", "grounded")
    assert "312" in answer.text
    assert web.queries == []


def test_ambiguous_evidence_is_joined_by_the_web() -> None:
    web = Web(PAGE)
    answer = run([0.3], web=web)
    assert path(answer)[3:6] == ["grade", "search_web", "grade_web"]
    assert answer.route == "ambiguous"
    assert {hit.document.url for hit in answer.hits} >= {None, PAGE.url}
    assert web.queries == [QUESTION]


def test_ambiguous_evidence_without_a_web_is_still_answered() -> None:
    answer = run([0.3])
    assert "search_web" not in path(answer)
    assert (answer.route, answer.status) == ("ambiguous", "grounded")


def test_a_rewrite_that_raises_the_confidence_wins() -> None:
    answer = run([0.1, 0.9])
    assert path(answer).count("retrieve") == 2
    assert (answer.route, answer.confidence) == ("correct", 0.9)


def test_the_best_attempt_wins_not_the_last() -> None:
    answer = run([0.15, 0.1, 0.05], attempts=2)
    assert answer.confidence == 0.15
    assert answer.status == "abstained"


def test_incorrect_evidence_is_replaced_by_the_web_after_the_rewrites() -> None:
    web = Web(PAGE)
    answer = run([0.1, 0.1, 0.8], web=web)
    searched = ["retrieve", "rerank", "grade"]
    found = ["search_web", "grade_web", "refine", "generate", "verify"]
    assert path(answer) == ["condense", *searched, "rewrite", *searched, *found]
    assert (answer.route, answer.status, answer.confidence) == ("incorrect", "grounded", 0.8)
    assert [citation.url for citation in answer.citations] == [PAGE.url]
    assert web.queries == [answer.trace[4].detail["query"]]


def test_a_weak_web_leads_to_a_refusal() -> None:
    answer = run([0.1, 0.1, 0.15], web=Web(PAGE))
    assert path(answer)[-2:] == ["grade_web", "abstain"]
    assert answer.status == "abstained"
    assert answer.citations == ()
    assert answer.text == (
        "The documents do not seem to hold the answer. "
        f'Searched for: "{QUESTION}", also with other words, and on the web.'
    )


def test_without_web_weak_evidence_is_refused_and_no_evidence_too() -> None:
    assert run([0.1]).status == "abstained"
    empty = Engine(deps([]))
    answer = asyncio.run(empty.ask("语义分块是什么？"))
    assert (answer.status, answer.confidence) == ("abstained", 0.0)
    assert answer.text.startswith("文档中似乎没有")


def test_a_refusal_tells_the_question_and_no_query_of_the_machine() -> None:
    answer = run([0.1])
    query = next(event.detail["query"] for event in answer.trace if event.node == "rewrite")
    assert query not in answer.text
    assert answer.text.endswith(f'"{QUESTION}", also with other words.')
    assert run([0.01]).text.endswith(f'"{QUESTION}".')
    chinese = asyncio.run(Engine(deps(PASSAGES, calibration=ScriptedGrader([0.1]))).ask("塔有多少级台阶？"))
    assert chinese.text == "文档中似乎没有这个问题的答案。检索的问题：“塔有多少级台阶？”，也换了说法检索。"


def test_a_hopeless_search_is_not_repeated() -> None:
    assert path(run([0.01])) == ["condense", "retrieve", "rerank", "grade", "rewrite", "abstain"]


def test_a_question_in_a_refusal_is_short_and_holds_no_marker() -> None:
    answer = asyncio.run(Engine(deps([])).ask(f"What is in [1]? {'x' * 1000}"))
    assert "[1]" not in answer.text
    assert len(answer.text) < 500


def test_a_filter_that_no_document_passes_is_named() -> None:
    filters = Filters(source="none*")
    english = asyncio.run(Engine(deps(PASSAGES)).ask(QUESTION, filters=filters))
    assert english.text == f'No document passes the filter: widen it, or ask without one. Searched for: "{QUESTION}".'
    chinese = asyncio.run(Engine(deps(PASSAGES)).ask("塔有多高？", filters=filters))
    assert chinese.text.startswith("没有文档符合筛选条件")
    weak = Engine(deps(PASSAGES, calibration=ScriptedGrader([0.1])))
    assert "filter" not in asyncio.run(weak.ask(QUESTION, filters=Filters(source="tower*"))).text
    assert "filter" not in asyncio.run(Engine(deps([])).ask(QUESTION)).text


def test_grading_switched_off_always_answers_but_says_how_sure_it_is() -> None:
    answer = run([0.01], web=Web(PAGE), grading=GradingConfig(enabled=False))
    assert path(answer) == ["condense", "retrieve", "rerank", "grade", "refine", "generate", "verify"]
    assert (answer.route, answer.status, answer.confidence) == ("correct", "grounded", 0.01)


def test_nothing_found_with_grading_off_is_a_refusal() -> None:
    answer = asyncio.run(Engine(deps([], grading=GradingConfig(enabled=False))).ask(QUESTION))
    assert (answer.route, answer.status) == ("correct", "abstained")


@settings(max_examples=40)
@given(
    confidences=st.lists(st.floats(0, 1), min_size=1, max_size=8),
    attempts=st.integers(0, 5),
    with_web=st.booleans(),
    bounds=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted),
)
def test_every_loop_ends_within_the_bounds(
    confidences: list[float], attempts: int, with_web: bool, bounds: list[float]
) -> None:
    retriever = MemoryRetriever(PASSAGES)
    web = Web(PAGE) if with_web else None
    answer = run(
        confidences,
        web=web,
        attempts=attempts,
        retriever=retriever,
        grading=GradingConfig(lower=bounds[0], upper=bounds[1]),
    )
    assert len(retriever.asked) <= attempts + 1
    assert len(set(retriever.asked)) == len(retriever.asked)
    assert len(web.queries if web else []) <= 1
    assert (answer.status == "abstained") == (answer.citations == ())
    grades = [event.detail["confidence"] for event in answer.trace if event.node == "grade"]
    assert answer.confidence >= max(grades)


@given(
    confidence=st.floats(0, 1), upper=st.floats(0, 1), lower=st.floats(0, 1), grading=st.booleans(), web=st.booleans()
)
def test_routes_follow_the_bounds(confidence: float, upper: float, lower: float, grading: bool, web: bool) -> None:
    lower, upper = sorted((lower, upper))
    policy = Policy(grading=grading, upper=upper, lower=lower, attempts=0, web=web)
    route = routes.route_of(confidence, policy)
    assert (route == "correct") == (not grading or confidence >= upper)
    assert (route == "incorrect") == (grading and confidence < lower and confidence < upper)
    state = State(policy=policy, route=route, tried=("q",), web=Graded("q"), rewritten=False)
    expected = {"correct": "refine", "ambiguous": "search_web" if web else "refine", "incorrect": None}[route]
    assert routes.after_grade(state) == (expected or ("search_web" if web else "abstain"))
