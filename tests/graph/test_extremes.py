"""Which row of a table has the most or the least of something."""

from __future__ import annotations

import pytest

from graph.extremes import extreme_rows
from graph.questions import extreme

HEADER = ("Model", "Weight", "Price", "Range")
ROWS = (
    ("Alpha", "19.5 kg", "€1,899", "80 km"),
    ("Beta", "34 kg", "€950", "95 km"),
    ("Gamma", "7 kg", "€4,590", "95 km"),
)


@pytest.mark.parametrize(
    ("question", "models"),
    [
        ("Which model is the heaviest?", ["Beta"]),
        ("Which model is the lightest?", ["Gamma"]),
        ("Which model is the cheapest?", ["Beta"]),
        ("What is the most expensive model?", ["Gamma"]),
        ("Which model has the lowest weight?", ["Gamma"]),
        ("Which model has the longest range?", ["Beta", "Gamma"]),
        ("哪个型号最重？", ["Beta"]),
        ("Which model is the prettiest?", []),
        ("How heavy is Beta?", []),
        ("Is Beta the heaviest model?", []),
    ],
)
def test_the_row_with_the_extreme(question: str, models: list[str]) -> None:
    assert [ROWS[i][0] for i in extreme_rows(question, HEADER, ROWS)] == models


@pytest.mark.parametrize(
    "rows",
    [
        (("Alpha", "19 kg"),),
        (("Alpha", "19 kg"), ("Beta", "on request")),
        (("Alpha", "19 kg"), ("Beta", "900 g")),
        (("Alpha", "19 kg"), ("Beta", "9 kg, with stand 12 kg")),
        (("Alpha", "19 kg"), ("Beta",)),
    ],
)
def test_what_cannot_be_compared_is_not(rows: tuple[tuple[str, ...], ...]) -> None:
    assert extreme_rows("Which model is the heaviest?", HEADER[:2], rows) == []


@pytest.mark.parametrize(
    ("question", "which"),
    [
        ("Which plan is the most expensive?", 1),
        ("哪个方案最便宜？", -1),
        ("What is the difference between the highest and the lowest plan?", 0),
        ("How expensive is the plan?", 0),
    ],
)
def test_what_asks_for_an_extreme(question: str, which: int) -> None:
    assert extreme(question) == which
