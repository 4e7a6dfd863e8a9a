"""Suites are run end to end with scripted systems: answers, scores, manifest, resume."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chunking.errors import ConfigError, MissingExtraError, ProviderError
from eval.corpus import Corpus, corpus_of_suite
from eval.lines import LineWriter
from eval.options import RunOptions
from eval.recorded import RecordedSystem
from eval.runner import Progress, RunResult, run_suite
from eval.runs import ANSWERS, SCORES, SUMMARY, read_run
from eval.suite import Suite, load_suite
from eval.summary import ladder
from graph.types import Answer, Usage
from tests.fakes.embedder import HashEmbedder
from tests.fakes.systems import ScriptedSystem, answer, cite, hit

DOCUMENTS = [
    {"doc_id": "temple", "title": "寺庙", "text": "深水埗关帝庙是香港一所关帝庙。\n\n它建于1891年。"},
    {
        "doc_id": "panthers",
        "title": "Panthers",
        "text": "The defense gave up 308 points.\n\nFour players were selected.",
    },
]
QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "zh",
        "question": "深水埗关帝庙在哪里？",
        "reference": "香港",
        "reference_spans": [{"doc_id": "temple", "text": "深水埗关帝庙是香港一所关帝庙。", "start": 0, "end": 15}],
        "answer_spans": [{"doc_id": "temple", "text": "香港", "start": 7, "end": 9}],
        "type": "fact",
    },
    {
        "id": "en",
        "question": "How many points did the defense give up?",
        "reference": "308 points",
        "answers": ["308"],
        "reference_spans": [{"doc_id": "panthers", "text": "The defense gave up 308 points."}],
        "type": "fact",
    },
    {"id": "none", "question": "Who coached the team?", "answerable": False, "type": "unanswerable"},
]
FREE = ("retrieval", "answer", "crag")


def suite_folder(folder: Path, questions: list[dict[str, Any]] = QUESTIONS) -> Suite:
    folder.mkdir(exist_ok=True)
    for name, lines in (("documents", DOCUMENTS), ("questions", questions)):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return load_suite(folder)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return suite_folder(tmp_path / "suite")


def script(corpus: Corpus, **extra: Any) -> Any:
    """Right on Chinese, right words from a late passage in English, refusal elsewhere."""
    temple, panthers = (next(d for d in corpus.documents if d.id == corpus.names[n]) for n in ("temple", "panthers"))

    def handler(question: str) -> Answer:
        if "关帝庙" in question:
            return answer(question, "在香港。[1]", hits=[hit(temple, 0, 15)], citations=[cite(temple, 0, 15)], **extra)
        if "points" in question:
            hits = [hit(panthers, 33, len(panthers.text)), hit(panthers, 0, 31)]
            return answer(question, "It gave up 308 points [1].", hits=hits, citations=[cite(panthers, 0, 31)], **extra)
        return answer(question, "The documents do not say.", status="abstained", route="incorrect", confidence=0.1)

    return handler


def run(suite: Suite, *systems: ScriptedSystem, out: Path, **options: Any) -> list[RunResult]:
    corpus = corpus_of_suite(suite)
    return asyncio.run(run_suite(suite, corpus, systems, out, options=RunOptions(**{"metrics": FREE, **options})))


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


def test_nothing_is_asked_or_scored_twice_on_resume(suite: Suite, tmp_path: Path) -> None:
    system = ScriptedSystem(script(corpus_of_suite(suite)))
    run(suite, system, out=tmp_path / "run", repeat=2)
    before = {name: (tmp_path / "run" / name).read_bytes() for name in (ANSWERS, SCORES, SUMMARY)}
    assert len(system.asked) == 6
    resumed = ScriptedSystem(script(corpus_of_suite(suite)))
    run(suite, resumed, out=tmp_path / "run", repeat=2, resume=True)
    assert not resumed.asked
    assert (system.readied, resumed.readied) == (1, 0)
    assert {name: (tmp_path / "run" / name).read_bytes() for name in before} == before


def test_a_run_cut_anywhere_resumes_to_the_same_scores(suite: Suite, tmp_path: Path) -> None:
    handler = script(corpus_of_suite(suite))
    (whole,) = run(suite, ScriptedSystem(handler), out=tmp_path / "run")
    lines = (tmp_path / "run" / ANSWERS).read_bytes().splitlines(keepends=True)
    scores = (tmp_path / "run" / SCORES).read_bytes()
    for kept, torn in ((0, b'{"id": "zh"'), (1, b""), (2, lines[2][:-1])):
        (tmp_path / "run" / ANSWERS).write_bytes(b"".join(lines[:kept]) + torn)
        (tmp_path / "run" / SCORES).write_bytes(scores[: len(scores) * kept // 3])
        system = ScriptedSystem(handler)
        (resumed,) = run(suite, system, out=tmp_path / "run", resume=True)
        assert len(system.asked) == 3 - kept
        assert resumed.run.scores.keys() == whole.run.scores.keys()
        assert [resumed.run.scores[key] for key in whole.run.scores] == list(whole.run.scores.values())


def test_an_existing_run_is_not_overwritten_and_a_different_one_not_continued(suite: Suite, tmp_path: Path) -> None:
    system = ScriptedSystem(script(corpus_of_suite(suite)))
    run(suite, system, out=tmp_path / "run")
    with pytest.raises(ConfigError, match="--resume"):
        run(suite, system, out=tmp_path / "run")
    with pytest.raises(ConfigError, match=r"with another number of repeats \(1 then, 2 now\): choose"):
        run(suite, system, out=tmp_path / "run", resume=True, repeat=2)
    other = ScriptedSystem(script(corpus_of_suite(suite)), version="ffff")
    with pytest.raises(ConfigError, match="pipeline version"):
        run(suite, other, out=tmp_path / "run", resume=True)
    changed = suite_folder(tmp_path / "suite", QUESTIONS[:2])
    with pytest.raises(ConfigError, match="suite"):
        run(changed, system, out=tmp_path / "run", resume=True)


class Killed(Exception):  # noqa: N818
    """Stands for kill -9: nothing of the run is closed or finished after it."""


def killed_after(scores: int) -> Callable[[Progress], None]:
    def progress(seen: Progress) -> None:
        if seen.stage == "scores" and seen.done == scores:
            raise Killed

    return progress


def rescored(suite: Suite, out: Path, *metrics: str, killed: int | None = None, **options: Any) -> RunResult:
    corpus = corpus_of_suite(suite)
    options = {"metrics": metrics or FREE, "resume": True, **options}
    progress = None if killed is None else killed_after(killed)
    running = run_suite(
        suite, corpus, [ScriptedSystem(script(corpus))], out, options=RunOptions(**options), progress=progress
    )
    return asyncio.run(running)[0]


def test_a_killed_rescoring_leaves_the_scores_and_is_not_a_finished_run(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "run"
    (whole,) = run(suite, ScriptedSystem(script(corpus_of_suite(suite))), out=out)
    assert whole.run.summary
    with pytest.raises(Killed):
        rescored(suite, out, rescore=True, killed=2)
    left = read_run(out)
    assert left.summary == {}
    assert left.scores == whole.run.scores
    assert rescored(suite, out).run == whole.run
    with pytest.raises(Killed):
        rescored(suite, out, rescore=True, killed=2)
    assert rescored(suite, out, rescore=True).run.scores == whole.run.scores
    assert sorted(path.name for path in out.iterdir() if path.is_dir()) == []


def test_a_resumed_run_is_not_finished_while_it_goes_on(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run(suite, ScriptedSystem(script(corpus_of_suite(suite))), out=out, metrics=("f1",))
    with pytest.raises(Killed):
        rescored(suite, out, "f1", "mrr", killed=0)
    assert read_run(out).summary == {}
    unscored = rescored(suite, out, "f1")
    assert unscored.stopped == unscored.run.summary["stopped"] == "interrupted"
    assert rescored(suite, out, "f1", "mrr").run.summary["stopped"] is None


def test_rescoring_some_metrics_keeps_the_others(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "run"
    (whole,) = run(suite, ScriptedSystem(script(corpus_of_suite(suite))), out=out)
    again = rescored(suite, out, "f1", rescore=True)
    assert again.run.scores == whole.run.scores
    assert again.run.manifest["metrics"] == whole.run.manifest["metrics"]
    assert len((out / SCORES).read_bytes().splitlines()) == len(whole.run.scores) + 3


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


def test_rescoring_keeps_the_answers(suite: Suite, tmp_path: Path) -> None:
    system = ScriptedSystem(script(corpus_of_suite(suite)))
    run(suite, system, out=tmp_path / "run", metrics=("mrr",))
    writer = LineWriter(tmp_path / "run" / SCORES)
    writer.write({"question": "zh", "repeat": 0, "metric": "mrr", "value": 0.0, "status": "ok", "reason": None})
    writer.close()
    (result,) = run(suite, system, out=tmp_path / "run", metrics=("mrr", "f1"), resume=True, rescore=True)
    assert len(system.asked) == 3
    assert result.run.values("mrr")["zh"] == [1.0]
    assert list(result.run.metrics) == ["mrr", "f1"]
