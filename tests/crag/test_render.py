"""Lines on a terminal: where they break, and how an answer's verdict and troubles are told."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from crag.api.progress import progress_line
from crag.cli.options import counted
from crag.cli.render import print_answer, print_hits, print_ingest, print_trace, wrapped
from graph.types import Language, NodeEvent


def test_chinese_fills_its_lines() -> None:
    text = "重排的时限设为 10 秒，超过就放弃。[1]重排失败：按融合后的名次返回。"
    assert wrapped(text, 20) == "重排的时限设为 10\n秒，超过就放弃。[1]\n重排失败：按融合后的\n名次返回。"


def test_english_words_stay_whole() -> None:
    assert wrapped("The nightly run starts at 02:30.", 14) == "The nightly\nrun starts at\n02:30."


@given(st.text(alphabet="ab cd 中文，。（1）\n", max_size=200), st.integers(6, 60))
def test_nothing_is_lost_and_lines_fit(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert "".join(lines.split()) == "".join(text.split())
    for line in lines.splitlines():
        # A single word, or one character with all its closing marks, may be wider than the line.
        assert cell_len(line) <= width or len(line.split()) == 1


def printed(**changes: Any) -> list[str]:
    """The lines below the sources of an answer."""
    answer = {
        "text": "It starts at 02:30 [1].", "status": "grounded", "route": "correct", "confidence": 0.91,
        "citations": [],
        "degraded": [], "timings": {"total": 812.4}, "pipeline": {"name": "crag", "version": "abc"},
        "models": {"grading": "on"}, "trace": [],
        **changes,
    }  # fmt: skip
    to = Console(file=StringIO(), width=200, highlight=False, color_system="standard", force_terminal=True)
    print_answer(to, answer)
    return to.file.getvalue().split("● ", 1)[-1].splitlines()  # type: ignore[attr-defined,no-any-return]


def searched(*nodes: str) -> list[dict[str, Any]]:
    return [{"node": node, "milliseconds": 1, "detail": {"query": "other words"}} for node in nodes]


def plain(line: str) -> str:
    return "".join(part.split("m", 1)[-1] if n else part for n, part in enumerate(line.split("\x1b[")))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "answered from the sources, evidence 91%: the passages found very likely hold the answer"),
        ({"confidence": 0.5}, "answered from the sources, evidence 50%: the passages found probably hold the answer"),
        (
            {"route": "ambiguous", "confidence": 0.2},
            "uncertain answer, evidence 20%: the passages found may not hold the answer, check the sources",
        ),
        (
            {"status": "partial", "route": "ambiguous", "confidence": 0.9},
            "answered in part, evidence 90%: not all that was asked is answered, check the sources",
        ),
        ({"status": "abstained", "route": "ambiguous"}, "not answered: the evidence is uncertain"),
        (
            {"status": "abstained", "route": "incorrect", "confidence": 0.0, "trace": searched("rewrite")},
            "not answered: the documents do not seem to hold it; other wordings brought nothing better",
        ),
        (
            {
                "status": "abstained",
                "route": "incorrect",
                "confidence": 0.0,
                "trace": [
                    {"node": "rewrite", "milliseconds": 1, "detail": {"how": "no other words to search with"}},
                    {"node": "search_web", "milliseconds": 1, "detail": {"pages_found": 0}},
                ],
            },
            "not answered: the documents do not seem to hold it",
        ),
        (
            {"status": "abstained", "confidence": 0.95},
            "not answered: the passages look right, but no sentence of them bears an answer",
        ),
        (
            {"route": "incorrect", "confidence": 0.8, "timings": {"search_web": 1.0}},
            "evidence 80%: the documents do not seem to hold it; the answer is from the web",
        ),
    ],
)
def test_the_verdict_says_each_thing_once(changes: dict[str, Any], told: str) -> None:
    assert plain(printed(**changes)[0]).endswith(told)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "依据来源作答，证据置信度 91%：检索到的段落很可能含有答案"),
        (
            {
                "status": "abstained",
                "route": "incorrect",
                "confidence": 0.0,
                "trace": searched("rewrite", "search_web"),
            },
            "未能作答：文档中似乎没有答案；换过问法、搜索过网络，也没有更好的结果",
        ),
        (
            {"route": "ambiguous", "confidence": 0.3},
            "不确定的回答，证据置信度 30%：检索到的段落不一定含有答案，请核对来源",
        ),
        ({"models": {"grading": "off"}}, "依据来源作答，证据未评分：此流水线直接依据检索结果作答，请核对来源"),
    ],
)
def test_the_verdict_is_in_the_language_of_the_answer(changes: dict[str, Any], told: str) -> None:
    assert plain(printed(text="每日备份保留十四天 [1]。", **changes)[0]) == told


def test_an_answer_without_a_model_says_what_it_is_made_of() -> None:
    """A row of a table is told as column and value, with cells left out: that is no quotation word for word."""
    citation = {"marker": 1, "title": "T", "source": "t.md", "page": None, "url": None, "quote": "| a | b |"}
    models = {"grading": "on", "generation": "extractive"}
    for text, told in (
        ("It is 4 [1].", "cells of their tables, as column: value."),
        ("共4天[1]。", "写成“列名：值”。"),
    ):
        assert plain(printed(text=text, models=models, citations=[citation])[-1]).endswith(told)


def test_a_pipeline_that_does_not_grade_says_so_and_shows_no_confidence() -> None:
    line = plain(printed(models={"grading": "off"}, confidence=0.0)[0])
    assert line.startswith("answered from the sources, evidence not graded")
    assert "%" not in line


@pytest.mark.parametrize(
    ("changes", "green"),
    [
        ({}, True),
        ({"confidence": 0.49}, False),
        ({"models": {"grading": "off"}}, False),
        ({"route": "ambiguous"}, False),
    ],
)
def test_the_dot_is_green_for_confident_answers_only(changes: dict[str, Any], *, green: bool) -> None:
    to = Console(file=StringIO(), width=200, color_system="standard", force_terminal=True)
    shape = {
        "text": "x", "status": "grounded", "route": "correct", "confidence": 0.9, "citations": [], "degraded": [],
        "timings": {}, "pipeline": {}, "models": {}, **changes,
    }  # fmt: skip
    print_answer(to, shape)
    assert ("\x1b[32m● " in to.file.getvalue()) is green  # type: ignore[attr-defined]


def test_troubles_and_times_are_told_in_sentences() -> None:
    trouble = {"stage": "rerank", "reason": "rerank took longer than 3 s.", "action": "The fused order is kept."}
    lines = [plain(line).strip() for line in printed(degraded=[trouble])]
    assert lines[1] == "! rerank: rerank took longer than 3 s. The fused order is kept."
    assert lines[2] == "crag abc · 812 ms"
    to = Console(file=StringIO(), width=200)
    events = [("grade", 0.24), ("refine", 9.96), ("retrieve", 12.3)]
    detail = {"query": "How often?", "passages_found": 30, "reranker": None}
    trace = [{"node": node, "milliseconds": took, "detail": detail} for node, took in events]
    hit = {
        "rank": 1, "title": "Pump", "source": "a.md", "page": None, "heading_path": [], "text": "Every month.",
        "score": 0.5, "also_in": [],
    }  # fmt: skip
    print_trace(to, {"question": "How often?", "trace": trace, "hits": [hit] * 5, "models": {}})
    lines = [line.rstrip() for line in to.file.getvalue().splitlines()]  # type: ignore[attr-defined]
    assert lines[1:5] == [
        "  Path",
        "  grade     0.2 ms  passages found: 30",
        "  refine     10 ms  passages found: 30",
        "  retrieve   12 ms  passages found: 30",
    ]
    assert lines[6:9] == ["  Evidence", " 1. Pump  a.md", "    Every month."]
    assert lines[-1] == "  and 2 passages more: --json has all"


@pytest.mark.parametrize(("language", "told"), [("en", "→ evidence 95%\n"), ("zh", "→ 证据置信度 95%\n")])
def test_what_is_streamed_before_an_answer_or_a_refusal_promises_none(language: Language, told: str) -> None:
    event = NodeEvent("grade", 1.0, {"confidence": 0.954, "route": "correct"})
    assert progress_line(event, language) == told
    to = Console(file=StringIO(), width=200)
    print_trace(to, {"question": "?", "trace": [event.to_dict()], "hits": [], "models": {}})
    assert " confidence in the evidence: 0.954 · route: correct" in to.file.getvalue()  # type: ignore[attr-defined]
    print_trace(to, {"question": "?", "trace": [event.to_dict()], "hits": [], "models": {"grading": "off"}})
    ungraded = to.file.getvalue().splitlines()[-1]  # type: ignore[attr-defined]
    assert ungraded.split("ms  ")[1].strip().endswith("its grade is not used")


def test_the_other_places_of_a_passage_are_named() -> None:
    to = Console(file=StringIO(), width=200)
    hit = {
        "rank": 1, "title": "Pump", "source": "a.md", "page": None, "heading_path": [], "text": "Every month.",
        "score": 0.5, "scores": {"rrf": 0.5}, "ranks": {"rrf": 1},
        "also_in": [{"source": "b.pdf", "page": 3}, {"source": "c.md", "page": None}],
    }  # fmt: skip
    print_hits(to, {"question": "How often?", "hits": [hit]})
    assert "also in b.pdf, page 3; c.md  \n" in to.file.getvalue()  # type: ignore[attr-defined]


def test_an_ingest_names_what_it_skipped_what_is_gone_and_what_was_noted() -> None:
    to = Console(file=StringIO(), width=200)
    skipped = [
        {"path": "/docs/a.txt", "reason": "docs/a.txt is empty: there is nothing to read in it."},
        {"path": "/docs/b.txt", "reason": "Permission denied"},
    ]
    print_ingest(
        to,
        {
            "added": 1,
            "updated": 0,
            "unchanged": 0,
            "removed": 0,
            "renamed": 0,
            "chunks": 1,
            "seconds": 0.2,
            "skipped": skipped,
            "gone": ["docs/x.md"],
            "notes": [{"path": "docs/c.txt", "notes": ["read as GB18030", "a list of links was left out"]}],
        },
    )
    assert to.file.getvalue().splitlines() == [  # type: ignore[attr-defined]
        "1 added; 1 chunk, 0.2 s",
        "1 file is gone (docs/x.md): --prune removes it",
        "  skipped: docs/a.txt is empty: there is nothing to read in it.",
        "  skipped: /docs/b.txt: Permission denied",
        "  note: docs/c.txt: read as GB18030; a list of links was left out",
    ]
    assert [counted(n, "question") for n in (0, 1, 2)] == ["0 questions", "1 question", "2 questions"]


@pytest.mark.parametrize(
    ("source", "text", "nearest"),
    [
        ("a.md", "## 2. Status of the pump\n\nThe pump runs again since May.", "The pump runs again since May."),
        ("a.txt", "2. Status of the pump\n\nThe pump runs again since May.", "The pump runs again since May."),
        ("a.md", "| pump | status |\n|---|---|\n| P-7 | stands still |", "| P-7 | stands still |"),
        ("a.md", "## 2. Status of the pump", "## 2. Status of the pump"),
    ],
)
def test_a_passage_is_cut_as_an_answer_is(source: str, text: str, nearest: str) -> None:
    """A numbered heading is no sentence that ends at its dot, a table's header no row of it."""
    to = Console(file=StringIO(), width=200)
    hit = {
        "rank": 1, "title": "Pump", "source": source, "page": None, "heading_path": [], "text": text, "score": 0.5,
        "also_in": [],
    }  # fmt: skip
    print_hits(to, {"question": "What is the status of pump P-7?", "hits": [hit]})
    assert to.file.getvalue().splitlines()[1].strip() == nearest  # type: ignore[attr-defined]


def test_a_hit_begins_with_the_sentence_that_is_nearest_to_the_question() -> None:
    to = Console(file=StringIO(), width=200)
    text = (
        "# Pump service, how often\n\n"
        + "The hall has four gates and a long history. " * 6
        + "The pump is serviced every six months."
    )
    hit = {
        "rank": 1, "title": "Pump", "source": "a.md", "page": None, "heading_path": [], "text": text,
        "score": 0.8127, "scores": {"dense": 0.7, "bm25": 9.1, "rerank": 0.8127},
        "ranks": {"dense": 2, "bm25": 1, "rerank": 1}, "also_in": [],
    }  # fmt: skip
    print_hits(to, {"question": "How often is the pump serviced?", "hits": [hit]})
    lines = [line.strip() for line in to.file.getvalue().splitlines()]  # type: ignore[attr-defined]
    assert lines[1] == "The pump is serviced every six months."
    assert lines[2].endswith("…")
    assert lines[3] == "score 0.813"
