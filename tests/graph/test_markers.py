"""Text made of what could begin a marker, an image or a delimiter: read in time that grows as the text does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from graph.engine import Engine
from graph.gate import Gate
from graph.markers import cited, ends_behind_markers, opens_with_marker, replace_markers, without_markers
from graph.neutral import neutral_line
from graph.types import Answer
from tests.fakes.graph import deps, hit

HOSTILE = (
    "[source ",
    "[ref ",
    "[doc ",
    "[sources ",
    "[",
    "［",
    "［来源 ",
    "【来源：",
    "![",
    "![1",
    "![a][",
    "[1](",
    "[1",
    "[1,",
    "[ ",
    "[[1]",
    "[1 and source ",
    ". [1",
    '[source ![【来源 [ref "',
    "<source ",
    "< ",
    "[1" + " " * 50,
)
LENGTH = 16_000
"""Characters of the longer text; the shorter one is a fourth."""


def _through_the_gate(text: str) -> str:
    gate = Gate([], "What?", "en")
    return "".join(gate.push(text[at : at + 7]) for at in range(0, len(text), 7)) + gate.close()


READERS: dict[str, Callable[[str], object]] = {
    "replace": lambda text: replace_markers(text, lambda numbers: "[1]"),
    "without": without_markers,
    "cited": cited,
    "opens": opens_with_marker,
    "ends": lambda text: ends_behind_markers(f"It is.{text}"),
    "neutral": neutral_line,
    "gate": _through_the_gate,
}


def _seconds(read: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    read(text)
    return time.process_time() - started


@pytest.mark.parametrize("reader", READERS)
def test_hostile_text_takes_time_by_its_length(reader: str) -> None:
    read = READERS[reader]
    for pattern in HOSTILE:
        for end in ("", " " * 500):
            long = (pattern * LENGTH)[:LENGTH] + end
            short = long[: LENGTH // 4] + end
            # Linear is 4 times, squared 16; what is over at once is not measured.
            assert min(_seconds(read, long) for _ in range(2)) < 8 * _seconds(read, short) + 0.1, pattern


@pytest.mark.parametrize("pattern", HOSTILE)
def test_a_whole_answer_over_hostile_text_comes(pattern: str) -> None:
    flood = (pattern * 4000)[:4000]
    passages = [
        hit(f"The tower has 312 steps {flood} and was built by Ann Reed. It is blue.", source="a.md"),
        hit("The tower has 312 steps.", source="b.md"),
    ]

    async def ask(question: str) -> Answer:
        engine = Engine(deps(passages))
        try:
            return await engine.ask(question)
        finally:
            await engine.aclose()

    assert asyncio.run(ask("How many steps does the tower have?")).text
    assert asyncio.run(ask(f"How many steps does the tower have? And who is the treasurer {flood[:1000]}?")).text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("It is 4 [source [1]].", "It is 4."),
        ("It is 4 [[[[[[[[[[[[1]]]]]]]]]]]].", "It is 4."),
        ("It is 4 [source [source [ref 2.", "It is 4."),
        ("See [source [the list] here.", "See [source [the list] here."),
        ("It is 4 [1](http://e.example/" + "a" * 5000 + ").", "It is 4."),
        ("It is 4![x ![y](http://e.example/) of it.", "It is 4 of it."),
        ("It is 4![1 ![x][y] of it.", "It is 4!! [x][y] of it."),
        ("It is 4 [1\n", "It is 4"),
    ],
)
def test_what_is_nested_or_long_is_taken_as_before(text: str, left: str) -> None:
    assert without_markers(text) == left
