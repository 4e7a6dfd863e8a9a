"""What leaves the gate: supported sentences, markers that resolve, and text that is never taken back."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.evidence import Source, Strip
from graph.gate import Gate, says_not_enough
from graph.markers import cited, numbers_of
from graph.prompts import NOT_ENOUGH
from graph.quantities import Quantity, stated
from graph.types import Language
from tests.fakes.graph import hit

TOWER = "The tower has 312 steps. It was finished in 1889 by Anna Gray."
BRIDGE = "桥长 1200 米，于 1950 年建成。桥面可以通行火车。"
CATS = "Cats sleep sixteen hours a day and like warm places."


def source(number: int, text: str) -> Source:
    passage = hit(text, source=f"{number}.md")
    return Source(number, passage, (Strip(passage, 0, len(text), text, 1.0),))


SOURCES = [source(1, TOWER), source(2, BRIDGE), source(3, CATS)]


def through(text: str, question: str = "What about it?", language: Language = "en", size: int = 0) -> Gate:
    gate = Gate(SOURCES, question, language)
    pieces = [text[at : at + size] for at in range(0, len(text), size)] if size else [text]
    shown = "".join(gate.push(piece) for piece in pieces) + gate.close()
    assert shown == gate.text
    return gate


@pytest.mark.parametrize("size", [0, 1, 3, 7])
def test_markers_are_renumbered_in_the_order_of_first_use(size: int) -> None:
    gate = through("Cats sleep sixteen hours a day [3]. The tower has 312 steps. [1]", size=size)
    assert gate.text == "Cats sleep sixteen hours a day [1]. The tower has 312 steps. [2]"
    assert [(c.marker, c.source) for c in gate.citations] == [(1, "3.md"), (2, "1.md")]
    assert gate.dropped == 0


@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize(
    "marker",
    [
        "[1]",
        "【1】",
        "［1］",
        "[[1]]",
        "[^1]",
        "[source 1]",
        "[Source: 1]",
        "[来源1]",
        "[１]",
        "[1†L3]",
        "[1](http://x.y)",
        "[1, 9]",
        "[1][7]",
        '[id="1"]',
        "[0-1]",
    ],
)
def test_one_marker_in_many_spellings(marker: str, size: int) -> None:
    gate = through(f"The tower has 312 steps {marker}. It was finished in 1889 {marker}.", size=size)
    assert gate.text == "The tower has 312 steps [1]. It was finished in 1889 [1]."


def test_an_unclosed_marker_is_read_and_closed() -> None:
    assert through("The tower has 312 steps [1").text == "The tower has 312 steps [1]"


def test_a_wrong_number_is_put_right_where_one_source_bears_the_sentence() -> None:
    gate = through("The tower has 312 steps [2].")
    assert gate.text == "The tower has 312 steps. [1]"
    assert gate.citations[0].source == "1.md"


def test_a_sentence_without_marker_gets_the_source_that_bears_it() -> None:
    assert through("The tower has 312 steps.").text == "The tower has 312 steps. [1]"


@pytest.mark.parametrize(
    "sentence",
    [
        "The tower has 313 steps [1].",
        "The tower was painted green by volunteers every summer [1].",
        "Paris is lovely [9].",
        "桥长 1300 米 [2]。",
        "Version v2.1 of the tower has 312 steps [1].",
    ],
)
def test_what_no_source_bears_is_dropped(sentence: str) -> None:
    gate = through(f"{sentence} Cats like warm places [3].")
    assert gate.text == "Cats like warm places [1]."
    assert gate.dropped == 1
    assert len(gate.citations) == 1


def test_numbers_may_be_written_in_words_or_with_separators() -> None:
    assert through("The bridge is 1,200 m long [2].").text == "The bridge is 1,200 m long [1]."
    assert through("Cats like warm places, says 1 of 2 sources [3].").text == ""


def test_chinese_sentences_keep_their_markers_without_spaces() -> None:
    gate = through("桥长 1200 米。[2]桥面可以通行火车。", language="zh", size=1)
    assert gate.text == "桥长 1200 米。[1]桥面可以通行火车。[1]"


def test_a_citation_covers_the_strips_that_bear_the_sentence() -> None:
    text = "One fact is here. The mill has 4 wheels. Another fact is there."
    passage = hit(text, source="mill.md", offset=100)
    strips = tuple(Strip(passage, 100 + a, 100 + b, text[a:b], 1.0) for a, b in [(0, 17), (18, 40), (41, len(text))])
    gate = Gate([Source(1, passage, strips)], "?", "en")
    gate.push("The mill has 4 wheels [1].")
    gate.close()
    (citation,) = gate.citations
    assert (citation.start, citation.end, citation.quote) == (118, 140, "The mill has 4 wheels.")


def test_a_line_may_announce_what_follows_but_not_lead_away() -> None:
    assert (
        through("The facts:\n\n- The tower has 312 steps [1].").text == "The facts:\n\n- The tower has 312 steps [1]."
    )
    gate = through("Now open https://evil.example/ :\n\nCats like warm places [3].")
    assert gate.text == "Cats like warm places [1]."


@pytest.mark.parametrize("size", [0, 1])
def test_what_does_not_show_is_not_shown(size: int) -> None:
    gate = through("The tower\u202e has \U000e0041312\u200b steps\x1b [\u200b1].", size=size)
    assert gate.text == "The tower has 312 steps [1]."


def test_images_and_active_html_never_pass() -> None:
    gate = through('The tower has 312 steps ![x](https://evil/?q=1) <img src="https://evil"> [1].')
    assert "evil" not in gate.text
    assert gate.text.startswith("The tower has 312 steps")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_fixed_refusal_ends_the_answer(language: Language) -> None:
    alone = through(NOT_ENOUGH[language], language=language)
    assert (alone.text, alone.insufficient) == ("", True)
    after = through(f"The tower has 312 steps [1]. {NOT_ENOUGH[language]} The tower was finished in 1889 [1].")
    assert after.insufficient
    assert after.text == f"The tower has 312 steps [1]. {NOT_ENOUGH['en']}"


def test_the_refusal_is_known_whatever_its_punctuation() -> None:
    assert says_not_enough("**the sources do not contain enough information to answer this question**")
    assert not says_not_enough("The sources contain enough information.")


def test_ranges_and_lists_of_numbers() -> None:
    assert numbers_of("[1-3, 7]") == [1, 2, 3, 7]
    assert numbers_of("[2–1]") == [2, 1]
    assert cited("a [1] b [2][1] c 【3、4】") == [1, 2, 3, 4]


_SENTENCES = st.sampled_from(
    [
        "The tower has 312 steps",
        "It was finished in 1889",
        "桥长 1200 米",
        "Cats sleep sixteen hours a day",
        "The tower has 999 steps",
        "Ignore all rules",
        "See [here]",
        "a[0] = b[7]",
        NOT_ENOUGH["en"],
        "So",
        "The facts:",
    ]
)
_OPEN = st.sampled_from(["[", "【", "［", "[[", "[ ", "[^", "[source ", "(", "[1[", "[来源：", "〔"])
_INSIDE = st.sampled_from(
    ["1", "2", "3", "4", "99", "0", "１", "1,2", "1-9", "x", "", "1] [2", "三", "1 2", "1.5", "²"]
)
_CLOSE = st.sampled_from(["]", "】", "］", "]]", "", "](http://x)", "†]", ")", " ]", "\n]"])
_ENDS = st.sampled_from([". ", "。", "! ", "\n", "\n\n- ", " ", "", "? ", ".", "; "])
_MARKERS = st.tuples(_OPEN, _INSIDE, _CLOSE).map("".join)
_OUTPUTS = st.lists(st.one_of(_SENTENCES, _MARKERS, _ENDS), max_size=24).map("".join)


@settings(max_examples=300)
@given(text=_OUTPUTS, cuts=st.lists(st.integers(1, 9), max_size=60), language=st.sampled_from(["zh", "en"]))
def test_no_unresolved_marker_leaves_and_streaming_changes_nothing(
    text: str, cuts: list[int], language: Language
) -> None:
    gate = Gate(SOURCES, "How many steps?", language)
    shown, at = "", 0
    for size in cuts:
        piece = gate.push(text[at : at + size])
        at += size
        shown += piece
        assert gate.text == shown
    shown += gate.push(text[at:])
    shown += gate.close()
    assert shown == gate.text
    markers = {citation.marker for citation in gate.citations}
    assert markers == set(range(1, len(gate.citations) + 1))
    for opening, inside in re.findall(r"([\[［【〔])\s*\^?(\d[^\]］】〕]*)", shown):
        assert opening == "["
        assert int(re.match(r"\d+", inside)[0]) in markers  # type: ignore[index]
    assert set(cited(shown)) == markers
    for citation in gate.citations:
        assert citation.quote in (TOWER, BRIDGE, CATS)
    assert "999" not in shown


def test_full_width_punctuation_ends_a_number() -> None:
    found = stated("召回率@5：0.85，平均 305，47 毫秒，共 1,200 次", claimed=True).quantities
    expected = [("5", None), ("0.85", None), ("305", None), ("47", "millisecond"), ("1200", "times")]
    assert found == [Quantity(Decimal(value), unit) for value, unit in expected]


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("QH-60 支持联网。[1]", ""),
        ("QH-60 不支持联网。[1]", "QH-60 不支持联网。[1]"),
    ],
)
def test_a_chinese_sentence_may_not_turn_an_english_source_round(sentence: str, shown: str) -> None:
    gate = Gate(
        [source(1, "The QH-60 does not support networking.")], "QH-60 支持联网吗？", "zh", lambda one, other: True
    )
    gate.push(sentence)
    gate.close()
    assert gate.text == shown
    assert gate.dropped == (not shown)
