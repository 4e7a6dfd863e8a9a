"""Which columns of a row a question asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.columns import asked_columns
from graph.questions import parts

PUMPS = ("Model", "Weight", "Reach", "Flow per minute", "Price", "Released", "Owner")
PUMP = ("Aqua P7", "12 kg", "40 m", "80 l", "€310", "2021", "Ada Byron")
OVENS = ("型号", "外形尺寸（宽×深×高）", "净重", "最高温度", "续航里程", "升温时间", "含税价", "负责人", "所在城市")
OVEN = ("KX-9", "60×65×90 cm", "48 kg", "250 ℃", "30 km", "25 分钟", "6,800 元", "李雷", "苏州")


@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("How heavy is the Aqua P7?", ["Weight"]),
        ("How much does the Aqua P7 weigh?", ["Weight"]),
        ("How expensive is the Aqua P7?", ["Price"]),
        ("What does the Aqua P7 cost?", ["Price"]),
        ("What is the flow per minute of the Aqua P7?", ["Flow per minute"]),
        ("Who owns the Aqua P7?", ["Owner"]),
        ("When was the Aqua P7 released?", ["Released"]),
        ("How heavy is the Aqua P7, and who owns it?", ["Weight", "Owner"]),
        ("Which model weighs 12 kg?", ["Weight"]),
    ],
)
def test_english_columns(question: str, columns: list[str]) -> None:
    assert [PUMPS[i] for i in sorted(asked_columns(parts(question), PUMPS, PUMP))] == ["Model", *columns]


@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("KX-9 多重？", ["净重"]),
        ("KX-9 的温度多大？", ["最高温度"]),
        ("KX-9 多高？", ["外形尺寸（宽×深×高）"]),
        ("KX-9 多宽？", ["外形尺寸（宽×深×高）"]),
        ("KX-9 多少钱？", ["含税价"]),
        ("KX-9 多贵？", ["含税价"]),
        ("KX-9 能跑多远？", ["续航里程"]),
        ("KX-9 升温要多久？", ["升温时间"]),
        ("KX-9 最高温度是多少？", ["最高温度"]),
        ("KX-9 由谁负责？", ["负责人"]),
        ("KX-9 在哪里？", ["所在城市"]),
        ("How heavy is the KX-9?", ["净重"]),
    ],
)
def test_chinese_columns(question: str, columns: list[str]) -> None:
    assert [OVENS[i] for i in sorted(asked_columns(parts(question), OVENS, OVEN))] == ["型号", *columns]


@pytest.mark.parametrize(
    "question", ["Tell me about the Aqua P7", "Is the Aqua P7 good?", "How heavy is the Aqua P7, and why is it good?"]
)
def test_the_whole_row_where_a_part_names_no_column(question: str) -> None:
    assert asked_columns(parts(question), PUMPS, PUMP) == frozenset(range(len(PUMPS)))


def test_a_column_is_named_by_its_first_words() -> None:
    header = ("Plan", "Price per month", "Requests per month")
    assert asked_columns(("What price has the Team plan?",), header, ("Team", "$49", "600")) == {0, 1}


def test_a_column_that_counts_the_rows_says_little_of_what_they_are_about() -> None:
    assert asked_columns(("How heavy is it?",), ("#", "Model", "Weight", "Price"), ("1", "P7", "2 kg", "€1")) == {
        0,
        1,
        2,
    }


@given(st.text(max_size=60), st.lists(st.text(max_size=12), max_size=6), st.lists(st.text(max_size=12), max_size=6))
def test_columns_are_of_the_row(question: str, header: list[str], values: list[str]) -> None:
    assert asked_columns(parts(question), header, values) <= frozenset(range(max(len(header), len(values))))


@pytest.mark.parametrize(
    ("question", "header", "columns"),
    [
        ("What is the price?", ("Order number", "Article", "Price (EUR)"), ["Order number", "Article", "Price (EUR)"]),
        ("What is the price?", ("Item no.", "Product", "Colour", "Price"), ["Item no.", "Product", "Price"]),
        ("单价是多少？", ("货号", "品名", "单价（元）", "库存"), ["货号", "品名", "单价（元）"]),
        ("What is the price?", ("Article", "Colour", "Price"), ["Article", "Price"]),
    ],
)
def test_a_row_with_a_number_in_front_keeps_what_it_is_called(
    question: str, header: tuple[str, ...], columns: list[str]
) -> None:
    row = ("9001", "Bracket", "17", "3")[: len(header)]
    assert [header[i] for i in sorted(asked_columns((question,), header, row))] == columns


@pytest.mark.parametrize("unit", ["Unit", "Units", "UoM", "Einheit", "单位", "計量單位"])
def test_the_unit_is_told_with_a_value_alone(unit: str) -> None:
    header = ("Parameter", "Slim", "Broad", "Remark", unit)
    told = asked_columns(("What is the flow of the Slim?",), header, ("Flow", "3", "5", "", "l/h"))
    assert [header[i] for i in sorted(told)] == ["Parameter", "Slim", unit]


BACKUPS = ("对象", "备份方式", "频率", "保留时间")
STOCK = ("sku", "item", "warehouse", "stock", "reorder_level", "unit_price_eur")


@pytest.mark.parametrize(
    ("question", "header", "values", "columns"),
    [
        ("WAL日志多久备份一次？", BACKUPS, ("WAL 日志", "增量备份", "每15分钟", "7天"), {0, 1, 2, 3}),
        ("WAL日志的备份频率？", BACKUPS, ("WAL 日志", "增量备份", "每15分钟", "7天"), {0, 1, 2}),
        ("配置文件什么时候备份？", BACKUPS, ("配置文件", "快照", "每周日 03:00", "8周"), {0, 1, 2, 3}),
        (
            "How often is the filter checked?",
            ("Part", "Check", "Schedule"),
            ("Filter", "visual", "every week"),
            {0, 1, 2},
        ),
        ("How heavy is the P7 HT?", ("Parameter", "P7", "P7 HT", "P9"), ("Weight", "38 kg", "41 kg", "57 kg"), {0, 2}),
        ("Which items are below the reorder level?", STOCK, ("B1", "Bolt", "Lyon", "95", "150", "4.10"), {0, 1, 3, 4}),
        ("What is the price of the bolt?", STOCK, ("B1", "Bolt", "Lyon", "95", "150", "4.10"), {0, 1, 5}),
    ],
)
def test_columns_of_the_kind_that_is_asked_for(
    question: str, header: tuple[str, ...], values: tuple[str, ...], columns: set[int]
) -> None:
    assert asked_columns(parts(question), header, values) == columns
