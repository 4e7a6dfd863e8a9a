"""Names: what a sentence is about where the question names one of several things of a kind."""

from __future__ import annotations

import pytest

from graph.cuts import cut
from graph.naming import naming, sides
from graph.strips import relevances
from tests.fakes.graph import hit


def about(question: str, *sentences: tuple[str, ...]) -> list[tuple[float, float]]:
    """Each sentence is followed by what stands above it."""
    return naming(question, [text for text, *_ in sentences], [above for _, *above in sentences])


def test_a_name_is_met_in_the_sentence_or_in_what_stands_above_it() -> None:
    found = about(
        "How heavy is the HX-200?",
        ("The HX-200 weighs 142 kg.",),
        ("Two HX-200s stand here.",),
        ("It weighs 142 kg.", "Data", "Manual of the HX-200"),
        ("It weighs 142 kg.", "Data", "Manual"),
        ("An HX-2000 is far heavier.",),
    )
    assert found == [(1, 0), (1, 0), (1, 0), (0, 0), (0, 1)]


def test_another_of_the_kind_counts_against_a_sentence_unless_it_is_asked_for_too() -> None:
    other = ("The HX-300 weighs 198 kg.", "Manual of the HX-200")
    own = ("It weighs 142 kg.", "Manual of the HX-200")
    assert about("How heavy is the HX200?", other, own) == [(0, 1), (1, 0)]
    assert about("Compare the HX-200 and the HX-300.", other, own) == [(1, 0), (0.5, 0)]
    assert about("How heavy is the HX-400?", other, own) == [(0, 0), (0, 0)]


@pytest.mark.parametrize(
    ("question", "sentence", "share"),
    [
        ("KuStore 2.x 保留多少天？", "KuStore 2.x 保留 90 天。", (1, 0)),
        ("KuStore 2.x 保留多少天？", "KuStore 2.3 保留 90 天。", (1, 0)),
        ("KuStore 2.x 保留多少天？", "KuStore 3.0 保留 180 天。", (0, 1)),
        ("2.x版本保留多少天？", "3.0版本保留 180 天。", (0, 1)),
        ("When was firmware 2.4 released?", "Firmware 2.3 was released in May.", (0, 1)),
        ("When was firmware 2.4 released?", "Firmware 2.4.1 was released in May.", (1, 0)),
        ("When was firmware 2.4 released?", "The fan draws 2.3 A.", (0, 0)),
    ],
)
def test_versions_are_of_one_kind_where_they_follow_the_same_word(
    question: str, sentence: str, share: tuple[float, float]
) -> None:
    known = "KuStore 2.x版本" if "2.x" in question else "Firmware 2.4"
    assert about(question, (sentence,), (known,))[0] == share


def test_the_fact_of_the_named_product_is_before_its_introduction_and_the_other_products_fact() -> None:
    manuals = [
        f"The HX-{number} is a heat pump for houses.\n\n## Maintenance\n\nThe filter is cleaned every {months} months."
        for number, months in (("200", "three"), ("300", "six"))
    ]
    for number in (0, 1):
        product = f"HX-{number + 2}00"
        cuts = [
            cut(hit(text, source=f"{i}.md", title=f"HX-{i + 2}00 manual"), 0.9 if i != number else 0.8)
            for i, text in enumerate(manuals)
        ]
        scores = relevances(f"How often is the filter of the {product} cleaned?", cuts, None)
        assert scores[number][1] == 1 == max(map(max, scores)) > max(scores[1 - number])


def test_nothing_is_named_by_a_question_without_names() -> None:
    assert about("How heavy is it?", ("The HX-200 weighs 142 kg.",), ("It is heavy.",)) == [(0, 0), (0, 0)]
    assert about("How heavy is the HX-200?") == []


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Compare the warranty of the HX-200 and the HX-300.", ["HX-200.", "HX-300."]),
        ("HX-200 vs HX-300 refrigerant", ["HX-200 refrigerant", "HX-300 refrigerant"]),
        ("KuStore 2.x 和 3.0 有什么区别？", ["KuStore 2.x 有什么区别？", "KuStore 3.0 有什么区别？"]),
        ("How do the HX-200 and the BM25 differ?", []),
        ("What happened in 2010 and 2011?", []),
        ("Is 3.5 or 4.5 right?", []),
        ("Does the HX-200 and HX-200 differ?", []),
    ],
)
def test_a_question_about_two_things_of_a_kind_is_asked_of_each(question: str, asked: list[str]) -> None:
    found = sides(question)
    assert len(found) == len(asked)
    assert all(one.endswith(end) for one, end in zip(found, asked, strict=True))


def test_a_version_that_is_asked_for_without_its_word_speaks_against_no_sentence() -> None:
    sentences = (("KuStore 2.x keeps 90 days.",), ("KuStore 3.0 keeps 180 days.",))
    assert about("How does KuStore 2.x differ from 3.0?", *sentences) == [(1, 0), (0, 0)]
