"""What an answer without a model tells of tables: which rows, and which of their columns."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

import pytest

from graph.config import GenerationConfig
from graph.engine import Engine
from graph.lists import MOST_TOLD
from graph.types import Answer
from retrieval.lexical.bm25 import BM25Index
from retrieval.types import Filters
from tests.fakes.graph import Found, MemoryRetriever, ScriptedGrader, deps, hit
from tests.fakes.quoting import ask

TABLE_ZH = (
    "维护计划如下。\n\n| 项目 | 周期 | 负责人 |\n|---|---|---|\n"
    "| 检查密封圈 | 每 3 个月 | 张华 |\n| 更换滤芯 | 每 6 个月 | 李明 |"
)


TABLE_EN = (
    "| Task | Interval | Owner |\n|:--|--:|---|\n| Check the seals | every **3** months | Anna Gray |\n"
    "| Change the filter | every 6 months |  |"
)


@pytest.mark.parametrize(
    ("question", "text", "shown", "row"),
    [
        (
            "检查密封圈的周期是多久？",
            TABLE_ZH,
            "项目：检查密封圈，周期：每 3 个月。[1]",
            "| 检查密封圈 | 每 3 个月 | 张华 |",
        ),
        (
            "How often are the seals checked?",
            TABLE_EN,
            "Task: Check the seals, Interval: every 3 months. [1]",
            "| Check the seals | every **3** months | Anna Gray |",
        ),
        (
            "What is the interval to change the filter?",
            TABLE_EN,
            "Task: Change the filter, Interval: every 6 months. [1]",
            "| Change the filter | every 6 months |  |",
        ),
    ],
)
def test_a_table_row_reads_as_columns_and_values_and_is_cited_as_it_stands(
    question: str, text: str, shown: str, row: str
) -> None:
    answer = ask(question, text)
    assert answer.text.startswith(shown)
    assert answer.status == "grounded"
    assert row in answer.citations[0].quote
    assert text[answer.citations[0].start : answer.citations[0].end] == answer.citations[0].quote


def test_a_row_says_the_whole_of_itself_where_no_column_is_asked_for() -> None:
    text = ask("Tell me about the seals", TABLE_EN).text
    assert text.startswith("Task: Check the seals, Interval: every 3 months, Owner: Anna Gray. [1]")


def test_a_row_that_begins_a_passage_has_the_header_which_its_context_carries() -> None:
    (passage,) = [hit("| Ridge Fold | 16.9 kg   | 3 h |\n\nIt folds.", source="bikes.md")]
    carried = "Bikes\n| Model | Weight | Charging time |\n|---|---|---|"
    passage = replace(passage, chunk=replace(passage.chunk, context=carried))
    engine = Engine(deps([passage], calibration=ScriptedGrader([0.9]), generation=GenerationConfig()))
    answer = asyncio.run(engine.ask("How heavy is the Ridge Fold?"))
    assert answer.text == "Model: Ridge Fold, Weight: 16.9 kg. [1]"
    assert answer.citations[0].quote == "| Ridge Fold | 16.9 kg   | 3 h |"


def test_a_row_without_its_header_reads_as_its_cells() -> None:
    answer = ask("检查密封圈的周期是多久？", "| 检查密封圈 | 每 3 个月 | 张华 |\n| 更换滤芯 | 每 6 个月 | 李明 |")
    assert answer.text.startswith("检查密封圈，每 3 个月，张华。[1]")


def test_a_cell_that_says_no_denies_nothing() -> None:
    answer = ask(
        "What is the default of the topic option?", "| topic | String | No | SeaTunnel-Topic | Topic of sls. |"
    )
    assert answer.text == "topic · String · No · SeaTunnel-Topic · Topic of sls. [1]"


def test_of_a_table_in_which_a_row_is_named_no_other_row_is_said() -> None:
    table = "| Model | Weight | Colour |\n|---|---|---|\n| Ridge Cargo | 34 kg | red |\n| Ridge Trail | 24 kg | blue |"
    assert ask("How heavy is the Ridge Cargo model?", table).text == "Model: Ridge Cargo, Weight: 34 kg. [1]"


FLEET = "| Model | Weight |\n|---|---|\n| Alpha | 19 kg |\n| Beta | {beta} |\n| Gamma | 7 kg |\n\nThey are red."


def test_the_heaviest_of_a_table_is_its_row() -> None:
    told = ask("Which model has the highest weight?", FLEET.format(beta="34 kg"))
    assert told.text == "Model: Beta, Weight: 34 kg. [1]"


def test_what_cannot_be_compared_is_told_whole() -> None:
    told = ask("Which model has the highest weight?", FLEET.format(beta="on request"), max_sentences=2)
    assert (
        told.text
        == "Model: Alpha, Weight: 19 kg. [1]\nModel: Beta, Weight: on request. [1]\nModel: Gamma, Weight: 7 kg. [1]"
    )


def test_a_table_that_may_go_on_elsewhere_is_not_compared() -> None:
    rows = "\n".join(
        f"| Model {n} | {n} kg | of the long series of models that are made in the north |" for n in range(30)
    )
    told = ask("Which model has the highest weight?", f"| Model | Weight | Kind |\n|---|---|---|\n{rows}")
    assert told.text.count("[1]") > 1


def test_a_row_whose_name_is_part_of_the_one_asked_for_is_another() -> None:
    table = "| 假期 | 天数 |\n|---|---|\n| 产假 | 158 天 |\n| 陪产假 | 15 天 |"
    assert ask("陪产假的天数是多少？", table).text == "假期：陪产假，天数：15 天。[1]"


@pytest.mark.parametrize(
    ("question", "sheet", "first"),
    [
        (
            "What is the rated heating power of the HX-200?",
            "# HX-200\n\nThe HX-200 is a heat pump for houses.\n\n| Parameter | Value |\n|---|---|\n"
            "| Rated heating power | 8.4 kW |\n| Weight | 152 kg |",
            "Parameter: Rated heating power, Value: 8.4 kW.",
        ),
        (
            "What is the weight of the HX-200?",
            "# HX-200\n\nThe HX-200 is a heat pump for houses.\n\n| Item | Specification |\n|---|---|\n"
            "| Refrigerant | R32 |\n| Weight | 152 kg |",
            "Item: Weight, Specification: 152 kg.",
        ),
        (
            "HX-200的重量是多少？",
            "# HX-200\n\nHX-200是家用热泵，共有3个型号。\n\n"
            "| 项目 | 参数 |\n|---|---|\n| 额定功率 | 8.4 kW |\n| 重量 | 152 kg |",
            "项目：重量，参数：152 kg。",
        ),
    ],
)
def test_of_a_data_sheet_the_row_of_what_is_asked_is_told_first(question: str, sheet: str, first: str) -> None:
    assert ask(question, sheet).text.startswith(first)


def test_rows_are_told_by_name_in_every_part_of_a_question() -> None:
    table = "| System | Memory | Disk |\n|---|---|---|\n| Linux | 2 GB | 600 MB |\n| Windows | 4 GB | 900 MB |"
    told = ask("How much memory does Linux need, and how much disk does it need?", table).text
    assert told == "System: Linux, Memory: 2 GB, Disk: 600 MB. [1]"


ACTIONS = (
    "| Action | Owner | Status |\n|---|---|---|\n| Alert at 80 percent | Ada Byron | done |\n"
    "| Block the removal | Mei Tanaka | open |\n| Practise a restore | Priya Nair | open |\n\nCats sleep in the sun."
)


def test_all_rows_are_told_in_order_where_all_are_asked_for() -> None:
    assert ask("Which actions are there?", ACTIONS).text == (
        "Action: Alert at 80 percent, Owner: Ada Byron, Status: done. [1]\n"
        "Action: Block the removal, Owner: Mei Tanaka, Status: open. [1]\n"
        "Action: Practise a restore, Owner: Priya Nair, Status: open. [1]"
    )


def test_only_the_rows_that_hold_what_the_question_says_are_told() -> None:
    assert ask("Which actions are still open?", ACTIONS).text == (
        "Action: Block the removal, Status: open. [1]\nAction: Practise a restore, Status: open. [1]"
    )


def test_a_long_table_is_told_from_all_its_passages() -> None:
    table = "| 型号 | 净重 |\n|---|---|\n| QH-60 | 48 kg |"
    first, rest = hit(table), hit("| QH-240 | 136 kg |\n\n保修两年。", offset=len(table) + 1)
    rest = replace(rest, chunk=replace(rest.chunk, context="Notes\n| 型号 | 净重 |\n|---|---|"))
    engine = Engine(deps([first, rest], calibration=ScriptedGrader([0.9]), generation=GenerationConfig()))
    answer = asyncio.run(engine.ask("有哪些型号？"))
    assert sorted(answer.text.split("\n")) == ["型号：QH-240，净重：136 kg。[2]", "型号：QH-60，净重：48 kg。[1]"]


SPECIFICATION = (
    "| Parameter | KR-2 Slim | KR-2 Broad | Unit |\n|---|---|---|---|\n| Flow rate | 12 | 30 | l/h |\n"
    "| Mounting height | 5 | 9 | m |\n| Fuse | T1 | T2 | A |"
)


@pytest.mark.parametrize(
    ("question", "table", "told"),
    [
        (
            "What is the flow rate of the KR-2 Broad?",
            SPECIFICATION,
            "Parameter: Flow rate, KR-2 Broad: 30, Unit: l/h. [1]",
        ),
        (
            "What is the flow rate?",
            SPECIFICATION,
            "Parameter: Flow rate, KR-2 Slim: 12, KR-2 Broad: 30, Unit: l/h. [1]",
        ),
        (
            "KR-2 宽型的流量是多少？",
            "| 参数 | 单位 | KR-2 窄型 | KR-2 宽型 |\n|---|---|---|---|\n| 流量 | 升/小时 | 12 | 30 |",
            "参数：流量，单位：升/小时，KR-2 宽型：30。[1]",
        ),
        (
            "How high can the KR-2 Slim be mounted?",
            SPECIFICATION,
            "Parameter: Mounting height, KR-2 Slim: 5, Unit: m. [1]",
        ),
    ],
)
def test_a_value_is_told_with_the_unit_of_its_row(question: str, table: str, told: str) -> None:
    assert ask(question, table).text == told


@pytest.mark.parametrize(
    ("question", "table", "told"),
    [
        (
            "How much does the KR-2 Broad cost?",
            "| Order number | Article | Price (EUR) |\n|---|---|---|\n| 77-1 | KR-2 Slim | 410.00 |\n"
            "| 77-2 | KR-2 Broad | 655.00 |\n| 77-3 | Foot valve | 22.00 |",
            "Order number: 77-2, Article: KR-2 Broad, Price (EUR): 655.00. [1]",
        ),
        (
            "膜片 8 英寸的单价是多少？",
            "| 货号 | 品名 | 单价（元） |\n|---|---|---|\n| 7731 | 膜片 6 英寸 | 85 |\n| 7732 | 膜片 8 英寸 | 110 |",
            "货号：7732，品名：膜片 8 英寸，单价（元）：110。[1]",
        ),
        (
            "What does alarm A08 mean and what should I do?",
            "| Alarm | Meaning | Action |\n|---|---|---|\n| A04 | Membrane broken | Replace the membrane |\n"
            "| A08 | Motor overloaded | Let it cool |\n| A15 | Battery empty | Replace the cell |",
            "Alarm: A08, Meaning: Motor overloaded, Action: Let it cool. [1]",
        ),
    ],
)
def test_no_row_of_another_thing_follows_the_one_that_the_question_names(question: str, table: str, told: str) -> None:
    assert ask(question, table).text == told


def test_the_row_of_what_a_verb_asks_is_told_not_the_one_that_only_names_the_thing() -> None:
    sheet = "| Property | Value |\n|---|---|\n| Colour | grey |\n| Weight | 310 g (Slim), 385 g (Broad) |"
    prices = "| Order number | Article | Price |\n|---|---|---|\n| 77-1 | KR-2 Slim | 41 |\n| 77-2 | KR-2 Broad | 65 |"
    told = ask("How much does the KR-2 Slim weigh?", prices, sheet).text
    assert told == "Property: Weight, Value: 310 g (Slim), 385 g (Broad) [1]"


CODES = [f"| E{n:02} | Motor {n} is hot | Wait {n} minutes |" for n in range(1, 21)]


@pytest.mark.parametrize(
    "question", ["What are all the error codes?", "List the error codes.", "Which codes are there?"]
)
def test_all_rows_of_a_long_table_are_told_also_where_a_sentence_is_nearer(question: str) -> None:
    rows = "\n".join(CODES)
    text = f"The list has all the error codes that there are.\n\n| Code | Meaning | Remedy |\n|---|---|---|\n{rows}"
    told = ask(question, text).text.split("\n")
    assert [line.split(",")[0] for line in told] == [f"Code: E{n:02}" for n in range(1, 21)]


def of_document(question: str, text: str, *found: str) -> Answer:
    """Asked of a document of which only these passages are found."""
    every = hit(text, title="Manual")
    chunks = [
        replace(every.chunk, id=str(n), start=(at := text.index(each)), end=at + len(each), text=each)
        for n, each in enumerate(found)
    ]
    retriever = MemoryRetriever(
        [replace(every, chunk=replace(c, heading_path=("Manual", "Codes"), page=7)) for c in chunks]
    )
    whole = MemoryRetriever([every])
    parts = deps([], retriever=Reading(retriever, whole), calibration=ScriptedGrader([0.9]))
    return asyncio.run(Engine(parts).ask(question))


@dataclass
class Reading:
    """Finds by one retriever, reads by another."""

    finds: MemoryRetriever
    reads: MemoryRetriever

    def retrieve(self, question: str, *, top_k: int | None = None, filters: Filters | None = None) -> Found:
        return self.finds.retrieve(question, top_k=top_k, filters=filters)

    def lexicon(self, filters: Filters | None = None) -> BM25Index | None:
        return self.finds.lexicon(filters)

    def text(self, document: str) -> str:
        return self.reads.text(document)


def table_of(count: int, header: str = "Code | Meaning", name: str = "Motor {} is hot") -> str:
    rows = "\n".join(f"| E{n:03} | {name.format(n)} |" for n in range(1, count + 1))
    return f"| {header} |\n|---|---|\n{rows}"


@pytest.mark.parametrize(
    ("question", "table", "last"),
    [
        (
            "List all error codes.",
            table_of(45),
            'These are 30 of 45; the rest is in "Codes" of "Manual", page 7. [1]',
        ),
        (
            "有哪些故障代码？",
            table_of(45, "故障代码 | 含义", "电机 {} 过热"),
            "以上是全部 45 项中的 30 项，其余见《Manual》“Codes”第 7 页。[1]",
        ),
    ],
)
def test_of_more_rows_than_are_told_the_answer_says_how_many_there_are_and_where(
    question: str, table: str, last: str
) -> None:
    answer = of_document(question, table, table)
    *rows, rest = answer.text.split("\n")
    assert len(rows) == 30
    assert rest == last
    assert answer.status == "partial"


def test_rows_in_passages_that_were_not_found_or_kept_are_counted_too() -> None:
    table = table_of(80)
    answer = of_document("List all error codes.", f"{table}\n\nNothing else.", table[:400].rpartition("\n")[0])
    *rows, rest = answer.text.split("\n")
    assert rest.startswith(f"These are {len(rows)} of 80;")


def test_of_the_rows_that_a_question_is_about_the_others_are_not_counted() -> None:
    table = table_of(80) + "\n" + "\n".join(f"| F{n:03} | Fuse blown |" for n in range(35))
    answer = of_document("Which codes are there for fuse blown?", table, table)
    assert answer.text.split("\n")[-1].startswith("These are 30 of 35;")


def test_a_table_that_is_told_whole_needs_no_such_line() -> None:
    table = table_of(30)
    answer = of_document("List all error codes.", table, table)
    assert len(answer.text.split("\n")) == 30
    assert answer.status == "grounded"


@pytest.mark.parametrize(
    ("question", "first", "item", "last"),
    [
        (
            "What are the requirements?",
            "The requirements are:",
            "- Requirement number {} is met.",
            "These are {} of 64;",
        ),
        ("有哪些要求？", "要求如下：", "- 必须满足第 {} 项要求。", "以上是全部 64 项中的 {} 项，"),
    ],
)
def test_a_long_list_says_how_many_items_it_has(question: str, first: str, item: str, last: str) -> None:
    text = first + "\n" + "\n".join(item.format(n) for n in range(1, 65)) + "\n\nNothing else."
    answer = of_document(question, text, text)
    _, *told, rest = answer.text.split("\n")
    assert len(told) == MOST_TOLD
    assert rest.startswith(last.format(len(told)))
    assert answer.status == "partial"
    cut = of_document(question, text, text[:300].rpartition("\n")[0])
    _, *told, rest = cut.text.split("\n")
    assert rest.startswith(last.format(len(told)))
