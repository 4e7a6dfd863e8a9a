"""Late interaction: what reading the best sentences token by token adds to hits and to sentences' relevances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.confidence import CERTAIN, question_features
from graph.cuts import cut
from graph.interaction import RELEASED, SENTENCES, closer, with_interaction
from graph.strips import relevances
from retrieval.embedders.base import Role, TokenStates
from retrieval.lexical.tokenizer import tokenize
from retrieval.types import Hit
from tests.fakes.graph import HashEmbedder, hit

QUESTION = "Who founded the observatory in Greenwich?"
EVIDENCE = hit("King Charles founded the observatory in Greenwich. It rained.", source="a.md")
NEAR_MISS = hit("The observatory in Paris has a dome. The ferry to Greenwich is slow.", source="b.md")


class ReadingEmbedder(HashEmbedder):
    """Reads tokens too: each word is a direction of its own, whatever stands around it."""

    def __init__(self) -> None:
        self.tokens = self
        self.read: list[str] = []

    def token_states(self, texts: Sequence[str], role: Role) -> list[TokenStates]:
        self.read += texts if role == "passage" else []
        return [self._states(tokenize(text)) for text in texts]

    def answer_chances(self, question: str, texts: Sequence[str]) -> list[float]:
        """1 where a text has all words of the question that are not for asking."""
        asked = {word for word in tokenize(question) if word not in ("who", "what")}
        return [len(asked & set(tokenize(text))) / max(1, len(asked)) for text in texts]

    def _states(self, words: Sequence[str]) -> TokenStates:
        states = np.zeros((len(words), self.dimension), np.float32)
        for row, word in enumerate(words):
            states[row, crc32(word.encode()) % self.dimension] = 1
        return TokenStates(states, np.full(len(words), 10, np.float32))


def signals(hits: Sequence[Hit], name: str) -> list[float | None]:
    return [one.signals.get(name) for one in hits]


def test_an_embedder_of_vectors_alone_adds_nothing() -> None:
    hits = (EVIDENCE, NEAR_MISS)
    assert with_interaction(QUESTION, hits, (0.5, 0.5), HashEmbedder()) == hits
    assert with_interaction(QUESTION, (), (), ReadingEmbedder()) == ()


def test_the_sentence_that_holds_what_is_asked_matches_more_than_a_near_miss_and_leads() -> None:
    read = with_interaction(QUESTION, (NEAR_MISS, EVIDENCE), (0.5, 0.5), ReadingEmbedder())
    near, held = signals(read, "interaction")
    assert near is not None
    assert held is not None
    assert held > 0.95
    assert near < 0.7
    assert signals(read, "ahead")[0] is None
    near_chance, held_chance = signals(read, "answers")
    assert near_chance is not None
    assert held_chance is not None
    assert held_chance > near_chance
    features = question_features(read)
    assert features["answers"] == pytest.approx(math.log((1 - CERTAIN) / CERTAIN))
    assert features["interaction"] == held
    assert features["ahead"] == read[1].signals["ahead"] > 0


def test_a_row_of_a_table_is_read_under_its_header_and_leads_nothing() -> None:
    table = hit("| option | default |\n|---|---|\n| port | 465 |\n| host | none |", title="Email")
    embedder = ReadingEmbedder()
    (read,) = with_interaction("What is the default port of Email?", (table,), (0.5,), embedder)
    assert {"interaction", "answers"} <= read.signals.keys()
    assert "ahead" not in read.signals
    assert sorted(embedder.read) == [
        "Email | option | default | | host | none |",
        "Email | option | default | | port | 465 |",
    ]


def test_a_sentence_that_answers_is_chosen_before_one_that_is_as_alike() -> None:
    class Judging(ReadingEmbedder):
        def answer_chances(self, question: str, texts: Sequence[str]) -> list[float]:
            return [0.9 if "Charles" in text else 0.1 for text in texts]

    two = cut(hit("In Greenwich a friend founded the observatory. Charles founded the observatory in Greenwich."), 0.5)
    before = relevances(QUESTION, [two], None)
    (after,) = closer(QUESTION, [two], before, Judging())
    assert before[0][0] >= before[0][1]
    assert after[1] == 1.0 > after[0]


def test_a_row_that_answers_is_chosen_before_the_sentence_about_it() -> None:
    class Judging(ReadingEmbedder):
        def answer_chances(self, question: str, texts: Sequence[str]) -> list[float]:
            return [0.9 if "465" in text else 0.1 for text in texts]

    text = "Email takes a default port.\n\n| option | default |\n|---|---|\n| port | 465 |"
    mixed = cut(hit(text, title="Email"), 0.5)
    row = next(index for index in range(len(mixed.spans)) if "465" in mixed.text(index))
    even = [[1.0 if index in (0, row) else 0.0 for index in range(len(mixed.spans))]]
    (after,) = closer("What is the default port of Email?", [mixed], even, Judging())
    assert after[row] == 1.0 > after[0]


def test_few_sentences_are_read_and_each_span_once() -> None:
    long = hit(" ".join(f"Sentence number {n} about Greenwich." for n in range(20)))
    embedder = ReadingEmbedder()
    with_interaction(QUESTION, (long, long), (0.5, 0.5), embedder)
    assert len(embedder.read) == len(set(embedder.read)) == SENTENCES


def test_passages_without_sentences_pass() -> None:
    bare = hit("# Heading only")
    assert with_interaction(QUESTION, (bare,), (0.5,), ReadingEmbedder()) == (bare,)


def test_relevance_rises_where_the_tokens_meet_and_stays_from_nought_to_one() -> None:
    cuts = [cut(NEAR_MISS, 0.9), cut(EVIDENCE, 0.1)]
    before = relevances(QUESTION, cuts, None)
    after = closer(QUESTION, cuts, before, ReadingEmbedder())
    assert after[1][0] == 1.0
    assert after[0][0] / after[1][0] < before[0][0] / before[1][0]
    assert closer(QUESTION, cuts, before, HashEmbedder()) == before
    assert closer(QUESTION, [], [], ReadingEmbedder()) == []


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=5), st.text(max_size=30))
def test_any_text_gives_shares(texts: Sequence[str], question: str) -> None:
    hits = [hit(text, source=f"{number}.md") for number, text in enumerate(texts)]
    for one in with_interaction(question, hits, [0.5] * len(hits), ReadingEmbedder()):
        assert 0 <= one.signals.get("interaction", 0.0) <= 1
        assert 0 <= one.signals.get("ahead", 0.0) <= 1
    cuts = [cut(one, 0.5) for one in hits]
    for scores in closer(question, cuts, relevances(question, cuts, None), ReadingEmbedder()):
        assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize(
    ("question", "silent"),
    [
        (QUESTION, False),
        ("Who is the sibling of the performer of Decade?", True),
        ("When was the architect who built the dome born?", True),
        ("Are both observatories in Greenwich?", True),
        ("Which singer is American, Mark King or Nick Hexum?", True),
        ("格林尼治天文台的建造者的妻子是谁？", True),
        ("What is the name of the founder?", False),
        ("What is the default of the tmp_path option of the sink of SeaTunnel?", False),
    ],
)
def test_nothing_is_said_of_one_sentence_that_answers_where_it_takes_several(question: str, silent: bool) -> None:
    read = with_interaction(question, (NEAR_MISS, EVIDENCE), (0.5, 0.5), ReadingEmbedder())
    assert all(value is None for value in signals(read, "answers")) == silent


def test_no_row_tells_that_it_has_the_most() -> None:
    table = hit("| pump | noise |\n|---|---|\n| A1 | 60 dB |\n| B2 | 67 dB |")
    (loudest,) = with_interaction("Which pump has the most noise?", (table,), (0.5,), ReadingEmbedder())
    (one,) = with_interaction("How loud is the pump B2?", (table,), (0.5,), ReadingEmbedder())
    assert "answers" not in loudest.signals
    assert "answers" in one.signals


NOTES = hit(
    "## 4.2.0 - 2024-06-18\n\nAdded: tags.\n\n## 4.1.0 - 2024-03-12\n\nAdded: a graph view.\n\nFixed: the clock.",
    source="notes.md",
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("When was version 4.1.0 released?", True),
        ("When did 4.2.0 come out?", True),
        ("4.1.0 版本是什么时候发布的？", True),
        ("Which is the latest version?", True),
        ("When was version 4.1.1 released?", False),
        ("Who released version 4.1.0?", False),
        ("When was the clock of 4.1.0 repaired?", False),
    ],
)
def test_a_heading_that_is_the_answer_counts_as_one(question: str, told: bool) -> None:
    (notes, _) = with_interaction(question, (NOTES, NEAR_MISS), (0.5, 0.5), ReadingEmbedder())
    assert (notes.signals.get("answers") == RELEASED) is told


def test_the_sentence_below_the_heading_that_answers_comes_first() -> None:
    cuts = [cut(NEAR_MISS, 0.5), cut(NOTES, 0.5)]
    question = "When was version 4.1.0 released?"
    found = closer(question, cuts, relevances(question, cuts, None), ReadingEmbedder())
    best = max((score, p, i) for p, scores in enumerate(found) for i, score in enumerate(scores))
    assert cuts[best[1]].text(best[2]) == "Added: a graph view."
