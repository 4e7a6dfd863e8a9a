"""Slips of a question, put right by the passages."""

from __future__ import annotations

import asyncio
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.config import RewriteConfig
from graph.engine import Engine
from graph.nodes.rewrite import REPAIRED
from graph.spelling import respelled
from tests.fakes.graph import MemoryRetriever, ScriptedGrader, deps, hit, index_of

PASSAGES = [
    hit("What limits the efficiency of the Rankine cycle is the working fluid.", title="Steam"),
    hit("Set table_type to COPY_ON_WRITE. Johnson wrote the first plugin.", title="Options"),
    hit("黑彩陶器的原产地是科林斯。北京体育大学毗邻圆明园遗址公园。", title="陶器"),
    hit("梅艷芳唯一的女徒弟是何韻詩。", title="梅艷芳"),
]
WORDS = frozenset(["house", "cycle", "what", "of", "the", "type"])


def known(word: str) -> bool:
    return word in WORDS


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("what limts the effciency of the rankne cycle", "what limits the efficiency of the rankine cycle"),
        ("tabel_tpye", "table_type"),
        ("黑采陶器的原产地", "黑彩陶器的原产地"),
        ("北京体玉大学毗临哪个公圆", "北京体育大学毗邻哪个公园"),
        ("梅燕方唯一的女徒第是誰", "梅艷芳唯一的女徒弟是誰"),
        ("北京体玉大学 rankne", "北京体育大学 rankine"),
    ],
)
def test_slips_are_put_right(question: str, meant: str) -> None:
    assert respelled(question, PASSAGES, PASSAGES, known) == meant


@pytest.mark.parametrize(
    "question",
    [
        "Who is Johnston?",
        "the house",
        "What limits the working fluid?",
        # Said by a passage that is not among the best, and a word of the dictionary.
        "rankne",
        "linux",
        # Too far from any word, and a number.
        "zzzzzzzz 3600",
        # A word of the dictionary, though a passage has another of the same sound.
        "公元前",
        "",
    ],
)
def test_what_may_be_right_is_left_alone(question: str) -> None:
    others = [*PASSAGES, hit("Rankne was a physicist.", title="Rankne")]
    assert respelled(question, PASSAGES, others, known) == question


@given(st.text(alphabet=string.ascii_letters + "体玉公圆毗临的 .,?", max_size=60))
def test_a_repaired_question_needs_no_further_repair(question: str) -> None:
    once = respelled(question, PASSAGES, PASSAGES, known)
    assert respelled(once, PASSAGES, PASSAGES, known) == once
    assert once.count(" ") == question.count(" ")


ELSEWHERE = [
    *PASSAGES,
    hit("Sedimentary rocks hold fossils. McKinsey founded the company in 1926.", title="Rocks"),
    hit("朗孜厦的长官由达赖喇嘛任命，韦伯住在罗瑟汉姆，国王在那里被暗杀。配置文件的加密需要的版本是二。", title="官职"),
    hit("A rehearsal was held in the township. The reversal came later.", title="Stage"),
]
"""The whole index; only `PASSAGES` were found."""
INDEX = index_of(ELSEWHERE)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("fosils in sedimentry rocks", "fossil in sedimentary rocks"),
        ("who foudned mckinsy", "who founded mckinsey"),
        ("国王被谁暗沙", "国王被谁暗杀"),
        ("文件 jiami 需要的 banben", "文件 加密 需要的 版本"),
    ],
)
def test_slips_in_the_words_that_would_find_the_passage_are_put_right_by_the_index(question: str, meant: str) -> None:
    assert respelled(question, PASSAGES, PASSAGES, known) != meant
    assert respelled(question, PASSAGES, PASSAGES, known, INDEX) == meant


@pytest.mark.parametrize(
    "question",
    [
        # Words of the index, and words two slips from one.
        "rehearsal of the township",
        "the dress rehersel",
        # The index says it, and a passage has another of the same sound.
        "韦伯住哪儿",
        # Spells a word, but nothing here is Chinese.
        "jiami",
        # Common characters side by side.
        "要去大小",
        # Another number is another thing, and another name another person.
        "kx-450722 es-3100x python3.10 v2.3.2",
        "李铭是谁",
        # Words of the dictionary, each one slip from a word of the index.
        "callback prediction sync",
        # Spells what is no word, only two that stand side by side.
        "shanghai 的",
        # Longer than a word, and pinyin in more ways than can be counted.
        "xian" * 300 + " 是什么",
        "a" * 1200 + " 是什么",
    ],
)
def test_what_the_index_says_or_may_not_mean_is_left_alone(question: str) -> None:
    texts = [
        *PASSAGES,
        hit("认为伯爵很大方。李明也是。上还有。", title="伯爵"),
        hit("kx-450721 es-3000x python3.11 v2.3.3 fallback production async", title="Codes"),
    ]
    assert respelled(question, texts, texts, known, INDEX) == question


@given(st.text(alphabet=string.ascii_letters + "体玉公圆毗临的朗孜常官 .,?", max_size=60))
def test_with_an_index_too_what_is_repaired_stays(question: str) -> None:
    once = respelled(question, PASSAGES, PASSAGES, known, INDEX)
    assert respelled(once, PASSAGES, PASSAGES, known, INDEX) == once


SLIPS = "北京体玉大学毗临哪个公圆"


def ask(confidences: list[float], attempts: int) -> tuple[list[str], list[str], str]:
    """What was searched for, how each rewrite came about, and the status."""
    retriever = MemoryRetriever(PASSAGES)
    grader, rewrite = ScriptedGrader(confidences), RewriteConfig(attempts=attempts)
    engine = Engine(deps(PASSAGES, retriever=retriever, calibration=grader, rewrite=rewrite))
    answer = asyncio.run(engine.ask(SLIPS))
    assert answer.question == SLIPS
    told = "问题是这样理解的：“北京体育大学毗邻哪个公园”。"
    assert answer.text.endswith(told) == (answer.status != "abstained")
    return retriever.asked, [e.detail["how"] for e in answer.trace if e.node == "rewrite"], answer.status


def test_a_question_of_words_that_nobody_knows_is_not_looked_up_word_by_word() -> None:
    junk = [f"sedimentry{letter}" for letter in string.ascii_lowercase]
    made = respelled(" ".join(junk), PASSAGES, PASSAGES, known, INDEX).split()
    assert made.count("sedimentary") == 8
    assert made[8:] == junk[8:]


def test_a_repaired_question_is_searched_for_and_answered() -> None:
    searched, how, status = ask([0.01, 0.9], attempts=1)
    assert searched == [SLIPS, "北京体育大学毗邻哪个公园"]
    assert (how, status) == ([REPAIRED], "grounded")


def test_a_repair_that_does_not_help_is_not_repeated() -> None:
    searched, how, status = ask([0.15, 0.1], attempts=3)
    assert len(searched) == len(set(searched)) == 2
    assert (how[0], status) == (REPAIRED, "abstained")
