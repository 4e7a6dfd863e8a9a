"""BM25Index ranks as rank-bm25 does, whatever was added and removed before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25L, BM25Okapi, BM25Plus

from retrieval.lexical.bm25 import VARIANTS, BM25Index

WORDS = st.sampled_from("abcdefgh")
TEXT = st.lists(WORDS, max_size=12)
CORPUS = st.lists(TEXT, min_size=1, max_size=12).filter(any)


def build(corpus: list[list[str]], first: int = 0) -> BM25Index:
    index = BM25Index()
    add(index, corpus, first)
    return index


def add(index: BM25Index, corpus: list[list[str]], first: int = 0) -> None:
    index.add([(f"t{i}", f"d{i // 2}", index.encode(tokens)) for i, tokens in enumerate(corpus, first)])


@given(CORPUS, st.lists(st.sampled_from([*"abcdefgh", "unknown"]), max_size=8))
def test_scores_are_those_of_rank_bm25(corpus: list[list[str]], question: list[str]) -> None:
    expected = BM25Okapi(corpus).get_scores(question)
    np.testing.assert_allclose(build(corpus).match(question).scores, expected, rtol=0, atol=1e-9)


@settings(max_examples=60)
@given(CORPUS, CORPUS, st.sets(st.integers(0, 11)), st.lists(WORDS, min_size=1, max_size=6))
def test_adding_and_removing_equals_a_fresh_index(
    corpus: list[list[str]], more: list[list[str]], gone: set[int], question: list[str]
) -> None:
    index = build(corpus)
    index.match(question)  # a model fitted before the change must not survive it
    index.remove([f"t{i}" for i in gone])
    add(index, more, len(corpus))
    left = [tokens for i, tokens in enumerate(corpus) if i not in gone] + more
    expected = BM25Okapi(left).get_scores(question)
    np.testing.assert_allclose(index.match(question).scores, expected, rtol=0, atol=1e-9)


def test_top_hundred_is_that_of_the_library_on_a_large_corpus() -> None:
    random = np.random.default_rng(0)
    corpus = [[f"w{int(n)}" for n in random.zipf(1.3, 60)] for _ in range(2500)]
    index = build(corpus[:1500])  # more postings than the tail takes: merged at once
    for first in range(1500, 2500, 100):  # some stay in the tail, some are merged
        add(index, corpus[first : first + 100], first)
    gone = {int(n) for n in random.integers(0, 2500, 200)}
    index.remove([f"t{n}" for n in gone])
    left = [n for n in range(2500) if n not in gone]
    library = BM25Okapi([corpus[n] for n in left])
    for _ in range(20):
        question = [f"w{int(n)}" for n in random.zipf(1.3, 6)]
        expected = dict(zip((f"t{n}" for n in left), library.get_scores(question), strict=True))
        top = index.match(question).top(100)
        best = sorted((score for score in expected.values() if score > 0), reverse=True)[:100]
        assert [score for _, score in top] == pytest.approx(best)
        assert all(expected[identifier] == pytest.approx(score) for identifier, score in top)


def test_a_text_that_shares_no_term_is_no_hit() -> None:
    index = build([["a", "b"], ["c"], ["d"], ["e"]])
    assert [identifier for identifier, _ in index.match(["a"]).top(10)] == ["t0"]
    assert index.match(["unknown"]).top(10) == []
    assert index.match([]).top(10) == []


def test_an_empty_corpus_answers() -> None:
    index = BM25Index()
    assert index.match(["a"]).top(5) == []
    index.add([("t0", "d0", index.encode([]))])
    assert index.match(["a"]).top(5) == []


def test_documents_restrict_and_k_cuts_with_ties_by_id() -> None:
    index = build([["a"], ["a"], ["a"], ["b"], ["b"], ["c"], ["c"], ["c"]])
    assert [identifier for identifier, _ in index.match(["a"]).top(2)] == ["t0", "t1"]
    assert [identifier for identifier, _ in index.match(["a"]).top(2, {"d1"})] == ["t2"]
    assert index.match(["a"]).top(2, {"nowhere"}) == []


def test_adding_an_id_again_replaces_it() -> None:
    index = build([["a"], ["b"], ["c"], ["d"]])
    index.add([("t0", "d0", index.encode(["z"]))])
    assert len(index) == 4
    assert index.match(["a"]).top(3) == []
    assert [identifier for identifier, _ in index.match(["z"]).top(3)] == ["t0"]


def test_matches_are_frozen_while_the_index_moves_on() -> None:
    index = build([["a"], ["b"], ["c"], ["d"]])
    matches = index.match(["c"])
    index.remove(["t0", "t1"])
    add(index, [["c"]], 9)
    assert [identifier for identifier, _ in matches.top(5)] == ["t2"]
    assert matches.score("t9") == 0.0


def test_coverage_weighs_rare_terms_and_counts_unknown_ones() -> None:
    index = build([["common", "rare"], ["common"], ["common"], ["other"]])
    matches = index.match(["common", "rare"])
    assert matches.coverage("t0") == pytest.approx(1.0)
    assert 0 < matches.coverage("t1") < 0.5
    assert matches.coverage("t3") == 0.0
    assert 0 < index.match(["common", "rare", "unknown"]).coverage("t0") < 1


def test_a_stored_vocabulary_restores_stored_counts() -> None:
    index = build([list("abb"), ["c"], ["d"]])
    restored = BM25Index(index.vocabulary)
    restored.add([("t0", "d0", index.encode(list("abb"))), ("t1", "d0", index.encode(["c"]))])
    restored.add([("t2", "d1", index.encode(["d"]))])
    np.testing.assert_array_equal(restored.match(["b"]).scores, index.match(["b"]).scores)


LIBRARY = {"okapi": BM25Okapi, "l": BM25L, "plus": BM25Plus}


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=60)
@given(corpus=CORPUS, question=st.lists(st.sampled_from([*"abcdefgh", "unknown"]), max_size=8))
def test_every_variant_scores_as_the_library_and_hits_only_what_holds_a_word(
    variant: str, corpus: list[list[str]], question: list[str]
) -> None:
    matches = build(corpus).match(question, variant=variant)
    expected = LIBRARY[variant](corpus).get_scores(question)
    np.testing.assert_allclose(matches.scores, expected, rtol=0, atol=1e-9)
    holding = [i for i, tokens in enumerate(corpus) if set(tokens) & set(question)]
    hits = {identifier for identifier, _ in matches.top(len(corpus))}
    # An idf may be 0 up to rounding, on either side of it.
    assert {f"t{i}" for i in holding if expected[i] > 1e-9} <= hits <= {f"t{i}" for i in holding if expected[i] > -1e-9}
