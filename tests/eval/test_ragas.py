"""Ragas is really called: each score equals a direct call of its class, and its traps are statuses, not numbers."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest

from eval.judge import Judge
from eval.judge_config import JudgeConfig
from eval.metrics import Resources, build, select
from eval.metrics.base import Outcome
from eval.runs import AnswerRecord, Context, Question, Span
from retrieval.embedders.base import Role, Vectors
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.judge import given, judge, judged, prompt_of, shape_of
from tests.fakes.openai import chat_json

EN = Question("q", "Where is the Kwan Tai temple?", "It stands in Hong Kong. It is in Kowloon.", (), "fact", "en", True)
ZH = Question("q", "关帝庙在哪里？", "关帝庙在香港。它位于九龙。", (), "fact", "zh", True)
EN_CONTEXTS = ("The temple of Kwan Tai is in Hong Kong.", "Kowloon lies across the harbour.")
ZH_CONTEXTS = ("深水埗关帝庙是香港一所关帝庙。", "九龙在海港对面。")


class LetterEmbedder:
    """Unit vectors of letter counts: an embedder that needs no model."""

    name = "letters"
    fingerprint = "letters-1"
    dimension = 64
    max_tokens = 512

    def embed(self, texts: Any, role: Role) -> Vectors:
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for letter in text:
                row[ord(letter) % self.dimension] += 1
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    def count_tokens(self, texts: Any) -> list[int]:
        return [len(text) for text in texts]


def record(
    question: Question = EN, text: str = "It is in Hong Kong. [1] It is in Macau.", **changes: Any
) -> AnswerRecord:
    passages = ZH_CONTEXTS if question.lang == "zh" else EN_CONTEXTS
    contexts = tuple(
        Context(rank, "d", "d.md", "D", 100 * rank, 100 * rank + len(passage), passage, 20, None, None, 1.0, {}, {})
        for rank, passage in enumerate(passages, 1)
    )
    span = Span("d", 100, 110, passages[0][:10])
    fields: dict[str, Any] = {
        "question": question, "repeat": 0, "status": "ok", "answer": {"text": text, "status": "grounded"},
        "contexts": contexts, "gold": ((span,),), "evidence": ((span,),), "unlocated": (), "trace": (),
        "latency_ms": 1.0, "usage": {}, "cost": 0.0, "error": None,
    }  # fmt: skip
    return AnswerRecord(**{**fields, **changes})


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(judge) as scripted:
        yield scripted


def config(server: ScriptedServer, **changes: Any) -> JudgeConfig:
    return JudgeConfig(**{"model": "scripted", "base_url": f"{server.url}/v1", "retries": 0, "timeout": 10, **changes})


def score(server: ScriptedServer, answer: AnswerRecord, *names: str, **changes: Any) -> dict[str, Outcome]:
    async def run() -> dict[str, Outcome]:
        async with Judge(config(server, **changes)) as asked:
            metrics = build(names, Resources(LetterEmbedder(), asked))
            return {name: await metric.score(answer) for name, metric in metrics.items()}

    return asyncio.run(run())


def direct(server: ScriptedServer, call: Callable[[Any, Any], Awaitable[Any]]) -> float:
    """The value of a Ragas class used as its documentation says, without our judge."""
    from ragas.llms import llm_factory

    from eval.metrics.ragas.adapters import EmbedderEmbedding

    async def run() -> float:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="k") as client:
            llm = llm_factory("scripted", client=client, max_tokens=4096)
            return float((await call(llm, EmbedderEmbedding(LetterEmbedder()))).value)

    return asyncio.run(run())


RESPONSE = "It is in Hong Kong. It is in Macau."
CONTEXTS = list(EN_CONTEXTS)


def classes() -> dict[str, Callable[[Any, Any], Awaitable[Any]]]:
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    from ragas.metrics import collections as c

    question, reference = EN.question, EN.reference
    return {
        "faithfulness": lambda llm, e: c.Faithfulness(llm).ascore(question, RESPONSE, CONTEXTS),
        "answer_relevancy": lambda llm, e: c.AnswerRelevancy(llm, e).ascore(question, RESPONSE),
        "context_precision": lambda llm, e: c.ContextPrecision(llm).ascore(question, reference, CONTEXTS),
        "context_recall": lambda llm, e: c.ContextRecall(llm).ascore(question, CONTEXTS, reference),
        "answer_correctness": lambda llm, e: c.AnswerCorrectness(llm, e).ascore(question, RESPONSE, reference),
        "noise_sensitivity": lambda llm, e: c.NoiseSensitivity(llm).ascore(question, RESPONSE, reference, CONTEXTS),
        "semantic_similarity": lambda llm, e: c.SemanticSimilarity(e).ascore(reference, RESPONSE),
        "chrf": lambda llm, e: c.CHRFScore().ascore(reference, RESPONSE),
        "string_similarity": lambda llm, e: c.NonLLMStringSimilarity().ascore(reference, RESPONSE),
    }


@pytest.mark.parametrize(
    "name",
    [
        "faithfulness", "answer_relevancy", "context_precision", "context_recall", "answer_correctness",
        "noise_sensitivity", "semantic_similarity", "chrf", "string_similarity",
    ],
)  # fmt: skip
def test_a_score_equals_a_direct_call_of_the_class(server: ScriptedServer, name: str) -> None:
    expected = direct(server, classes()[name])
    sent_directly = [prompt_of(request) for request in server.requests]
    server.requests.clear()
    outcome = score(server, record(), name)[name]
    assert (outcome.value, outcome.status) == (pytest.approx(expected, abs=1e-9), "ok")
    assert [prompt_of(request) for request in server.requests] == sent_directly


def test_the_direct_calls_disagree_so_that_equality_says_something(server: ScriptedServer) -> None:
    values = {name: direct(server, call) for name, call in classes().items()}
    assert len({round(value, 6) for value in values.values()}) >= 6
    assert all(0 <= value <= 1 for value in values.values())


def test_chinese_questions_are_judged_with_chinese_prompts(server: ScriptedServer) -> None:
    names = ("faithfulness", "answer_relevancy", "context_precision", "context_recall", "answer_correctness",
             "noise_sensitivity", "correctness")  # fmt: skip
    outcomes = score(server, record(ZH, "关帝庙在香港。它在澳门。"), *names)
    assert {outcome.status for outcome in outcomes.values()} == {"ok"}
    for request in server.requests:
        prompt = prompt_of(request)
        assert "陈述" in prompt or "回答" in prompt or "上下文" in prompt
        assert "\\u" not in prompt
        assert "Albert Einstein" not in prompt
    assert outcomes["correctness"].value == 0.5


def test_english_questions_keep_the_prompts_of_ragas(server: ScriptedServer) -> None:
    score(server, record(), "faithfulness", "correctness")
    assert "Albert Einstein" in prompt_of(server.requests[0])
    assert not any("\u4e00" <= letter <= "\u9fff" for request in server.requests for letter in prompt_of(request))


def test_span_metrics_of_ragas_read_gold_not_strings(server: ScriptedServer) -> None:
    outcomes = score(server, record(), "id_context_recall", "id_context_precision")
    assert (outcomes["id_context_recall"].value, outcomes["id_context_precision"].value) == (1.0, 0.5)
    nothing = score(server, record(contexts=()), "id_context_recall", "id_context_precision")
    assert nothing["id_context_recall"].value == 0.0
    assert nothing["id_context_precision"].status == "not_applicable"
    assert server.requests == []


def test_chinese_likeness_is_not_zero(server: ScriptedServer) -> None:
    outcomes = score(server, record(ZH, ZH.reference), "chrf", "string_similarity", "semantic_similarity")
    assert [outcome.value for outcome in outcomes.values()] == [pytest.approx(1.0)] * 3


@pytest.mark.parametrize("name", ["faithfulness", "answer_correctness", "noise_sensitivity"])
def test_an_answer_without_statements_is_no_number(name: str) -> None:
    """Ragas scores NaN, 1.0 and NaN."""

    def silent(request: Request) -> Reply:
        empty = shape_of(request) == "StatementGeneratorOutput"
        return chat_json({"statements": []}) if empty else judge(request)

    with ScriptedServer(silent) as server:
        outcome = score(server, record(), name)[name]
    assert (outcome.value, outcome.status) == (None, "not_applicable")
    assert outcome.reason is not None
    assert "no statement" in outcome.reason


def test_a_refusal_earns_nothing_on_an_answerable_question_and_asks_no_judge(server: ScriptedServer) -> None:
    refused = record(answer={"text": "The documents do not say.", "status": "abstained"})
    outcomes = score(
        server, refused, "answer_relevancy", "answer_correctness", "correctness", "semantic_similarity", "faithfulness",
        "hallucination", "noise_sensitivity",
    )  # fmt: skip
    zeros = ("answer_relevancy", "answer_correctness", "correctness", "semantic_similarity")
    assert {name: outcomes[name].value for name in zeros} == dict.fromkeys(zeros, 0.0)
    assert {outcomes[name].status for name in ("faithfulness", "hallucination", "noise_sensitivity")} == {
        "not_applicable"
    }
    assert server.requests == []


def test_nothing_that_needs_a_reference_is_said_of_a_question_without_answer(server: ScriptedServer) -> None:
    question = Question("q", "Who built it?", "", (), "unanswerable", "en", False)
    names = [info.name for info in select(("ragas",), judge=True, embedder=True)]
    refused = score(server, record(question, answer={"text": "I cannot say.", "status": "abstained"}), *names)
    assert {outcome.status for outcome in refused.values()} == {"not_applicable"}
    answered = score(server, record(question), *names)
    assert {name for name, outcome in answered.items() if outcome.status == "ok"} == {
        "faithfulness",
        "answer_relevancy",
    }


def test_empty_contexts_are_not_applicable_instead_of_an_error(server: ScriptedServer) -> None:
    names = ("faithfulness", "context_precision", "context_recall", "noise_sensitivity")
    outcomes = score(server, record(contexts=()), *names)
    assert {(o.status, o.reason) for o in outcomes.values()} == {("not_applicable", "nothing was retrieved")}


def test_hallucination_follows_faithfulness_and_shares_its_calls(server: ScriptedServer) -> None:
    outcomes = score(server, record(), "faithfulness", "hallucination")
    assert outcomes["faithfulness"].value is not None
    assert outcomes["hallucination"].value == float(outcomes["faithfulness"].value < 1)
    assert len(server.requests) == 2
    tokens = outcomes["hallucination"].tokens
    assert tokens is not None
    assert (tokens["model_calls"], tokens["cached_calls"]) == (0, 2)


def with_replies(shape: str, change: Callable[[Any], Any]) -> Callable[[Request], Reply]:
    """The scripted judge, its replies of one shape changed."""

    def reply(request: Request) -> Reply:
        content = judged(request)
        return chat_json(change(content) if shape_of(request) == shape else content)

    return reply


def _every(key: str, field: str, value: int) -> Callable[[Any], Any]:
    return lambda content: {key: [{**each, field: value} for each in content[key]]}


@pytest.mark.parametrize(
    ("name", "shape", "change", "reason"),
    [
        ("faithfulness", "NLIStatementOutput", lambda c: {"statements": c["statements"][:1]}, "1 verdicts on 2 statem"),
        ("faithfulness", "NLIStatementOutput", _every("statements", "verdict", -1), "verdict was -1, neither 0 nor 1"),
        ("faithfulness", "StatementGeneratorOutput", lambda c: {"statements": ["A.", " "]}, "empty statement"),
        (
            "noise_sensitivity",
            "StatementFaithfulnessOutput",
            lambda c: {"statements": c["statements"][:-1]},
            "1 verdicts on 2 statements",
        ),
        ("context_precision", "ContextPrecisionOutput", lambda c: {**c, "verdict": 7}, "verdict was 7"),
        (
            "context_recall",
            "ContextRecallOutput",
            lambda c: {"classifications": [{**c["classifications"][0], "attributed": n} for n in (2, 0)]},
            "verdict was 2",
        ),
        ("context_recall", "ContextRecallOutput", lambda c: {"classifications": []}, "gave no verdict"),
        (
            "answer_correctness",
            "ClassificationWithReason",
            lambda c: {"TP": [], "FP": [], "FN": []},
            "classified 0 of the answer's 2 statements",
        ),
        ("answer_relevancy", "AnswerRelevanceOutput", lambda c: {**c, "question": " "}, "empty question"),
        ("answer_relevancy", "AnswerRelevanceOutput", lambda c: {**c, "noncommittal": 5}, "verdict was 5"),
    ],
)
def test_a_reply_that_does_not_answer_what_was_asked_is_the_judges_error(
    name: str, shape: str, change: Callable[[Any], Any], reason: str
) -> None:
    with ScriptedServer(with_replies(shape, change)) as server:
        outcome = score(server, record(), name)[name]
    assert (outcome.value, outcome.status) == (None, "judge_error")
    assert reason in str(outcome.reason)


def test_a_reply_that_was_refused_is_asked_for_again(tmp_path: Path) -> None:
    async def run(server: ScriptedServer) -> Outcome:
        async with Judge(config(server), cache=tmp_path / "cache.sqlite") as asked:
            return await build(("context_precision",), Resources(None, asked))["context_precision"].score(record())

    with ScriptedServer(judge) as server:
        server.enqueue(chat_json({"reason": "r", "verdict": 7}))
        assert asyncio.run(run(server)).status == "judge_error"
        assert asyncio.run(run(server)).status == "ok"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_prompts_own_examples_are_replies_that_answer(lang: str) -> None:
    from eval.metrics.ragas.prompts import FROZEN, speak
    from eval.metrics.ragas.replies import check

    async def prompts() -> list[Any]:
        async with Judge(JudgeConfig(model="none")) as asked:
            metrics = build(FROZEN, Resources(LetterEmbedder(), asked))
            built = {name: speak(metric.build(), name, lang) for name, metric in metrics.items()}  # type: ignore[attr-defined]
        return [getattr(built[name], attribute) for name, attributes in FROZEN.items() for attribute in attributes]

    examples = [(prompt, *example) for prompt in asyncio.run(prompts()) for example in getattr(prompt, "examples", ())]
    assert len(examples) >= 7
    for prompt, given_, output in examples:
        check(output, prompt.to_string(given_))


def test_markers_are_no_part_of_what_is_judged(server: ScriptedServer) -> None:
    score(server, record(), "answer_relevancy")
    assert given(prompt_of(server.requests[0])) == {"response": RESPONSE}


def test_a_schema_constrained_judge_gives_the_same_score(server: ScriptedServer) -> None:
    plain = score(server, record(), "faithfulness")["faithfulness"]
    constrained = score(server, record(), "faithfulness", mode="json_schema")["faithfulness"]
    assert plain.value == constrained.value
    assert "json_schema" in json.dumps(server.requests[-1].body["response_format"])
