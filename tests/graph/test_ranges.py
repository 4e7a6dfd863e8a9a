"""Rows of a table of ranges: the one whose range holds what the question names, and what a cell tells."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.ranges import in_range, range_of

LEAVE = "| 司龄 | 年休假天数 |"
LEAVE_ROWS = ["| 不满1年 | 5天 |", "| 满1年不满5年 | 10天 |", "| 满5年不满10年 | 12天 |", "| 满10年 | 15天 |"]
PRICE = "| Quantity | Unit price |"
PRICE_ROWS = ["| 1-1000 units | 5.00 |", "| 1001-5000 units | 4.20 |", "| more than 5000 units | 3.90 |"]
FEE = "| Weight (kg) | Fee |"
FEE_ROWS = ["| up to 5 | 4 EUR |", "| over 5 to 20 | 9 EUR |", "| over 20 | 15 EUR |"]
SERVICE = "| Years of service | Sick pay |"
SERVICE_ROWS = ["| 0–1 | 2 weeks |", "| 2–9 | 12 weeks |", "| 10 and more | 26 weeks |"]
CHAIR = "| Term | Chair |"
CHAIR_ROWS = ["| 2012–2015 | Ada Byron |", "| 2016–2019 | Max Born |", "| since 2020 | Mary Ward |"]


@pytest.mark.parametrize(
    ("question", "header", "rows", "held"),
    [
        ("司龄六年的员工有几天年休假？", LEAVE, LEAVE_ROWS, [2]),
        ("工作满十二年的员工年假几天？", LEAVE, LEAVE_ROWS, [3]),
        ("工作满三年有几天？", LEAVE, LEAVE_ROWS, [1]),
        ("入职半年有几天？", LEAVE, LEAVE_ROWS, [0]),
        ("我工作了18个月，年假几天？", LEAVE, LEAVE_ROWS, [1]),
        ("十年以上的呢？", LEAVE, LEAVE_ROWS, [3]),
        ("What is the unit price for 2000 pieces?", PRICE, PRICE_ROWS, [1]),
        ("And for 6,000 units in 2025?", PRICE, PRICE_ROWS, [2]),
        ("How much is a parcel of 5 kg?", FEE, FEE_ROWS, [0]),
        ("How much is a parcel of 7500 g?", FEE, FEE_ROWS, [1]),
        ("What do I pay for more than 10 kg?", FEE, FEE_ROWS, [1, 2]),
        ("How many weeks of sick pay do I get with 12 years of service?", SERVICE, SERVICE_ROWS, [2]),
        ("What sick pay do I get after three years?", SERVICE, SERVICE_ROWS, [1]),
        ("我工龄八年，年假几天？", "| 工作年限 | 天数 |", ["| 1-5 | 5 |", "| 6-10 | 8 |"], [1]),
        ("Who was the chair in 2017?", CHAIR, CHAIR_ROWS, [1]),
    ],
)
def test_row_that_holds_the_value(question: str, header: str, rows: list[str], held: list[int]) -> None:
    assert in_range(question, [(header, row) for row in rows]) == {i: i in held for i in range(len(rows))}


@pytest.mark.parametrize(
    ("question", "header", "rows"),
    [
        ("年休假有几天？", LEAVE, LEAVE_ROWS),
        ("哪些员工有5天年假？", LEAVE, LEAVE_ROWS),
        ("What do 300 units cost on 12 shelves?", PRICE, PRICE_ROWS),
        ("Can it be used at 45 °C?", "| Property | Value |", ["| Temperature | 5–40 °C |", "| Weight | 3 kg |"]),
        ("Who was the chair in 1950?", CHAIR, CHAIR_ROWS),
        ("我入职三个月，签三年合同，试用期多久？", LEAVE, LEAVE_ROWS),
        ("What failed on 11 February?", PRICE, PRICE_ROWS),
    ],
)
def test_nothing_is_told_of(question: str, header: str, rows: list[str]) -> None:
    assert in_range(question, [(header, row) for row in rows]) == {}


@pytest.mark.parametrize(
    "cell",
    [
        "HX-101",
        "430×150×410 mm",
        "5 kg",
        "Q1/2",
        "every 3 months",
        "No limit",
        "3 of 5",
        "Insured value in EUR, at most 2500",
    ],
)
def test_no_range(cell: str) -> None:
    assert range_of(cell) is None


@given(low=st.integers(0, 900), width=st.integers(1, 900), value=st.integers(0, 2000))
def test_ranges_by_whatever_words(low: int, width: int, value: int) -> None:
    high = low + width
    inside = low <= value < high
    for cell in (f"满{low}年不满{high}年", f"from {low} to less than {high} years", f">= {low} and < {high} years"):
        found = range_of(cell)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        assert (found.low <= Decimal(12 * value) < found.high) is inside
        assert found.open_high
