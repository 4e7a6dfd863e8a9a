"""Rows that name the thing a question is about, and what they hold of it (graph.bearing)."""

import pytest

from graph.bearing import Piece, idle_rows, of_one_stem, speaking, tells_by_property, touches

PRICES = "| Item | Order number | List price (EUR) |"
MODELS = "| Parameter | VX-40 | VX-65 |"
CATALOGUE = "| 产品编号 | 规格 | 单价 |"


def row(text: str, header: str | None = PRICES, heading: str = "", title: str = "VX-40 vacuum pump") -> Piece:
    return Piece("sheet", text, header, heading, title)


PROSE = row("The pump is not certified for ATEX zones.", None)
PUMP = row("| VX-40 | 100-4001 | 1,890 |")


@pytest.mark.parametrize(
    "question",
    [
        "Is the VX-40 certified for ATEX zones?",
        "Which oil does the VX-40 take?",
        "How long do the vanes of the VX-40 last?",
        "Who makes the VX-40?",
        "What is the weight of the VX-40?",
        "VX-40 的保修期是多久？",
    ],
)
def test_a_row_that_only_names_the_product_is_idle_beside_sentences_about_it(question: str) -> None:
    assert idle_rows(question, [PUMP, PROSE]) == [True, False]


@pytest.mark.parametrize(
    "question",
    ["What does the VX-40 cost?", "What is the order number of the VX-40?", "What is the VX-40?", "How heavy is it?"],
)
def test_a_row_is_not_idle_where_its_columns_are_asked_for_or_nothing_is(question: str) -> None:
    assert idle_rows(question, [PUMP, PROSE]) == [False, False]


def test_of_models_that_are_columns_the_row_of_what_is_asked_holds_it() -> None:
    weight, noise = row("| Weight | 38 kg | 57 kg |", MODELS), row("| Noise level | 62 dB | 67 dB |", MODELS)
    assert idle_rows("What is the weight of the VX-65?", [weight, noise, PROSE]) == [False, True, False]
    assert idle_rows("How heavy is the VX-65?", [weight, noise, PROSE]) == [False, True, False]


def test_what_stands_above_a_row_is_held_by_it() -> None:
    france = row("| France | 3.6 | 4.4 |", "| Region | Q1 2024 | Q1 2025 |", "Revenue by region")
    assert idle_rows("What was the revenue in France?", [france, row("France grew.", None)]) == [False, False]
    assert idle_rows("Who leads France?", [france, row("He leads France.", None)]) == [True, False]


def test_a_supplier_supplies() -> None:
    belt = row("| HTD 8M-800 | Cintex |", "| Belt | Supplier |", title="Stock")
    assert idle_rows("Who supplies the HTD 8M-800?", [belt, row("It supplies all.", None)]) == [False, False]


def test_where_nothing_else_is_about_the_thing_its_row_may_hold_it_under_another_word() -> None:
    gauge = row("| HX-302 | 0-2.5MPa | 52 |", CATALOGUE, title="价格表")
    assert idle_rows("HX-302 的量程是多少？", [gauge]) == [False]
    assert idle_rows("HX-302 的量程是多少？", [gauge, row("量程见铭牌。", None, title="价格表")]) == [True, False]


def test_items_with_order_numbers_are_no_properties() -> None:
    assert not tells_by_property("How long does the vane set last?", ["Item", "Order number", "Price"], "Vane set")
    assert tells_by_property("What is the noise level?", ["Item", "VX-40", "VX-65"], "Noise level")
    assert tells_by_property("What is the noise level?", ["Parameter", "Value"], "Noise level")
    assert tells_by_property("额定功率是多少？", ["项目", "数值"], "额定功率")


def test_only_documents_that_speak_of_the_thing_tell_how_large_it_is() -> None:
    lease = Piece("lease", "The premises are used as offices.", None, "", "Office lease")
    boiler = row("| Boiler volume | 1.8 L |", "| Property | K7 |")
    assert speaking("How large are the premises?", [lease, boiler]) == {"lease"}
    assert speaking("How large is it?", [lease, boiler]) == {"lease", "sheet"}


def test_a_row_touches_a_question_by_a_word_a_column_or_a_unit() -> None:
    installation = row("| 3 | Installation (5 days) | 7,250 |", "| Pos. | Description | Total |")
    assert not touches("What is the delivery time?", installation)
    assert touches("How long does it take?", installation)
    assert touches("What is the total?", installation)


def test_words_of_one_stem() -> None:
    assert of_one_stem({"recommended", "claims"}, {"recommendations"}) == {"recommended"}
    assert of_one_stem({"price", "年假"}, {"priced", "年假制度"}) == set()
