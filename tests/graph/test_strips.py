"""Refinement: whole sentences at exact offsets, in document order, within the budget."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.cuts import ANTECEDENTS, cut, refers_back
from graph.evidence import number_sources
from graph.strips import relevances, select
from retrieval.lexical.tokenizer import tokenize
from tests.fakes.graph import HashEmbedder, hit

COUNT = HashEmbedder().count_tokens
_SENTENCES = st.lists(
    st.sampled_from(
        [
            "The tower has 312 steps.",
            "It was finished in 1889.",
            "桥长 1200 米。",
            "该桥可以通行火车！",
            "Cats sleep a lot.",
            "See Fig. 3 for details.",
            "阈值是 0.7。",
            "Is it so?",
            "| a | 1 |",
            "- an item",
            "## A heading",
            "## 4. A heading",
            "**A heading**",
        ]
    ),
    min_size=1,
    max_size=12,
)


@given(
    passages=st.lists(st.tuples(_SENTENCES, st.integers(0, 500), st.sampled_from([" ", "\n", "\n\n"])), max_size=4),
    threshold=st.floats(0, 1),
    budget=st.integers(1, 60),
    with_vectors=st.booleans(),
)
def test_strips_are_spans_of_the_document_in_order_within_the_budget(
    passages: list[tuple[list[str], int, str]], threshold: float, budget: int, with_vectors: bool
) -> None:
    hits = [
        hit(gap.join(sentences), source=f"{n}.md", offset=offset) for n, (sentences, offset, gap) in enumerate(passages)
    ]
    cuts = [made for one in hits if (made := cut(one, 0.5)).spans]
    total = sum(len(made.spans) for made in cuts)
    similarities = np.linspace(0.7, 0.9, total) if with_vectors and total else None
    relevance = relevances("How many steps does the tower have?", cuts, similarities)
    flat = [value for values in relevance for value in values]
    assert all(0 <= value <= 1 + 1e-9 for value in flat)
    assert not flat or abs(max(flat) - 1) < 1e-9
    strips = select(cuts, [relevance], threshold=threshold, budget=budget, count_tokens=COUNT)
    assert bool(strips) == bool(cuts)
    sources = number_sources(strips, hits)
    assert [source.number for source in sources] == list(range(1, len(sources) + 1))
    assert sum(len(source.strips) for source in sources) == len(strips)
    for source in sources:
        chunk = source.hit.chunk
        starts = [strip.start for strip in source.strips]
        assert starts == sorted(set(starts))
        for strip in source.strips:
            assert chunk.text[strip.start - chunk.start : strip.end - chunk.start] == strip.text
            assert strip.text == strip.text.strip()
        citation = source.cite(1)
        assert chunk.text[citation.start - chunk.start : citation.end - chunk.start] == citation.quote
    spent = sum(COUNT([strip.text for strip in strips]))
    best = max(range(total), key=lambda i: flat[i]) if total else None
    if best is not None and len(strips) > 1 + ANTECEDENTS:
        assert spent <= budget


def test_the_same_sentence_of_overlapping_passages_is_kept_once() -> None:
    text = "The tower has 312 steps. It was finished in 1889."
    first, second = hit(text, source="a.md"), hit(text[25:], source="a.md", offset=25)
    cuts = [cut(first, 0.9), cut(second, 0.5)]
    strips = select(cuts, [relevances("tower finished", cuts, None)], threshold=0, budget=500, count_tokens=COUNT)
    assert [(strip.start, strip.end) for strip in strips] == [(0, 24), (25, 49)]


def test_a_sentence_that_refers_back_brings_the_one_before() -> None:
    cuts = [cut(hit("Anna Gray built the tower. Rain fell. It opened on Sunday. Cats sleep."), 0.9)]
    similarities = np.array([0.1, 0.1, 0.9, 0.1])
    strips = select(
        cuts, [relevances("When did it open?", cuts, similarities)], threshold=0.9, budget=500, count_tokens=COUNT
    )
    assert [strip.text for strip in strips] == ["Rain fell.", "It opened on Sunday."]


def test_a_table_row_brings_its_header() -> None:
    table = "| name | default |\n| --- | --- |\n| port | 465 |\n| host | none |"
    cuts = [cut(hit(table), 0.9)]
    texts = [cuts[0].text(i) for i in range(len(cuts[0].spans))]
    row = texts.index("| port | 465 |")
    similarities = np.array([0.9 if i == row else 0.1 for i in range(len(texts))])
    strips = select(cuts, [relevances("port", cuts, similarities)], threshold=0.9, budget=500, count_tokens=COUNT)
    assert [strip.text for strip in strips] == ["| name | default |", "| port | 465 |"]


def test_each_part_of_a_question_keeps_its_own_best_strip() -> None:
    cuts = [cut(hit("The tower has 312 steps. Cats sleep a lot. Anna Gray designed the bridge."), 0.9)]
    asked = ("How many steps does the tower have?", "who designed the bridge?")
    strips = select(
        cuts, [relevances(part, cuts, None) for part in asked], threshold=0.9, budget=500, count_tokens=COUNT
    )
    assert [strip.text for strip in strips] == ["The tower has 312 steps.", "Anna Gray designed the bridge."]
    assert [[value == 1 for value in strip.by_part] for strip in strips] == [[True, False], [False, True]]


def test_a_list_is_followed_where_several_are_asked_for() -> None:
    cuts = [cut(hit("Cats sleep. The steps are these: - open it - close it.\n- lock it\n- leave\n- stay"), 0.9)]
    texts = [cuts[0].text(i) for i in range(len(cuts[0].spans))]
    similarities = np.array([0.9 if "steps" in text else 0.1 for text in texts])
    relevance = [relevances("What are the steps?", cuts, similarities)]
    kept = select(cuts, relevance, threshold=0.9, budget=500, count_tokens=COUNT, follow=True)
    assert [strip.text for strip in kept] == texts[1:4]
    assert len(select(cuts, relevance, threshold=0.9, budget=500, count_tokens=COUNT)) == 1


def test_a_heading_names_what_stands_under_it_and_is_no_evidence_itself() -> None:
    cuts = [cut(hit("## top_k\n\nTen by default.\n\n## depth\n\nFive by default."), 0.9)]
    assert [cuts[0].text(i) for i in range(2)] == ["Ten by default.", "Five by default."]
    first, second = relevances("What is the default of top_k?", cuts, None)[0]
    assert first == 1 > second


@pytest.mark.parametrize(
    ("text", "said", "headings"),
    [
        ("## 4. Communication\n\nIt speaks Modbus.", ["It speaks Modbus."], ["4. Communication"]),
        ("### 2.1. Is it safe? Yes. Why\nIt is sealed.", ["It is sealed."], ["2.1. Is it safe? Yes. Why"]),
        ("## 3. 供货\n交货期为四周。运费另计。", ["交货期为四周。", "运费另计。"], ["3. 供货"] * 2),
        ("**Warranty and service**\n\nTwo years.", ["Two years."], ["**Warranty and service**"]),
        (
            "**Never open the case.**\n\n**Steps:**\n\n**42**",
            ["**Never open the case.**", "**Steps:**", "**42**"],
            [""] * 3,
        ),
        ("```\n# sets the port\nport = 4\n```", ["# sets the port\nport = 4"], [""]),
    ],
)
def test_a_heading_is_the_whole_of_its_line(text: str, said: list[str], headings: list[str]) -> None:
    made = cut(hit(text), 0.9)
    assert [made.text(i) for i in range(len(made.spans))] == said
    assert list(made.headings) == headings


def test_the_row_of_the_measure_that_a_question_asks_is_the_most_relevant() -> None:
    sheet = hit("| Property | Value |\n|---|---|\n| Colour | grey |\n| Weight | 310 g |")
    header, colour, weight = relevances("How much does the KR-2 weigh?", [cut(sheet, 0.9)], None)[0]
    assert weight == 1 > colour > header


def test_a_table_header_is_no_evidence_and_a_row_is_known_by_its_first_cell() -> None:
    cuts = [cut(hit("| option | default |\n| --- | --- |\n| `host` | localhost |\n| `port` | 6334 |"), 0.9)]
    header, host, port = relevances("What is the default of the port option?", cuts, None)[0]
    assert (header, port) == (0, 1)
    assert host < 1


def test_reference_words_open_a_sentence_or_do_not_count() -> None:
    for text in (
        "It is so.",
        "该方案更好。",
        "- This one.",
        "上述结论成立。",
        "They left.",
        "因此需要调整。",
        "Then it goes back.",
        "一经发现，给予警告。",
    ):
        assert refers_back(text)
    for text in (
        "Item one.",
        "The tower is old.",
        "阈值是 0.7。",
        "Theory matters.",
        "我们认为这样更好。",
        '"It is the pump," he said.',
    ):
        assert not refers_back(text)


def test_the_gap_between_strips_is_shown() -> None:
    text = "One is first. Two is second. Three is third."
    passage = hit(text)
    made = cut(passage, 1.0)
    strips = select([made], [[[1.0, 0.0, 1.0]]], threshold=0.5, budget=500, count_tokens=COUNT)
    assert number_sources(strips, [passage])[0].text == "One is first. ... Three is third."
    assert len(tokenize(text)) > 0
