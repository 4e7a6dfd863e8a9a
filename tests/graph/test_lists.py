"""Which sentences are the items of one list."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.sentences import split_sentences
from graph.lists import MOST_TOLD, items_around, list_around


def items_of(text: str, index: int) -> list[list[str]]:
    spans = split_sentences(text)
    gaps = ["", *(text[before[1] : after[0]] for before, after in pairwise(spans))]
    sentences = [text[start:end] for start, end in spans]
    return [[sentences[i] for i in item] for item in list_around(index, sentences, gaps)]


@pytest.mark.parametrize(
    ("text", "index", "items"),
    [
        ("步骤如下：\n1. 断电；\n2. 擦拭。", 0, [["步骤如下："], ["1. 断电；"], ["2. 擦拭。"]]),
        ("步骤如下：\n1. 断电；\n2. 擦拭。", 2, [["步骤如下："], ["1. 断电；"], ["2. 擦拭。"]]),
        ("- one\n- two\n\nThree.", 1, [["- one"], ["- two"]]),
        ("- one\n- two\n\nThree.", 2, []),
        ("1. Add it. Stir.\n2. Wait.", 0, [["1. Add it.", "Stir."], ["2. Wait."]]),
        ("3. Heading\n\n1. Add it.\n2. Wait.", 1, [["1. Add it."], ["2. Wait."]]),
        ("No list. At all.", 0, []),
        ("It costs 3.14 euros.\n3.15 is more.", 0, []),
    ],
)
def test_items(text: str, index: int, items: list[list[str]]) -> None:
    assert items_of(text, index) == items


def test_a_long_list_ends() -> None:
    text = "\n".join(f"{n}. Step number {n}." for n in range(1, 50))
    assert len(items_of(text, 0)) == MOST_TOLD
    assert len(items_of(f"Take these steps:\n{text}", 0)) == MOST_TOLD + 1
    assert items_around(f"Take these steps:\n{text}\n\nThat is all.", 3) == 49
    assert items_around(f"Take these steps:\n{text}", 300) == 49
    assert items_around("No list. At all.", 3) == items_around("", 0) == 0


@given(st.lists(st.sampled_from(["1. a", "2. b", "- c", "d.", "e:", "3) f"]), max_size=8), st.integers(0, 7))
def test_items_are_in_order_and_hold_the_sentence(sentences: list[str], index: int) -> None:
    found = [i for item in list_around(index, sentences, ["\n"] * len(sentences)) for i in item]
    assert found == sorted(set(found))
    assert not found or index in found
