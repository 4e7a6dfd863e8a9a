"""Answers without a model: the sentence that answers comes first, quoted word for word."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from graph.config import GenerationConfig
from graph.engine import Engine
from graph.llms.extractive import quoted
from graph.types import Answer
from tests.fakes.graph import ScriptedGrader, deps, hit


def ask(question: str, *texts: str, max_sentences: int = 3) -> Answer:
    passages = [hit(text, source=f"{number}.md", title=f"T{number}") for number, text in enumerate(texts)]
    generation = GenerationConfig(provider="extractive", max_sentences=max_sentences)
    engine = Engine(deps(passages, calibration=ScriptedGrader([0.9]), generation=generation))
    return asyncio.run(engine.ask(question))


@pytest.mark.parametrize(
    ("question", "texts", "first"),
    [
        (
            "When was the tower finished?",
            ["The tower is finished with white stone. The tower was finished in 1889."],
            "The tower was finished in 1889. [1]",
        ),
        (
            "Who designed the bridge?",
            ["The bridge was designed to carry trains. The bridge was designed by Anna Gray."],
            "The bridge was designed by Anna Gray. [1]",
        ),
        (
            "How many rooms does the castle have?",
            ["The castle rooms are large. The castle has 214 rooms."],
            "The castle has 214 rooms. [1]",
        ),
        (
            "Why was the mill closed?",
            ["The mill stands by the river. The mill was closed because the river dried up."],
            "The mill was closed because the river dried up. [1]",
        ),
        ("大桥长多少米？", ["大桥横跨黄河。大桥长 1200 米。"], "大桥长 1200 米。[1]"),
        ("大桥是什么时候建成的？", ["大桥建成后通行火车。大桥于 1950 年建成。"], "大桥于 1950 年建成。[1]"),
        ("为什么要关闭磨坊？", ["磨坊有三层。因为河水干涸，磨坊被关闭。"], "因为河水干涸，磨坊被关闭。[1]"),
    ],
)
def test_the_sentence_that_fits_the_kind_of_question_comes_first(
    question: str, texts: Sequence[str], first: str
) -> None:
    answer = ask(question, *texts)
    assert answer.text.startswith(first)
    assert answer.status == "grounded"


def test_quotes_are_word_for_word_and_cited_at_their_place() -> None:
    text = "Cats sleep a lot.\nThe tower has 312\nsteps. Dogs bark."
    answer = ask("How many steps does the tower have?", text)
    assert answer.text == "The tower has 312 steps. [1]"
    (citation,) = answer.citations
    assert text[citation.start : citation.end] == citation.quote == "The tower has 312\nsteps."


def test_a_summary_quotes_several_sentences_but_no_more_than_allowed() -> None:
    texts = [
        "Dense retrieval finds passages by meaning. Dense retrieval misses rare names.",
        "BM25 finds passages by words. BM25 misses synonyms of the words.",
    ]
    question = "Compare dense retrieval and BM25: how do they find passages?"
    assert 2 <= ask(question, *texts).text.count("[") <= 3
    assert ask(question, *texts, max_sentences=1).text.count("[") == 1


def test_what_to_do_is_answered_by_the_steps() -> None:
    text = (
        "Refusals rise when the evidence is weak.\n\n1. Search by hand.\n2. Compare the counts.\n3. Check the embedder."
    )
    answer = ask("What should the engineer do when refusals rise?", text)
    assert "Search by hand." in answer.text


def test_nothing_is_said_twice() -> None:
    sentence = "The tower has 312 steps."
    answer = ask("How many steps does the tower have?", sentence, sentence + " Cats sleep.", "The tower has 312 steps!")
    assert answer.text.count("312") == 1


def test_a_sentence_that_refers_back_is_completed() -> None:
    answer = ask(
        "Explain why it took so long until the tower opened",
        "The tower was planned for years. It opened late because the tower money ran out.",
    )
    assert answer.text.startswith("The tower was planned for years. [1] It opened late")


def test_reference_marks_of_a_document_are_no_markers() -> None:
    answer = ask("How many steps does the tower have?", "The tower has 312 steps.[7][8]")
    assert answer.text == "The tower has 312 steps.(7)(8) [1]"
    assert answer.citations[0].quote == "The tower has 312 steps.[7][8]"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("- an item", "an item"),
        ("## 3. Heading", "Heading"),
        ("| email_port | int | 465 |", "email_port | int | 465"),
        ("a\n  b\tc", "a b c"),
        ("1) first", "first"),
        ("3.14 is a number", "3.14 is a number"),
    ],
)
def test_list_heading_and_table_marks_are_left_out(raw: str, shown: str) -> None:
    assert quoted(raw) == shown


def test_a_quote_without_an_end_gets_one() -> None:
    assert ask("What is the port default?", "- port default 465").text == "port default 465. [1]"
    assert ask("端口默认值是多少？", "- 端口默认值 465").text == "端口默认值 465。[1]"
