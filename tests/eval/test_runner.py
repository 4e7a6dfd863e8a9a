"""Suites are run end to end with scripted systems: answers, scores, manifest, what it may cost."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from chunking.errors import ConfigError, MissingExtraError, ProviderError
from eval.corpus import corpus_of_suite
from eval.options import RunOptions
from eval.recorded import RecordedSystem
from eval.runner import Progress, RunResult, run_suite
from eval.runs import read_run
from eval.suite import Suite
from eval.summary import ladder
from graph.types import Answer, Usage
from tests.fakes.embedder import HashEmbedder
from tests.fakes.small_suite import DOCUMENTS, FREE, QUESTIONS, run, script, suite_folder
from tests.fakes.systems import ScriptedSystem, answer


def test_a_run_is_on_disk_with_every_score(suite: Suite, tmp_path: Path) -> None:
    corpus = corpus_of_suite(suite)
    system = ScriptedSystem(script(corpus))
    (result,) = run(suite, system, out=tmp_path / "run")
    read = read_run(tmp_path / "run")
    assert result.run == read
    assert result.stopped is None
    assert list(read.questions) == ["zh", "en", "none"]
    assert read.values("recall@1") == {"zh": [1.0], "en": [0.0]}
    assert read.values("mrr") == {"zh": [1.0], "en": [0.5]}
    assert read.values("contains_reference") == {"zh": [1.0], "en": [1.0]}
    assert read.values("citation_precision") == {"zh": [1.0], "en": [1.0]}
    assert read.values("refusal_accuracy") == {"zh": [1.0], "en": [1.0], "none": [1.0]}
    assert read.values("brier") == {
        "zh": [pytest.approx(0.01)],
        "en": [pytest.approx(0.01)],
        "none": [pytest.approx(0.01)],
    }
    statuses = {score.status for score in read.scores.values()}
    assert statuses == {"ok", "not_applicable"}
    assert len(read.scores) == 3 * len(read.metrics)
    assert read.manifest["suite"] == {"name": "suite", "hash": suite.hash, "questions": 3, "unused_keys": []}
    assert read.manifest["corpus"] == {"hash": corpus.hash, "documents": 2}
    assert read.manifest["judge"] is None
    assert read.manifest["index"] == {"chunks": 3, "mean_tokens": 41.5}
    assert read.summary["refusals"]["precision"] == 1.0
    assert read.summary["diagnosis"]["stages"] == {}


def test_an_embedder_is_built_for_a_run_that_lacks_something_only(suite: Suite, tmp_path: Path) -> None:
    built: list[HashEmbedder] = []

    def embedder() -> HashEmbedder:
        built.append(HashEmbedder())
        return built[-1]

    def once(*metrics: str) -> list[RunResult]:
        corpus = corpus_of_suite(suite)
        system = ScriptedSystem(script(corpus))
        options = RunOptions(metrics=metrics, resume=True)
        return asyncio.run(run_suite(suite, corpus, [system], tmp_path / "run", options=options, embedder=embedder))

    first = once("f1", "mrr")
    assert len(built) == 1
    assert once("f1") == once("f1", "mrr") == first
    assert len(built) == 1
    (more,) = once("recall@1")
    assert len(built) == 2
    assert set(more.run.metrics) == {"f1", "mrr", "recall@1"}


def test_systems_take_turns_and_another_one_is_first_each_time(suite: Suite, tmp_path: Path) -> None:
    order: list[str] = []
    handler = script(corpus_of_suite(suite))

    def told(name: str) -> ScriptedSystem:
        return ScriptedSystem(lambda question: order.append(f"{name} {question[:3]}") or handler(question), name=name)

    run(suite, told("a"), told("b"), out=tmp_path / "runs", concurrency=1)
    assert order == ["a 深水埗", "b 深水埗", "b How", "a How", "a Who", "b Who"]


def test_several_systems_get_a_folder_each_and_a_ladder(suite: Suite, tmp_path: Path) -> None:
    handler = script(corpus_of_suite(suite))
    results = run(suite, ScriptedSystem(handler, name="a"), ScriptedSystem(handler, name="b/c"), out=tmp_path / "runs")
    assert [result.run.path.name for result in results] == ["a", "b-c"]
    header, rows = ladder([result.run for result in results])
    assert header[:3] == ["pipeline", "recall@1", "recall@5"]
    assert [row[:3] for row in rows] == [["a", "0.500", "1.000"], ["b/c", "0.500", "1.000"]]


def test_a_suite_with_missing_evidence_runs_where_that_is_allowed(tmp_path: Path) -> None:
    spans = [{"doc_id": "temple", "text": "never written"}]
    suite = suite_folder(tmp_path / "suite", [{**QUESTIONS[0], "reference_spans": spans}, *QUESTIONS[1:]])
    system = ScriptedSystem(script(corpus_of_suite(suite)))
    with pytest.raises(ConfigError, match=r"'never written', is not in temple.*--allow-missing-evidence"):
        run(suite, system, out=tmp_path / "run")
    assert system.asked == []
    assert not (tmp_path / "run").exists()
    (result,) = run(suite, system, out=tmp_path / "run", allow_missing_evidence=True)
    assert result.run.summary["unlocated"] == ["zh"]


def test_a_failing_pipeline_is_a_status_and_can_be_asked_again(suite: Suite, tmp_path: Path) -> None:
    works = script(corpus_of_suite(suite))

    def fails(question: str) -> Answer:
        if "points" in question:
            raise ProviderError("The endpoint refused; wait and try again.", provider="openai")
        return works(question)

    (result,) = run(suite, ScriptedSystem(fails), out=tmp_path / "run")
    record = result.run.answers["en", 0]
    assert record.status == "pipeline_error"
    assert record.error == {"type": "provider_error", "message": "The endpoint refused; wait and try again."}
    assert {s.status for s in result.run.scores.values() if s.question == "en"} == {"pipeline_error"}
    assert result.run.summary["diagnosis"]["stages"] == {"pipeline": 1}
    again = ScriptedSystem(works)
    run(suite, again, out=tmp_path / "run", resume=True)
    assert again.asked == []
    (repaired,) = run(suite, again, out=tmp_path / "run", resume=True, retry_errors=True)
    assert [question for question, _ in again.asked] == ["How many points did the defense give up?"]
    assert repaired.run.values("mrr")["en"] == [0.5]


def test_a_silent_pipeline_ends_by_its_timeout(suite: Suite, tmp_path: Path) -> None:
    slow = ScriptedSystem(script(corpus_of_suite(suite)), delay=5)
    (result,) = run(suite, slow, out=tmp_path / "run", question_timeout=0.05)
    assert {record.error["type"] for record in result.run.answers.values() if record.error} == {"timeout"}
    assert len(result.run.answers) == 3


def test_history_reaches_the_system_and_concurrency_is_bounded(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "About the Panthers."}, {"role": "assistant", "content": "Yes?"}]
    questions = [{"id": f"q{n}", "question": f"Question {n}?", "history": turns} for n in range(12)]
    suite = suite_folder(tmp_path / "suite", questions)
    system = ScriptedSystem(lambda q: answer(q, "No."), delay=0.01)
    run(suite, system, out=tmp_path / "run", concurrency=3)
    assert system.most_at_once == 3
    assert system.asked[0][1] == (("user", "About the Panthers."), ("assistant", "Yes?"))


def test_the_budget_is_never_exceeded_and_the_run_resumes_with_a_larger_one(suite: Suite, tmp_path: Path) -> None:
    handler = script(
        corpus_of_suite(suite), usage=Usage(1_000_000, 0, 1), models={"generation": "openai:gpt-4o-mini-2024-07-18"}
    )
    (result,) = run(suite, ScriptedSystem(handler), out=tmp_path / "run", max_cost=0.2, concurrency=1)
    assert result.stopped == "max_cost"
    assert result.run.summary["stopped"] == "max_cost"
    assert list(result.run.questions) == ["zh"]
    assert result.run.summary["cost"]["total"] == pytest.approx(0.15)
    (whole,) = run(suite, ScriptedSystem(handler), out=tmp_path / "run", max_cost=1.0, resume=True)
    assert whole.stopped is None
    assert whole.run.summary["cost"]["answers"] == pytest.approx(0.3)


def test_the_first_answer_runs_alone_until_its_cost_is_known(tmp_path: Path) -> None:
    suite = suite_folder(tmp_path / "suite", [{"id": f"q{n}", "question": f"Question {n}?"} for n in range(12)])
    dear = ScriptedSystem(
        lambda q: answer(q, "No.", usage=Usage(1_000_000, 0, 1), models={"generation": "gpt-4o-mini"}), delay=0.02
    )
    (result,) = run(suite, dear, out=tmp_path / "run", max_cost=0.65, concurrency=8)
    assert result.stopped == "max_cost"
    assert len(dear.asked) == 4
    assert result.run.summary["cost"]["total"] == pytest.approx(0.6)
    free = ScriptedSystem(lambda q: answer(q, "No."), delay=0.02)
    assert run(suite, free, out=tmp_path / "free", max_cost=0.0, concurrency=8)[0].stopped is None
    assert free.most_at_once > 1


def test_a_limit_on_a_model_without_a_price_is_refused(suite: Suite, tmp_path: Path) -> None:
    handler = script(corpus_of_suite(suite), usage=Usage(10, 1, 1), models={"generation": "home-made"})
    with pytest.raises(ConfigError, match="price for home-made"):
        run(suite, ScriptedSystem(handler), out=tmp_path / "run", max_cost=1.0)
    (result,) = run(suite, ScriptedSystem(handler), out=tmp_path / "other")
    assert result.run.summary["cost"] == {"answers": None, "judge": 0, "total": None}


def test_a_missing_extra_is_told_before_anything_is_asked(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ragas", None)
    system = ScriptedSystem(script(corpus_of_suite(suite)))
    with pytest.raises(MissingExtraError, match=r"pip install 'agentic-crag\[eval\]'"):
        run(suite, system, out=tmp_path / "run", metrics=("chrf",))
    assert system.asked == []
    (result,) = run(suite, system, out=tmp_path / "run")
    assert result.stopped is None


def test_progress_counts_to_the_end_of_both_stages(suite: Suite, tmp_path: Path) -> None:
    seen: list[Progress] = []
    corpus = corpus_of_suite(suite)
    asyncio.run(
        run_suite(
            suite, corpus, [ScriptedSystem(script(corpus))], tmp_path / "run",
            options=RunOptions(metrics=("mrr",)), progress=seen.append,
        )
    )  # fmt: skip
    assert [(p.stage, p.done, p.total) for p in seen] == [
        *(("answers", done, 3) for done in range(4)), *(("scores", done, 3) for done in range(4))
    ]  # fmt: skip
    assert seen[0].seconds_left is None
    assert seen[3].seconds_left == 0


def test_recorded_answers_of_another_program_are_scored(tmp_path: Path) -> None:
    temple, panthers = DOCUMENTS
    recorded = [
        {**QUESTIONS[0], "response": "香港。", "retrieved_contexts": [panthers["text"], temple["text"]]},
        {**QUESTIONS[1], "answer": "Nobody knows.", "contexts": ["A text that is in no document."]},
        {**QUESTIONS[2], "response": ""},
    ]
    suite = suite_folder(tmp_path / "suite", recorded)
    corpus = corpus_of_suite(suite)
    asyncio.run(
        run_suite(suite, corpus, [RecordedSystem(suite, corpus)], tmp_path / "run", options=RunOptions(metrics=FREE))
    )
    read = read_run(tmp_path / "run")
    assert read.values("mrr") == {"zh": [0.5], "en": [0.0]}
    assert read.values("exact_match") == {"zh": [1.0], "en": [0.0]}
    assert read.values("refusal_accuracy") == {"zh": [1.0], "en": [1.0], "none": [1.0]}
    assert read.answers["en", 0].contexts[0].text == "A text that is in no document."
    plain = suite_folder(tmp_path / "plain")
    with pytest.raises(ConfigError, match="no responses"):
        RecordedSystem(plain, corpus)
