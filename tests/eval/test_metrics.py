"""Formulas against tables worked out by hand, and against ranx on random data."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ConfigError
from eval.metrics import Resources, answer, build, retrieval, select
from eval.metrics.catalog import CATALOG, ON_REQUEST
from eval.runs import AnswerRecord, Context, Gold, Question, Span
from eval.text import answer_tokens, is_chinese, language_code, letters_and_digits, without_markers

TEXT = "".join(chr(ord("a") + place % 26) for place in range(1000))


def span(start: int, end: int, document: str = "d") -> Span:
    return Span(document, start, end, TEXT[start:end])


def context(rank: int, start: int, end: int, document: str = "d", tokens: int = 100) -> Context:
    return Context(rank, document, "d.md", "D", start, end, TEXT[start:end], tokens, None, None, 0.0, {}, {})


def ranked(*places: tuple[int, int] | tuple[int, int, str]) -> list[Context]:
    return [context(rank, *place) for rank, place in enumerate(places, 1)]  # type: ignore[misc]


# Retrieval, by hand


def test_a_group_is_found_when_one_alternative_is_held_whole() -> None:
    gold: Gold = ((span(10, 20), span(500, 510)), (span(100, 120),), (span(900, 905, "other"),))
    contexts = ranked((15, 90), (505, 600), (0, 15), (90, 130), (900, 950))
    # Group 0: [10, 20) is complete when [0, 15) joins [15, 90) at rank 3. Group 2 lies in another document.
    assert retrieval.found_ranks(gold, contexts) == [3, 4, None]


def test_trailing_space_and_punctuation_of_a_span_need_not_be_held() -> None:
    gold: Gold = ((Span("d", 10, 14, "ab. "),),)
    assert retrieval.found_ranks(gold, ranked((5, 12))) == [1]
    assert retrieval.found_ranks(((Span("d", 10, 12, "--"),),), ranked((5, 11), (11, 12))) == [2]


@pytest.mark.parametrize(
    ("ranks", "hit_3", "recall_3", "mrr", "ndcg_3"),
    [
        ([1], 1.0, 1.0, 1.0, 1.0),
        ([2], 1.0, 1.0, 0.5, 1 / math.log2(3)),
        ([4], 0.0, 0.0, 0.25, 0.0),
        ([None], 0.0, 0.0, 0.0, 0.0),
        ([1, 3], 1.0, 1.0, 1.0, (1 + 0.5) / (1 + 1 / math.log2(3))),
        ([2, None, 5], 1.0, 1 / 3, 0.5, (1 / math.log2(3)) / (1 + 1 / math.log2(3) + 0.5)),
        # Two groups in the first passage: full marks, not more.
        ([1, 1], 1.0, 1.0, 1.0, 1.0),
        # More groups than ranks looked at: the ideal is cut at k.
        ([1, 2, 3, None], 1.0, 0.75, 1.0, 1.0),
    ],
)
def test_rank_metrics_by_hand(
    ranks: list[int | None], hit_3: float, recall_3: float, mrr: float, ndcg_3: float
) -> None:
    assert retrieval.hit_rate(ranks, 3) == hit_3
    assert retrieval.recall(ranks, 3) == pytest.approx(recall_3)
    assert retrieval.reciprocal_rank(ranks) == mrr
    assert retrieval.ndcg(ranks, 3) == pytest.approx(ndcg_3)


def test_rank_metrics_agree_with_ranx_on_random_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # compiling takes a minute, these few rankings none
    from ranx import Qrels, evaluate
    from ranx import Run as RanxRun

    chance = random.Random(5)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    ours: list[dict[str, float]] = []
    for number in range(120):
        order = chance.sample(range(40), 20)
        relevant = chance.sample(range(40), chance.randint(1, 6))
        qrels[f"q{number:03}"] = {f"d{place}": 1 for place in relevant}
        run[f"q{number:03}"] = {f"d{place}": 1.0 - rank / 100 for rank, place in enumerate(order)}
        contexts = ranked(*((10 * place, 10 * place + 10) for place in order))
        ranks = retrieval.found_ranks(tuple((span(10 * p, 10 * p + 10),) for p in relevant), contexts)
        ours.append(
            {
                "mrr": retrieval.reciprocal_rank(ranks),
                **{f"recall@{k}": retrieval.recall(ranks, k) for k in (1, 5, 10)},
                "ndcg@10": retrieval.ndcg(ranks, 10),
                "hit_rate@5": retrieval.hit_rate(ranks, 5),
                "map": retrieval.average_precision([place in relevant for place in order])
                * sum(place in relevant for place in order)
                / len(relevant),
            }
        )
    theirs = evaluate(Qrels(qrels), RanxRun(run), list(ours[0]), return_mean=False)
    for name in ours[0]:
        assert list(theirs[name]) == pytest.approx([values[name] for values in ours], abs=1e-9), name


def test_a_folded_passage_is_found_in_each_of_its_places() -> None:
    """The hit stands in document e; its copy, one of two, holds the gold of document d."""
    folded = replace(context(1, 300, 400), document="e", copies=(("f", 0, 100), ("d", 0, 100)))
    gold: Gold = ((span(10, 60),),)
    assert retrieval.found_ranks(gold, [folded]) == [1]
    assert retrieval.coverage(gold, [folded]) == 1.0
    assert retrieval.precision(gold, [folded]) == 0.5
    assert retrieval.relevant(gold, folded)
    assert not retrieval.relevant(gold, replace(folded, copies=(("f", 0, 100),)))
    citation = {"document": "e", "start": 300, "end": 400, "also_in": [{"document": "d", "start": 0, "end": 100}]}
    assert answer.citation_precision([citation], gold) == 1.0
    assert answer.citation_recall([citation], gold) == 1.0


def test_coverage_looks_only_at_what_fits_the_budget() -> None:
    evidence: Gold = ((span(0, 100),), (span(200, 300), span(400, 500)))
    contexts = [context(1, 0, 50, tokens=600), context(2, 250, 300, tokens=600), context(3, 400, 480, tokens=400)]
    read = retrieval.within_budget(contexts, 1500)
    assert [c.rank for c in read] == [1, 2]
    assert retrieval.coverage(evidence, read) == pytest.approx((0.5 + 0.5) / 2)
    assert retrieval.coverage(evidence, contexts) == pytest.approx((0.5 + 0.8) / 2)
    assert retrieval.within_budget([context(1, 0, 10, tokens=2000)], 1500) == []


def test_precision_is_the_share_of_evidence_and_counts_overlaps_once() -> None:
    contexts = ranked((0, 40), (30, 80), (0, 20, "other"))
    assert retrieval.precision(((span(20, 60),),), contexts) == pytest.approx(40 / 100)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 60, True),
        (0, 49, True),
        (80, 170, False),
        (40, 45, True),
        (95, 115, False),
        (95, 104, True),
        (300, 400, False),
    ],
)
def test_a_passage_is_relevant_by_half_of_the_gold_or_of_itself(start: int, end: int, expected: bool) -> None:
    assert retrieval.relevant(((span(0, 100),),), context(1, start, end)) is expected


def test_average_precision_by_hand() -> None:
    assert retrieval.average_precision([True, False, True]) == pytest.approx((1 + 2 / 3) / 2)
    assert retrieval.average_precision([False, False]) == 0.0


@given(st.lists(st.one_of(st.none(), st.integers(1, 30)), min_size=1, max_size=8), st.integers(1, 30))
def test_rank_metrics_stay_within_bounds(ranks: list[int | None], k: int) -> None:
    values = [retrieval.recall(ranks, k), retrieval.reciprocal_rank(ranks), retrieval.ndcg(ranks, k)]
    assert all(0 <= value <= 1 + 1e-12 for value in values)
    assert retrieval.recall(ranks, k) <= retrieval.hit_rate(ranks, k)
    assert retrieval.ndcg([1] * len(ranks), k) == pytest.approx(1)


@given(
    st.lists(st.tuples(st.integers(0, 900), st.integers(1, 100)), max_size=6), st.integers(0, 900), st.integers(1, 90)
)
def test_cutting_a_passage_in_two_never_changes_what_is_covered(
    places: list[tuple[int, int]], start: int, length: int
) -> None:
    gold: Gold = ((span(start, start + length),),)
    whole = ranked(*((first, first + size) for first, size in places))
    halves = ranked(
        *(half for first, size in places for half in ((first, first + size // 2), (first + size // 2, first + size)))
    )
    assert retrieval.coverage(gold, whole) == retrieval.coverage(gold, halves)
    found, cut = retrieval.found_ranks(gold, whole)[0], retrieval.found_ranks(gold, halves)[0]
    assert (found is None) is (cut is None)


# Answers, by hand


@pytest.mark.parametrize(
    ("said", "wanted", "lang", "exact", "f1"),
    [
        ("The Eiffel Tower!", ["eiffel tower"], "en", 1.0, 1.0),
        ("In 1889 [1].", ["1889"], "en", 0.0, 2 * 0.5 / 1.5),
        ("nothing shared", ["other words"], "en", 0.0, 0.0),
        ("a b c c", ["c d", "a b c"], "en", 0.0, 2 * (2 / 3) / (5 / 3)),
        ("香港九龙[2]", ["香港"], "zh", 0.0, 2 * 0.5 / 1.5),
        ("香港。", ["澳门", "香港"], "zh", 1.0, 1.0),
        ("ＡＢ１２", ["ab12"], "zh-Hant", 1.0, 1.0),
        ("", ["x"], "en", 0.0, 0.0),
    ],
)
def test_exact_match_and_f1_by_hand(said: str, wanted: list[str], lang: str, exact: float, f1: float) -> None:
    assert answer.exact_match(said, wanted, lang) == exact
    assert answer.token_f1(said, wanted, lang) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("said", "wanted", "expected"),
    [
        ("它位于九龙，是香港的庙。[1]", ["香港"], 1.0),
        ("It gave up 3 0 8 points", ["308"], 1.0),
        ("It gave up [308] points", ["308"], 0.0),
        ("Nothing.", ["308"], 0.0),
        ("anything", ["..."], 0.0),
        ("Ａｎｓｗｅｒ: four", ["five", "FOUR"], 1.0),
    ],
)
def test_contains_reference_by_hand(said: str, wanted: list[str], expected: float) -> None:
    assert answer.contains_reference(said, wanted) == expected


def test_citations_by_hand() -> None:
    evidence: Gold = ((span(0, 50),), (span(100, 150), span(700, 710)))
    citations = [
        {"document": "d", "start": 40, "end": 60},
        {"document": "d", "start": 150, "end": 160},
        {"document": "other", "start": 0, "end": 50},
        {"document": "d", "start": 700, "end": 720},
    ]
    assert answer.citation_precision(citations, evidence) == 0.5
    assert answer.citation_recall(citations, evidence) == 1.0
    assert answer.citation_recall(citations[:1], evidence) == 0.5
    assert answer.citation_recall([], evidence) == 0.0


# Text


def test_letters_and_digits_know_where_they_came_from() -> None:
    folded, offsets = letters_and_digits("a ﬁ-Ｂ！²")
    assert (folded, offsets) == ("afib2", [0, 2, 2, 4, 6])


def test_markers_go_and_other_brackets_stay() -> None:
    assert without_markers("One [1][12]. See [note] and [1234].") == "One. See [note] and [1234]."


def test_chinese_tokens_are_letters() -> None:
    assert answer_tokens("《长江》_长6300公里[3]", "zh") == [*"长江长", *"6300", *"公里"]


@pytest.mark.parametrize(
    ("said", "reference", "held"),
    [
        ("It takes 15 days.", "5 days", 0.0),
        ("It takes 5 days.", "5 days", 1.0),
        ("About 100.", "10", 0.0),
        ("Nothing.", "no", 0.0),
        ("35 mg", "3.5 mg", 0.0),
        ("3.5mg a day", "3.5 mg", 1.0),
        ("An email client", "e-mail", 1.0),
        ("1,000 files", "1000", 1.0),
        ("The BGE-M3 model", "bge", 1.0),
        ("需要十五天。", "五天", 0.0),
        ("需要５天。", "5天", 1.0),
        ("它在香港 [1]，不在九龙。", "香港", 1.0),
        ("anything", "!", 0.0),
    ],
)
def test_a_reference_is_contained_word_for_word(said: str, reference: str, held: float) -> None:
    assert answer.contains_reference(said, [reference]) == held


def test_a_decimal_point_tells_numbers_apart() -> None:
    for lang in ("en", "zh"):
        assert answer.exact_match("35", ["3.5"], lang) == 0.0
        assert answer.exact_match("3.5.", ["3.5"], lang) == 1.0


def test_the_reference_says_which_language_is_compared() -> None:
    assert answer.token_f1("在香港", ["香港"], "en") == pytest.approx(0.8)
    assert answer.token_f1("the BGE model", ["BGE model"], "en") == 1.0


@pytest.mark.parametrize("name", ["zh", "ZH", "zho", "Chinese", "中文", "zh_CN", "zh-Hans"])
def test_chinese_has_many_names(name: str) -> None:
    assert is_chinese(language_code(name))
    assert not is_chinese(language_code("en_GB"))


# The catalogue


def record(**changes: Any) -> AnswerRecord:
    question = Question("q", "Where?", "Hong Kong", (), "fact", "en", True)
    shape = {"text": "Hong Kong", "status": "grounded", "confidence": 0.8, "citations": []}
    fields: dict[str, Any] = {
        "question": question, "repeat": 0, "status": "ok", "answer": shape, "contexts": tuple(ranked((0, 50))),
        "gold": ((span(0, 10),),), "evidence": ((span(0, 20),),), "unlocated": (), "trace": (), "latency_ms": 1.0,
        "usage": {}, "cost": 0.0, "error": None,
    }  # fmt: skip
    return AnswerRecord(**{**fields, **changes})


def values(answered: AnswerRecord, names: Sequence[str]) -> dict[str, Any]:
    metrics = build(names, Resources())
    outcomes = {name: asyncio.run(metric.score(answered)) for name, metric in metrics.items()}
    return {name: outcome.status if outcome.value is None else outcome.value for name, outcome in outcomes.items()}


FREE = [name for name, info in CATALOG.items() if info.group != "ragas" and not info.judged]


def test_every_formula_says_what_it_can() -> None:
    assert values(record(), FREE) == {
        "hit_rate@5": 1.0, "recall@1": 1.0, "recall@5": 1.0, "recall@10": 1.0, "mrr": 1.0, "ndcg@10": 1.0,
        "coverage@1500": 1.0, "span_precision@1500": 0.4, "span_context_precision": 1.0, "exact_match": 1.0, "f1": 1.0,
        "contains_reference": 1.0, "citation_precision": "not_applicable", "citation_recall": 0.0,
        "refusal_accuracy": 1.0, "brier": pytest.approx(0.04),
    }  # fmt: skip


def test_what_has_nothing_to_measure_is_not_applicable() -> None:
    question = Question("q", "Who?", "", (), "unanswerable", "en", False)
    found = values(record(question=question, gold=(), evidence=()), FREE)
    assert {name for name, value in found.items() if value != "not_applicable"} == {"refusal_accuracy", "brier"}
    assert (found["refusal_accuracy"], found["brier"]) == (0.0, pytest.approx(0.64))
    assert values(record(gold=()), ["mrr", "brier"]) == {"mrr": "not_applicable", "brier": "not_applicable"}
    assert values(record(contexts=()), ["mrr", "coverage@1500", "span_precision@1500"]) == {
        "mrr": 0.0, "coverage@1500": 0.0, "span_precision@1500": "not_applicable"
    }  # fmt: skip


def test_a_refusal_of_an_answerable_question_earns_nothing() -> None:
    shape = {"text": "Hong Kong is all I know", "status": "abstained", "confidence": 0.1, "citations": []}
    found = values(record(answer=shape), ["exact_match", "f1", "contains_reference", "refusal_accuracy"])
    assert set(found.values()) == {0.0}


def test_selection_by_name_group_and_what_is_at_hand() -> None:
    def names(chosen: tuple[str, ...] | None, judge: bool = False, embedder: bool = True) -> set[str]:
        return {info.name for info in select(chosen, judge=judge, embedder=embedder)}

    assert not any(CATALOG[name].judged for name in names(None))
    assert names(None, judge=True) == set(CATALOG) - ON_REQUEST
    assert names(("all",), judge=True) == set(CATALOG)
    assert names(("retrieval", "f1")) == {n for n, i in CATALOG.items() if i.group == "retrieval"} | {"f1"}
    assert "semantic_similarity" not in names(None, embedder=False)
    assert names(("noise_sensitivity",), judge=True) == {"noise_sensitivity"}
    for bad, message in (("recall", "no metric 'recall'"), ("faithfulness", "CRAG_JUDGE_MODEL")):
        with pytest.raises(ConfigError, match=message):
            names((bad,))
    with pytest.raises(ConfigError, match="embedder"):
        names(("semantic_similarity",), embedder=False)


def test_what_is_selected_can_be_built() -> None:
    chosen = [info.name for info in select(None, judge=False, embedder=False)]
    assert list(build(chosen, Resources())) == chosen
